//! The facts of one tree under dense ids, and the keys by which the outside world names them.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::{
    Chunk, ChunkId, FileFacts, FileId, Id, IndexVec, Language, LocalChunk, LocalSymbol, ModuleSystem, Symbol,
    SymbolId, SymbolKind,
};

/// One file of a project.
#[derive(Clone, Debug)]
pub struct ProjectFile {
    /// Path relative to the project's root, with forward slashes.
    pub path: Box<str>,
    /// What it is written in.
    pub language: Language,
    /// What it says.
    pub facts: Arc<FileFacts>,
}

/// A package that lives in the tree: what its manifest says of its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    /// Directory of the manifest relative to the project's root, with forward slashes, empty for the root.
    pub dir: Box<str>,
    /// The name by which other code imports it.
    pub name: Box<str>,
    /// Which language's rules the name belongs to.
    pub modules: ModuleSystem,
    /// The features that are on unless one asks for others.
    pub features: Box<[Box<str>]>,
}

/// A file of the tree that says how names of modules are resolved in it: `package.json`, `tsconfig.json`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Manifest {
    /// Path relative to the project's root, with forward slashes.
    pub path: Box<str>,
    /// What it says, right or wrong.
    pub text: Arc<str>,
}

/// All files of one tree in path order, with symbols and chunks numbered across files.
///
/// The numbering is a function of the files alone, so equal trees give equal ids.
#[derive(Clone, Debug, Default)]
pub struct Project {
    files: IndexVec<FileId, ProjectFile>,
    packages: Vec<Package>,
    manifests: Vec<Manifest>,
    /// First symbol and chunk of each file.
    starts: IndexVec<FileId, (u32, u32)>,
    symbol_files: IndexVec<SymbolId, FileId>,
    chunk_files: IndexVec<ChunkId, FileId>,
    /// Every symbol by (name, id), sorted when a name is first asked for.
    by_name: OnceLock<Box<[SymbolId]>>,
}

