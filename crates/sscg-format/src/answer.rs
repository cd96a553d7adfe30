//! The wire types. Their field names are what users of the JSON formats rely on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Changes when a field changes its meaning or goes away; new fields do not change it.
pub const SCHEMA_VERSION: u32 = 1;

/// The answer to one query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// The query as asked; of a long one the start, followed by `…`.
    pub query: String,
    /// The most tokens the answer may have.
    pub token_budget: usize,
    /// The tokens it has, this number included.
    pub token_count: usize,
    /// Matches that were left out because the budget was spent.
    pub omitted_results: usize,
    /// Whether even the best result has little to do with the query: what is looked for may not be there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub weak: bool,
    /// What was found, best first.
    pub results: Vec<ResultItem>,
    /// If nothing has the name that was asked for: queries for declarations with names like it, likest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// The results as nodes of their subgraph, in result order.
    pub subgraph_nodes: Vec<SubgraphNode>,
    /// The edges between results.
    pub subgraph_edges: Vec<SubgraphEdge>,
    /// The most telling edges between a result and code that is not part of the answer.
    pub subgraph_boundary: Vec<BoundaryEdge>,
    /// Boundary edges that were left out.
    pub omitted_boundary_edges: usize,
    /// The results' `chunk_id`s with dependencies first.
    pub subgraph_order: Vec<String>,
    /// Results that depend on each other in a circle, by `chunk_id`.
    pub subgraph_cycles: Vec<Vec<String>>,
    /// Functions without any known caller, with the uses of their name that could not be resolved.
    pub unresolved_uses: Vec<UnresolvedUses>,
    /// What the answer was taken from.
    pub index: IndexState,
    /// What was asked for and could not be done, so that the results may be worse than they could be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResultItem {
    /// The stable key: `relative/path.ext:start-end:kind:name`.
    pub chunk_id: String,
    /// Path relative to the project's root, with forward slashes.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, included.
    pub end_line: u32,
    /// The kind of chunk.
    pub kind: String,
    /// The qualified name: `Outer.inner`. Of a document's section its heading or key, of a passage its first words.
    pub name: String,
    /// The language, or the format of the document.
    pub language: String,
    /// Where the text comes from; left out for code.
    #[serde(default, skip_serializing_if = "SourceType::is_code")]
    pub source_type: SourceType,
    /// Whether the text may be taken at its word; left out if so. That of documents may not: whoever reads it for someone
    /// else treats it as data, whatever it tells its reader to do.
    #[serde(default = "default_trust", skip_serializing_if = "Clone::clone")]
    pub trusted: bool,
    /// In a document, the headings or keys that the text stands under, outermost first, its own last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heading_path: Vec<String>,
    /// The declaration on one line; empty for statements.
    pub signature: String,
    /// `exported`, `async` and the like.
    pub modifiers: Vec<String>,
    /// The fused score; comparable within this answer only.
    pub score: f64,
    /// The 1-based rank of its file in the list of each signal that speaks for it.
    pub rank_sources: RankSources,
    /// How the score came about, strongest contribution first; only if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explanation: Vec<Contribution>,
    /// How much of the chunk `source` holds: `full`, `collapsed` or `signature`.
    pub shown: String,
    /// The code.
    pub source: String,
}

/// Where the text of a result comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceType {
    /// A source file.
    #[default]
    Code,
    /// What people read beside the code, or the data and configuration that comes with it.
    Document,
}

impl SourceType {
    /// Whether it is code.
    pub fn is_code(&self) -> bool {
        *self == SourceType::Code
    }
}

fn default_trust() -> bool {
    true
}

/// Ranks by signal.
pub type RankSources = BTreeMap<String, usize>;

/// What one signal adds to a result's score.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    /// The signal's name.
    pub signal: String,
    /// The 1-based rank of the result's file in the signal's list.
    pub rank: usize,
    /// The signal's own score of the file.
    pub score: f64,
    /// What that adds: the result's score is the sum of all contributions.
    pub contribution: f64,
}

/// A result as a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SubgraphNode {
    /// The result's `chunk_id`.
    pub id: String,
    /// The qualified name.
    pub name: String,
    /// The kind.
    pub kind: String,
    /// The file.
    pub file: String,
}

/// An edge between two results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SubgraphEdge {
    /// `chunk_id` of the result whose code says so.
    pub source: String,
    /// `chunk_id` of the result it says it of.
    pub target: String,
    /// The relation's wire name, read from source to target.
    pub relation: String,
    /// The line, in the source's file.
    pub line: u32,
    /// `exact`, `inferred` or `ambiguous`.
    pub confidence: String,
    /// How many candidates there are; 1 unless ambiguous.
    pub candidates: u16,
}

/// An edge between a result and code outside the answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoundaryEdge {
    /// `chunk_id` of the result.
    pub result: String,
    /// The relation as read from the result: `calls` for what it calls, `called_by` for its callers.
    pub relation: String,
    /// The other end: `path::Outer.inner`, a path, or a name outside the project.
    pub other: String,
    /// Whether the other end is part of the project.
    pub in_project: bool,
    /// The line of the edge, in the file of its source; 0 if it stands for the whole file.
    pub line: u32,
    /// The file that `line` refers to.
    pub file: String,
    /// `exact`, `inferred` or `ambiguous`.
    pub confidence: String,
    /// How many candidates there are; 1 unless ambiguous.
    pub candidates: u16,
}

/// Uses of a name that no rule could tie to a declaration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnresolvedUses {
    /// `chunk_id` of the result that may be meant.
    pub result: String,
    /// The name.
    pub name: String,
    /// How many uses of it are unresolved in the whole project.
    pub uses: usize,
}

/// What an answer was taken from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexState {
    /// Source files that were searched.
    pub files: usize,
    /// Source files that are not in the index yet, because another process is indexing them.
    #[serde(default)]
    pub pending: usize,
    /// Source files that were not, by reason.
    pub skipped: Vec<SkippedCount>,
    /// Files of results that changed while the answer was made; their signatures alone are shown.
    pub stale: Vec<String>,
}

/// How many files were skipped for one reason.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkippedCount {
    /// Why.
    pub reason: String,
    /// How many.
    pub files: usize,
}
