//! LanceDB storage for SSCG: one index for many machines, in a directory or in an object store.
//!
//! A [`LanceStore`] is a [`Store`](sscg_index::Store), so an index keeps its facts, vectors and manifests in it like in
//! any other. What it publishes lies in tables that every reader of Lance can open, too: `files`, `chunks` with
//! vectors, `symbols` and `edges`, searched where they lie by [`LanceStore::nearest`] and [`LanceStore::matching`],
//! and opened whole by [`Store::snapshot`](sscg_index::Store::snapshot) where there is no source tree.
//!
//! Each project has tables of its own, so that writers of different projects never meet. One table, `meta`, names the
//! versions of the others that belong together; readers look at those, and never see half an update.
//!
//! It is a crate of its own because LanceDB is a heavy dependency that needs `protoc` to build: the default build
//! does without it, and of all crates only the facade may depend on it.
//!
//! *Invariant:* no type of LanceDB, Arrow or tokio leaves this crate. All calls are synchronous; they must not be made
//! from within an asynchronous task.

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
