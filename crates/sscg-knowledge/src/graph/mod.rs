//! The graph.

mod edge;
mod metrics;
mod node;
mod walk;
mod wire;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

pub use edge::{Edge, EdgeData, UseSite};
pub use node::{
    ContractNode, EndpointNode, EntityNode, EventNode, FileNode, Node, NodeData, ServiceNode, SymbolNode,
    contract_id, endpoint_id, entity_id, event_id, file_id, service_id, symbol_id,
};
pub(crate) use walk::Along;
pub use wire::{EdgeRecord, NodeRecord};

use crate::{EdgeKind, Evidence, NodeKind};

/// A node of one [`KnowledgeGraph`]; what it means outside of it is said by the node's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeIndex(pub(crate) u32);

impl NodeIndex {
    /// Its place in [`KnowledgeGraph::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }

    fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a graph has at most u32::MAX nodes"))
    }
}

/// Services, what they promise and send, and the files and symbols that do it: a directed graph in which two nodes may be
/// joined by several edges.
///
/// Of one kind there is one edge from a node to another, but for [`EdgeKind::ServiceCalls`], of which there is one for
/// each endpoint that is called.
#[derive(Clone, Debug, Default)]
pub struct KnowledgeGraph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    by_id: FxHashMap<Arc<str>, NodeIndex>,
    /// The first edge of a kind from one node to another.
    by_ends: FxHashMap<(NodeIndex, NodeIndex, EdgeKind), u32>,
    outgoing: Vec<Vec<u32>>,
    incoming: Vec<Vec<u32>>,
}

impl KnowledgeGraph {
    /// A graph without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node under the id that its data gives it, or gives back the one that has that id already, as it is.
    pub fn add_node(&mut self, data: NodeData) -> NodeIndex {
        let id = data.id();
        self.add_node_with_id(id.into(), data)
    }

    /// Adds a node under an id, which has to start with the name of its kind. Symbols of one file may share a name, so
    /// that their data alone tells them not apart.
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

    /// Adds an edge. If there is one already that says the same (the same ends and kind, and for calls of services the
    /// same endpoint), the two become one with the surer evidence, and with what both know.
    ///
    /// # Panics
    /// If a node is of another graph and this one has none at its place.
    pub fn add_edge(
        &mut self,
        source: NodeIndex,
        target: NodeIndex,
        kind: EdgeKind,
        data: EdgeData,
        evidence: Evidence,
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

    /// Where the edge stands that says the same.
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

    /// Makes room for nodes and edges to come.
    pub(crate) fn reserve(&mut self, nodes: usize, edges: usize) {
        self.nodes.reserve(nodes);
        self.by_id.reserve(nodes);
        self.outgoing.reserve(nodes);
        self.incoming.reserve(nodes);
        self.edges.reserve(edges);
        self.by_ends.reserve(edges);
    }

    /// The node of an id.
    pub fn find(&self, id: &str) -> Option<NodeIndex> {
        self.by_id.get(id).copied()
    }

    /// The node of an id with what is known of it.
    pub fn get(&self, id: &str) -> Option<&Node> {
        self.find(id).map(|node| self.node(node))
    }

    /// What is known of a node. O(1).
    pub fn node(&self, node: NodeIndex) -> &Node {
        &self.nodes[node.index()]
    }

    pub(crate) fn data_mut(&mut self, node: NodeIndex) -> &mut NodeData {
        &mut self.nodes[node.index()].data
    }

    /// Notes what was computed of a node.
    pub(crate) fn set_metrics(&mut self, node: NodeIndex, pagerank: f64, community_id: Option<u32>) {
        let node = &mut self.nodes[node.index()];
        (node.pagerank, node.community_id) = (pagerank, community_id);
    }

    /// All nodes, in the order in which they were added.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All nodes with their places.
    pub fn indexed_nodes(&self) -> impl ExactSizeIterator<Item = (NodeIndex, &Node)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeIndex::new(index), node))
    }

    /// All nodes of a kind with their places. O(nodes).
    pub fn nodes_of(&self, kind: NodeKind) -> impl Iterator<Item = (NodeIndex, &Node)> {
        self.indexed_nodes().filter(move |(_, node)| node.kind() == kind)
    }

    /// All edges, in the order in which they were added.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges that start at a node, in the order in which they were added.
    pub fn edges_out(&self, node: NodeIndex) -> impl ExactSizeIterator<Item = &Edge> {
        self.outgoing[node.index()].iter().map(|edge| &self.edges[*edge as usize])
    }

    /// The edges that end at a node, in the order in which they were added.
    pub fn edges_in(&self, node: NodeIndex) -> impl ExactSizeIterator<Item = &Edge> {
        self.incoming[node.index()].iter().map(|edge| &self.edges[*edge as usize])
    }

    /// Where the edges of a kind that start at a node lead.
    pub fn targets(&self, node: NodeIndex, kind: EdgeKind) -> impl Iterator<Item = NodeIndex> {
        self.edges_out(node).filter(move |edge| edge.kind == kind).map(|edge| edge.target)
    }

    /// Where the edges of a kind that end at a node come from.
    pub fn sources(&self, node: NodeIndex, kind: EdgeKind) -> impl Iterator<Item = NodeIndex> {
        self.edges_in(node).filter(move |edge| edge.kind == kind).map(|edge| edge.source)
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The number of edges, parallel ones each by itself.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}
