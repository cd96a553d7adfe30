//! Contents of a snapshot as rows of plain values, for tables, exports and other programs.
//!
//! IDs are strings that are the same in every process: file paths, [symbol keys](sscg_core::Project::symbol_key) and
//! [chunk keys](sscg_core::Outline::chunk_key). The rows of a file depend on the snapshot alone and are in source
//! order.

#[cfg(feature = "arrow")]
mod arrow;

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use serde::Serialize;
use sscg_core::{CodeChunk, FileId, Id, NodeId};
use sscg_graph::{Direction, Edge, Node, Origin, Unresolved};

use crate::{FactsKey, IndexError, Snapshot};

#[cfg(feature = "arrow")]
pub use arrow::{ArrowRow, RowError};

/// Version of the digest. Changes when the same facts and edges give other rows.
const DIGEST_VERSION: u8 = 2;

/// Row of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileRow {
    /// Path relative to the project's root, with forward slashes.
    pub path: String,
    /// Name of the language.
    pub language: String,
    /// Size of the text in bytes.
    pub size: u64,
    /// Number of lines.
    pub lines: u32,
    /// BLAKE3 hash of the text, in hexadecimal.
    pub content_hash: String,
    /// Text of the file.
    pub text: String,
    /// Digest of all rows of the file, including those of its chunks, symbols, edges and unresolved uses, but without vectors.
    pub digest: String,
}

/// Row of a chunk, with all its properties spelled out; see [`CodeChunk`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChunkRow {
    /// Stable key: `relative/path.ext:start-end:kind:name`.
    pub id: String,
    /// Path of the file relative to the project's root.
    pub path: String,
    /// Name of the file's language.
    pub language: String,
    /// Name of the chunk kind.
    pub kind: String,
    /// Symbol name, imported module, or first words of the statement.
    pub name: String,
    /// Name of the enclosing chunk.
    pub parent_name: Option<String>,
    /// Key of the enclosing chunk.
    pub parent_id: Option<String>,
    /// Keys of the direct child chunks.
    pub child_ids: Vec<String>,
    /// Number of enclosing chunks.
    pub depth: u32,
    /// Declaration without its body, on one line; empty if the chunk declares nothing.
    pub signature: String,
    /// Full source of the chunk, verbatim.
    pub full_source: String,
    /// First line, counted from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Documentation without comment markers.
    pub doc: Option<String>,
    /// Import statements that the chunk's own code uses, verbatim.
    pub relevant_imports: Vec<String>,
    /// Source with each body-bearing child reduced to its signature. This text is embedded and ranked.
    pub embedding_text: String,
    /// Readable location: `path > Outer > inner`.
    pub breadcrumb: String,
    /// BLAKE3 hash of `full_source`, in hexadecimal.
    pub content_hash: String,
    /// Vector of `embedding_text`, if a model was used.
    pub vector: Option<Vec<f32>>,
}

/// Row of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SymbolRow {
    /// Stable key: `relative/path.ext::Outer.inner`, with a suffix `~2` and so on for further declarations of that name
    /// in the file, such as implementation blocks of a type or overloads of a function.
    pub id: String,
    /// Path of the file relative to the project's root.
    pub path: String,
    /// Name of the file's language.
    pub language: String,
    /// Name of the symbol kind.
    pub kind: String,
    /// Declared name.
    pub name: String,
    /// Dotted name within the file.
    pub qualified_name: String,
    /// ID of the enclosing declaration.
    pub parent_id: Option<String>,
    /// Key of the chunk that shows the declaration.
    pub chunk_id: String,
    /// Declaration without its body, on one line.
    pub signature: String,
    /// Documentation without comment markers.
    pub doc: Option<String>,
    /// True if other files can refer to the symbol.
    pub exported: bool,
    /// First line, counted from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
}

/// Row of a typed edge: `source <relation> target`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EdgeRow {
    /// Path of the file that contains the reference.
    pub path: String,
    /// ID of the source symbol, or path of the source file.
    pub source: String,
    /// ID of the target symbol, path of the target file, or external name.
    pub target: String,
    /// Kind of `target`: `symbol`, `file`, `standard_library` or `third_party`.
    pub target_kind: String,
    /// Name of the relation.
    pub relation: String,
    /// Lines of the references, at least one, each once, in order.
    pub lines: Vec<u32>,
    /// Name of the confidence level: the highest among the lines.
    pub confidence: String,
    /// Name of the evidence that the edge was derived from, in the first line of that confidence.
    pub provenance: String,
    /// Number of candidates left by resolution in that line; 1 unless ambiguous.
    pub candidates: u32,
}

