//! One state of a project, ready to answer questions.

use std::any::{Any, TypeId};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use sscg_core::{FileId, IndexVec, Project, ProjectFile};
use sscg_graph::CodeGraph;

use crate::discovery::FoundFile;
use crate::examine::read;
use crate::store::{FactsKey, Shared};
use crate::{LexicalIndex, SkipReason, Skipped, Unsupported, Vectors};

// What parts of a snapshot take, with their share of facts and terms; see `Snapshot::memory`.
const BYTES_PER_FILE: usize = 4_000;
const BYTES_PER_CHUNK: usize = 1_500;
const BYTES_PER_SYMBOL: usize = 500;
const BYTES_PER_EDGE: usize = 100;

/// Everything known of one state of a project. Immutable; readers share it.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// The absolute path of the project's root.
    pub root: PathBuf,
    /// The facts of its files.
    pub project: Arc<Project>,
    /// How its declarations connect.
    pub graph: Arc<CodeGraph>,
    /// Files and directories that are not part of it, by path.
    pub skipped: Vec<Skipped>,
    /// Files in languages that no frontend reads.
    pub unsupported: Unsupported,
    /// How many source files are not in it yet, because another process is at them.
    pub pending: usize,
    /// Which chunks hold which terms.
    pub(crate) lexical: LexicalIndex,
    /// What they are about.
    pub(crate) vectors: Vectors,
    /// What was read to make it.
    pub(crate) files: IndexVec<FileId, FileState>,
    /// The files that say how modules are resolved, with the hashes of their contents.
    pub(crate) modules: Vec<(String, [u8; 32])>,
    /// Where its files' texts are, if not below the root.
    pub(crate) sources: Option<Sources>,
    /// What crates above this one made of it.
    pub(crate) derived: Mutex<FxHashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

/// What gives the text of a file, by path.
#[derive(Clone)]
pub(crate) struct Sources(Arc<ReadText>);

type ReadText = dyn Fn(&str) -> Option<String> + Send + Sync;

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sources")
    }
}

/// What was read of a file.
#[derive(Clone, Debug)]
pub(crate) struct FileState {
    /// The content; `None` if it changed while it was read, so that no one knows whose facts these are.
    pub(crate) key: Option<FactsKey>,
    /// Its facts as the store keeps them.
    pub(crate) facts: Shared,
}

impl Snapshot {
    /// Something made of this snapshot by code that this crate does not know, kept with it from the first call on: one
    /// of each type. If several threads ask at once, more than one may make it, and one is kept.
    pub fn derived<T: Any + Send + Sync>(&self, make: impl FnOnce(&Self) -> T) -> Arc<T> {
        let kept = |any: &Arc<dyn Any + Send + Sync>| Arc::clone(any).downcast().ok();
        let lock = || self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&TypeId::of::<T>()).and_then(kept) {
            return known;
        }
        let made: Arc<T> = Arc::new(make(self));
        let mut derived = lock();
        let entry = derived.entry(TypeId::of::<T>()).or_insert_with(|| made.clone());
        kept(entry).unwrap_or(made)
    }

    /// Whether it was made of these files, in this order, and of nothing else.
    pub(crate) fn stands_for(
        &self,
        sources: &[(&FoundFile, FactsKey)],
        modules: &[(String, [u8; 32])],
    ) -> bool {
        let files = self.project.files().iter().zip(self.files.iter());
        self.pending == 0
            && self.modules == modules
            && self.files.len() == sources.len()
            && files.zip(sources).all(|((file, state), (found, key))| {
                *file.path == *found.seen.path && state.key.as_ref() == Some(key)
            })
    }

    /// The same snapshot among other files that are not part of it.
    pub(crate) fn among(&self, skipped: Vec<Skipped>, unsupported: Unsupported) -> Self {
        Self {
            root: self.root.clone(),
            project: Arc::clone(&self.project),
            graph: Arc::clone(&self.graph),
            lexical: self.lexical.clone(),
            vectors: self.vectors.clone(),
            files: self.files.clone(),
            modules: self.modules.clone(),
            skipped,
            unsupported,
            ..Self::default()
        }
    }

    /// The same snapshot with other vectors.
    pub(crate) fn with_vectors(&self, vectors: Vectors) -> Self {
        let among = self.among(self.skipped.clone(), self.unsupported.clone());
        Self { vectors, pending: self.pending, ..among }
    }

    /// Which chunks hold which terms.
    pub fn lexical(&self) -> &LexicalIndex {
        &self.lexical
    }

    /// What chunks and files are about.
    pub fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// About how many bytes a project takes in memory, with what questions make of it and what follows its edits: an
    /// estimate from how many files, chunks, symbols and edges there are, at no cost. Within a factor of two of what was
    /// measured of projects just indexed; one that is only read from its store takes a third of it.
    pub fn memory(&self) -> usize {
        self.project.files().len() * BYTES_PER_FILE
            + self.project.chunk_count() * BYTES_PER_CHUNK
            + self.project.symbol_count() * BYTES_PER_SYMBOL
            + (self.graph.edges().len() + self.graph.ledger().len()) * BYTES_PER_EDGE
    }

    /// The text of a file as it was indexed, read from the tree; `None` if it has changed or gone since.
    pub fn source(&self, file: FileId) -> Option<String> {
        let ProjectFile { path, language, .. } = &self.project.files()[file];
        let (hash, text) = match &self.sources {
            Some(Sources(read)) => {
                let text = read(path)?;
                (*blake3::hash(text.as_bytes()).as_bytes(), text)
            }
            None => read(&self.root.join(Path::new(&**path)), sscg_parse::decoder(*language)).ok()?,
        };
        (self.files[file].key.as_ref()?.hash == hash).then_some(text)
    }

    /// The snapshot without its tree: the texts of files are what `read` makes of their paths, and `name` stands for the
    /// root.
    pub fn detached(self, name: &str, read: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { root: PathBuf::from(name), sources: Some(Sources(Arc::new(read))), ..self }
    }

    /// Whether the next refresh has nothing to do if nothing in the tree changes.
    pub(crate) fn is_complete(&self) -> bool {
        // Permission may be given without a trace.
        let is_unreadable = |skipped: &Skipped| matches!(skipped.reason, SkipReason::Unreadable(_));
        self.pending == 0
            && self.unsure().is_none()
            && self.vectors.missing() == 0
            && !self.skipped.iter().any(is_unreadable)
    }

    /// The first file that changed while it was indexed, so that no one knows whose facts these are.
    pub(crate) fn unsure(&self) -> Option<&str> {
        let unsure = self.files.iter_enumerated().find(|(_, state)| state.key.is_none());
        unsure.map(|(file, _)| &*self.project.files()[file].path)
    }
}
