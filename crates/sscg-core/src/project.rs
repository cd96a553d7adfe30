//! Facts of one tree under dense ids, and the stable keys used outside the process.

use std::iter::repeat_n;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::names::{NameTable, same_folded};
use crate::{
    Chunk, ChunkId, ChunkKind, FileId, Id, IndexVec, Language, LazyFacts, LineRange, LocalChunk, LocalSymbol,
    Modifiers, ModuleSystem, Outline, OutlineChunk, OutlineSymbol, Symbol, SymbolId, SymbolKind,
};

/// One file of a project.
#[derive(Clone, Debug)]
pub struct ProjectFile {
    /// Path relative to the project's root, with forward slashes.
    pub path: Box<str>,
    /// Language of the file.
    pub language: Language,
    /// Facts of the file.
    pub facts: LazyFacts,
}

/// Package in the tree, as named by its manifest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Package {
    /// Directory of the manifest relative to the project's root, with forward slashes; empty for the root. A Python package
    /// has an entry for each directory of modules that its manifest names, or else one for its own directory.
    pub dir: Box<str>,
    /// Name by which other code imports the package; in Python, where imports name modules, that of the manifest's
    /// directory.
    pub name: Box<str>,
    /// Language rules that apply to the name.
    pub modules: ModuleSystem,
    /// Default features.
    pub features: Box<[Box<str>]>,
    /// Renamed dependencies, as pairs of local name and package name.
    pub renamed: Box<[(Box<str>, Box<str>)]>,
}

/// Configuration file of the tree that affects module resolution: `package.json`, `tsconfig.json`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Manifest {
    /// Path relative to the project's root, with forward slashes.
    pub path: Box<str>,
    /// Content of the file, valid or not.
    pub text: Arc<str>,
}

/// Data of a tree's manifests that linking uses. `sscg_graph::read_manifests` reads it from their texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifests {
    /// Packages that the manifests declare.
    pub packages: Vec<Package>,
    /// Manifests with settings for module resolution.
    pub settings: Vec<Manifest>,
    /// Imports that manifests add to all files below their directories.
    pub usings: Vec<Using>,
}

/// Import of all names of a namespace, or of all members of a type, that a manifest adds to the C# files below its
/// directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Using {
    /// Directory of the manifest relative to the project's root, with forward slashes; empty for the root.
    pub dir: Box<str>,
    /// Path of the namespace or type.
    pub module: Box<str>,
}

/// All files of one tree in path order, with symbols and chunks numbered across files.
///
/// The numbering is a function of the files alone, so equal trees give equal ids.
///
/// [`Project::symbol`], [`Project::chunk`] and any direct access decode a file's [facts](LazyFacts); all other
/// methods use the outlines alone.
#[derive(Clone, Debug, Default)]
pub struct Project {
    files: IndexVec<FileId, ProjectFile>,
    manifests: Manifests,
    /// First symbol and first chunk of each file.
    starts: IndexVec<FileId, (u32, u32)>,
    symbol_files: IndexVec<SymbolId, FileId>,
    chunk_files: IndexVec<ChunkId, FileId>,
    /// Symbols by name, built on the first lookup.
    by_name: OnceLock<NameTable>,
}