impl Project {
    /// Numbers the files' symbols and chunks. O(files log files + symbols + chunks).
    pub fn new(mut files: Vec<ProjectFile>, mut packages: Vec<Package>) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        packages.sort();
        let mut project = Self { packages, ..Self::default() };
        for (file, entry) in files.iter().enumerate() {
            let file = FileId::new(file);
            project.starts.push((project.symbol_files.len() as u32, project.chunk_files.len() as u32));
            for _ in entry.facts.symbols.iter() {
                project.symbol_files.push(file);
            }
            for _ in entry.facts.chunks.iter() {
                project.chunk_files.push(file);
            }
        }
        project.files = files.into();
        project
    }

    /// The project with the manifests of its tree.
    pub fn with_manifests(mut self, mut manifests: Vec<Manifest>) -> Self {
        manifests.sort();
        self.manifests = manifests;
        self
    }

    /// The files in path order.
    pub fn files(&self) -> &IndexVec<FileId, ProjectFile> {
        &self.files
    }

    /// The packages in directory order.
    pub fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// The manifests in path order.
    pub fn manifests(&self) -> &[Manifest] {
        &self.manifests
    }

    /// The number of symbols.
    pub fn symbol_count(&self) -> usize {
        self.symbol_files.len()
    }

    /// The number of chunks.
    pub fn chunk_count(&self) -> usize {
        self.chunk_files.len()
    }

    /// Every symbol's id.
    pub fn symbol_ids(&self) -> impl ExactSizeIterator<Item = SymbolId> + use<> {
        self.symbol_files.ids()
    }

    /// The file at a path relative to the project's root. O(log files).
    pub fn file_at(&self, path: &str) -> Option<FileId> {
        let files = self.files.as_slice();
        files.binary_search_by(|file| (*file.path).cmp(path)).ok().map(FileId::new)
    }

    /// The ids of a file's symbols, in source order.
    pub fn symbols_of(&self, file: FileId) -> impl ExactSizeIterator<Item = SymbolId> + use<> {
        let start = self.starts[file].0 as usize;
        (start..start + self.files[file].facts.symbols.len()).map(SymbolId::new)
    }

    /// The symbols of a kind, in file order. O(symbols).
    pub fn symbols_of_kind(&self, kind: SymbolKind) -> impl Iterator<Item = SymbolId> {
        self.symbol_ids().filter(move |symbol| self.symbol(*symbol).kind == kind)
    }

    /// The symbols declared by exactly this name, in file order. O(log symbols), after O(symbols log symbols) for
    /// the first name that is asked for.
    pub fn symbols_named(&self, name: &str) -> &[SymbolId] {
        let by_name = self.by_name.get_or_init(|| {
            let mut symbols: Box<[SymbolId]> = self.symbol_ids().collect();
            symbols.sort_by_key(|symbol| &*self.symbol(*symbol).name);
            symbols
        });
        let start = by_name.partition_point(|symbol| *self.symbol(*symbol).name < *name);
        let len = by_name[start..].partition_point(|symbol| *self.symbol(*symbol).name == *name);
        &by_name[start..start + len]
    }

    /// The symbols that have this [key](Self::symbol_key), in source order: a type and its implementation blocks,
    /// or the overloads of a function, share theirs. O(log files + symbols of the file).
    pub fn symbols_with_key(&self, key: &str) -> Vec<SymbolId> {
        // A path may hold the separator too.
        let places = key.match_indices("::").map(|(at, _)| (&key[..at], &key[at + 2..]));
        places
            .filter_map(|(path, name)| self.file_at(path).map(|file| (file, name)))
            .flat_map(|(file, name)| {
                let facts = &self.files[file].facts;
                let ends = facts.symbols.iter_enumerated().filter(move |(_, it)| name.ends_with(&*it.name));
                let named = ends.filter(move |(symbol, _)| facts.qualified_name(*symbol) == name);
                named.map(move |(symbol, _)| self.symbol_id(file, symbol))
            })
            .collect()
    }

    /// The file a symbol stands in.
    pub fn symbol_file(&self, symbol: SymbolId) -> FileId {
        self.symbol_files[symbol]
    }

    /// The file a chunk stands in.
    pub fn chunk_file(&self, chunk: ChunkId) -> FileId {
        self.chunk_files[chunk]
    }

    /// The symbol's place inside its file.
    pub fn local_symbol(&self, symbol: SymbolId) -> (FileId, LocalSymbol) {
        let file = self.symbol_files[symbol];
        (file, LocalSymbol::new(symbol.index() - self.starts[file].0 as usize))
    }

    /// The chunk's place inside its file.
    pub fn local_chunk(&self, chunk: ChunkId) -> (FileId, LocalChunk) {
        let file = self.chunk_files[chunk];
        (file, LocalChunk::new(chunk.index() - self.starts[file].1 as usize))
    }

    /// The project-wide id of a file's symbol.
    pub fn symbol_id(&self, file: FileId, symbol: LocalSymbol) -> SymbolId {
        SymbolId::new(self.starts[file].0 as usize + symbol.index())
    }

    /// The project-wide id of a file's chunk.
    pub fn chunk_id(&self, file: FileId, chunk: LocalChunk) -> ChunkId {
        ChunkId::new(self.starts[file].1 as usize + chunk.index())
    }

    /// The ids of a file's chunks.
    pub fn chunks_of(&self, file: FileId) -> Range<ChunkId> {
        let start = self.starts[file].1 as usize;
        ChunkId::new(start)..ChunkId::new(start + self.files[file].facts.chunks.len())
    }

    /// A symbol's facts.
    pub fn symbol(&self, symbol: SymbolId) -> &Symbol {
        let (file, local) = self.local_symbol(symbol);
        &self.files[file].facts.symbols[local]
    }

    /// A chunk's facts.
    pub fn chunk(&self, chunk: ChunkId) -> &Chunk {
        let (file, local) = self.local_chunk(chunk);
        &self.files[file].facts.chunks[local]
    }

    /// The declaration a symbol stands in.
    pub fn parent(&self, symbol: SymbolId) -> Option<SymbolId> {
        let (file, local) = self.local_symbol(symbol);
        self.files[file].facts.symbols[local].parent.map(|parent| self.symbol_id(file, parent))
    }

    /// A symbol and the declarations around it, innermost first.
    pub fn self_and_ancestors(&self, symbol: SymbolId) -> impl Iterator<Item = SymbolId> {
        std::iter::successors(Some(symbol), |symbol| self.parent(*symbol))
    }

    /// The chunk that shows a symbol.
    pub fn chunk_of_symbol(&self, symbol: SymbolId) -> ChunkId {
        let (file, local) = self.local_symbol(symbol);
        self.chunk_id(file, self.files[file].facts.symbols[local].chunk)
    }

    /// The declaration a chunk shows, if it shows one.
    pub fn symbol_of_chunk(&self, chunk: ChunkId) -> Option<SymbolId> {
        let (file, local) = self.local_chunk(chunk);
        self.files[file].facts.chunks[local].symbol.map(|symbol| self.symbol_id(file, symbol))
    }

    /// The dotted name of a symbol inside its file: `Outer.inner`.
    pub fn qualified_name(&self, symbol: SymbolId) -> String {
        let (file, local) = self.local_symbol(symbol);
        self.files[file].facts.qualified_name(local)
    }

    /// The stable key of a symbol: `relative/path.ext::Outer.inner`.
    pub fn symbol_key(&self, symbol: SymbolId) -> String {
        format!("{}::{}", self.files[self.symbol_files[symbol]].path, self.qualified_name(symbol))
    }

    /// The stable key of a chunk; see [`FileFacts::chunk_key`].
    pub fn chunk_key(&self, chunk: ChunkId) -> String {
        let (file, local) = self.local_chunk(chunk);
        let ProjectFile { path, facts, .. } = &self.files[file];
        facts.chunk_key(path, local)
    }
}
