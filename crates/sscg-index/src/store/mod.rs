//! Storage of computed data.

mod codec;
mod directory;
mod embedded;
mod entry;
mod garbage;
mod snapshot_file;

use std::fmt;
use std::sync::Arc;

use derive_setters::Setters;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use sscg_core::Corpus;

pub use embedded::EmbeddedStore;
pub use entry::{FactsKey, ManifestEntry, StoredFacts, TextHash};

pub(crate) use codec::{decode, encode};

use crate::discovery::file_type;
use crate::shared::SharedBytes;
use crate::{IndexError, Snapshot};

/// Storage of computed data: facts and vectors by content, a manifest for each work tree, and the snapshot derived from
/// it.
///
/// Everything in a store can be computed again from the tree, so lost data costs time but never an answer. A work tree
/// is identified by its absolute path, or by any name its users agree on where several machines share one store.
///
/// *Invariant:* others see the effect of [`write`](Store::write) and [`publish`](Store::publish) in full or not at all,
/// even if the process is killed halfway.
///
/// `conformance::check` (feature `conformance`) checks an implementation.
///
/// ```
/// use std::sync::Arc;
///
/// use sscg_index::{EmbeddedStore, Index, IndexOptions, Storage, Store};
///
/// # let (tree, directory) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// # std::fs::write(tree.path().join("a.py"), "def helper(): pass\n")?;
/// let store: Arc<dyn Store> = Arc::new(EmbeddedStore::new(directory.path()));
/// let storage = Storage::Store { store: Arc::clone(&store), tree: "main".to_owned() };
/// Index::open(tree.path(), &IndexOptions::default().with_storage(storage))?.refresh()?;
///
/// let manifest = store.manifest("main")?;
/// assert_eq!(manifest[0].path, "a.py");
/// assert!(store.facts(&[manifest[0].key().unwrap()])?[0].is_some());
/// let snapshot = store.snapshot("main")?.unwrap();
/// assert_eq!(snapshot.project.symbols_named("helper").count(), 1);
/// assert!(store.manifest("other")?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Store: fmt::Debug + Send + Sync {
    /// Returns the directory or address, for messages.
    fn place(&self) -> String;

    /// Returns the manifest of a work tree as of the last write; empty if there is none.
    ///
    /// # Errors
    /// For every method: [`IndexError::Damaged`] if the stored data is corrupt (it has been discarded, and the next
    /// call finds an empty store), [`IndexError::InUse`] if other processes held the store for too long,
    /// [`IndexError::Store`] if the system or the server refused.
    fn manifest(&self, tree: &str) -> Result<Vec<ManifestEntry>, IndexError>;

    /// Returns the encoded [`StoredFacts`] of each key, in the order of the keys; `None` where there are none.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn facts(&self, keys: &[FactsKey]) -> Result<Vec<Option<Vec<u8>>>, IndexError>;

    /// Returns the vectors that `model` computed for texts, in the order of the keys; `None` where there are none.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn vectors(&self, model: &str, keys: &[TextHash]) -> Result<Vec<Option<Vec<f32>>>, IndexError>;

    /// Adds facts and vectors, then replaces the manifest of a work tree if one is given: a manifest never lists facts
    /// that were not written before it.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn write(&self, update: &Update<'_>) -> Result<(), IndexError>;

    /// Stores the snapshot derived from the current manifest of a work tree.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn publish(&self, tree: &str, snapshot: &Snapshot) -> Result<(), IndexError>;

    /// Returns the last published snapshot of a work tree, if this version can read it.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn snapshot(&self, tree: &str) -> Result<Option<Snapshot>, IndexError>;

    /// Returns the last published snapshot of a work tree for a process without the tree: texts are read from the store
    /// on demand. `None` if there is none that this version can read, or if the store keeps no texts, which is the
    /// default. A caller that keeps a snapshot gets the same one again until anything is published in the store.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn detached(self: Arc<Self>, _tree: &str) -> Result<Option<Arc<Snapshot>>, IndexError> {
        Ok(None)
    }

    /// Returns the names of the work trees that [`Store::detached`] may return (default none).
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn published(&self) -> Result<Vec<String>, IndexError> {
        Ok(Vec::new())
    }

    /// Returns what other programs found in a work tree, in the encoding of the index, as of the last write; `None` if there
    /// is nothing, or if the store does not keep it.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn occurrences(&self, _tree: &str) -> Result<Option<Vec<u8>>, IndexError> {
        Ok(None)
    }

    /// Returns a number that differs after each change of [`Store::occurrences`], at the cost of looking at a file; `None`
    /// if there is nothing.
    fn occurrences_version(&self, _tree: &str) -> Option<u64> {
        None
    }

    /// Replaces what other programs found in a work tree, or removes it. Unlike all else in a store, it cannot be computed
    /// again from the tree.
    ///
    /// # Errors
    /// See [`Store::manifest`]; [`IndexError::Store`] if the store does not keep it.
    fn write_occurrences(&self, _tree: &str, _encoded: Option<&[u8]>) -> Result<(), IndexError> {
        let message = "it does not keep the results of other programs".to_owned();
        Err(IndexError::Store { operation: "add occurrences to", place: self.place(), message })
    }

    /// Acquires the index lock of a work tree, which is advisory and held until the result is dropped; `None` if
    /// another process holds it.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn lock(&self, tree: &str) -> Result<Option<Box<dyn IndexLock>>, IndexError>;

    /// Returns the progress reported by the holder of a work tree's [index lock](Store::lock): files done, files to
    /// do; `None` if nothing was reported.
    fn progress(&self, tree: &str) -> Option<(usize, usize)>;

    /// Removes work trees that no longer exist or were not used for `unused_days`, then facts and vectors that no
    /// manifest lists and nothing used for `unused_days`.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn collect_garbage(&self, unused_days: u32) -> Result<Collected, IndexError>;

    /// Returns what the store holds, in numbers.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn usage(&self) -> Result<Usage, IndexError>;
}

