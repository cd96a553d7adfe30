//! What is around a node.

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::QueryError;
use super::error::{edge_kinds, node, node_kinds};
use crate::graph::{Along, EdgeRecord, NodeRecord};
use crate::{Edge, KnowledgeGraph, NodeIndex};

/// What is asked of the neighbourhood of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NeighborhoodRequest {
    /// The node in its middle.
    pub node_id: String,
    /// The most edges between it and another node; 2 by default.
    pub radius: u32,
    /// Whether edges are followed both ways, which is the default, or from source to target alone.
    pub undirected: bool,
    /// The kinds of nodes that are shown beside the middle, with commas between them; all if it is empty. Walks go
    /// through the others all the same.
    pub filter_node_types: String,
    /// The kinds of edges that are followed and shown, with commas between them; all if it is empty.
    pub filter_edge_types: String,
    /// The most nodes, the nearest and among those the ones with the highest PageRank first; 50 by default, and not 0.
    pub max_nodes: usize,
}

impl Default for NeighborhoodRequest {
    fn default() -> Self {
        Self {
            node_id: String::new(),
            radius: 2,
            undirected: true,
            filter_node_types: String::new(),
            filter_edge_types: String::new(),
            max_nodes: 50,
        }
    }
}

/// The neighbourhood of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Neighborhood {
    /// The node in its middle.
    pub center_node: NodeRecord,
    /// The nodes, the middle first.
    pub nodes: Vec<NodeRecord>,
    /// The edges among them.
    pub edges: Vec<EdgeRecord>,
    /// How many nodes there are without a limit.
    pub total_nodes_in_neighborhood: usize,
    /// Whether nodes were left out because of the limit.
    pub truncated: bool,
}

/// The nodes around a node and the edges among them. O(nodes + edges) within the radius.
///
/// The distance is counted along the edges that are asked for: a filter of edges says what the neighbourhood is. One of
/// nodes says what is shown of it, since what lies between two nodes of a kind is seldom of that kind, too.
///
/// # Errors
/// If the graph has no such node, a kind is not known, or no node may be shown.
pub fn query_graph_neighborhood(
    graph: &KnowledgeGraph,
    request: &NeighborhoodRequest,
) -> Result<Neighborhood, QueryError> {
    let center = node(graph, &request.node_id)?;
    let node_kinds = node_kinds(&request.filter_node_types)?;
    let edge_kinds = edge_kinds(&request.filter_edge_types)?;
    if request.max_nodes == 0 {
        return Err(QueryError::invalid("`max_nodes` is 0, and has to be at least 1"));
    }
    let admits = |edge: &Edge| edge_kinds.as_ref().is_none_or(|kinds| kinds.contains(&edge.kind));
    let is_shown = |node: NodeIndex| {
        node == center || node_kinds.as_ref().is_none_or(|kinds| kinds.contains(&graph.node(node).kind()))
    };
    let mut reached = graph.reach(center, request.radius, Along::of(request.undirected), admits);
    reached.retain(|(node, _)| is_shown(*node));
    let total = reached.len();
    let rank = |node: NodeIndex| graph.node(node).pagerank();
    reached.sort_by(|a, b| {
        a.1.cmp(&b.1)
            .then(rank(b.0).total_cmp(&rank(a.0)))
            .then(graph.node(a.0).id().cmp(graph.node(b.0).id()))
    });
    reached.truncate(request.max_nodes);
    let shown: FxHashSet<NodeIndex> = reached.iter().map(|(node, _)| *node).collect();
    let edges = reached
        .iter()
        .flat_map(|(node, _)| graph.edges_out(*node))
        .filter(|edge| admits(edge) && shown.contains(&edge.target))
        .map(|edge| graph.edge_record(edge))
        .collect();
    Ok(Neighborhood {
        center_node: graph.node_record(center),
        nodes: reached.iter().map(|(node, _)| graph.node_record(*node)).collect(),
        edges,
        total_nodes_in_neighborhood: total,
        truncated: total > shown.len(),
    })
}
