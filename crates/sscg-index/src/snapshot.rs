//! One state of a project, ready to answer questions.

use std::any::{Any, TypeId};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;
use sscg_core::{FileId, IndexVec, Project};
use sscg_graph::CodeGraph;

use crate::store::StoredFacts;
use crate::{Definitions, LexicalIndex, Skipped, Unsupported};

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
    pub(crate) hashes: IndexVec<FileId, [u8; 32]>,
    /// What was stored for each file, its terms included.
    pub(crate) stored: IndexVec<FileId, Arc<StoredFacts>>,
    pub(crate) lexical: OnceLock<LexicalIndex>,
    pub(crate) definitions: OnceLock<Definitions>,
    /// What crates above this one made of it.
    pub(crate) derived: Mutex<FxHashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
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

    /// Which chunks hold which terms. Merged from the files' terms when first asked for: indexing, graphs and
    /// look-ups by name do without.
    pub fn lexical(&self) -> &LexicalIndex {
        self.lexical
            .get_or_init(|| LexicalIndex::new(&self.project, self.stored.iter().map(|file| &file.terms)))
    }

    /// The project's declarations by name, collected when first asked for.
    pub fn definitions(&self) -> &Definitions {
        self.definitions.get_or_init(|| Definitions::new(&self.project))
    }

    /// About how many bytes the snapshot takes, with all that questions make of it and what keeps its index up to date.
    /// An estimate from how many files, chunks, symbols and edges there are, at no cost; on real projects within a
    /// factor of two of what was measured.
    pub fn memory(&self) -> usize {
        self.project.files().len() * BYTES_PER_FILE
            + self.project.chunk_count() * BYTES_PER_CHUNK
            + self.project.symbol_count() * BYTES_PER_SYMBOL
            + (self.graph.edges().len() + self.graph.ledger().len()) * BYTES_PER_EDGE
    }

    /// The text of a file as it was indexed, read from the tree; `None` if it has changed or gone since.
    pub fn source(&self, file: FileId) -> Option<String> {
        let path = self.root.join(Path::new(&*self.project.files()[file].path));
        let bytes = fs::read(path).ok()?;
        if *blake3::hash(&bytes).as_bytes() != self.hashes[file] {
            return None;
        }
        String::from_utf8(bytes).ok()
    }
}
