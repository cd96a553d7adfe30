//! Where an index keeps what it computed.

mod codec;
mod embedded;
mod garbage;
mod snapshot_file;

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use sscg_core::{Corpus, FileFacts, Language, LazyFacts};
use sscg_parse::{EXTRACTOR_VERSION, claim};

pub use embedded::EmbeddedStore;

pub(crate) use codec::{decode, encode};

use crate::{FileTerms, IndexError, SkipReason, Snapshot};

/// Where an index keeps what it computed: facts and vectors by the content they were made of, a manifest for each
/// work tree, and what was derived of it.
///
/// Everything in a store can be computed again from the tree, so a store that lost something costs time and never an
/// answer. A work tree is named by its absolute path, or by whatever name its users agree on where many machines
/// share one store.
///
/// *Invariant:* what [`write`](Store::write) and [`publish`](Store::publish) do is seen by others in full or not at
/// all, also after the process was killed in the middle of it.
pub trait Store: fmt::Debug + Send + Sync {
    /// For messages: the directory or address.
    fn place(&self) -> String;

    /// The manifest of a work tree as of the last write; empty if there is none.
    ///
    /// # Errors
    /// As for every method: [`IndexError::Damaged`] if what is stored makes no sense (it has been discarded, the next
    /// call finds an empty store), [`IndexError::InUse`] if others did not let go of the store for long,
    /// [`IndexError::Store`] if the system or the server refused.
    fn manifest(&self, tree: &str) -> Result<Vec<ManifestEntry>, IndexError>;

    /// The encoded [`StoredFacts`] under each key, in the order of the keys; `None` where there are none.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn facts(&self, keys: &[FactsKey]) -> Result<Vec<Option<Vec<u8>>>, IndexError>;

    /// The vectors that `model` made of texts, in the order of the keys; `None` where there are none.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn vectors(&self, model: &str, keys: &[TextHash]) -> Result<Vec<Option<Vec<f32>>>, IndexError>;

    /// Adds facts and vectors, then replaces the manifest of a work tree if one is given: a manifest never names facts
    /// that were not written before it.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn write(&self, update: &Update<'_>) -> Result<(), IndexError>;

    /// Keeps what was derived of the present manifest of a work tree.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn publish(&self, tree: &str, snapshot: &Snapshot) -> Result<(), IndexError>;

    /// What was published last for a work tree, if it can be read by this version.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn snapshot(&self, tree: &str) -> Result<Option<Snapshot>, IndexError>;

    /// Claims the right to index a work tree, which others are asked to respect until the claim is dropped; `None` if
    /// another has it.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn claim(&self, tree: &str) -> Result<Option<Box<dyn Claim>>, IndexError>;

    /// How far the one who has [claimed](Store::claim) a work tree says it is: files done, files to do; `None` if it did
    /// not say.
    fn progress(&self, tree: &str) -> Option<(usize, usize)>;

    /// Forgets work trees that are gone or that no one asked about for so many days, then facts and vectors that no
    /// manifest names and no one used for so many days.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn collect_garbage(&self, unused_days: u32) -> Result<Collected, IndexError>;

    /// What the store holds.
    ///
    /// # Errors
    /// See [`Store::manifest`].
    fn usage(&self) -> Result<Usage, IndexError>;
}

/// How many files of a work tree's manifest have whole facts neither in the store nor in its snapshot, so that they will
/// be parsed again. Reads all of them.
pub(crate) fn count_missing(store: &dyn Store, tree: &str, corpus: Corpus) -> Result<usize, IndexError> {
    let snapshot = store.snapshot(tree)?.unwrap_or_default();
    let known: FxHashSet<&FactsKey> = snapshot.files.iter().filter_map(|file| file.key.as_ref()).collect();
    let manifest = store.manifest(tree)?;
    // Manifests of packages are read to link code, and are no part of it.
    let entries = manifest.iter().filter(|entry| claim(corpus, &entry.path).is_some());
    let mut keys: Vec<FactsKey> = entries.filter_map(ManifestEntry::key).collect();
    keys.retain(|key| !known.contains(key));
    let whole = store.facts(&keys)?.into_par_iter().filter_map(|facts| StoredFacts::decode(facts?)).count();
    Ok(keys.len() - whole)
}

/// The language or format of a file, and its ending: what a store holds may be of either.
pub(crate) fn claim_any(path: &str) -> Option<(Language, &'static str)> {
    claim(Corpus::Code, path).or_else(|| claim(Corpus::Documents, path))
}

/// What a store adds to the name of a work tree to name its documents. No path that the system gives has it.
const DOCUMENTS: &str = "//documents";

/// The name under which a store knows a work tree's code or documents.
pub(crate) fn tree_of(corpus: Corpus, tree: String) -> String {
    match corpus {
        Corpus::Code => tree,
        Corpus::Documents => tree + DOCUMENTS,
    }
}

/// The work tree whose documents a store knows under this name; `None` if it is that of its code.
pub fn documents_of(tree: &str) -> Option<&str> {
    tree.strip_suffix(DOCUMENTS)
}

