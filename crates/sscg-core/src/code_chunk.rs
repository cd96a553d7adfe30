//! Chunks as self-contained rows.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::outline::key;
use crate::{ChunkKind, FileFacts, IndexVec, LineRange, LocalChunk};

/// Chunk as a self-contained row, the form that is stored, embedded and exported.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CodeChunk<'a> {
    /// Stable key; see [`Outline::chunk_key`](crate::Outline::chunk_key).
    pub id: String,
    /// Path of the file relative to the project's root.
    pub path: &'a str,
    /// Kind of the chunk.
    pub kind: ChunkKind,
    /// Name of the symbol, the imported module, or the first words of the statement.
    pub name: &'a str,
    /// Name of the enclosing chunk.
    pub parent_name: Option<&'a str>,
    /// Key of the enclosing chunk.
    pub parent_id: Option<String>,
    /// Keys of the directly nested chunks, in source order.
    pub child_ids: Vec<String>,
    /// Number of enclosing chunks.
    pub depth: usize,
    /// Declaration without its body, on one line; empty for chunks without a declaration.
    pub signature: &'a str,
    /// Source of the whole chunk, as in the file.
    pub full_source: &'a str,
    /// Lines of the chunk.
    pub lines: LineRange,
    /// Documentation without its markers.
    pub doc: Option<&'a str>,
    /// Import statements used by the chunk's own code, as written, in source order.
    pub relevant_imports: Vec<&'a str>,
    /// Source with body-bearing children collapsed to signatures; embedded and ranked.
    pub embedding_text: Cow<'a, str>,
    /// Path for display: `path > Outer > inner`.
    pub breadcrumb: String,
    /// BLAKE3 hash of `full_source`, equal for equal text anywhere.
    pub content_hash: [u8; 32],
}

impl CodeChunk<'_> {
    /// Returns true if the embedding text elides part of the source.
    pub fn is_collapsed(&self) -> bool {
        matches!(self.embedding_text, Cow::Owned(_))
    }
}

impl FileFacts {
    /// Returns all chunks as rows, in source order. `stub` is the language's ending of a declaration without a body.
    /// O(bytes × nesting depth).
    ///
    /// # Panics
    /// If `source` is not the text that the facts were extracted from.
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
            // Imports of one statement are adjacent.
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
        let mut names: Vec<&str> = Vec::new();
        names.extend(self.chunks[chunk].symbol.into_iter().flat_map(|symbol| self.names_around(symbol)));
        names.push(path);
        names.reverse();
        names.push(&self.chunks[chunk].name);
        names.join(" > ")
    }
}