/// Row of a use of a name that no rule resolves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct UnresolvedRow {
    /// Path of the file that contains the use.
    pub path: String,
    /// ID of the symbol whose code uses the name, or path of the file.
    pub source: String,
    /// Used name, without a path or receiver.
    pub name: String,
    /// Name of the relation.
    pub relation: String,
    /// Line of the use.
    pub line: u32,
    /// Reason why the name is not resolved, in words.
    pub reason: String,
}

/// Rows of a snapshot, built file by file.
#[derive(Debug)]
pub struct Rows<'a> {
    snapshot: &'a Snapshot,
    /// Row ID of each node.
    ids: Vec<String>,
    /// Unresolved uses, by the node whose code has them.
    unresolved: Vec<Unresolved<'a>>,
}

impl<'a> Rows<'a> {
    /// Assigns an ID to each node of the graph. O(nodes + u log u) for u unresolved uses.
    pub fn new(snapshot: &'a Snapshot) -> Self {
        let Snapshot { project, graph, .. } = snapshot;
        let nodes = (0..graph.node_count()).map(NodeId::new);
        let mut seen: FxHashMap<String, usize> = FxHashMap::default();
        let ids = nodes.map(|node| {
            let label = graph.label(project, node);
            match graph.node(node) {
                Node::Symbol(_) => further(label, &mut seen),
                _ => label,
            }
        });
        let mut unresolved: Vec<Unresolved<'_>> = graph.unresolved_references().iter().collect();
        unresolved.sort_by_key(|it| (it.source, it.line));
        Self { ids: ids.collect(), unresolved, snapshot }
    }

    /// Returns the row of a file, with its text.
    ///
    /// # Errors
    /// [`IndexError::Changed`] if the text has changed since it was indexed.
    pub fn file(&self, file: FileId) -> Result<FileRow, IndexError> {
        let entry = &self.snapshot.project.files()[file];
        let text = self.text(file)?;
        Ok(FileRow {
            path: entry.path.to_string(),
            language: entry.language.name.to_owned(),
            size: text.len() as u64,
            lines: entry.facts.lines,
            content_hash: blake3::hash(text.as_bytes()).to_hex().to_string(),
            text,
            digest: self.digest(file),
        })
    }

