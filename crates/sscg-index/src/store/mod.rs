//! Storage of computed data.

mod codec;
mod embedded;
mod garbage;
mod snapshot_file;

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use derive_setters::Setters;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use sscg_core::{Corpus, FileFacts, LazyFacts};
use sscg_parse::{EXTRACTOR_VERSION, FileType};

pub use embedded::EmbeddedStore;

pub(crate) use codec::{decode, encode};

use crate::discovery::file_type;
use crate::{FileTerms, IndexError, SkipReason, Snapshot};

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

/// BLAKE3 hash of an embedded text.
pub type TextHash = [u8; 32];

/// Facts of a file, with its terms.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoredFacts {
    /// Facts that the parser extracted from the text.
    pub facts: LazyFacts,
    /// Terms of the file.
    pub terms: Arc<FileTerms>,
    /// Facts and terms in the store's encoding.
    pub bytes: SharedBytes,
}

impl StoredFacts {
    /// Encodes the facts and terms of a text: length of the facts, facts, terms. Facts and terms are each compressed
    /// and preceded by a checksum.
    pub(crate) fn new(facts: FileFacts, terms: FileTerms) -> Self {
        let encoded = encode(&facts);
        let bytes = [&(encoded.len() as u32).to_le_bytes()[..], &encoded, &encode(&terms)].concat();
        Self { facts: facts.into(), terms: Arc::new(terms), bytes: bytes.into() }
    }

    /// Decodes facts and terms, unless the bytes are corrupt or from another version.
    pub fn decode(bytes: Vec<u8>) -> Option<Self> {
        let (facts, terms) = split(&bytes)?;
        let facts: FileFacts = decode(facts)?;
        let terms = Arc::new(decode(terms)?);
        Some(Self { facts: facts.into(), terms, bytes: bytes.into() })
    }

    /// Returns the encoded facts without the terms, in a buffer of their own.
    pub(crate) fn facts_bytes(&self) -> SharedBytes {
        split(&self.bytes).map_or_else(SharedBytes::default, |(facts, _)| facts.to_vec().into())
    }
}

/// Number of bytes of the length prefix.
const LENGTH_BYTES: usize = 4;

/// Splits encoded bytes into facts and terms.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = bytes.split_first_chunk::<LENGTH_BYTES>()?;
    rest.split_at_checked(u32::from_le_bytes(*len) as usize)
}

/// Slice of a shared buffer.
#[derive(Clone, Debug, Default)]
pub struct SharedBytes {
    buffer: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl SharedBytes {
    /// Returns a slice of this slice.
    ///
    /// # Panics
    /// If the range exceeds this slice.
    pub fn part(&self, range: Range<usize>) -> Self {
        assert!(range.end <= self.range.len(), "a part lies within the whole");
        let start = self.range.start;
        Self { buffer: Arc::clone(&self.buffer), range: start + range.start..start + range.end }
    }

    /// Returns the buffer, and the range of this slice in it.
    pub(crate) fn place(&self) -> (&Arc<Vec<u8>>, Range<usize>) {
        (&self.buffer, self.range.clone())
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { range: 0..bytes.len(), buffer: Arc::new(bytes) }
    }
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer[self.range.clone()]
    }
}

/// Key of the facts of a text: its hash, and the file extension, which selects the language and dialect.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct FactsKey {
    /// BLAKE3 hash of the file's text.
    pub hash: [u8; 32],
    /// File extension, without the dot.
    pub extension: &'static str,
    /// Version of the language's facts.
    pub version: u32,
}

impl FactsKey {
    /// Returns the key of a text of a type, by the hash of the text.
    pub fn new(hash: [u8; 32], FileType { language, extension }: FileType) -> Self {
        Self { hash, extension, version: language.version }
    }

    /// Returns the key as bytes, starting with the versions of the extractor and of the language: facts of other
    /// versions are not found.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (shared, own) = (EXTRACTOR_VERSION.to_le_bytes(), self.version.to_le_bytes());
        [&shared, &own, &self.hash[..], self.extension.as_bytes()].concat()
    }
}

/// State of a file when it was last examined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ManifestEntry {
    /// Path relative to the work tree, with forward slashes.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since the Unix epoch; 0 if it may miss a change of the file.
    pub mtime: u128,
    /// Hash of the content, or the reason why it is not indexed.
    pub content: Result<[u8; 32], SkipReason>,
}

impl ManifestEntry {
    /// Returns the key of the file's facts; `None` if it is not indexed.
    pub fn key(&self) -> Option<FactsKey> {
        let hash = *self.content.as_ref().ok()?;
        Some(FactsKey::new(hash, FileType::of_path(&self.path)?))
    }
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
