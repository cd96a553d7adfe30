//! What a snapshot holds as rows of plain values: what is kept in tables, exported, and read by other programs.
//!
//! Ids are text that means the same in every process: paths of files, [symbol keys](sscg_core::Project::symbol_key) and
//! [chunk keys](sscg_core::Outline::chunk_key). Rows of a file follow from the snapshot alone, in source order.

#[cfg(feature = "arrow")]
mod arrow;

use rustc_hash::FxHashMap;
use serde::Serialize;
use sscg_core::{CodeChunk, FileId, Id, NodeId};
use sscg_graph::{Direction, Node, Origin};

use crate::{FactsKey, IndexError, Snapshot};

#[cfg(feature = "arrow")]
pub use arrow::{ArrowRow, RowError};

/// Changes with what rows say of the same facts and edges.
const DIGEST_VERSION: u8 = 1;

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// Path relative to the project's root, with forward slashes.
    pub path: String,
    /// What it is written in, by name.
    pub language: String,
    /// Bytes of its text.
    pub size: u64,
    /// Number of lines.
    pub lines: u32,
    /// BLAKE3 of its text, in hexadecimal.
    pub content_hash: String,
    /// Its text.
    pub text: String,
    /// Changes with anything that the rows of the file say, those of its chunks, symbols and edges included, but for
    /// vectors.
    pub digest: String,
}

/// A chunk, with everything about it spelled out; see [`CodeChunk`].
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkRow {
    /// The stable key: `relative/path.ext:start-end:kind:name`.
    pub id: String,
    /// Path of the file relative to the project's root.
    pub path: String,
    /// What the file is written in, by name.
    pub language: String,
    /// What it is, by name.
    pub kind: String,
    /// The symbol's name, the imported module, or the statement's first words.
    pub name: String,
    /// The name of the chunk it stands in.
    pub parent_name: Option<String>,
    /// The key of the chunk it stands in.
    pub parent_id: Option<String>,
    /// The keys of the chunks in it, one level down.
    pub child_ids: Vec<String>,
    /// How many chunks are around it.
    pub depth: u32,
    /// The declaration without its body, on one line; empty for what declares nothing.
    pub signature: String,
    /// All of it, as in the file.
    pub full_source: String,
    /// The first of its lines, from 1.
    pub start_line: u32,
    /// The last of its lines.
    pub end_line: u32,
    /// The documentation without its markers.
    pub doc: Option<String>,
    /// The import statements that its own code uses, as written.
    pub relevant_imports: Vec<String>,
    /// The source with each body-bearing child as its signature: what is embedded and ranked.
    pub embedding_text: String,
    /// `path > Outer > inner`, for people.
    pub breadcrumb: String,
    /// BLAKE3 of `full_source`, in hexadecimal.
    pub content_hash: String,
    /// What a model made of `embedding_text`, if one was asked.
    pub vector: Option<Vec<f32>>,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolRow {
    /// The stable key, `relative/path.ext::Outer.inner`, with `~2` and so on behind it for further declarations of
    /// that name in the file: a type's implementation blocks, the overloads of a function.
    pub id: String,
    /// Path of the file relative to the project's root.
    pub path: String,
    /// What the file is written in, by name.
    pub language: String,
    /// What it is, by name.
    pub kind: String,
    /// The declared name.
    pub name: String,
    /// The dotted name inside the file.
    pub qualified_name: String,
    /// The id of the declaration it stands in.
    pub parent_id: Option<String>,
    /// The key of the chunk that shows it.
    pub chunk_id: String,
    /// The declaration without its body, on one line.
    pub signature: String,
    /// The documentation without its markers.
    pub doc: Option<String>,
    /// Whether other files can name it.
    pub exported: bool,
    /// The first of its lines, from 1.
    pub start_line: u32,
    /// The last of its lines.
    pub end_line: u32,
}

/// A typed edge: `source <relation> target`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EdgeRow {
    /// The file that says so.
    pub path: String,
    /// The id of the symbol it starts at, or the path of the file.
    pub source: String,
    /// The id of the symbol it ends at, the path of the file, or the outside name.
    pub target: String,
    /// What `target` names: `symbol`, `file`, `standard_library` or `third_party`.
    pub target_kind: String,
    /// What it says, by name.
    pub relation: String,
    /// The first line of the file that says so.
    pub line: u32,
    /// How sure it is, by name.
    pub confidence: String,
    /// What it was learned from, by name.
    pub provenance: String,
    /// How many candidates the rules left; 1 unless ambiguous.
    pub candidates: u32,
}

