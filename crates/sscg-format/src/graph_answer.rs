//! Answers to questions about the graph itself: what is near, what is affected, which way leads from one to another.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{IndexState, Lines, SubgraphEdge};

/// Changes when a field changes its meaning or goes away; new fields do not change it.
pub const GRAPH_SCHEMA_VERSION: u32 = 1;

/// The answer to one question about the graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GraphAnswer {
    /// The version of this format: 1.
    pub schema_version: u32,
    /// What was asked.
    pub operation: Operation,
    /// The most tokens the answer may have.
    pub token_budget: usize,
    /// The tokens it has, this number included.
    pub token_count: usize,
    /// The nodes the question is about, by id. Of a path the start is first, the end last.
    pub seeds: Vec<String>,
    /// Of what is around them only declarations of these kinds were asked for; of all kinds if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// The seeds, and what was found: the nearest first, those at the same distance in order of their weight.
    pub nodes: Vec<GraphNode>,
    /// How they are tied: all edges among the nodes, or, of what a change affects, the one by which it reaches each.
    pub edges: Vec<SubgraphEdge>,
    /// Ways from one seed to another, shortest first, each the ids of its nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<Vec<String>>,
    /// Nodes, or paths, that were found and left out because of a limit or the budget. Of paths no more than one beyond
    /// the limit is looked for.
    pub omitted: usize,
    /// How many uses of the seeds' names could not be tied to any declaration, and so may be uses of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unresolved_uses: Option<usize>,
    /// What the answer was taken from.
    pub index: IndexState,
    /// Why the answer is not of the project as it is now, if it is not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What can be asked of the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Operation {
    /// What is around some nodes.
    #[default]
    Expand,
    /// What is around one node.
    Neighborhood,
    /// Which of many nodes say most.
    Pack,
    /// Which ways lead from one node to another.
    Trace,
    /// What a change of a node may affect.
    Impact,
}

/// A node of the graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GraphNode {
    /// What names it in questions too: `path::Outer.inner`, or the path of a file, or the name of what is outside of the
    /// project. Of declarations that share theirs, the second has `~2` after it, and so on.
    pub id: String,
    /// The qualified name, or the path of a file.
    pub name: String,
    /// The kind of declaration, `file`, or `external`.
    pub kind: String,
    /// The file; empty outside of the project.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// First and last line, counted from 1; none of files and of what is outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// The declaration on one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
    /// Whether it is code of tests.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// Steps from the nearest seed; none where no distance is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
    /// Of what a change affects, how strongly it is tied to the change, from 0 to 1; of a pack what it was chosen by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// What that score is made of, in words; starts with the kind.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl GraphAnswer {
    /// How many parts can be left out one by one, the last first: the paths if it is about paths, otherwise the nodes
    /// that are no seeds.
    pub fn parts(&self) -> usize {
        if self.paths.is_empty() {
            self.nodes.iter().filter(|node| !self.is_seed(node)).count()
        } else {
            self.paths.len()
        }
    }

    /// The answer with the first `parts` of its [parts](Self::parts) alone, and with no more of the rest than these
    /// need.
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
        // Of a large answer that is cut to little, only that little is copied.
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
            omitted: self.omitted + self.parts().saturating_sub(parts),
            unresolved_uses: self.unresolved_uses,
            index: self.index.clone(),
            warnings: self.warnings.clone(),
        }
    }

    /// Whether the question is about this node.
    pub fn is_seed(&self, node: &GraphNode) -> bool {
        self.seeds.contains(&node.id)
    }
}
