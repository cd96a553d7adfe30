//! LanceDB storage for SSCG: one index shared by many machines, in a directory or an object store.
//!
//! A [`LanceStore`] is a [`Store`](sscg_index::Store) for the facts, vectors and manifests of an index. It publishes
//! the index in tables that every reader of Lance can open, too: `files`, `chunks` with vectors, `symbols` and `edges`.
//! [`LanceStore::nearest`] and [`LanceStore::matching`] search them in place, and
//! [`Store::snapshot`](sscg_index::Store::snapshot) opens them as a whole where there is no source tree.
//!
//! Each project has its own tables, so writers of different projects never conflict. One table, `meta`, holds the
//! versions of the others that belong together; readers use only these versions and never see a partial update.
//!
//! This is a separate crate because LanceDB is a heavy dependency that needs `protoc` to build: the default build does
//! not include it, and only the facade may depend on it.
//!
//! *Invariant:* no type of LanceDB, Arrow or tokio is part of the public API. All calls are synchronous; do not make
//! them from an asynchronous task.

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
