//! Chunks with everything about them spelled out.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::outline::key;
use crate::{ChunkKind, FileFacts, IndexVec, LineRange, LocalChunk};

/// One chunk as a row: what is stored, embedded and exported.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeChunk<'a> {
    /// The stable key; see [`Outline::chunk_key`](crate::Outline::chunk_key).
    pub id: String,
    /// Path of the file relative to the project's root.
    pub path: &'a str,
    /// What it is.
    pub kind: ChunkKind,
    /// The symbol's name, the imported module, or the statement's first words.
    pub name: &'a str,
    /// The name of the chunk it stands in.
    pub parent_name: Option<&'a str>,
    /// The key of the chunk it stands in.
    pub parent_id: Option<String>,
    /// The keys of the chunks in it, one level down, in source order.
    pub child_ids: Vec<String>,
    /// How many chunks are around it.
    pub depth: usize,
    /// The declaration without its body, on one line; empty for what declares nothing.
    pub signature: &'a str,
    /// All of it, as in the file.
    pub full_source: &'a str,
    /// Its lines.
    pub lines: LineRange,
    /// The documentation without its markers.
    pub doc: Option<&'a str>,
    /// The import statements that its own code uses, as written, in source order.
    pub relevant_imports: Vec<&'a str>,
    /// The source with each body-bearing child as its signature: what is embedded and ranked.
    pub embedding_text: Cow<'a, str>,
    /// `path > Outer > inner`, for people.
    pub breadcrumb: String,
    /// BLAKE3 of `full_source`: equal for equal text, wherever it stands.
    pub content_hash: [u8; 32],
}

impl CodeChunk<'_> {
    /// Whether the embedding text leaves something out.
    pub fn is_collapsed(&self) -> bool {
        matches!(self.embedding_text, Cow::Owned(_))
    }
}

impl FileFacts {
    /// Every chunk as a row, in source order. `stub` is the language's end of a declaration without a body.
    /// O(bytes, times the depth of nesting).
    ///
    /// # Panics
    /// If `source` is not the text that the facts were taken from.
    pub fn code_chunks<'a>(&'a self, path: &'a str, source: &'a str, stub: &str) -> Vec<CodeChunk<'a>> {
        let mut twins: HashMap<(u32, u32, ChunkKind, &str), usize> = HashMap::new();
        let ids: IndexVec<LocalChunk, String> = self
            .chunks
            .iter()
            .map(|chunk| {
                let LineRange { start, end } = chunk.lines;
                let seen = twins.entry((start, end, chunk.kind, &chunk.name)).or_default();
                *seen += 1;
                key(path, chunk.lines, chunk.kind, &chunk.name, *seen - 1)
            })
            .collect();
        let mut rows: IndexVec<LocalChunk, CodeChunk<'a>> = IndexVec::new();
        for (id, chunk) in self.chunks.iter_enumerated() {
            if let Some(parent) = chunk.parent {
                rows[parent].child_ids.push(ids[id].clone());
            }
            let symbol = chunk.symbol.map(|symbol| &self.symbols[symbol]);
            let full_source = chunk.span.text(source);
            let mut relevant_imports: Vec<&str> =
                chunk.imports.iter().map(|import| self.imports[*import].span.text(source)).collect();
            // The names of one statement follow each other.
            relevant_imports.dedup_by_key(|statement| statement.as_ptr());
            rows.push(CodeChunk {
                id: ids[id].clone(),
                path,
                kind: chunk.kind,
                name: &chunk.name,
                parent_name: chunk.parent.map(|parent| &*self.chunks[parent].name),
                parent_id: chunk.parent.map(|parent| ids[parent].clone()),
                child_ids: Vec::new(),
                depth: chunk.parent.map_or(0, |parent| rows[parent].depth + 1),
                signature: symbol.map_or("", |symbol| &symbol.signature),
                full_source,
                lines: chunk.lines,
                doc: symbol.and_then(|symbol| symbol.doc.as_deref()),
                relevant_imports,
                embedding_text: match self.collapsed(id).next() {
                    Some(_) => Cow::Owned(self.chunk_text(id, source, stub)),
                    None => Cow::Borrowed(full_source),
                },
                breadcrumb: self.breadcrumb(path, id),
                content_hash: *blake3::hash(full_source.as_bytes()).as_bytes(),
            });
        }
        rows.into_iter().collect()
    }

    fn breadcrumb(&self, path: &str, chunk: LocalChunk) -> String {
        let mut names: Vec<&str> = vec![&self.chunks[chunk].name];
        if let Some(symbol) = self.chunks[chunk].symbol {
            names.extend(self.ancestors(symbol).map(|ancestor| &*self.symbols[ancestor].name));
        }
        names.push(path);
        names.reverse();
        names.join(" > ")
    }
}
