//! Results and their graph data.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use derive_setters::Setters;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use sscg_core::Confidence;

/// One result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct ResultItem {
    /// Stable key: `relative/path.ext:start-end:kind:name`.
    #[setters(into)]
    pub chunk_id: String,
    /// Path relative to the project's root, with forward slashes.
    #[setters(into)]
    pub file: String,
    /// First and last line, 1-based.
    pub lines: Lines,
    /// Kind of chunk.
    #[setters(into)]
    pub kind: String,
    /// Qualified name: `Outer.inner`. For a document's section its heading or key, for a passage its first words.
    #[setters(into)]
    pub name: String,
    /// Language, or format of the document.
    #[setters(into)]
    pub language: String,
    /// Origin: found by the search, or near a search result; left out if found.
    #[serde(skip_serializing_if = "ResultOrigin::is_search")]
    pub source: ResultOrigin,
    /// Source of the text; left out for code.
    #[serde(skip_serializing_if = "SourceType::is_code")]
    pub source_type: SourceType,
    /// True if the text is trusted; left out if so. The text of documents is not: readers who act for someone else must
    /// treat it as data, whatever instructions it contains.
    #[serde(default = "default_trust", skip_serializing_if = "Clone::clone")]
    pub trusted: bool,
    /// In a document, the enclosing headings or keys, outermost first, its own last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heading_path: Vec<String>,
    /// Declaration on one line; empty for statements.
    #[setters(into)]
    pub signature: String,
    /// Modifiers, as in `exported`.
    pub modifiers: Vec<String>,
    /// Fused score; comparable within this answer only.
    pub score: f64,
    /// Centrality in the project relative to the most central node, from 0 to 1; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub centrality: Option<f64>,
    /// Score and centrality blended, if the results are sorted by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blended_score: Option<f64>,
    /// 1-based rank of its file in the list of each signal with evidence for it.
    pub rank_sources: RankSources,
    /// Contributions to the score, largest first; only if asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explanation: Vec<Contribution>,
    /// Words of the question that it has, or other words for them, most weight first, at most eight; only if an explanation
    /// was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<WordMatch>,
    /// Detail level in the code of its file: `full`, `part`, `without_comments` or `collapsed`; there is no code for
    /// `signature` and `name`.
    #[setters(into)]
    pub shown: String,
    /// Ranges that answer, best first, if not all of its lines do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Lines>,
    /// Locations of copies that are not shown, as `path:first-last`: checked-in builds and the like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
    /// Connected symbols, by relation as read from the result: `calls` for its callees, `called_by` for its callers. At
    /// most five of each, highest confidence first. Empty for neighbors of results.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub graph: BTreeMap<String, Vec<String>>,
    /// Graph data of its declaration.
    #[serde(skip_serializing_if = "Details::is_empty")]
    pub details: Details,
}

impl ResultItem {
    /// True if it is a part of another result, by its lines.
    pub fn stands_in(&self, other: &Self) -> bool {
        self.chunk_id != other.chunk_id
            && self.file == other.file
            && other.lines.start <= self.lines.start
            && self.lines.end <= other.lines.end
    }
}

/// Graph data of a declaration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct Details {
    /// Files that name it.
    #[serde(skip_serializing_if = "is_zero")]
    pub references: usize,
    /// Types it extends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extends: Vec<SymbolRef>,
    /// Interfaces and traits it implements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub implements: Vec<SymbolRef>,
    /// Types that extend or implement it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subtypes: Vec<SymbolRef>,
    /// Callees, and their callees.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallTreeNode>,
    /// Callers, and their callers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub called_by: Vec<CallTreeNode>,
    /// Number of further callers that did not fit.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted_callers: usize,
    /// Tests that lead to it, nearest first; at most two, only for the best result of a question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tested_by: Vec<SymbolRef>,
    /// Places of declarations without code for what it implements, as `path:line`: in type declaration files (`.d.ts`,
    /// `.pyi`) and headers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declared_in: Vec<String>,
    /// Type parameters, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub type_parameters: Vec<TypeParameter>,
    /// Types of its parameters, in order: for each parameter the declared types in its type, or else the type as
    /// written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub types_in: Vec<SignatureType>,
    /// Types it returns, in the same form; empty if it returns nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub types_out: Vec<SignatureType>,
    /// Methods and fields of a type, in source order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// Type of a constant, variable or field, as written.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub value_type: String,
    /// Value of a constant, variable or field, as written.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub value: String,
    /// For a function without a known caller, the number of unresolved uses of its name that may be calls of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unresolved_uses: Option<usize>,
    /// Places of the likeliest of them, as `path:line`; at most three.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved_at: Vec<String>,
}

