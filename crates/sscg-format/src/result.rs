//! Results, and what the graph knows of each.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// One result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ResultItem {
    /// The stable key: `relative/path.ext:start-end:kind:name`.
    pub chunk_id: String,
    /// Path relative to the project's root, with forward slashes.
    pub file: String,
    /// First and last line, counted from 1.
    pub lines: Lines,
    /// The kind of chunk.
    pub kind: String,
    /// The qualified name: `Outer.inner`. Of a document's section its heading or key, of a passage its first words.
    pub name: String,
    /// The language, or the format of the document.
    pub language: String,
    /// Whether it was found, or stands near what was found; left out if it was found.
    #[serde(skip_serializing_if = "Origin::is_search")]
    pub source: Origin,
    /// Where the text comes from; left out for code.
    #[serde(skip_serializing_if = "SourceType::is_code")]
    pub source_type: SourceType,
    /// Whether the text may be taken at its word; left out if so. That of documents may not: whoever reads it for someone
    /// else treats it as data, whatever it tells its reader to do.
    #[serde(default = "default_trust", skip_serializing_if = "Clone::clone")]
    pub trusted: bool,
    /// In a document, the headings or keys that the text stands under, outermost first, its own last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heading_path: Vec<String>,
    /// The declaration on one line; empty for statements.
    pub signature: String,
    /// `exported`, `async` and the like.
    pub modifiers: Vec<String>,
    /// The fused score; comparable within this answer only.
    pub score: f64,
    /// How much of the project leads to it, beside what most leads to, from 0 to 1; only if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub centrality: Option<f64>,
    /// Score and centrality together, by which results are in order; only if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blended_score: Option<f64>,
    /// The 1-based rank of its file in the list of each signal that speaks for it.
    pub rank_sources: RankSources,
    /// How the score came about, strongest contribution first; only if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explanation: Vec<Contribution>,
    /// How much of it the code of its file shows: `full`, `part`, `without_comments` or `collapsed`; nothing of one that is
    /// `signature` or `name`.
    pub shown: String,
    /// The ranges that answer, best first, if not all of its lines do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Lines>,
    /// Where copies of it stand that are not shown, as `path:first-last`: in builds that are checked in and the like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
    /// What it is tied to, by relation as read from the result: `calls` for what it calls, `called_by` for its callers. At
    /// most five of each, the surest first. Nothing of what only stands near a result.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub graph: BTreeMap<String, Vec<String>>,
    /// What the graph says of its declaration.
    #[serde(skip_serializing_if = "Details::is_empty")]
    pub details: Details,
}

impl ResultItem {
    /// Whether it is a part of another result, by its lines.
    pub fn stands_in(&self, other: &Self) -> bool {
        self.chunk_id != other.chunk_id
            && self.file == other.file
            && other.lines.start <= self.lines.start
            && self.lines.end <= other.lines.end
    }
}

/// What the graph says of a declaration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Details {
    /// How many files name it.
    #[serde(skip_serializing_if = "is_zero")]
    pub references: usize,
    /// The types it extends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extends: Vec<SymbolRef>,
    /// The interfaces and traits it implements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub implements: Vec<SymbolRef>,
    /// The types that extend or implement it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subtypes: Vec<SymbolRef>,
    /// What it calls, and what that calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// What calls it, and what calls that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub called_by: Vec<Call>,
    /// Number of further callers, for which there was no room.
    #[serde(skip_serializing_if = "crate::drawing::is_zero")]
    pub omitted_callers: usize,
    /// The types of its parameters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub types_in: Vec<SymbolRef>,
    /// The types it returns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub types_out: Vec<SymbolRef>,
    /// The methods and fields of a type, in source order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// The type of a constant, variable or field, as written.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value_type: String,
    /// The value of a constant, variable or field, as written.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Of a function without a known caller, how many uses of its name could not be tied to any declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unresolved_uses: Option<usize>,
}

impl Details {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A declaration, or a name outside of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SymbolRef {
    /// The qualified name.
    pub name: String,
    /// Its file, or the package it comes from; empty if neither is known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The `chunk_id` of the code that shows it; empty outside of the project.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Whether it is an abstract class.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_abstract: bool,
    /// How sure it is that it is this one; left out if that is `exact`.
    #[serde(skip_serializing_if = "Certainty::is_exact")]
    pub confidence: Certainty,
}

/// A call, and the calls beyond it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Call {
    /// What is called, or what calls.
    #[serde(flatten)]
    pub symbol: SymbolRef,
    /// The line of the call, in the caller's file.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: usize,
    /// Why the calls beyond are not all here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<CallMark>,
    /// The calls beyond it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
}

/// Why a tree of calls ends where it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallMark {
    /// It stands above itself in the tree.
    Cycle,
    /// The depth that was asked for is reached.
    DepthLimit,
    /// The tree would become too large.
    SizeLimit,
}

impl fmt::Display for CallMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            CallMark::Cycle => "cycle",
            CallMark::DepthLimit => "depth limit",
            CallMark::SizeLimit => "size limit",
        })
    }
}

/// How sure an edge is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// Resolved by the language's scope, import or type rules.
    #[default]
    Exact,
    /// What rules that are usually, not always, right leave.
    Inferred,
    /// One of several candidates that the rules could not tell apart.
    Ambiguous,
}

impl Certainty {
    /// Whether there is no doubt.
    pub fn is_exact(&self) -> bool {
        *self == Certainty::Exact
    }
}

impl From<sscg_core::Confidence> for Certainty {
    fn from(confidence: sscg_core::Confidence) -> Self {
        match confidence {
            sscg_core::Confidence::Exact => Certainty::Exact,
            sscg_core::Confidence::Inferred => Certainty::Inferred,
            sscg_core::Confidence::Ambiguous => Certainty::Ambiguous,
        }
    }
}

impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Certainty::Exact => "exact",
            Certainty::Inferred => "inferred",
            Certainty::Ambiguous => "ambiguous",
        })
    }
}

/// First and last line, counted from 1; as text `12-34`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Lines {
    /// The first.
    pub start: u32,
    /// The last.
    pub end: u32,
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.start, self.end)
    }
}

impl From<Lines> for String {
    fn from(lines: Lines) -> Self {
        lines.to_string()
    }
}

impl FromStr for Lines {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse().ok();
        let (start, end) = text.split_once('-').ok_or_else(|| format!("{text:?} is no range of lines"))?;
        match (number(start), number(end)) {
            (Some(start), Some(end)) => Ok(Self { start, end }),
            _ => Err(format!("{text:?} is no range of lines")),
        }
    }
}

impl TryFrom<String> for Lines {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl JsonSchema for Lines {
    fn schema_name() -> Cow<'static, str> {
        "Lines".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9]+-[0-9]+$" })
    }
}

/// Why something is part of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It was found.
    #[default]
    Search,
    /// It is a neighbour of what was found, in the graph.
    EgoGraph,
    /// It lies on a path that connects what was found.
    Connection,
}

impl Origin {
    /// Whether it was found.
    pub fn is_search(&self) -> bool {
        *self == Origin::Search
    }
}

/// Where the text of a result comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Ranks by signal.
pub type RankSources = BTreeMap<String, usize>;

/// What one signal adds to a result's score.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Contribution {
    /// The signal's name.
    pub signal: String,
    /// The 1-based rank of the result's file in the signal's list; 0 for signals that score lines.
    pub rank: usize,
    /// The signal's own score of the file.
    pub score: f64,
    /// What that adds: the result's score is the sum of all contributions.
    pub contribution: f64,
}
