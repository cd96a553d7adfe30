//! Wire types. Users of the JSON formats rely on their field names.

use std::collections::BTreeMap;

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::result::is_zero;
use crate::{Community, Lines, Patterns, ResultItem, SubgraphEdge, SubgraphNode};

/// Version of the format. Changes when a field changes its meaning or is removed, not for new fields.
pub const SCHEMA_VERSION: u32 = 2;

/// Answer to one query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct Answer {
    /// Version of this format: 2.
    pub schema_version: u32,
    /// Query as asked; a long one is truncated and ends in `…`.
    #[setters(into)]
    pub query: String,
    /// Token limit of the answer.
    pub token_budget: usize,
    /// Tokens used, this number included.
    pub token_count: usize,
    /// Kind of question: `symbol`, `uses`, `trace`, `text`, `change`, `bug`, `where` or `how`; only if an explanation
    /// was asked for.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub kind: String,
    /// Tokens of each part of the answer; only if asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub token_costs: BTreeMap<String, usize>,
    /// Matches left out because the budget was spent.
    pub omitted_results: usize,
    /// The best of the omitted matches, as many as fit, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_matched: Vec<Match>,
    /// External symbols that the best results call, of packages that few files of the project's own code name, or that
    /// the question names; at most three, as in `itsdangerous.URLSafeTimedSerializer (2.2.0)`. The version comes from a
    /// lock file at the root, if any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
    /// The caller's guesses at names in the code, as given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<Guess>,
    /// Names in the code to ask for instead of guesses that occur nowhere, most similar first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near_terms: Vec<String>,
    /// True if even the best result hardly matches: the project may lack what is asked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub weak: bool,
    /// Search results, best first; then their neighbors, if asked for.
    pub results: Vec<ResultItem>,
    /// Queries for similarly named declarations, if nothing has the name asked for; most similar first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// Nodes of the subgraph: the results in order, then the nodes that connect them.
    pub subgraph_nodes: Vec<SubgraphNode>,
    /// Edges between nodes, then the most informative ones to code outside of the answer.
    pub subgraph_edges: Vec<SubgraphEdge>,
    /// Boundary edges left out.
    pub omitted_boundary_edges: usize,
    /// Ids of the nodes, dependencies first.
    pub subgraph_order: Vec<String>,
    /// Communities of the nodes, by number; only if asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub subgraph_communities: BTreeMap<String, Community>,
    /// Groups of results without a connection between them; empty if all are connected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unconnected: Vec<Vec<String>>,
    /// Patterns in the connections of the results.
    #[serde(skip_serializing_if = "Patterns::is_empty")]
    pub patterns: Patterns,
    /// Style of the code.
    pub code: CodeStyle,
    /// Code: one text per file with shown results, the file of the best result first.
    pub snapshots: Vec<FileSnapshot>,
    /// Number of lines that the session received before, which are [not repeated](crate::SentCode).
    #[serde(skip_serializing_if = "is_zero")]
    pub sent_lines: usize,
    /// State of the index used.
    pub index: IndexState,
    /// Requests that could not be met, so that the results may be worse than they could be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Guess at a name in the code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct Guess {
    /// Guess as given.
    #[setters(into)]
    pub term: String,
    /// Number of chunks with its rarest word; 0 if it occurs nowhere.
    pub chunks: usize,
}

/// Match without code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct Match {
    /// Qualified name, or name of a part of a document.
    #[setters(into)]
    pub name: String,
    /// Path relative to the project's root.
    #[setters(into)]
    pub file: String,
    /// All of its lines.
    pub lines: Lines,
}

/// Results of one file with the code they need. The file of the best result may have several entries, so that its lines
/// come first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct FileSnapshot {
    /// Path relative to the project's root, with forward slashes.
    #[setters(into)]
    pub file: String,
    /// Language, or format of the document.
    #[setters(into)]
    pub language: String,
    /// `chunk_id`s of the results whose code is shown, best first.
    pub results: Vec<String>,
    /// With [`CodeStyle::Lines`], a comment with path and first range, then the file's own lines, with `... FIRST-LAST`
    /// for omitted lines; the format `text` adds [line numbers](CodeStyle::is_numbered). With [`CodeStyle::Snapshot`],
    /// valid source: the results, and the declarations and imports of the same file that they name.
    #[setters(into)]
    pub text: String,
    /// Ranges of the file's own lines in the text, in order; empty with [`CodeStyle::Snapshot`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Lines>,
}

/// Code style of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CodeStyle {
    /// The file's own lines, with a mark at each gap.
    #[default]
    Lines,
    /// Valid source for each file, without marks for omitted code.
    Snapshot,
    /// As lines, but only the signature of each declaration: an overview of what answers a question, for orientation.
    Signatures,
}

impl CodeStyle {
    /// All styles; the first is the default.
    pub const ALL: [CodeStyle; 3] = [CodeStyle::Lines, CodeStyle::Snapshot, CodeStyle::Signatures];

    /// Returns the wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            CodeStyle::Lines => "lines",
            CodeStyle::Snapshot => "snapshot",
            CodeStyle::Signatures => "signatures",
        }
    }

    /// True if an answer of this style and budget has line numbers: from 2,500 tokens, or from 1,500 with the caller's
    /// guesses. Numbers take an eighth of the code that fits, which small answers need more; the ranges at their gaps
    /// still locate the lines.
    pub const fn is_numbered(self, budget: usize, has_terms: bool) -> bool {
        !matches!(self, CodeStyle::Snapshot)
            && budget >= if has_terms { GUIDED_BUDGET } else { NUMBERED_BUDGET }
    }
}

sscg_core::parsed_by_name! { CodeStyle, "code style", Self::ALL.into_iter(); }

/// Minimum token budget for line numbers.
const NUMBERED_BUDGET: usize = 2_500;

/// Minimum token budget with the caller's guesses: a caller that guesses names is a program, and asks for more by line.
const GUIDED_BUDGET: usize = 1_500;

/// State of the index used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct IndexState {
    /// Source files searched.
    pub files: usize,
    /// Source files not indexed yet, because another process is indexing them.
    pub pending: usize,
    /// Source files not searched, by reason.
    pub skipped: Vec<SkippedCount>,
    /// Files of results that changed while the answer was made; only their signatures are shown.
    pub stale: Vec<String>,
}

/// Number of files skipped for one reason.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct SkippedCount {
    /// Reason.
    #[setters(into)]
    pub reason: String,
    /// Number.
    pub files: usize,
}
