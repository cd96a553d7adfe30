//! Which files changed since they were last looked at.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::SkipReason;
use crate::discovery::{Discovery, describe};
use crate::store::ManifestEntry;

/// A file that changed so shortly before it was looked at may change again without a new time: clocks of file
/// systems are as coarse as this. Its content is hashed again the next time.
const CLOCK_STEP: Duration = Duration::from_secs(2);

/// Texts by the hash of their bytes.
pub(crate) type Texts = FxHashMap<[u8; 32], String>;

/// The manifest of what was discovered since `started`, and the texts that were read to make it: those of files
/// whose size or time is not that of the manifest before.
pub(crate) fn examine(
    root: &Path,
    discovery: &Discovery,
    before: &[ManifestEntry],
    started: SystemTime,
) -> (Vec<ManifestEntry>, Texts, usize) {
    let before: FxHashMap<&str, &ManifestEntry> =
        before.iter().map(|entry| (entry.path.as_str(), entry)).collect();
    let settled = started.checked_sub(CLOCK_STEP).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let settled = settled.map_or(0, |since| since.as_nanos());
    let examined: Vec<(ManifestEntry, Option<String>)> = discovery
        .files
        .par_iter()
        .map(|file| {
            let same = |entry: &&&ManifestEntry| {
                // Permission may be given without a trace in size or time.
                let was_read = !matches!(entry.content, Err(SkipReason::Unreadable(_)));
                was_read && entry.size == file.size && entry.mtime == file.mtime && file.mtime != 0
            };
            if let Some(entry) = before.get(file.path.as_str()).filter(same) {
                return ((*entry).clone(), None);
            }
            let (content, text) = match read(&root.join(&file.path)) {
                Ok((hash, text)) => (Ok(hash), Some(text)),
                Err(reason) => (Err(reason), None),
            };
            let mtime = if file.mtime < settled { file.mtime } else { 0 };
            (ManifestEntry { path: file.path.clone(), size: file.size, mtime, content }, text)
        })
        .collect();
    let mut texts = Texts::default();
    let mut manifest = Vec::with_capacity(examined.len());
    let mut hashed = 0;
    for (entry, text) in examined {
        if let (Ok(hash), Some(text)) = (&entry.content, text) {
            hashed += 1;
            texts.insert(*hash, text);
        }
        manifest.push(entry);
    }
    (manifest, texts, hashed)
}

/// A file's text and the hash of its bytes, or why it is not indexed.
pub(crate) fn read(path: &Path) -> Result<([u8; 32], String), SkipReason> {
    let bytes = fs::read(path).map_err(|error| SkipReason::Unreadable(describe(&error)))?;
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(SkipReason::Utf16);
    }
    let head = &bytes[..bytes.len().min(8192)];
    if head.contains(&0) {
        return Err(SkipReason::Binary);
    }
    let hash = *blake3::hash(&bytes).as_bytes();
    let text = String::from_utf8(bytes).map_err(|error| {
        let bytes = error.as_bytes();
        // Text in a one-byte encoding is mostly ASCII; noise is not.
        let odd =
            bytes.iter().filter(|byte| !byte.is_ascii() || (**byte < 32 && !byte.is_ascii_whitespace()));
        if odd.count() * 4 > bytes.len() { SkipReason::Binary } else { SkipReason::NotUtf8 }
    })?;
    Ok((hash, text))
}
