//! Answers to graph queries: nodes around a node, impact of a change, paths between nodes.

use std::collections::HashSet;

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{IndexState, Lines, SubgraphEdge};

/// Version of the format. Changes when a field changes its meaning or is removed, not for new fields.
pub const GRAPH_SCHEMA_VERSION: u32 = 1;

/// Answer to one graph query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct GraphAnswer {
    /// Version of this format: 1.
    pub schema_version: u32,
    /// Operation.
    pub operation: Operation,
    /// Token limit of the answer.
    pub token_budget: usize,
    /// Tokens used, this number included.
    pub token_count: usize,
    /// Ids of the nodes in question. Of a path, the start is first, the end last.
    pub seeds: Vec<String>,
    /// Requested kinds of declarations around the seeds; empty for all kinds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// Seeds and results: nearest first, those at the same distance in order of their weight; of a change,
    /// the project's own code before tests, then by `ppr_relevance`.
    pub nodes: Vec<GraphNode>,
    /// Edges among the nodes; for the impact of a change, the one by which it reaches each.
    pub edges: Vec<SubgraphEdge>,
    /// Paths from one seed to another, shortest first, as ids of their nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<Vec<String>>,
    /// Nodes or paths left out because of a limit or the budget. The search for paths ends at the first one beyond the
    /// limit.
    pub omitted: usize,
    /// Number of unresolved uses of the seeds' names that may be uses of the seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unresolved_uses: Option<usize>,
    /// Places of the likeliest of them, as `path:line`; at most ten.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved_at: Vec<String>,
    /// State of the index used.
    pub index: IndexState,
    /// Reasons why the answer is outdated, if it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Operations on the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Operation {
    /// Nodes around some nodes.
    #[default]
    Expand,
    /// Nodes around one node.
    Neighborhood,
    /// Most informative nodes.
    Pack,
    /// Paths from one node to another.
    Trace,
    /// Nodes affected by a change.
    Impact,
}

/// Node of the graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct GraphNode {
    /// Id, valid in questions, too: `path::Outer.inner`, the path of a file, or the name of an external symbol. Of
    /// declarations with the same id, the second has the suffix `~2`, and so on.
    #[setters(into)]
    pub id: String,
    /// Qualified name, or path of a file.
    #[setters(into)]
    pub name: String,
    /// Kind of declaration, `file`, or `external`.
    #[setters(into)]
    pub kind: String,
    /// File; empty for external symbols.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub file: String,
    /// First and last line, 1-based; none for files and external symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// Declaration on one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub signature: String,
    /// True if it is test code.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// Steps from the nearest seed; none where no distance is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
    /// Strength of the tie to a change, from 0 to 1; in a pack, the score it was chosen by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Relevance of an affected node to a change, from 0 to 1: its personalized PageRank from the changed
    /// nodes along the edges that lead to their users, relative to the highest of all affected nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ppr_relevance: Option<f64>,
    /// Explanation of that score, in words; starts with the kind.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub reason: String,
}

impl GraphAnswer {
    /// Returns the number of parts that can be left out one by one, last first: the paths if there are any, otherwise
    /// the nodes that are not seeds.
    pub fn parts(&self) -> usize {
        if self.paths.is_empty() {
            self.nodes.iter().filter(|node| !self.is_seed(node)).count()
        } else {
            self.paths.len()
        }
    }

    /// Returns the answer with only the first `parts` of its [parts](Self::parts), and only what these need of the
    /// rest.
    #[must_use]
    pub fn cut(&self, parts: usize) -> Self {
        let paths = &self.paths[..parts.min(self.paths.len())];
        let on_the_way: HashSet<&String> = paths.iter().flatten().chain(&self.seeds).collect();
        let mut left = if self.paths.is_empty() { parts } else { 0 };
        let is_kept = |node: &&GraphNode| {
            let is_needed = on_the_way.contains(&node.id);
            let is_kept = is_needed || left > 0;
            left -= usize::from(is_kept && !is_needed);
            is_kept
        };
        let nodes: Vec<GraphNode> = self.nodes.iter().filter(is_kept).cloned().collect();
        let kept: HashSet<&str> = nodes.iter().map(|node| node.id.as_str()).collect();
        let joins_kept =
            |edge: &&SubgraphEdge| kept.contains(edge.src.as_str()) && kept.contains(edge.tgt.as_str());
        // What only connects affected code to a change is not affected itself.
        let scored = |nodes: &[GraphNode]| nodes.iter().filter(|node| node.score.is_some()).count();
        let left_out = match self.operation {
            Operation::Impact => scored(&self.nodes) - scored(&nodes),
            _ => self.parts().saturating_sub(parts),
        };
        // Copies only what is kept of a large answer.
        Self {
            schema_version: self.schema_version,
            operation: self.operation,
            token_budget: self.token_budget,
            token_count: self.token_count,
            seeds: self.seeds.clone(),
            kinds: self.kinds.clone(),
            edges: self.edges.iter().filter(joins_kept).cloned().collect(),
            nodes,
            paths: paths.to_vec(),
            omitted: self.omitted + left_out,
            unresolved_uses: self.unresolved_uses,
            unresolved_at: self.unresolved_at.clone(),
            index: self.index.clone(),
            warnings: self.warnings.clone(),
        }
    }

    /// True if the node is a seed.
    pub fn is_seed(&self, node: &GraphNode) -> bool {
        self.seeds.contains(&node.id)
    }
}
