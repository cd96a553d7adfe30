//! Drawings of a part of the graph.
//!
//! A [`Drawing`] is plain, self-contained data: a browser or Graphviz needs nothing else to draw it.

mod dot;
mod html;
mod mermaid;
mod packed;

use std::collections::BTreeMap;

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use dot::dot_string;
pub use html::PageOptions;

use crate::result::is_zero;
use crate::{Community, Confidence, Lines};

/// Name and version of the format; the version changes when a field changes its meaning or is removed.
pub const DRAWING_SCHEMA: &str = "sscg.drawing.v1";

/// Nodes and edges with all their data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct Drawing {
    /// Name and version of this format: `sscg.drawing.v1`.
    #[setters(into)]
    pub schema: String,
    /// Subject: the question, or the paths of a module.
    #[setters(into)]
    pub title: String,
    /// Name of the project's directory.
    #[setters(into)]
    pub project: String,
    /// Nodes, dependencies first; outside nodes come before their users and after what they use.
    pub nodes: Vec<DrawnNode>,
    /// Edges by source, target and relation.
    pub edges: Vec<DrawnEdge>,
    /// Communities of the nodes, by number.
    pub communities: BTreeMap<String, Community>,
    /// Relations of the edges, each with its name when read from target to source.
    pub relations: BTreeMap<String, String>,
    /// Names of the packages by their directories, without a slash at the end; `""` is the root. Only in drawings that a page
    /// rolls up.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub packages: BTreeMap<String, String>,
    /// Map of the services of the project: their calls, and the events that they exchange.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Box<Drawing>>,
    /// Further nodes left out by a limit.
    pub omitted_nodes: usize,
    /// Further edges to the outside left out by a limit.
    pub omitted_boundary_edges: usize,
}

/// Declaration, file, directory or external symbol.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct DrawnNode {
    /// `chunk_id`; path of a whole file or directory; outside of the drawing the path, `path::Outer.inner`, or name.
    #[setters(into)]
    pub id: String,
    /// Qualified name.
    #[setters(into)]
    pub name: String,
    /// Kind of a chunk, `file`, `directory`, `external` for external symbols, or `service` or `event` in a map of services.
    #[setters(into)]
    pub kind: String,
    /// Role in the drawing.
    pub role: Role,
    /// File; empty for external symbols.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub file: String,
    /// First and last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// Language of the code.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub language: String,
    /// Number of its community.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub community: Option<u32>,
    /// Declaration without its body, on one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub signature: String,
    /// Beginning of the source code.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub code: String,
    /// Number of further lines of the source code.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted_lines: usize,
    /// Number of declarations in a node that stands for a file or a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<usize>,
}

/// Role of a drawn node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// Part of the drawn module.
    #[default]
    Member,
    /// Search result.
    Result,
    /// Node on a path between search results.
    Connection,
    /// Neighbor of a search result.
    Neighbor,
    /// End of an edge that leaves the drawing.
    Outside,
}

/// Edge between two nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct DrawnEdge {
    /// Index of its source in `nodes`.
    pub source: usize,
    /// Index of its target in `nodes`.
    pub target: usize,
    /// Relation's wire name, read from source to target.
    #[setters(into)]
    pub relation: String,
    /// Line of the reference in the source's file; 0 for the whole file.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u32,
    /// Confidence, the highest of several edges; left out if `exact`.
    #[serde(skip_serializing_if = "Confidence::is_exact")]
    pub confidence: Confidence,
    /// Number of edges between the declarations of two files or directories; 0 for an edge of declarations.
    #[serde(skip_serializing_if = "is_zero")]
    pub count: usize,
}

impl Drawing {
    /// Renders a self-contained HTML page: it loads nothing over a network and works from any location.
    pub fn html(&self) -> String {
        self.html_with(&PageOptions::default())
    }

    /// Renders a page as [`Drawing::html`] does, with other options.
    pub fn html_with(&self, options: &PageOptions) -> String {
        html::page(self, options)
    }

    /// Serializes the drawing in columns, as a page reads it. Not a stable format: [`Drawing::json`] is for other programs.
    pub fn packed(&self) -> String {
        serde_json::to_string(&packed::Packed::of(self)).expect("it is plain data")
    }

    /// Renders the DOT language of [Graphviz](https://graphviz.org/doc/info/lang.html), with a cluster for each file.
    pub fn dot(&self) -> String {
        dot::digraph(self)
    }

    /// Renders a flowchart of [Mermaid](https://mermaid.js.org/syntax/flowchart.html), with a subgraph for each file.
    pub fn mermaid(&self) -> String {
        mermaid::flowchart(self)
    }

    /// Serializes the drawing as JSON, without default values.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a drawing is JSON") + "\n"
    }

    /// Returns the indices of the nodes of each file; external nodes and whole files have an empty file name.
    fn by_file(&self) -> BTreeMap<&str, Vec<usize>> {
        let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, node) in self.nodes.iter().enumerate() {
            files.entry(if node.members.is_some() { "" } else { &node.file }).or_default().push(at);
        }
        files
    }
}

impl DrawnNode {
    /// Returns the name, with the number of declarations of a file or directory.
    fn label(&self) -> String {
        self.members.map_or_else(|| self.name.clone(), |members| format!("{} ({members})", self.name))
    }
}

impl DrawnEdge {
    /// Returns the relation, with the number of edges between files or directories.
    fn label(&self) -> String {
        if self.count > 1 { format!("{} × {}", self.count, self.relation) } else { self.relation.clone() }
    }
}
