//! Inspection of a tree and its index without changing either.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use super::{Index, skipped};
use crate::changes::ChangeDetector;
use crate::discovery::{Unsupported, discover};
use crate::{IndexError, Skipped};

/// Contents of a directory, and how far its index lags behind.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct IndexStatus {
    /// Number of source files by language name.
    pub files: BTreeMap<&'static str, usize>,
    /// Source files that are not part of the index.
    pub skipped: Vec<Skipped>,
    /// Files in unsupported languages, by file extension.
    pub unsupported: Unsupported,
    /// True if the directory has never been indexed.
    pub is_new: bool,
    /// Number of source files whose current content is indexed.
    pub indexed: usize,
    /// Number of source files that are missing or outdated in the index.
    pub behind: usize,
    /// Number of indexed files that no longer exist.
    pub gone: usize,
    /// Progress of another process that indexes the same tree: files done, files to do.
    pub indexing: Option<(usize, usize)>,
}

impl Index {
    /// Compares the tree with its manifest in the store. Nothing is parsed; changed files are read, as by
    /// [`Index::refresh`].
    ///
    /// # Errors
    /// Same as [`Index::count_missing`].
    pub fn status(&self) -> Result<IndexStatus, IndexError> {
        let started = SystemTime::now();
        let manifest = match &self.store {
            Some(store) => store.manifest(&self.tree)?,
            None => Vec::new(),
        };
        let discovery = discover(&self.root, self.corpus);
        let detector = ChangeDetector::new(&self.root, &manifest, started);
        let detected = detector.detect(discovery.files.iter().map(|file| &file.seen)).entries;
        let known: BTreeMap<&str, _> = manifest
            .iter()
            .filter_map(|entry| Some((entry.path.as_str(), entry.content.as_ref().ok()?)))
            .collect();
        let mut status = IndexStatus {
            skipped: skipped(&discovery, &detected),
            is_new: manifest.is_empty(),
            ..IndexStatus::default()
        };
        for (file, entry) in discovery.files.iter().zip(&detected) {
            let Ok(hash) = &entry.content else { continue };
            *status.files.entry(file.file_type.language.name).or_default() += 1;
            if known.get(entry.path.as_str()).is_some_and(|known| *known == hash) {
                status.indexed += 1;
            } else {
                status.behind += 1;
            }
        }
        let there = discovery.files.iter().map(|file| &file.seen).chain(&discovery.manifests);
        let there: BTreeSet<&str> = there.map(|seen| seen.path.as_str()).collect();
        status.gone = known.keys().filter(|path| !there.contains(*path)).count();
        status.unsupported = discovery.unsupported;
        status.indexing = self.indexed_by_another();
        Ok(status)
    }

    /// Returns the progress of another process that indexes the tree. A killed process may leave stale progress, so the
    /// index lock is checked.
    fn indexed_by_another(&self) -> Option<(usize, usize)> {
        let store = self.store.as_deref()?;
        let progress = store.progress(&self.tree)?;
        matches!(store.lock(&self.tree), Ok(None)).then_some(progress)
    }
}
