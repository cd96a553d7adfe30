//! Entries of a store: facts by content, and the manifest that lists them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sscg_core::{FileFacts, LazyFacts};
use sscg_parse::{EXTRACTOR_VERSION, FileType};

use super::codec::{decode, encode};
use crate::shared::SharedBytes;
use crate::{FileTerms, SkipReason};

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
