//! Keeping stores small.

use sscg_index::{Collected, Storage, Store, stores};

use crate::Error;

/// A store that was looked through for garbage.
#[derive(Debug)]
pub struct Cleaned {
    /// The store's directory or address.
    pub place: String,
    /// What went, or why nothing could.
    pub outcome: Result<Collected, Error>,
}

impl Cleaned {
    /// Collects garbage in one store: work trees that are gone or that no one asked about for so many days, then what no
    /// work tree names and no one used for so many days.
    pub fn new(store: &dyn Store, unused_days: u32) -> Self {
        let outcome = store.collect_garbage(unused_days).map_err(Error::from);
        Self { place: store.place(), outcome }
    }
}

/// Collects garbage in every store of an index directory, or in the one store given. A store that is broken does not
/// keep the others from it.
///
/// # Errors
/// If the index directory is not known or cannot be read.
pub fn collect_garbage(storage: &Storage, unused_days: u32) -> Result<Vec<Cleaned>, Error> {
    let base = match storage {
        Storage::Cache => None,
        Storage::Directory(base) => Some(base.as_path()),
        Storage::Store { store, .. } => return Ok(vec![Cleaned::new(store.as_ref(), unused_days)]),
        Storage::Ephemeral => return Ok(Vec::new()),
    };
    let stores = stores(base)?;
    Ok(stores.iter().map(|store| Cleaned::new(store, unused_days)).collect())
}
