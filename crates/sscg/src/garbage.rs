//! Garbage collection of stores.

use sscg_index::{Collected, Storage, Store, stores};

use crate::Error;

/// Store after garbage collection.
#[derive(Debug)]
#[non_exhaustive]
pub struct Cleaned {
    /// Directory or address of the store.
    pub place: String,
    /// Removed data, or the error that prevented removal.
    pub outcome: Result<Collected, Error>,
}

impl Cleaned {
    /// Collects garbage in one store: work trees that are gone or have not been queried for `unused_days`, then data
    /// that no work tree refers to and that has not been used for `unused_days`.
    pub fn new(store: &dyn Store, unused_days: u32) -> Self {
        let outcome = store.collect_garbage(unused_days).map_err(Error::from);
        Self { place: store.place(), outcome }
    }
}

/// Collects garbage in every store of an index directory, or in a single given store. A broken store does not stop
/// the others. To stop between stores, clean each of [`stores`](sscg_index::stores) with [`Cleaned::new`].
///
/// # Errors
/// If the index directory is unknown or cannot be read.
pub fn collect_garbage(storage: &Storage, unused_days: u32) -> Result<Vec<Cleaned>, Error> {
    let base = match storage {
        Storage::Cache => None,
        Storage::Directory(base) => Some(base.as_path()),
        Storage::Store { store, .. } => return Ok(vec![Cleaned::new(store.as_ref(), unused_days)]),
        // `Ephemeral` keeps nothing.
        _ => return Ok(Vec::new()),
    };
    let stores = stores(base)?;
    Ok(stores.iter().map(|store| Cleaned::new(store, unused_days)).collect())
}
