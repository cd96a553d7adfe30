//! Compact subset of a file's facts, for queries over thousands of files at once.

use serde::{Deserialize, Serialize};

use crate::names::fold_hash;
use crate::{
    ChunkKind, FileFacts, Id, IndexVec, LineRange, LocalChunk, LocalSymbol, Modifiers, Span, SymbolKind,
};

/// Compact facts for ranking and lookups by name, under the same ids as in [`FileFacts`]. An outline takes a few
/// allocations whatever the file contains, so a project of thousands of files keeps all outlines in memory and the
/// facts of few.
///
/// Like the facts, it derives serde for the stores only. Deserialization checks that every id and name refers into
/// the outline, so that corrupt input cannot cause a later panic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Outline {
    /// Names and receivers of all symbols, followed by the names of chunks that differ from their symbol's.
    names: Box<str>,
    symbols: IndexVec<LocalSymbol, OutlineSymbol>,
    chunks: IndexVec<LocalChunk, OutlineChunk>,
    /// Hash of each symbol's name, ignoring case and underscores.
    #[serde(skip)]
    name_hashes: Box<[u32]>,
}

/// Unvalidated form of a deserialized [`Outline`].
#[derive(Deserialize)]
struct Unchecked {
    names: Box<str>,
    symbols: IndexVec<LocalSymbol, OutlineSymbol>,
    chunks: IndexVec<LocalChunk, OutlineChunk>,
}

/// Outline of a declaration; see [`Symbol`](crate::Symbol).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineSymbol {
    /// Byte range of the name in `names`.
    name: Span,
    /// Byte range of the dotted name of the receiver in `names`; empty without one.
    receiver: Span,
    /// Kind of the symbol.
    pub kind: SymbolKind,
    /// True if other files can name the symbol.
    pub exported: bool,
    /// Keywords that change what the declaration means.
    pub modifiers: Modifiers,
    /// Enclosing declaration.
    pub parent: Option<LocalSymbol>,
    /// Chunk that shows the symbol.
    pub chunk: LocalChunk,
}

/// Outline of a chunk; see [`Chunk`](crate::Chunk).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineChunk {
    /// Byte range of the name in `names`.
    name: Span,
    /// Kind of the chunk.
    pub kind: ChunkKind,
    /// Declaration that the chunk shows; `None` for statements, imports and comments.
    pub symbol: Option<LocalSymbol>,
    /// Enclosing chunk.
    pub parent: Option<LocalChunk>,
    /// Lines of the chunk.
    pub lines: LineRange,
}

impl Outline {
    /// Builds the outline of a file. O(symbols + chunks + bytes of their names).
    pub fn of(facts: &FileFacts) -> Self {
        let mut names = String::new();
        let mut put = |name: &str| {
            let start = names.len() as u32;
            names.push_str(name);
            Span::new(start, names.len() as u32)
        };
        let symbols = facts.symbols.iter().map(|symbol| OutlineSymbol {
            name: put(&symbol.name),
            receiver: put(&symbol.receiver.as_ref().map_or_else(String::new, |it| it.path.join("."))),
            kind: symbol.kind,
            exported: symbol.exported,
            modifiers: symbol.modifiers,
            parent: symbol.parent,
            chunk: symbol.chunk,
        });
        let symbols: IndexVec<LocalSymbol, OutlineSymbol> = symbols.collect();
        let chunks = facts.chunks.iter().map(|chunk| OutlineChunk {
            name: match chunk.symbol {
                Some(symbol) if facts.symbols[symbol].name == chunk.name => symbols[symbol].name,
                _ => put(&chunk.name),
            },
            kind: chunk.kind,
            symbol: chunk.symbol,
            parent: chunk.parent,
            lines: chunk.lines,
        });
        let chunks = chunks.collect();
        Self::new(names.into(), symbols, chunks)
    }

    fn new(
        names: Box<str>,
        symbols: IndexVec<LocalSymbol, OutlineSymbol>,
        chunks: IndexVec<LocalChunk, OutlineChunk>,
    ) -> Self {
        let name_hashes = symbols.iter().map(|symbol| fold_hash(symbol.name.text(&names))).collect();
        Self { names, symbols, chunks, name_hashes }
    }

