//! A part of the graph as something to look at.
//!
//! A [`Drawing`] is plain data that stands on its own: whoever draws it, a browser or Graphviz, needs nothing else.

mod dot;
mod html;
mod mermaid;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use dot::dot_string;

use crate::{Certainty, Community, Lines};

/// The name of the format with its version, which changes when a field changes its meaning or goes away.
pub const DRAWING_SCHEMA: &str = "sscg.drawing.v1";

/// Nodes and edges with all that is said of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Drawing {
    /// The name and version of this format: `sscg.drawing.v1`.
    pub schema: String,
    /// What is drawn: the question, or the paths of a module.
    pub title: String,
    /// The name of the project's directory.
    pub project: String,
    /// The nodes with dependencies first; what is outside stands before what uses it and after what it uses.
    pub nodes: Vec<DrawnNode>,
    /// The edges, by source, target and relation.
    pub edges: Vec<DrawnEdge>,
    /// The communities that nodes belong to, by number.
    pub communities: BTreeMap<String, Community>,
    /// The relations that edges have, each with its name when it is read from target to source.
    pub relations: BTreeMap<String, String>,
    /// How many further nodes a limit left out.
    pub omitted_nodes: usize,
    /// How many further edges to what is outside a limit left out.
    pub omitted_boundary_edges: usize,
}

/// A declaration, a file or something outside the project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DrawnNode {
    /// A `chunk_id`; of what is outside of the drawing its path, `path::Outer.inner`, or name.
    pub id: String,
    /// The qualified name.
    pub name: String,
    /// The kind: that of a chunk, `file`, or `external` for what is outside the project.
    pub kind: String,
    /// Why it is there.
    pub role: Role,
    /// The file; empty if it is outside the project.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// First and last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// The language it is written in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub language: String,
    /// The number of its community.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub community: Option<u32>,
    /// The declaration without its body, on one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
    /// The beginning of its source code.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// How many further lines its source code has.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted_lines: usize,
}

/// Why a node is in a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It is part of the module that is drawn.
    #[default]
    Member,
    /// It was found.
    Result,
    /// It lies on a path that connects what was found.
    Connection,
    /// It is a neighbour of what was found.
    Neighbor,
    /// An edge leads to it out of what is drawn.
    Outside,
}

/// An edge between two nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DrawnEdge {
    /// The place of its source in `nodes`.
    pub source: usize,
    /// The place of its target in `nodes`.
    pub target: usize,
    /// The relation's wire name, read from source to target.
    pub relation: String,
    /// The line, in the source's file, that says so; 0 if it stands for the whole file.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u32,
    /// How sure it is; left out if that is `exact`.
    #[serde(skip_serializing_if = "Certainty::is_exact")]
    pub confidence: Certainty,
}

impl Drawing {
    /// One page with all that it needs: it asks for nothing over a network, and shows what it is opened with, wherever
    /// that lies.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// The language of [Graphviz](https://graphviz.org/doc/info/lang.html), a cluster for each file.
    pub fn dot(&self) -> String {
        dot::digraph(self)
    }

    /// A flowchart of [Mermaid](https://mermaid.js.org/syntax/flowchart.html), a subgraph for each file.
    pub fn mermaid(&self) -> String {
        mermaid::flowchart(self)
    }

    /// JSON, without what has its default.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a drawing is JSON") + "\n"
    }

    /// The places of the nodes of each file, those outside the project under an empty name.
    fn by_file(&self) -> BTreeMap<&str, Vec<usize>> {
        let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, node) in self.nodes.iter().enumerate() {
            files.entry(&node.file).or_default().push(at);
        }
        files
    }
}

pub(crate) fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}
