//! Detection of files that changed since they were last examined.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sscg_parse::Decoder;

use crate::SkipReason;
use crate::discovery::{Seen, describe};
use crate::stamps::CLOCK_STEP;
use crate::store::ManifestEntry;

/// Change detector: determines the content of files without reading unchanged ones.
pub(crate) struct ChangeDetector<'a> {
    root: &'a Path,
    before: FxHashMap<&'a str, &'a ManifestEntry>,
    /// Nanoseconds since the Unix epoch; modification times before it reveal every later change.
    settled: u128,
}

/// Texts by their hash.
pub(crate) type Texts = FxHashMap<[u8; 32], String>;

/// Contents of the examined files.
#[derive(Debug, Default)]
pub(crate) struct DetectedContents {
    /// Manifest entry of each file, in the order of the files.
    pub(crate) entries: Vec<ManifestEntry>,
    /// Texts that were read to create the entries.
    pub(crate) texts: Texts,
    /// Number of texts that were read.
    pub(crate) hashed: usize,
}

impl<'a> ChangeDetector<'a> {
    /// Creates a detector for files below `root`, given the previous manifest and the start time of the walk that found
    /// them.
    pub(crate) fn new(root: &'a Path, before: &'a [ManifestEntry], started: SystemTime) -> Self {
        let settled = started.checked_sub(CLOCK_STEP).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            root,
            before: before.iter().map(|entry| (entry.path.as_str(), entry)).collect(),
            settled: settled.map_or(0, |since| since.as_nanos()),
        }
    }

    /// Forces a file to be read, whatever its size and time are.
    pub(crate) fn distrust(&mut self, path: &Path) {
        if let Some(path) = path.to_str() {
            self.before.remove(path);
        }
    }

    /// Reads the files whose size or time changed, in parallel.
    pub(crate) fn detect<'s>(&self, files: impl IntoIterator<Item = &'s Seen>) -> DetectedContents {
        let files: Vec<&Seen> = files.into_iter().collect();
        let detected: Vec<(ManifestEntry, Option<String>)> =
            files.par_iter().map(|seen| self.detect_one(seen)).collect();
        let mut all = DetectedContents::default();
        all.entries.reserve(detected.len());
        for (entry, text) in detected {
            if let (Ok(hash), Some(text)) = (&entry.content, text) {
                all.hashed += 1;
                all.texts.insert(*hash, text);
            }
            all.entries.push(entry);
        }
        all
    }

    fn detect_one(&self, seen: &Seen) -> (ManifestEntry, Option<String>) {
        let same = |entry: &&&ManifestEntry| {
            // Read permission can be granted without a change of size or time.
            let was_read = !matches!(entry.content, Err(SkipReason::Unreadable(_)));
            was_read && entry.size == seen.size && entry.mtime == seen.mtime && seen.mtime != 0
        };
        if let Some(entry) = self.before.get(seen.path.as_str()).filter(same) {
            return ((*entry).clone(), None);
        }
        let (content, text) = match read(&self.root.join(&seen.path), seen.decoder) {
            Ok((hash, text)) => (Ok(hash), Some(text)),
            Err(reason) => (Err(reason), None),
        };
        let mtime = if seen.mtime < self.settled { seen.mtime } else { 0 };
        (ManifestEntry { path: seen.path.clone(), size: seen.size, mtime, content }, text)
    }
}

/// Returns the hash and text of a file, or the reason why it is not indexed.
pub(crate) fn read(path: &Path, decoder: Option<Decoder>) -> Result<([u8; 32], String), SkipReason> {
    let bytes = fs::read(path).map_err(|error| SkipReason::Unreadable(describe(&error)))?;
    let text = match decoder {
        Some(decode) => decode(&bytes).map_err(|error| SkipReason::NoText(error.to_string()))?,
        None => text(bytes)?,
    };
    Ok((*blake3::hash(text.as_bytes()).as_bytes(), text))
}

/// Decodes bytes as UTF-8 text, or returns the reason why they are not.
fn text(bytes: Vec<u8>) -> Result<String, SkipReason> {
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(SkipReason::Utf16);
    }
    let head = &bytes[..bytes.len().min(8192)];
    if head.contains(&0) {
        return Err(SkipReason::Binary);
    }
    String::from_utf8(bytes).map_err(|error| {
        let bytes = error.as_bytes();
        // Text in a one-byte encoding is mostly ASCII; binary data is not.
        let odd =
            bytes.iter().filter(|byte| !byte.is_ascii() || (**byte < 32 && !byte.is_ascii_whitespace()));
        if odd.count() * 4 > bytes.len() { SkipReason::Binary } else { SkipReason::NotUtf8 }
    })
}
