//! Snapshot of one state of a project, ready to answer queries.

use std::any::{Any, TypeId};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;
use sscg_core::{FileId, IndexVec, Project, ProjectFile, Provenance};
use sscg_graph::{CodeGraph, Comparison};

use crate::changes::read;
use crate::discovery::FoundFile;
use crate::shared::SharedBytes;
use crate::store::FactsKey;
use crate::{LexicalIndex, SkipReason, Skipped, Unsupported, Vectors};

// Approximate size of each item, including its share of facts and terms; see `Snapshot::memory`.
const BYTES_PER_FILE: usize = 4_000;
const BYTES_PER_CHUNK: usize = 1_500;
const BYTES_PER_SYMBOL: usize = 500;
const BYTES_PER_EDGE: usize = 100;

/// Derived data of one state of a project. Immutable and shared by readers.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Snapshot {
    /// Absolute path of the project's root.
    pub root: PathBuf,
    /// Facts of the files.
    pub project: Arc<Project>,
    /// Relations between the declarations, from all sources of edges.
    pub graph: Arc<CodeGraph>,
    /// Comparison of each source of edges with the graph of the sources before it, except the linker, in order.
    pub comparisons: Arc<[(Provenance, Comparison)]>,
    /// Files and directories that are not part of the project, by path.
    pub skipped: Vec<Skipped>,
    /// Files in unsupported languages.
    pub unsupported: Unsupported,
    /// Number of distinct source texts that are missing because another process is indexing them.
    pub pending: usize,
    /// Graph of the linker alone, if other sources were applied to it.
    pub(crate) linked: Option<Arc<CodeGraph>>,
    /// Inverted index of the terms of chunks.
    pub(crate) lexical: LexicalIndex,
    /// Vectors of chunks and paths.
    pub(crate) vectors: Vectors,
    /// Encoded links of the graph, with which the next process updates it; unset until the snapshot is published.
    pub(crate) links: OnceLock<SharedBytes>,
    /// Content key and facts of each file.
    pub(crate) files: IndexVec<FileId, FileState>,
    /// Package manifests, with the hashes of their contents.
    pub(crate) modules: Vec<(String, [u8; 32])>,
    /// Source of the files' texts, if not the tree below the root.
    pub(crate) sources: Option<Sources>,
    /// Values that other crates derived from the snapshot, by type.
    pub(crate) derived: Mutex<FxHashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

/// Function that returns the text of a file, by path.
#[derive(Clone)]
pub(crate) struct Sources(Arc<ReadText>);

type ReadText = dyn Fn(&str) -> Option<String> + Send + Sync;

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sources")
    }
}

/// Content key and facts of a file.
#[derive(Clone, Debug)]
pub(crate) struct FileState {
    /// Key of the content; `None` if the file changed while it was read, so that the facts may belong to another
    /// content.
    pub(crate) key: Option<FactsKey>,
    /// Facts in the store's encoding.
    pub(crate) facts: SharedBytes,
}

impl Snapshot {
    /// Returns a value that another crate derives from this snapshot, cached from the first call on, one per type. If
    /// several threads call this at once, `make` may run more than once, and one result is kept.
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

    /// True if the snapshot was built from exactly these files, in this order, and these manifests.
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

    /// Returns the same snapshot with other skipped and unsupported files.
    pub(crate) fn among(&self, skipped: Vec<Skipped>, unsupported: Unsupported) -> Self {
        Self {
            root: self.root.clone(),
            project: Arc::clone(&self.project),
            graph: Arc::clone(&self.graph),
            comparisons: Arc::clone(&self.comparisons),
            linked: self.linked.clone(),
            lexical: self.lexical.clone(),
            vectors: self.vectors.clone(),
            links: self.links.clone(),
            files: self.files.clone(),
            modules: self.modules.clone(),
            skipped,
            unsupported,
            ..Self::default()
        }
    }

    /// Returns the same snapshot with other vectors.
    pub(crate) fn with_vectors(&self, vectors: Vectors) -> Self {
        let among = self.among(self.skipped.clone(), self.unsupported.clone());
        Self { vectors, pending: self.pending, ..among }
    }

    /// Returns the graph of the linker alone.
    pub(crate) fn linked_graph(&self) -> &Arc<CodeGraph> {
        self.linked.as_ref().unwrap_or(&self.graph)
    }

    /// Returns the same snapshot with the graph that other sources made of that of the linker.
    pub(crate) fn with_graph(
        &self,
        graph: Arc<CodeGraph>,
        comparisons: Vec<(Provenance, Comparison)>,
    ) -> Self {
        let among = self.among(self.skipped.clone(), self.unsupported.clone());
        let linked = Some(Arc::clone(self.linked_graph()));
        Self { graph, linked, comparisons: comparisons.into(), pending: self.pending, ..among }
    }

    /// Returns the inverted index of the terms of chunks.
    pub fn lexical(&self) -> &LexicalIndex {
        &self.lexical
    }

    /// Returns the vectors of chunks and files.
    pub fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// Estimates the memory use of a project in bytes, including data derived for queries and for incremental updates,
    /// from the numbers of files, chunks, symbols and edges. Costs nothing. Within a factor of two of measurements on
    /// newly indexed projects; a project that was only read from its store takes a third of that.
    pub fn memory(&self) -> usize {
        let graphs = std::iter::once(&self.graph).chain(&self.linked);
        self.project.files().len() * BYTES_PER_FILE
            + self.project.chunk_count() * BYTES_PER_CHUNK
            + self.project.symbol_count() * BYTES_PER_SYMBOL
            + graphs.map(|graph| graph.edges().len() + graph.unresolved_references().len()).sum::<usize>()
                * BYTES_PER_EDGE
    }

    /// Returns the BLAKE3 hash of a file's text; `None` if the file changed while it was indexed.
    pub fn hash(&self, file: FileId) -> Option<[u8; 32]> {
        Some(self.files[file].key.as_ref()?.hash)
    }

    /// Reads the text of a file from the tree; `None` if it was changed or removed since it was indexed.
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

    /// Detaches the snapshot from its tree: `read` returns the text of a file by path, and `name` replaces the root.
    pub fn detached(self, name: &str, read: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { root: PathBuf::from(name), sources: Some(Sources(Arc::new(read))), ..self }
    }

    /// True if the next refresh has nothing to do as long as the tree does not change.
    pub(crate) fn is_complete(&self) -> bool {
        // Read permission can be granted without a change of stamps.
        let is_unreadable = |skipped: &Skipped| matches!(skipped.reason, SkipReason::Unreadable(_));
        self.pending == 0
            && self.unsure().is_none()
            && self.vectors.missing() == 0
            && !self.skipped.iter().any(is_unreadable)
    }

    /// Returns the first file that changed while it was indexed, so that its facts may belong to another content.
    pub(crate) fn unsure(&self) -> Option<&str> {
        let unsure = self.files.iter_enumerated().find(|(_, state)| state.key.is_none());
        unsure.map(|(file, _)| &*self.project.files()[file].path)
    }
}
