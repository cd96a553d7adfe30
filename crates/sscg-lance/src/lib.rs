//! LanceDB storage for SSCG: one index shared by many machines, in a directory or an object store.
//!
//! Use it where one machine indexes and others search, or where programs that read Lance tables should use the index.
//! For one machine, the store of [`sscg-index`](sscg_index) needs no database.
//!
//! *Invariant:* no type of LanceDB, Arrow or tokio is part of the public API. All calls are synchronous; do not make
//! them from an asynchronous task. Readers see a publication in full or not at all.
//!
//! # Overview
//!
//! - [`LanceStore`] is a [`Store`](sscg_index::Store) for the facts, vectors and manifests of an index, to be used as
//!   [`Storage::Store`](sscg_index::Storage::Store). It publishes the index in tables that every reader of Lance can
//!   open, too: `files`, `chunks` with vectors, `symbols` and `edges`.
//! - [`LanceStore::nearest`] and [`LanceStore::matching`] search the tables in place, with a [`ChunkFilter`].
//! - [`LanceStore::detached`] opens a publication as a whole where there is no source tree.
//! - [`LanceOptions`] has the options of the object store; [`is_address`] checks an address.
//!
//! # Example
//!
//! ```no_run
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use sscg_index::{Index, IndexOptions, Storage};
//! use sscg_lance::{ChunkFilter, LanceOptions, LanceStore};
//!
//! let store = Arc::new(LanceStore::open("s3://bucket/indexes", "shop", LanceOptions::default())?);
//! let mut options = IndexOptions::default();
//! options.storage = Storage::Store { store: store.clone(), tree: "main".to_owned() };
//! let mut index = Index::open(Path::new("."), &options)?;
//! index.refresh()?;
//! index.save()?;
//!
//! for hit in store.matching("main", "retry policy", &ChunkFilter::default(), 10)? {
//!     println!("{} {:.2}", hit.chunk.id, hit.score);
//! }
//! # Ok::<(), sscg_index::IndexError>(())
//! ```
//!
//! # Design
//!
//! - **A crate of its own**, because LanceDB is a heavy dependency that needs `protoc` to build. The default build does
//!   not include it, and of the workspace only the facade may depend on it.
//! - **One set of tables for each project.** Writers of different projects never conflict and need no server; a project
//!   is deleted, moved or given permissions as a directory. A question over all projects queries each.
//! - **One row defines which versions belong together.** LanceDB commits one table at a time, so the table `meta` holds
//!   a version for each of them, and a publication ends with one conditional update of that row. There is no lock that
//!   a vanished machine would have to release.
//! - **Facts and vectors are keyed by content**, so they are appended without conflict.
//! - **Indices from 50,000 rows on.** Below, a scan takes a few milliseconds and finds exactly the nearest.
//!
//! `docs/scale.md` in the repository describes its operation.

mod address;
mod content;
mod garbage;
mod maintenance;
mod manifest;
mod publication;
mod search;
mod store;
mod tables;
mod transaction;

pub use address::is_address;
pub use search::{ChunkFilter, ChunkHit};
pub use store::{LanceOptions, LanceStore};