/// A work tree that is being indexed. Dropped when that is done.
pub trait Claim: Send + Sync {
    /// Tells others how far it is.
    fn report(&self, done: usize, total: usize);
}

/// What a [`Store::write`] adds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Update<'a> {
    /// Whose manifest is replaced.
    pub tree: &'a str,
    /// The new manifest, by path; `None` leaves the one there is.
    pub manifest: Option<&'a [ManifestEntry]>,
    /// New facts, encoded.
    pub facts: &'a [(FactsKey, Shared)],
    /// Which model made the vectors.
    pub model: &'a str,
    /// New vectors, all of the model's dimension.
    pub vectors: &'a [(TextHash, Vec<f32>)],
    /// The texts whose vectors by the model the work tree uses from now on, sorted: those stay. `None` if that is
    /// not known.
    pub texts: Option<&'a [TextHash]>,
}

/// The BLAKE3 hash of a text that was embedded.
pub type TextHash = [u8; 32];

/// What a file says, with the terms to find it by.
#[derive(Clone, Debug)]
pub struct StoredFacts {
    /// What the parser made of the text.
    pub facts: LazyFacts,
    /// Its words.
    pub terms: Arc<FileTerms>,
    /// Both as a store keeps them.
    pub bytes: Shared,
}

impl StoredFacts {
    /// Encodes what was made of a text: the length of the facts, the facts, the terms, each part compressed behind its
    /// checksum.
    pub(crate) fn new(facts: FileFacts, terms: FileTerms) -> Self {
        let encoded = encode(&facts);
        let bytes = [&(encoded.len() as u32).to_le_bytes()[..], &encoded, &encode(&terms)].concat();
        Self { facts: facts.into(), terms: Arc::new(terms), bytes: bytes.into() }
    }

    /// Reads what was encoded, unless the bytes are damaged or of another version.
    pub fn decode(bytes: Vec<u8>) -> Option<Self> {
        let (facts, terms) = split(&bytes)?;
        let facts: FileFacts = decode(facts)?;
        let terms = Arc::new(decode(terms)?);
        Some(Self { facts: facts.into(), terms, bytes: bytes.into() })
    }

    /// The encoded facts without the terms, in a buffer of their own.
    pub(crate) fn facts_bytes(&self) -> Shared {
        split(&self.bytes).map_or_else(Shared::default, |(facts, _)| facts.to_vec().into())
    }
}

/// How many bytes tell the length of the facts.
const LENGTH_BYTES: usize = 4;

/// The facts and the terms of a file as they are encoded.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = bytes.split_first_chunk::<LENGTH_BYTES>()?;
    rest.split_at_checked(u32::from_le_bytes(*len) as usize)
}

/// A part of a buffer that others share.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    buffer: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Shared {
    /// A part of this part.
    ///
    /// # Panics
    /// If it is longer than this part.
    pub fn part(&self, range: Range<usize>) -> Self {
        assert!(range.end <= self.range.len(), "a part lies within the whole");
        let start = self.range.start;
        Self { buffer: Arc::clone(&self.buffer), range: start + range.start..start + range.end }
    }

    /// The buffer, and where in it this part lies.
    pub(crate) fn place(&self) -> (&Arc<Vec<u8>>, Range<usize>) {
        (&self.buffer, self.range.clone())
    }
}

impl From<Vec<u8>> for Shared {
    fn from(bytes: Vec<u8>) -> Self {
        Self { range: 0..bytes.len(), buffer: Arc::new(bytes) }
    }
}

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Deref for Shared {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer[self.range.clone()]
    }
}

/// Names the facts of a text: its hash, and the ending that tells the dialect.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FactsKey {
    /// The BLAKE3 hash of the file's bytes.
    pub hash: [u8; 32],
    /// The ending of the file's name, without the dot.
    pub extension: &'static str,
}

impl FactsKey {
    /// The key as bytes, the version of the extractor first: facts of another version are not found.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&EXTRACTOR_VERSION.to_le_bytes(), &self.hash[..], self.extension.as_bytes()].concat()
    }
}

/// What was known of a file when it was last looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// Relative to the work tree, with forward slashes.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// Nanoseconds since the epoch; 0 if it does not tell whether the file changed since.
    pub mtime: u128,
    /// The content's hash, or why it is not indexed.
    pub content: Result<[u8; 32], SkipReason>,
}

impl ManifestEntry {
    /// The key of its facts; `None` if it is not indexed.
    pub fn key(&self) -> Option<FactsKey> {
        let hash = *self.content.as_ref().ok()?;
        Some(FactsKey { hash, extension: claim_any(&self.path)?.1 })
    }
}

/// What was collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Work trees forgotten.
    pub trees: usize,
    /// Facts of texts removed.
    pub facts: usize,
    /// Vectors removed.
    pub vectors: usize,
    /// By how many bytes the store became smaller.
    pub bytes: u64,
}

/// What a store holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The work trees, by name, with the number of files in their manifests.
    pub trees: Vec<(String, usize)>,
    /// Texts whose facts it has, of any version.
    pub facts: usize,
    /// Vectors, of all models.
    pub vectors: usize,
    /// What all of it takes.
    pub bytes: u64,
}