    /// Returns the declarations, as in [`FileFacts::symbols`].
    pub fn symbols(&self) -> &IndexVec<LocalSymbol, OutlineSymbol> {
        &self.symbols
    }

    /// Returns the chunks, as in [`FileFacts::chunks`].
    pub fn chunks(&self) -> &IndexVec<LocalChunk, OutlineChunk> {
        &self.chunks
    }

    /// Returns the declared name of a symbol.
    pub fn symbol_name(&self, symbol: LocalSymbol) -> &str {
        self.symbols[symbol].name.text(&self.names)
    }

    /// Returns the dotted name of the type that a member declared outside of it belongs to; empty for other symbols.
    pub fn receiver(&self, symbol: LocalSymbol) -> &str {
        self.symbols[symbol].receiver.text(&self.names)
    }

    /// Returns the symbol's name, the imported module, or the first words of the statement.
    pub fn chunk_name(&self, chunk: LocalChunk) -> &str {
        self.chunks[chunk].name.text(&self.names)
    }

    /// Returns the dotted name of a symbol from the root, receivers included: `Outer.inner`. A function without a name has
    /// only the description of its role.
    pub fn qualified_name(&self, symbol: LocalSymbol) -> String {
        if self.symbols[symbol].modifiers.contains(Modifiers::ANONYMOUS) {
            return self.symbol_name(symbol).to_owned();
        }
        let around = std::iter::successors(Some(symbol), |symbol| self.symbols[*symbol].parent);
        let names = around.flat_map(|symbol| [self.symbol_name(symbol), self.receiver(symbol)]);
        let mut names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        names.reverse();
        names.join(".")
    }

    /// Returns the stable key of a chunk: `relative/path.ext:start-end:kind:name`. Further chunks with the same
    /// lines, kind and name get the suffixes `~2`, `~3` and so on. O(chunks that start on its line).
    pub fn chunk_key(&self, path: &str, chunk: LocalChunk) -> String {
        let described = |chunk: LocalChunk| {
            let OutlineChunk { kind, lines, .. } = self.chunks[chunk];
            (lines, kind, self.chunk_name(chunk))
        };
        let this = described(chunk);
        let (lines, kind, name) = this;
        let twins = (0..chunk.index())
            .rev()
            .map(|earlier| described(LocalChunk::new(earlier)))
            .take_while(|earlier| earlier.0.start == lines.start)
            .filter(|earlier| *earlier == this);
        key(path, lines, kind, name, twins.count())
    }

    /// Returns the hash of each symbol's name, ignoring case and underscores.
    pub(crate) fn name_hashes(&self) -> &[u32] {
        &self.name_hashes
    }
}

impl TryFrom<Unchecked> for Outline {
    type Error = &'static str;

    fn try_from(Unchecked { names, symbols, chunks }: Unchecked) -> Result<Self, Self::Error> {
        let is_name = |name: Span| names.get(name.start as usize..name.end as usize).is_some();
        let fits_symbol = |(id, symbol): (LocalSymbol, &OutlineSymbol)| {
            let stands_below = symbol.parent.is_none_or(|parent| parent < id);
            let has_names = is_name(symbol.name) && is_name(symbol.receiver);
            has_names && stands_below && symbol.chunk.index() < chunks.len()
        };
        let fits_chunk = |(id, chunk): (LocalChunk, &OutlineChunk)| {
            let stands_below = chunk.parent.is_none_or(|parent| parent < id);
            let shows_one = chunk.symbol.is_none_or(|symbol| symbol.index() < symbols.len());
            is_name(chunk.name) && stands_below && shows_one
        };
        if symbols.iter_enumerated().all(fits_symbol) && chunks.iter_enumerated().all(fits_chunk) {
            Ok(Self::new(names, symbols, chunks))
        } else {
            Err("the outline names what is not in it")
        }
    }
}

/// Returns the key of a chunk that `twins` earlier chunks share lines, kind and name with.
pub(crate) fn key(path: &str, lines: LineRange, kind: ChunkKind, name: &str, twins: usize) -> String {
    let key = format!("{path}:{}-{}:{kind}:{name}", lines.start, lines.end);
    if twins == 0 { key } else { format!("{key}~{}", twins + 1) }
}