impl Project {
    /// Numbers the symbols and chunks of the files. O(files log files + symbols + chunks).
    pub fn new(mut files: Vec<ProjectFile>, mut manifests: Manifests) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        manifests.packages.sort();
        manifests.settings.sort();
        let (mut symbol_files, mut chunk_files) = (Vec::new(), Vec::new());
        let mut starts = IndexVec::new();
        for (file, entry) in files.iter().enumerate() {
            let (file, outline) = (FileId::new(file), entry.facts.outline());
            starts.push((symbol_files.len() as u32, chunk_files.len() as u32));
            symbol_files.extend(repeat_n(file, outline.symbols().len()));
            chunk_files.extend(repeat_n(file, outline.chunks().len()));
        }
        Self {
            files: files.into(),
            manifests,
            starts,
            symbol_files: symbol_files.into(),
            chunk_files: chunk_files.into(),
            ..Self::default()
        }
    }

    /// Returns the same project with each file's facts replaced by the result of `facts`, which must be equal.
    pub fn with_facts(&self, mut facts: impl FnMut(FileId, &LazyFacts) -> LazyFacts) -> Self {
        let mut project = self.clone();
        for file in self.files.ids() {
            project.files[file].facts = facts(file, &self.files[file].facts);
        }
        project
    }

    /// Returns the files in path order.
    pub fn files(&self) -> &IndexVec<FileId, ProjectFile> {
        &self.files
    }

    /// Returns the packages in directory order.
    pub fn packages(&self) -> &[Package] {
        &self.manifests.packages
    }

    /// Returns the package that a file belongs to: the one of its language in the innermost directory. O(packages).
    pub fn package_of(&self, file: FileId) -> Option<&Package> {
        let ProjectFile { path, language, .. } = &self.files[file];
        let around = self.packages().iter().filter(|package| {
            let rest = path.strip_prefix(&*package.dir);
            rest.is_some_and(|rest| package.dir.is_empty() || rest.starts_with('/'))
        });
        let around = around.filter(|package| package.modules == language.modules);
        around.max_by_key(|package| package.dir.len())
    }

    /// Returns the data of the manifests, in path order.
    pub fn manifests(&self) -> &Manifests {
        &self.manifests
    }

    /// Returns the number of symbols.
    pub fn symbol_count(&self) -> usize {
        self.symbol_files.len()
    }

    /// Returns the number of chunks.
    pub fn chunk_count(&self) -> usize {
        self.chunk_files.len()
    }

    /// Returns the ids of all symbols.
    pub fn symbol_ids(&self) -> impl ExactSizeIterator<Item = SymbolId> + use<> {
        self.symbol_files.ids()
    }

    /// Returns the file at a path relative to the project's root. O(log files).
    pub fn file_at(&self, path: &str) -> Option<FileId> {
        let files = self.files.as_slice();
        files.binary_search_by(|file| (*file.path).cmp(path)).ok().map(FileId::new)
    }

    /// Returns the ids of a file's symbols, in source order.
    pub fn symbols_of(&self, file: FileId) -> impl ExactSizeIterator<Item = SymbolId> + use<> {
        let start = self.starts[file].0 as usize;
        (start..start + self.outline(file).symbols().len()).map(SymbolId::new)
    }

    /// Returns the symbols of a kind, in file order. O(symbols).
    pub fn symbols_of_kind(&self, kind: SymbolKind) -> impl Iterator<Item = SymbolId> {
        self.symbol_ids().filter(move |symbol| self.symbol_kind(*symbol) == kind)
    }

    /// Returns the symbols declared with exactly this name, in file order. Usually O(result); the first lookup by
    /// name adds O(symbols).
    pub fn symbols_named(&self, name: &str) -> impl Iterator<Item = SymbolId> {
        self.candidates(name).filter(move |symbol| self.symbol_name(*symbol) == name)
    }

    /// Returns the declarations with this name, ignoring case and underscores, in file order. Implementation blocks
    /// declare nothing and are left out. Same cost as [`Project::symbols_named`].
    pub fn definitions_named(&self, name: &str) -> impl Iterator<Item = SymbolId> {
        let is_named = move |symbol: &SymbolId| same_folded(self.symbol_name(*symbol), name);
        self.candidates(name).filter(is_named).filter(|symbol| self.symbol_kind(*symbol) != SymbolKind::Impl)
    }

    /// Returns the symbols whose name may equal `name`, ignoring case and underscores, in file order.
    fn candidates(&self, name: &str) -> impl Iterator<Item = SymbolId> {
        let hashes = || self.files.iter().map(|file| file.facts.outline().name_hashes());
        let by_name = self.by_name.get_or_init(|| NameTable::new(hashes()));
        by_name.candidates(name).iter().map(|(file, symbol)| self.symbol_id(*file, *symbol))
    }

    /// Reuses what was computed for `before`, an earlier state of the project, where it still holds: the symbols by
    /// name, if the files have the same paths. Without this call they are rebuilt on the first lookup. O(files), plus
    /// a copy of the reused data.
    pub fn reuse_from(&mut self, before: &Self) {
        let files = self.files.iter().zip(before.files.iter());
        let has_same_paths =
            self.files.len() == before.files.len() && files.clone().all(|(a, b)| a.path == b.path);
        let Some(by_name) = before.by_name.get().filter(|_| has_same_paths) else { return };
        let changed = self.files.ids().zip(files).filter(|(_, (a, b))| !a.facts.ptr_eq(&b.facts));
        let changed: Vec<_> = changed
            .map(|(id, (after, before))| {
                (id, before.facts.outline().name_hashes(), after.facts.outline().name_hashes())
            })
            .collect();
        self.by_name = by_name.replaced(&changed).map(OnceLock::from).unwrap_or_default();
    }

    /// Returns the symbols with this [key](Self::symbol_key), in source order. A type and its implementation blocks
    /// share a key, and so do the overloads of a function. O(log files + symbols of the file).
    pub fn symbols_with_key(&self, key: &str) -> Vec<SymbolId> {
        // A path may contain the separator too.
        let places = key.match_indices("::").map(|(at, _)| (&key[..at], &key[at + 2..]));
        places
            .filter_map(|(path, name)| self.file_at(path).map(|file| (file, name)))
            .flat_map(|(file, name)| {
                let outline = self.outline(file);
                let symbols = outline.symbols().ids();
                let ends = symbols.filter(move |symbol| name.ends_with(outline.symbol_name(*symbol)));
                let named = ends.filter(move |symbol| outline.qualified_name(*symbol) == name);
                named.map(move |symbol| self.symbol_id(file, symbol))
            })
            .collect()
    }

    /// Returns the chunk with this [key](Self::chunk_key). O(log files + chunks of the file).
    pub fn chunk_with_key(&self, key: &str) -> Option<ChunkId> {
        // A path may contain the separator too.
        let mut places = key.match_indices(':').filter_map(|(at, _)| self.file_at(&key[..at]));
        places.find_map(|file| {
            let Range { start, end } = self.chunks_of(file);
            (start.index()..end.index()).map(ChunkId::new).find(|chunk| self.chunk_key(*chunk) == key)
        })
    }

    /// Returns the file of a symbol.
    pub fn symbol_file(&self, symbol: SymbolId) -> FileId {
        self.symbol_files[symbol]
    }

    /// Returns the file of a chunk.
    pub fn chunk_file(&self, chunk: ChunkId) -> FileId {
        self.chunk_files[chunk]
    }

    /// Returns the file of a symbol and its id in that file.
    pub fn local_symbol(&self, symbol: SymbolId) -> (FileId, LocalSymbol) {
        let file = self.symbol_files[symbol];
        (file, LocalSymbol::new(symbol.index() - self.starts[file].0 as usize))
    }

    /// Returns the file of a chunk and its id in that file.
    pub fn local_chunk(&self, chunk: ChunkId) -> (FileId, LocalChunk) {
        let file = self.chunk_files[chunk];
        (file, LocalChunk::new(chunk.index() - self.starts[file].1 as usize))
    }

    /// Returns the project-wide id of a file's symbol.
    pub fn symbol_id(&self, file: FileId, symbol: LocalSymbol) -> SymbolId {
        SymbolId::new(self.starts[file].0 as usize + symbol.index())
    }

    /// Returns the project-wide id of a file's chunk.
    pub fn chunk_id(&self, file: FileId, chunk: LocalChunk) -> ChunkId {
        ChunkId::new(self.starts[file].1 as usize + chunk.index())
    }

    /// Returns the ids of a file's chunks.
    pub fn chunks_of(&self, file: FileId) -> Range<ChunkId> {
        // Does not read the outline, because callers do this for every file.
        let next = self.starts.as_slice().get(file.index() + 1);
        let end = next.map_or(self.chunk_files.len(), |(_, chunk)| *chunk as usize);
        ChunkId::new(self.starts[file].1 as usize)..ChunkId::new(end)
    }

    /// Returns a symbol's facts.
    pub fn symbol(&self, symbol: SymbolId) -> &Symbol {
        let (file, local) = self.local_symbol(symbol);
        &self.files[file].facts.symbols[local]
    }

    /// Returns a chunk's facts.
    pub fn chunk(&self, chunk: ChunkId) -> &Chunk {
        let (file, local) = self.local_chunk(chunk);
        &self.files[file].facts.chunks[local]
    }

    /// Returns the declared name of a symbol.
    pub fn symbol_name(&self, symbol: SymbolId) -> &str {
        let (file, local) = self.local_symbol(symbol);
        self.outline(file).symbol_name(local)
    }

    /// Returns the kind of a symbol.
    pub fn symbol_kind(&self, symbol: SymbolId) -> SymbolKind {
        self.outline_symbol(symbol).kind
    }

    /// Returns the keywords and marks that change the meaning of a symbol.
    pub fn symbol_modifiers(&self, symbol: SymbolId) -> Modifiers {
        self.outline_symbol(symbol).modifiers
    }

    /// True for a function without a name, whose name here describes its role.
    pub fn is_anonymous(&self, symbol: SymbolId) -> bool {
        self.symbol_modifiers(symbol).contains(Modifiers::ANONYMOUS)
    }

    /// Returns the kind of a chunk.
    pub fn chunk_kind(&self, chunk: ChunkId) -> ChunkKind {
        self.outline_chunk(chunk).kind
    }

    /// Returns the lines of a chunk.
    pub fn chunk_lines(&self, chunk: ChunkId) -> LineRange {
        self.outline_chunk(chunk).lines
    }

    /// Returns the declaration that encloses a symbol.
    pub fn parent(&self, symbol: SymbolId) -> Option<SymbolId> {
        let parent = self.outline_symbol(symbol).parent;
        parent.map(|parent| self.symbol_id(self.symbol_files[symbol], parent))
    }

    /// Returns a symbol and its enclosing declarations, innermost first.
    pub fn self_and_ancestors(&self, symbol: SymbolId) -> impl Iterator<Item = SymbolId> {
        std::iter::successors(Some(symbol), |symbol| self.parent(*symbol))
    }

    /// Returns the chunk that shows a symbol.
    pub fn chunk_of_symbol(&self, symbol: SymbolId) -> ChunkId {
        self.chunk_id(self.symbol_files[symbol], self.outline_symbol(symbol).chunk)
    }

    /// Returns the chunk that encloses a chunk. O(1).
    pub fn parent_chunk(&self, chunk: ChunkId) -> Option<ChunkId> {
        let (file, local) = self.local_chunk(chunk);
        let parent = self.files[file].facts.outline().chunks()[local].parent?;
        Some(self.chunk_id(file, parent))
    }

    /// Returns true if `inner` lies in `outer` or equals it.
    pub fn chunk_contains(&self, outer: ChunkId, inner: ChunkId) -> bool {
        self.chunk_file(outer) == self.chunk_file(inner)
            && self.chunk(outer).span.contains(self.chunk(inner).span)
    }

    /// Returns the declaration that a chunk shows, if any.
    pub fn symbol_of_chunk(&self, chunk: ChunkId) -> Option<SymbolId> {
        let symbol = self.outline_chunk(chunk).symbol;
        symbol.map(|symbol| self.symbol_id(self.chunk_files[chunk], symbol))
    }

    /// Returns the dotted name of a symbol in its file: `Outer.inner`.
    pub fn qualified_name(&self, symbol: SymbolId) -> String {
        let (file, local) = self.local_symbol(symbol);
        self.outline(file).qualified_name(local)
    }

    /// Returns the stable key of a symbol: `relative/path.ext::Outer.inner`.
    pub fn symbol_key(&self, symbol: SymbolId) -> String {
        format!("{}::{}", self.files[self.symbol_files[symbol]].path, self.qualified_name(symbol))
    }

    /// Returns the stable key of a chunk; see [`Outline::chunk_key`].
    pub fn chunk_key(&self, chunk: ChunkId) -> String {
        let (file, local) = self.local_chunk(chunk);
        self.outline(file).chunk_key(&self.files[file].path, local)
    }

    fn outline(&self, file: FileId) -> &Outline {
        self.files[file].facts.outline()
    }

    fn outline_symbol(&self, symbol: SymbolId) -> &OutlineSymbol {
        let (file, local) = self.local_symbol(symbol);
        &self.outline(file).symbols()[local]
    }

    fn outline_chunk(&self, chunk: ChunkId) -> &OutlineChunk {
        let (file, local) = self.local_chunk(chunk);
        &self.outline(file).chunks()[local]
    }
}
