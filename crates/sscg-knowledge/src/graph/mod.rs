//! Service graph.

mod edge;
mod metrics;
mod node;
mod walk;
mod wire;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

pub use edge::{Edge, EdgeData, InteractionSite};
pub use node::{
    ContractNode, EndpointNode, EntityNode, EventNode, FileNode, Node, NodeData, ServiceNode, SymbolNode,
    contract_id, endpoint_id, entity_id, event_id, file_id, service_id, symbol_id,
};
pub(crate) use walk::Along;
pub use wire::{EdgeRecord, NodeRecord};

use crate::{EdgeKind, FactEvidence, NodeKind};

/// Index of a node in one [`KnowledgeGraph`]; across graphs, the node's id identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeIndex(pub(crate) u32);

impl NodeIndex {
    /// Returns the position of the node in [`KnowledgeGraph::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }

    fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a graph has at most u32::MAX nodes"))
    }
}

/// Directed multigraph of services, their contracts, endpoints, events and entities, and the files and symbols that
/// implement them.
///
/// There is at most one edge of each kind from one node to another, except for [`EdgeKind::ServiceCalls`], which has
/// one per called endpoint.
#[derive(Clone, Debug, Default)]
pub struct KnowledgeGraph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    by_id: FxHashMap<Arc<str>, NodeIndex>,
    /// First edge of each kind from one node to another.
    by_ends: FxHashMap<(NodeIndex, NodeIndex, EdgeKind), u32>,
    outgoing: Vec<Vec<u32>>,
    incoming: Vec<Vec<u32>>,
}

impl KnowledgeGraph {
    /// Creates an empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node under the id of its data. If the id is taken, returns the existing node unchanged.
    pub fn add_node(&mut self, data: NodeData) -> NodeIndex {
        let id = data.id();
        self.add_node_with_id(id.into(), data)
    }

    /// Adds a node under an id, which must start with the wire name of its kind. Symbols of one file may share a name,
    /// so their data alone does not identify them.
    pub(crate) fn add_node_with_id(&mut self, id: Arc<str>, data: NodeData) -> NodeIndex {
        if let Some(node) = self.by_id.get(&id) {
            return *node;
        }
        let index = NodeIndex::new(self.nodes.len());
        self.by_id.insert(Arc::clone(&id), index);
        self.nodes.push(Node { id, data, pagerank: 0.0, community_id: None });
        self.outgoing.push(Vec::new());
        self.incoming.push(Vec::new());
        index
    }

    /// Adds an edge. A duplicate (same ends and kind, and for service calls the same endpoint) is merged into the
    /// existing edge, which keeps the evidence with the higher confidence and the attributes of both.
    ///
    /// # Panics
    /// If a node belongs to another graph and its index is out of range in this one.
    pub fn add_edge(
        &mut self,
        source: NodeIndex,
        target: NodeIndex,
        kind: EdgeKind,
        data: EdgeData,
        evidence: FactEvidence,
    ) {
        if let Some(place) = self.place_of(source, target, kind, &data) {
            self.edges[place as usize].merge(data, evidence);
            return;
        }
        let place = u32::try_from(self.edges.len()).expect("a graph has at most u32::MAX edges");
        self.by_ends.entry((source, target, kind)).or_insert(place);
        self.outgoing[source.index()].push(place);
        self.incoming[target.index()].push(place);
        self.edges.push(Edge { source, target, kind, data, evidence });
    }

    /// Returns the index of the edge that a new one would duplicate.
    fn place_of(&self, source: NodeIndex, target: NodeIndex, kind: EdgeKind, data: &EdgeData) -> Option<u32> {
        let first = *self.by_ends.get(&(source, target, kind))?;
        if kind != EdgeKind::ServiceCalls {
            return Some(first);
        }
        // Few edges lead to a service, while one leads from it to each of its files.
        self.incoming[target.index()].iter().copied().find(|place| {
            let edge = &self.edges[*place as usize];
            edge.source == source && edge.kind == kind && edge.data.via_endpoint() == data.via_endpoint()
        })
    }

    /// Reserves capacity for additional nodes and edges.
    pub(crate) fn reserve(&mut self, nodes: usize, edges: usize) {
        self.nodes.reserve(nodes);
        self.by_id.reserve(nodes);
        self.outgoing.reserve(nodes);
        self.incoming.reserve(nodes);
        self.edges.reserve(edges);
        self.by_ends.reserve(edges);
    }

    /// Returns the index of the node with an id.
    pub fn find(&self, id: &str) -> Option<NodeIndex> {
        self.by_id.get(id).copied()
    }

    /// Returns the node with an id.
    pub fn get(&self, id: &str) -> Option<&Node> {
        self.find(id).map(|node| self.node(node))
    }

    /// Returns the node at an index. O(1).
    pub fn node(&self, node: NodeIndex) -> &Node {
        &self.nodes[node.index()]
    }

    pub(crate) fn data_mut(&mut self, node: NodeIndex) -> &mut NodeData {
        &mut self.nodes[node.index()].data
    }

    /// Sets the metrics of a node.
    pub(crate) fn set_metrics(&mut self, node: NodeIndex, pagerank: f64, community_id: Option<u32>) {
        let node = &mut self.nodes[node.index()];
        (node.pagerank, node.community_id) = (pagerank, community_id);
    }

    /// Returns all nodes, in insertion order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns all nodes with their indices.
    pub fn indexed_nodes(&self) -> impl ExactSizeIterator<Item = (NodeIndex, &Node)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeIndex::new(index), node))
    }

    /// Returns all nodes of a kind with their indices. O(nodes).
    pub fn nodes_of(&self, kind: NodeKind) -> impl Iterator<Item = (NodeIndex, &Node)> {
        self.indexed_nodes().filter(move |(_, node)| node.kind() == kind)
    }

    /// Returns all edges, in insertion order.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns the edges that start at a node, in insertion order.
    pub fn edges_out(&self, node: NodeIndex) -> impl ExactSizeIterator<Item = &Edge> {
        self.outgoing[node.index()].iter().map(|edge| &self.edges[*edge as usize])
    }

    /// Returns the edges that end at a node, in insertion order.
    pub fn edges_in(&self, node: NodeIndex) -> impl ExactSizeIterator<Item = &Edge> {
        self.incoming[node.index()].iter().map(|edge| &self.edges[*edge as usize])
    }

    /// Returns the targets of the edges of a kind that start at a node.
    pub fn targets(&self, node: NodeIndex, kind: EdgeKind) -> impl Iterator<Item = NodeIndex> {
        self.edges_out(node).filter(move |edge| edge.kind == kind).map(|edge| edge.target)
    }

    /// Returns the sources of the edges of a kind that end at a node.
    pub fn sources(&self, node: NodeIndex, kind: EdgeKind) -> impl Iterator<Item = NodeIndex> {
        self.edges_in(node).filter(move |edge| edge.kind == kind).map(|edge| edge.source)
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of edges; parallel edges count separately.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Removes all nodes and edges.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}
