//! The wire types. Their field names are what users of the JSON formats rely on.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Community, Lines, Patterns, ResultItem, SubgraphEdge, SubgraphNode};

/// Changes when a field changes its meaning or goes away; new fields do not change it.
pub const SCHEMA_VERSION: u32 = 2;

/// The answer to one query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Answer {
    /// The version of this format: 2.
    pub schema_version: u32,
    /// The query as asked; of a long one the start, followed by `…`.
    pub query: String,
    /// The most tokens the answer may have.
    pub token_budget: usize,
    /// The tokens it has, this number included.
    pub token_count: usize,
    /// What kind of question the query was taken for: `symbol`, `uses`, `trace`, `text`, `change`, `bug`, `where` or `how`; only if an
    /// explanation was asked for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// What each part of the answer takes, in tokens; only if that was asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub token_costs: BTreeMap<String, usize>,
    /// Matches that were left out because the budget was spent.
    pub omitted_results: usize,
    /// The best of them, as many as there was room to name, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_matched: Vec<Match>,
    /// Where the way leads out of the tree: what the best results call of packages that few files of the project's own code
    /// name, or that the question does; at most three, as in `itsdangerous.URLSafeTimedSerializer (2.2.0)`. The version is that
    /// of a lock file at the root, if one names it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
    /// The caller's guesses at what the code is called, as they were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<Guess>,
    /// Names in the code that might be asked for instead of guesses that are nowhere, likest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near_terms: Vec<String>,
    /// Whether even the best result has little to do with the query: what is looked for may not be there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub weak: bool,
    /// What was found, best first; then what stands near it, if that was asked for.
    pub results: Vec<ResultItem>,
    /// If nothing has the name that was asked for: queries for declarations with names like it, likest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// The nodes of the subgraph: the results in their order, then what connects them.
    pub subgraph_nodes: Vec<SubgraphNode>,
    /// The edges between nodes, then the most telling ones to code that is not part of the answer.
    pub subgraph_edges: Vec<SubgraphEdge>,
    /// Boundary edges that were left out.
    pub omitted_boundary_edges: usize,
    /// The nodes' ids with dependencies first.
    pub subgraph_order: Vec<String>,
    /// The communities that nodes belong to, by number; only if that was asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub subgraph_communities: BTreeMap<String, Community>,
    /// Groups of results between which no connection was found; empty if all are connected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unconnected: Vec<Vec<String>>,
    /// What stands out in how the results are connected.
    #[serde(skip_serializing_if = "Patterns::is_empty")]
    pub patterns: Patterns,
    /// How the code is shown.
    pub code: CodeStyle,
    /// The code: a text for each file with results that are shown, the file of the best result first.
    pub snapshots: Vec<FileSnapshot>,
    /// What the answer was taken from.
    pub index: IndexState,
    /// What was asked for and could not be done, so that the results may be worse than they could be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A guess at what the code is called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Guess {
    /// As it was given.
    pub term: String,
    /// Number of chunks that have its rarest word; 0 if it is nowhere.
    pub chunks: usize,
}

/// A match of which no code is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Match {
    /// The qualified name, or the name of a part of a document.
    pub name: String,
    /// Path relative to the project's root.
    pub file: String,
    /// Where all of it stands.
    pub lines: Lines,
}

/// Results of one file, with what they need of it. The file of the best result may have several entries, so that its lines come first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FileSnapshot {
    /// Path relative to the project's root, with forward slashes.
    pub file: String,
    /// The language, or the format of the document.
    pub language: String,
    /// `chunk_id`s of the results whose code it shows, best first.
    pub results: Vec<String>,
    /// With [`CodeStyle::Lines`] a comment with path and first range, then the file's own lines, `... FIRST-LAST` standing
    /// for lines that are left out; the format `text` adds the [numbers](CodeStyle::is_numbered). With
    /// [`CodeStyle::Snapshot`] valid source: the results, and the declarations and imports of the same file that they name.
    pub text: String,
    /// The ranges of the file's own lines in the text, in order; empty with [`CodeStyle::Snapshot`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Lines>,
}

/// How an answer shows code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CodeStyle {
    /// The file's own lines, with a mark at each cut.
    #[default]
    Lines,
    /// A text for each file that parses, without a mark where something is left out.
    Snapshot,
}

impl CodeStyle {
    /// Every style; the first is the default.
    pub const ALL: [CodeStyle; 2] = [CodeStyle::Lines, CodeStyle::Snapshot];

    /// The wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            CodeStyle::Lines => "lines",
            CodeStyle::Snapshot => "snapshot",
        }
    }

    /// Whether a text of so many tokens has the number before each line: of 2,500 or more, beside the caller's guesses of
    /// 1,500 or more. Numbers take an eighth of the code
    /// that fits, which small answers need more; the ranges at their cuts tell where lines stand.
    pub const fn is_numbered(self, budget: usize, has_terms: bool) -> bool {
        matches!(self, CodeStyle::Lines) && budget >= if has_terms { GUIDED_BUDGET } else { NUMBERED_BUDGET }
    }
}

/// Texts of so many tokens or more number their lines.
const NUMBERED_BUDGET: usize = 2_500;

/// The same with the caller's guesses: who guesses names is a program, and asks for more by line.
const GUIDED_BUDGET: usize = 1_500;

/// What an answer was taken from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct IndexState {
    /// Source files that were searched.
    pub files: usize,
    /// Source files that are not in the index yet, because another process is indexing them.
    pub pending: usize,
    /// Source files that were not, by reason.
    pub skipped: Vec<SkippedCount>,
    /// Files of results that changed while the answer was made; their signatures alone are shown.
    pub stale: Vec<String>,
}

/// How many files were skipped for one reason.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SkippedCount {
    /// Why.
    pub reason: String,
    /// How many.
    pub files: usize,
}
