//! Subgraph of an answer.

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::result::is_zero;
use crate::{Confidence, ResultOrigin};

/// Result, or node on a path between results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct SubgraphNode {
    /// `chunk_id`.
    #[setters(into)]
    pub id: String,
    /// Qualified name.
    #[setters(into)]
    pub name: String,
    /// Kind.
    #[setters(into)]
    pub kind: String,
    /// File.
    #[setters(into)]
    pub file: String,
    /// Number of its community; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub community: Option<u32>,
    /// Centrality, as of a result; if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub centrality: Option<f64>,
    /// Origin; left out for search results.
    #[serde(skip_serializing_if = "ResultOrigin::is_search")]
    pub source: ResultOrigin,
}

/// Edge between two nodes, or between a node and code outside of the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct SubgraphEdge {
    /// Id of the source node; outside of the answer `path::Outer.inner` or a path.
    #[setters(into)]
    pub src: String,
    /// Id of the target node; outside of the answer `path::Outer.inner`, a path, or an external name.
    #[setters(into)]
    pub tgt: String,
    /// Relation's wire name, read from source to target.
    #[setters(into)]
    pub rel: String,
    /// Line in the source's file; 0 for the whole file.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u32,
    /// Confidence; left out if `exact`.
    #[serde(skip_serializing_if = "Confidence::is_exact")]
    pub confidence: Confidence,
    /// Number of candidates; left out if there is only one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub candidates: u16,
    /// Analysis that found it: `syntax`; of SSCG's own linker, `resolver` (scopes and types), `flow` (values) or `name` (of a
    /// member alone, as nothing is known of the value that has it); `scip` or `lsp`. Compact formats leave out
    /// `resolver` and `flow`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub provenance: String,
    /// True if one end is not part of the answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub boundary: bool,
    /// Member of the source with the reference, if the node shows it.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub src_member: String,
    /// Member of the target that is meant, if the node shows it.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub tgt_member: String,
}

/// Part of the project with more connections inside than to the rest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct Community {
    /// Label: its directory, and words that are typical of its names.
    #[setters(into)]
    pub label: String,
    /// Number of nodes of the answer in it.
    pub count: usize,
}

fn one() -> u16 {
    1
}

fn is_one(number: &u16) -> bool {
    *number == 1
}