/// The rows of a snapshot, made file by file.
#[derive(Debug)]
pub struct Rows<'a> {
    snapshot: &'a Snapshot,
    /// What stands for each node in the rows.
    ids: Vec<String>,
}

impl<'a> Rows<'a> {
    /// Names the nodes of the graph. O(nodes).
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
        Self { ids: ids.collect(), snapshot }
    }

    /// The row of a file, with its text.
    ///
    /// # Errors
    /// [`IndexError::Changed`] if the text is not the one that was indexed any more.
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

    /// [`FileRow::digest`], without reading the text. O(edges of the file).
    pub fn digest(&self, file: FileId) -> String {
        let key = self.snapshot.files[file].key.as_ref().map(FactsKey::to_bytes);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[DIGEST_VERSION]).update(&key.unwrap_or_default());
        for edge in self.edges(file) {
            // The bytes of a row tell where each of its texts ends.
            hasher.update(&postcard::to_allocvec(&edge).expect("rows have no unserialisable part"));
        }
        hasher.finalize().to_hex().to_string()
    }

    /// The chunks of a file.
    ///
    /// # Errors
    /// [`IndexError::Changed`] if the text is not the one that was indexed any more.
    pub fn chunks(&self, file: FileId) -> Result<Vec<ChunkRow>, IndexError> {
        let entry = &self.snapshot.project.files()[file];
        let text = self.text(file)?;
        let chunks = entry.facts.code_chunks(&entry.path, &text, entry.language.stub);
        Ok(chunks.into_iter().map(|chunk| chunk_row(chunk, entry.language.name)).collect())
    }

    /// The declarations of a file.
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

    /// The edges that a file's code says: those that start at the file or at one of its symbols.
    pub fn edges(&self, file: FileId) -> Vec<EdgeRow> {
        let Snapshot { project, graph, .. } = self.snapshot;
        let symbols = project.symbols_of(file).map(Node::Symbol);
        let nodes = std::iter::once(Node::File(file)).chain(symbols).map(|node| graph.id(node));
        let edges = nodes.flat_map(|node| graph.edges_at(node, Direction::Outgoing));
        let rows = edges.map(|edge| EdgeRow {
            path: project.files()[file].path.to_string(),
            source: self.ids[edge.source.index()].clone(),
            target: self.ids[edge.target.index()].clone(),
            target_kind: self.target_kind(edge.target).to_owned(),
            relation: edge.relation.as_str().to_owned(),
            line: edge.line,
            confidence: edge.confidence.as_str().to_owned(),
            provenance: edge.provenance.as_str().to_owned(),
            candidates: edge.candidates.into(),
        });
        rows.collect()
    }

    fn id(&self, node: Node) -> &str {
        &self.ids[self.snapshot.graph.id(node).index()]
    }

    fn target_kind(&self, node: NodeId) -> &'static str {
        let graph = &self.snapshot.graph;
        match graph.node(node) {
            Node::File(_) => "file",
            Node::Symbol(_) => "symbol",
            Node::Boundary(boundary) => match graph.boundaries()[boundary as usize].origin {
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

/// A key that no earlier node has.
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

/// A hash as people and other programs write it.
fn hex(hash: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*hash).to_hex().to_string()
}
