//! Conversion of nodes and edges to a self-contained answer.

use std::collections::{BTreeMap, HashSet};

use sscg_core::{NodeId, SymbolKind};
use sscg_format::{GRAPH_SCHEMA_VERSION, GraphAnswer, GraphNode, Lines, Operation};
use sscg_graph::{Edge, Node};
use sscg_index::Snapshot;
use sscg_retrieve::{is_test, is_test_file};

use super::names;
use crate::answer::{described, index_state, rounded};

/// Maximum number of places of unresolved uses that an answer names.
const MOST_UNRESOLVED: usize = 10;

/// Result of a graph query, in ids of a snapshot.
#[derive(Debug, Default)]
pub(super) struct GraphResult {
    pub(super) operation: Operation,
    pub(super) seeds: Vec<NodeId>,
    /// Requested kinds of declarations; all if empty.
    pub(super) kinds: Vec<SymbolKind>,
    /// Nodes in the order of the answer; the first of repeated nodes counts.
    pub(super) nodes: Vec<NodeId>,
    pub(super) weights: BTreeMap<NodeId, Weight>,
    pub(super) edges: Vec<Edge>,
    pub(super) paths: Vec<Vec<NodeId>>,
    pub(super) omitted: usize,
    pub(super) unresolved_uses: Option<Vec<String>>,
}

/// Reason for which a node is included.
#[derive(Debug, Default)]
pub(super) struct Weight {
    pub(super) distance: Option<u32>,
    pub(super) score: Option<f64>,
    /// Personalized PageRank from a change, relative to the highest.
    pub(super) relevance: Option<f64>,
    pub(super) reason: String,
}

impl Weight {
    /// Creates a weight for a node `distance` steps from the queried nodes.
    pub(super) fn at(distance: u32) -> Self {
        Self { distance: Some(distance), ..Self::default() }
    }
}

impl GraphResult {
    /// Converts the result to data.
    pub(super) fn answer(mut self, snapshot: &Snapshot, budget: usize) -> GraphAnswer {
        let mut ids: BTreeMap<NodeId, String> = BTreeMap::new();
        let mut nodes = Vec::new();
        for node in std::mem::take(&mut self.nodes) {
            if ids.contains_key(&node) {
                continue;
            }
            let described = self.node(snapshot, node);
            ids.insert(node, described.id.clone());
            nodes.push(described);
        }
        let named =
            |nodes: &[NodeId]| -> Vec<String> { nodes.iter().map(|node| ids[node].clone()).collect() };
        let edge = |edge: &Edge| {
            described(edge).with_src(ids[&edge.source].clone()).with_tgt(ids[&edge.target].clone())
        };
        let mut seen = HashSet::new();
        let edges = self.edges.iter().map(edge).filter(|edge| seen.insert(edge.clone())).collect();
        GraphAnswer::default()
            .with_schema_version(GRAPH_SCHEMA_VERSION)
            .with_operation(self.operation)
            .with_token_budget(budget)
            .with_seeds(named(&self.seeds))
            .with_kinds(self.kinds.iter().map(ToString::to_string).collect())
            .with_nodes(nodes)
            .with_edges(edges)
            .with_paths(self.paths.iter().map(|path| named(path)).collect())
            .with_omitted(self.omitted)
            .with_unresolved_uses(self.unresolved_uses.as_ref().map(Vec::len))
            .with_unresolved_at(
                self.unresolved_uses.iter().flatten().take(MOST_UNRESOLVED).cloned().collect(),
            )
            .with_index(index_state(snapshot))
    }

    fn node(&mut self, snapshot: &Snapshot, node: NodeId) -> GraphNode {
        let (project, graph) = (&snapshot.project, &snapshot.graph);
        let Weight { distance, score, relevance, reason } = self.weights.remove(&node).unwrap_or_default();
        let (id, label) = (names::id(snapshot, node), graph.label(project, node));
        let common = GraphNode::default()
            .with_distance(distance)
            .with_score(score.map(rounded))
            .with_ppr_relevance(relevance.map(rounded))
            .with_reason(reason);
        match graph.node(node) {
            Node::Symbol(symbol) => {
                let declaration = project.symbol(symbol);
                let (start, end) = (declaration.lines.start, declaration.lines.end);
                common
                    .with_id(id)
                    .with_name(project.qualified_name(symbol))
                    .with_kind(declaration.kind.to_string())
                    .with_file(project.files()[project.symbol_file(symbol)].path.to_string())
                    .with_lines(Some(Lines { start, end }))
                    .with_signature(declaration.signature.to_string())
                    .with_test(is_test(snapshot, project.chunk_of_symbol(symbol)))
            }
            Node::File(file) => common
                .with_id(id)
                .with_name(label.clone())
                .with_kind("file")
                .with_file(label)
                .with_test(is_test_file(snapshot, file)),
            Node::External(_) => common.with_id(id).with_name(label).with_kind("external"),
        }
    }
}
