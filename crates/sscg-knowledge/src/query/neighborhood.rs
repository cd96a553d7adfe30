//! Neighborhood of a node.

use derive_setters::Setters;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::QueryError;
use super::error::{edge_kinds, node, node_kinds};
use crate::graph::{Along, EdgeRecord, NodeRecord};
use crate::{Edge, KnowledgeGraph, NodeIndex};

/// Request for the neighborhood of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct NeighborhoodRequest {
    /// Center node.
    #[setters(into)]
    pub node_id: String,
    /// Maximum number of edges between it and another node (default 2).
    pub radius: u32,
    /// True to follow edges both ways (default), false to follow them only from source to target.
    pub undirected: bool,
    /// Comma-separated kinds of nodes to show besides the center; empty for all. Paths may lead through nodes of other
    /// kinds.
    #[setters(into)]
    pub filter_node_types: String,
    /// Comma-separated kinds of edges to follow and show; empty for all.
    #[setters(into)]
    pub filter_edge_types: String,
    /// Maximum number of nodes (default 50, at least 1), nearest first and then by PageRank.
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

/// Neighborhood of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Neighborhood {
    /// Center node.
    pub center_node: NodeRecord,
    /// Nodes, the center first.
    pub nodes: Vec<NodeRecord>,
    /// Edges among them.
    pub edges: Vec<EdgeRecord>,
    /// Number of nodes before the limit.
    pub total_nodes_in_neighborhood: usize,
    /// True if the limit left out nodes.
    pub truncated: bool,
}

/// Returns the nodes around a node and the edges among them. O(nodes + edges) within the radius.
///
/// Distances count only edges that pass the filter of edges, so that filter defines the neighborhood. The filter of
/// nodes only selects which of its nodes are shown, because nodes between two nodes of a kind rarely have that kind,
/// too.
///
/// # Errors
/// Fails if the graph has no such node, a kind is unknown, or `max_nodes` is 0.
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
