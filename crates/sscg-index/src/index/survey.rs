//! Looking at a tree and its index without changing either.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use super::{Index, skipped};
use crate::discovery::{Unsupported, discover};
use crate::examine::Examiner;
use crate::{IndexError, Skipped};

/// What a directory holds, and how far its index is behind.
#[derive(Debug, Default)]
pub struct Survey {
    /// Source files by the name of their language.
    pub files: BTreeMap<&'static str, usize>,
    /// Source files that are not part of the index.
    pub skipped: Vec<Skipped>,
    /// Files in languages that no frontend reads, by their ending.
    pub unsupported: Unsupported,
    /// Whether the index knows nothing of the directory yet.
    pub is_new: bool,
    /// Source files that the index has as they are now.
    pub indexed: usize,
    /// Source files that it has not, or not as they are now.
    pub behind: usize,
    /// Files that it has and that are gone.
    pub gone: usize,
    /// Files done and files to do of another process that indexes the same tree.
    pub indexing: Option<(usize, usize)>,
}

impl Index {
    /// Looks at the tree and at what the store knows of it. Nothing is parsed; files that changed are read, as by
    /// [`Index::refresh`].
    ///
    /// # Errors
    /// As [`Index::count_missing`].
    pub fn survey(&self) -> Result<Survey, IndexError> {
        let started = SystemTime::now();
        let manifest = match &self.store {
            Some(store) => store.manifest(&self.tree)?,
            None => Vec::new(),
        };
        let discovery = discover(&self.root, self.corpus);
        let examiner = Examiner::new(&self.root, &manifest, started);
        let examined = examiner.examine(discovery.files.iter().map(|file| &file.seen)).entries;
        let known: BTreeMap<&str, _> = manifest
            .iter()
            .filter_map(|entry| Some((entry.path.as_str(), entry.content.as_ref().ok()?)))
            .collect();
        let mut survey = Survey {
            skipped: skipped(&discovery, &examined),
            is_new: manifest.is_empty(),
            ..Survey::default()
        };
        for (file, entry) in discovery.files.iter().zip(&examined) {
            let Ok(hash) = &entry.content else { continue };
            *survey.files.entry(file.language.name).or_default() += 1;
            if known.get(entry.path.as_str()).is_some_and(|known| *known == hash) {
                survey.indexed += 1;
            } else {
                survey.behind += 1;
            }
        }
        let there = discovery.files.iter().map(|file| &file.seen).chain(&discovery.manifests);
        let there: BTreeSet<&str> = there.map(|seen| seen.path.as_str()).collect();
        survey.gone = known.keys().filter(|path| !there.contains(*path)).count();
        survey.unsupported = discovery.unsupported;
        survey.indexing = self.indexed_by_another();
        Ok(survey)
    }

    /// How far another process is that indexes the tree. One that was killed may have left its word.
    fn indexed_by_another(&self) -> Option<(usize, usize)> {
        let store = self.store.as_deref()?;
        let progress = store.progress(&self.tree)?;
        matches!(store.claim(&self.tree), Ok(None)).then_some(progress)
    }
}