/// Counts the files in a work tree's manifest whose facts are intact neither in the store nor in its snapshot, so that
/// they will be parsed again. Reads all of them.
pub(crate) fn count_missing(store: &dyn Store, tree: &str, corpus: Corpus) -> Result<usize, IndexError> {
    let snapshot = store.snapshot(tree)?.unwrap_or_default();
    let known: FxHashSet<&FactsKey> = snapshot.files.iter().filter_map(|file| file.key.as_ref()).collect();
    let manifest = store.manifest(tree)?;
    // Package manifests are read for linking and are not part of the code.
    let entries = manifest.iter().filter(|entry| file_type(corpus, &entry.path).is_some());
    let mut keys: Vec<FactsKey> = entries.filter_map(ManifestEntry::key).collect();
    keys.retain(|key| !known.contains(key));
    let whole = store.facts(&keys)?.into_par_iter().filter_map(|facts| StoredFacts::decode(facts?)).count();
    Ok(keys.len() - whole)
}

/// Suffix that turns a work tree's name into the name of its documents. No path from the system ends with it.
const DOCUMENTS: &str = "//documents";

/// Returns the store's name for the code or the documents of a work tree.
pub(crate) fn tree_of(corpus: Corpus, tree: String) -> String {
    match corpus {
        Corpus::Code => tree,
        Corpus::Documents => tree + DOCUMENTS,
    }
}

/// Returns the work tree whose documents have this name; `None` for the name of its code.
pub fn documents_of(tree: &str) -> Option<&str> {
    tree.strip_suffix(DOCUMENTS)
}

/// Index lock of a work tree, released on drop.
pub trait IndexLock: Send + Sync {
    /// Reports progress to other processes.
    fn report(&self, done: usize, total: usize);
}

/// Changes made by one [`Store::write`].
#[derive(Clone, Copy, Debug, Default, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct Update<'a> {
    /// Work tree whose manifest is replaced.
    pub tree: &'a str,
    /// New manifest, sorted by path; `None` keeps the current one.
    pub manifest: Option<&'a [ManifestEntry]>,
    /// New facts, encoded.
    pub facts: &'a [(FactsKey, SharedBytes)],
    /// ID of the model that computed the vectors.
    pub model: &'a str,
    /// New vectors, all of the model's dimension.
    pub vectors: &'a [(TextHash, Vec<f32>)],
    /// Sorted hashes of all texts whose vectors by this model the work tree uses from now on; these vectors are kept.
    /// `None` if unknown.
    pub texts: Option<&'a [TextHash]>,
}

/// Result of a garbage collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Setters)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct Collected {
    /// Number of removed work trees.
    pub trees: usize,
    /// Number of texts whose facts were removed.
    pub facts: usize,
    /// Number of removed vectors.
    pub vectors: usize,
    /// Number of bytes freed.
    pub bytes: u64,
}

/// Contents of a store, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Setters)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct Usage {
    /// Work trees by name, with the number of files in their manifests.
    pub trees: Vec<(String, usize)>,
    /// Number of texts with facts, of any version.
    pub facts: usize,
    /// Number of vectors, of all models.
    pub vectors: usize,
    /// Total size in bytes.
    pub bytes: u64,
}