impl Details {
    /// True if nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Type parameter of a declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct TypeParameter {
    /// Name as written, such as `T`, `'a` or `*Ts`.
    #[setters(into)]
    pub name: String,
    /// Bound as written, or the type of a constant parameter; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub constraint: String,
    /// Default as written; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub default: String,
}

impl fmt::Display for TypeParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if !self.constraint.is_empty() {
            write!(f, ": {}", self.constraint)?;
        }
        if self.default.is_empty() { Ok(()) } else { write!(f, " = {}", self.default) }
    }
}

/// Type in the signature of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct SignatureType {
    /// Name of the parameter; empty for a result, and for a parameter without a name.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub parameter: String,
    /// Declared type with its file or package. If the type names none, such as `string` or `list[int]`, it is the name,
    /// as written, without a file.
    #[serde(flatten)]
    pub ty: SymbolRef,
    /// Line of the declaration in its file; 0 if the project does not declare the type.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: usize,
    /// True for a result if no return type is written, and all returned values have this one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inferred: bool,
}

/// Declaration or external symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct SymbolRef {
    /// Qualified name.
    #[setters(into)]
    pub name: String,
    /// File, or package of origin; empty if neither is known.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub file: String,
    /// `chunk_id` of the code that shows it; empty for external symbols.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub id: String,
    /// True if it is an abstract class.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_abstract: bool,
    /// Confidence; left out if `exact`.
    #[serde(skip_serializing_if = "Confidence::is_exact")]
    pub confidence: Confidence,
}

/// Call with the calls beyond it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct CallTreeNode {
    /// Callee or caller.
    #[serde(flatten)]
    pub symbol: SymbolRef,
    /// Line of the call, in the caller's file.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: usize,
    /// Reason why further calls are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<CallMark>,
    /// Calls beyond it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallTreeNode>,
}

/// Reason why a call tree ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallMark {
    /// Node that is its own ancestor.
    Cycle,
    /// Requested depth is reached.
    DepthLimit,
    /// Tree would become too large.
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

/// First and last line, 1-based; as text `12-34`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Lines {
    /// First line.
    pub start: u32,
    /// Last line.
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

/// Origin of a part of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResultOrigin {
    /// Found by the search.
    #[default]
    Search,
    /// Neighbor of a search result in the graph.
    EgoGraph,
    /// Node on a path between search results.
    Connection,
}

impl ResultOrigin {
    /// True if it was found by the search.
    pub fn is_search(&self) -> bool {
        *self == ResultOrigin::Search
    }
}

/// Source of the text of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SourceType {
    /// Source file.
    #[default]
    Code,
    /// Documentation, or data and configuration that comes with the code.
    Document,
}

impl SourceType {
    /// True if it is code.
    pub fn is_code(&self) -> bool {
        *self == SourceType::Code
    }
}

fn default_trust() -> bool {
    true
}

/// True for counts that are left out.
pub(crate) fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}

/// Ranks by signal.
pub type RankSources = BTreeMap<String, usize>;

/// One signal's contribution to a score.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct Contribution {
    /// Signal name.
    #[setters(into)]
    pub signal: String,
    /// 1-based rank of the result's file in the signal's list; 0 for signals that score lines.
    pub rank: usize,
    /// Score of the file by the signal.
    pub score: f64,
    /// Contribution: the result's score is the sum of all contributions.
    pub contribution: f64,
}

/// Word or phrase of the question that a result has, and the place where it counts most.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct WordMatch {
    /// Word or phrase as asked, or as guessed by the caller.
    #[setters(into)]
    pub asked: String,
    /// Word of the result that stands for it; empty if it is the same word, in any form.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub word: String,
    /// Part of the result that has the word.
    pub field: WordField,
    /// 1-based line in the result's file; 0 for its path.
    pub line: u32,
}

/// Part of a result that has a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WordField {
    /// Declared name, or heading.
    Name,
    /// Name of an enclosing declaration or section.
    Qualifier,
    /// Declaration without its body.
    Signature,
    /// Documentation.
    Doc,
    /// Comment that documents no declaration.
    Comment,
    /// String literal.
    String,
    /// Other code, or text of a document.
    #[default]
    Body,
    /// Path of the file.
    Path,
}

impl WordField {
    /// Returns the wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            WordField::Name => "name",
            WordField::Qualifier => "qualifier",
            WordField::Signature => "signature",
            WordField::Doc => "doc",
            WordField::Comment => "comment",
            WordField::String => "string",
            WordField::Body => "body",
            WordField::Path => "path",
        }
    }
}