    /// Returns [`FileRow::digest`] without reading the text. O(edges and unresolved uses of the file).
    pub fn digest(&self, file: FileId) -> String {
        let key = self.snapshot.files[file].key.as_ref().map(FactsKey::to_bytes);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[DIGEST_VERSION]).update(&key.unwrap_or_default());
        // The encoding marks where each string ends, so that different rows have different bytes.
        let rows = (self.edges(file), self.unresolved(file));
        hasher.update(&postcard::to_allocvec(&rows).expect("rows have no unserializable part"));
        hasher.finalize().to_hex().to_string()
    }

    /// Returns the chunks of a file.
    ///
    /// # Errors
    /// [`IndexError::Changed`] if the text has changed since it was indexed.
    pub fn chunks(&self, file: FileId) -> Result<Vec<ChunkRow>, IndexError> {
        let entry = &self.snapshot.project.files()[file];
        let text = self.text(file)?;
        let chunks = entry.facts.code_chunks(&entry.path, &text, entry.language.stub);
        Ok(chunks.into_iter().map(|chunk| chunk_row(chunk, entry.language.name)).collect())
    }

    /// Returns the declarations of a file.
    pub fn symbols(&self, file: FileId) -> Vec<SymbolRow> {
        let project = &self.snapshot.project;
        let entry = &project.files()[file];
        let rows = project.symbols_of(file).map(|id| {
            let symbol = project.symbol(id);
            SymbolRow {
                id: self.id(Node::Symbol(id)).to_owned(),
                path: entry.path.to_string(),
                language: entry.language.name.to_owned(),
                kind: symbol.kind.as_str().to_owned(),
                name: symbol.name.to_string(),
                qualified_name: project.qualified_name(id),
                parent_id: project.parent(id).map(|parent| self.id(Node::Symbol(parent)).to_owned()),
                chunk_id: project.chunk_key(project.chunk_of_symbol(id)),
                signature: symbol.signature.to_string(),
                doc: symbol.doc.as_deref().map(str::to_owned),
                exported: symbol.exported,
                start_line: symbol.lines.start,
                end_line: symbol.lines.end,
            }
        });
        rows.collect()
    }

    /// Returns the edges from a file's code: those that start at the file or at one of its symbols.
    pub fn edges(&self, file: FileId) -> Vec<EdgeRow> {
        let Snapshot { project, graph, .. } = self.snapshot;
        let mut rows = Vec::new();
        for node in self.nodes(file) {
            let sites: Vec<Edge> = graph.sites_at(node, Direction::Outgoing).collect();
            for sites in sites.chunk_by(|a, b| (a.target, a.relation) == (b.target, b.relation)) {
                let surest = sites.iter().min_by_key(|site| Reverse(site.confidence));
                let edge = surest.expect("a group is not empty");
                let mut lines: Vec<u32> = sites.iter().map(|site| site.line).collect();
                lines.sort_unstable();
                lines.dedup();
                rows.push(EdgeRow {
                    path: project.files()[file].path.to_string(),
                    source: self.ids[edge.source.index()].clone(),
                    target: self.ids[edge.target.index()].clone(),
                    target_kind: self.target_kind(edge.target).to_owned(),
                    relation: edge.relation.as_str().to_owned(),
                    lines,
                    confidence: edge.confidence.as_str().to_owned(),
                    provenance: edge.provenance.as_str().to_owned(),
                    candidates: edge.candidates.into(),
                });
            }
        }
        rows
    }

    /// Returns the uses of names in a file's code that no rule resolves. O(symbols · log u + uses) for u
    /// unresolved uses of the project.
    pub fn unresolved(&self, file: FileId) -> Vec<UnresolvedRow> {
        let path = &self.snapshot.project.files()[file].path;
        let of_node = |node: NodeId| {
            let start = self.unresolved.partition_point(|it| it.source < node);
            self.unresolved[start..].iter().take_while(move |it| it.source == node)
        };
        let rows = self.nodes(file).flat_map(of_node).map(|it| UnresolvedRow {
            path: path.to_string(),
            source: self.ids[it.source.index()].clone(),
            name: it.name.to_owned(),
            relation: it.relation.as_str().to_owned(),
            line: it.line,
            reason: it.reason.as_str().to_owned(),
        });
        rows.collect()
    }

    /// Returns the nodes of a file: itself, then its symbols.
    fn nodes(&self, file: FileId) -> impl Iterator<Item = NodeId> {
        let Snapshot { project, graph, .. } = self.snapshot;
        let symbols = project.symbols_of(file).map(Node::Symbol);
        std::iter::once(Node::File(file)).chain(symbols).map(|node| graph.id(node))
    }

    fn id(&self, node: Node) -> &str {
        &self.ids[self.snapshot.graph.id(node).index()]
    }

    fn target_kind(&self, node: NodeId) -> &'static str {
        let graph = &self.snapshot.graph;
        match graph.node(node) {
            Node::File(_) => "file",
            Node::Symbol(_) => "symbol",
            Node::External(external) => match graph.externals()[external as usize].origin {
                Origin::StandardLibrary => "standard_library",
                Origin::ThirdParty => "third_party",
            },
        }
    }

    fn text(&self, file: FileId) -> Result<String, IndexError> {
        let changed = || IndexError::Changed { path: self.snapshot.project.files()[file].path.to_string() };
        self.snapshot.source(file).ok_or_else(changed)
    }
}

/// Returns a key that no earlier node has.
fn further(key: String, seen: &mut FxHashMap<String, usize>) -> String {
    let count = seen.entry(key.clone()).or_default();
    *count += 1;
    if *count == 1 { key } else { format!("{key}~{count}") }
}

fn chunk_row(chunk: CodeChunk<'_>, language: &str) -> ChunkRow {
    ChunkRow {
        id: chunk.id,
        path: chunk.path.to_owned(),
        language: language.to_owned(),
        kind: chunk.kind.as_str().to_owned(),
        name: chunk.name.to_owned(),
        parent_name: chunk.parent_name.map(str::to_owned),
        parent_id: chunk.parent_id,
        child_ids: chunk.child_ids,
        depth: u32::try_from(chunk.depth).unwrap_or(u32::MAX),
        signature: chunk.signature.to_owned(),
        full_source: chunk.full_source.to_owned(),
        start_line: chunk.lines.start,
        end_line: chunk.lines.end,
        doc: chunk.doc.map(str::to_owned),
        relevant_imports: chunk.relevant_imports.into_iter().map(str::to_owned).collect(),
        embedding_text: chunk.embedding_text.into_owned(),
        breadcrumb: chunk.breadcrumb,
        content_hash: hex(&chunk.content_hash),
        vector: None,
    }
}

/// Formats a hash in hexadecimal.
fn hex(hash: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*hash).to_hex().to_string()
}
