//! The part of the graph that an answer shows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Certainty, Origin};

/// A result, or something on the way from one to another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SubgraphNode {
    /// The `chunk_id`.
    pub id: String,
    /// The qualified name.
    pub name: String,
    /// The kind.
    pub kind: String,
    /// The file.
    pub file: String,
    /// The number of its community; only if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub community: Option<u32>,
    /// As of a result; only if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub centrality: Option<f64>,
    /// Why it is there; left out for what was found.
    #[serde(skip_serializing_if = "Origin::is_search")]
    pub source: Origin,
}

/// An edge between two nodes, or between a node and code outside of the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SubgraphEdge {
    /// The node whose code says so, by id; if it is no node, `path::Outer.inner` or a path.
    pub src: String,
    /// What it says it of: a node by id; if it is none, `path::Outer.inner`, a path, or a name outside the project.
    pub tgt: String,
    /// The relation's wire name, read from source to target.
    pub rel: String,
    /// The line, in the source's file; 0 if it stands for the whole file.
    #[serde(skip_serializing_if = "crate::drawing::is_zero")]
    pub line: u32,
    /// How sure it is; left out if that is `exact`.
    #[serde(skip_serializing_if = "Certainty::is_exact")]
    pub confidence: Certainty,
    /// How many candidates there are; left out if it is the only one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub candidates: u16,
    /// Whether one end is not part of the answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub boundary: bool,
    /// What of the source says so, if that is a member that the node shows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub src_member: String,
    /// What of the target is meant, if that is a member that the node shows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tgt_member: String,
}

/// A part of the project whose code has more to do with itself than with the rest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Community {
    /// What it may be called: its directory, and words that are typical of its names.
    pub label: String,
    /// How many nodes of the answer belong to it.
    pub count: usize,
}

fn one() -> u16 {
    1
}

fn is_one(number: &u16) -> bool {
    *number == 1
}
