//! petgraph's traits for the code graph, so that any of its algorithms runs on `&CodeGraph`.
//!
//! Edges are directed, parallel edges are reported one by one, and containment is included: use
//! [`petgraph::visit::EdgeFiltered`] to exclude edges from an algorithm.

use std::ops::Range;

use petgraph::visit::{
    Data, EdgeCount, EdgeRef, GraphBase, GraphProp, IntoEdgeReferences, IntoEdges, IntoEdgesDirected,
    IntoNeighbors, IntoNeighborsDirected, IntoNodeIdentifiers, NodeCompactIndexable, NodeCount,
    NodeIndexable, Visitable,
};
use petgraph::{Directed, Direction as Way};
use rustc_hash::FxHashSet;
use sscg_core::{Id, NodeId};

use crate::graph::{CodeGraph, Direction, Edge, Node};

/// Edge for petgraph. Its id is its index in [`CodeGraph::edges`].
#[derive(Clone, Copy, Debug)]
pub struct EdgeReference<'g> {
    id: usize,
    edge: &'g Edge,
}

impl<'g> EdgeRef for EdgeReference<'g> {
    type NodeId = NodeId;
    type EdgeId = usize;
    type Weight = Edge;

    fn source(&self) -> NodeId {
        self.edge.source
    }

    fn target(&self) -> NodeId {
        self.edge.target
    }

    fn weight(&self) -> &'g Edge {
        self.edge
    }

    fn id(&self) -> usize {
        self.id
    }
}

impl GraphBase for CodeGraph {
    type NodeId = NodeId;
    type EdgeId = usize;
}

impl Data for CodeGraph {
    type NodeWeight = Node;
    type EdgeWeight = Edge;
}

impl GraphProp for CodeGraph {
    type EdgeType = Directed;
}

impl NodeCount for CodeGraph {
    fn node_count(&self) -> usize {
        CodeGraph::node_count(self)
    }
}

impl EdgeCount for CodeGraph {
    fn edge_count(&self) -> usize {
        self.edges().len()
    }
}

impl NodeIndexable for CodeGraph {
    fn node_bound(&self) -> usize {
        CodeGraph::node_count(self)
    }

    fn to_index(&self, node: NodeId) -> usize {
        node.index()
    }

    fn from_index(&self, index: usize) -> NodeId {
        NodeId::new(index)
    }
}

impl NodeCompactIndexable for CodeGraph {}

impl Visitable for CodeGraph {
    type Map = FxHashSet<NodeId>;

    fn visit_map(&self) -> Self::Map {
        FxHashSet::default()
    }

    fn reset_map(&self, map: &mut Self::Map) {
        map.clear();
    }
}

/// Iterator over nodes by number.
pub type Nodes = std::iter::Map<Range<usize>, fn(usize) -> NodeId>;

impl IntoNodeIdentifiers for &CodeGraph {
    type NodeIdentifiers = Nodes;

    fn node_identifiers(self) -> Nodes {
        (0..CodeGraph::node_count(self)).map(NodeId::new)
    }
}

/// Iterator over the edges at a node, or over all edges.
#[derive(Clone, Debug)]
pub struct Edges<'g> {
    graph: &'g CodeGraph,
    places: Range<usize>,
    /// Direction as seen from the node; outgoing for all edges.
    direction: Direction,
}

impl<'g> Iterator for Edges<'g> {
    type Item = EdgeReference<'g>;

    fn next(&mut self) -> Option<EdgeReference<'g>> {
        let (id, edge) = self.graph.edge_in_row(self.places.next()?, self.direction);
        Some(EdgeReference { id, edge })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

/// Iterator over the neighbors of a node, once per edge.
#[derive(Clone, Debug)]
pub struct Neighbors<'g>(Edges<'g>);

impl Iterator for Neighbors<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let edge = self.0.next()?;
        Some(match self.0.direction {
            Direction::Outgoing => edge.target(),
            Direction::Incoming => edge.source(),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<'g> IntoEdgeReferences for &'g CodeGraph {
    type EdgeRef = EdgeReference<'g>;
    type EdgeReferences = Edges<'g>;

    fn edge_references(self) -> Edges<'g> {
        Edges { graph: self, places: 0..self.edges().len(), direction: Direction::Outgoing }
    }
}

impl<'g> IntoNeighbors for &'g CodeGraph {
    type Neighbors = Neighbors<'g>;

    fn neighbors(self, node: NodeId) -> Neighbors<'g> {
        Neighbors(IntoEdges::edges(self, node))
    }
}

impl<'g> IntoNeighborsDirected for &'g CodeGraph {
    type NeighborsDirected = Neighbors<'g>;

    fn neighbors_directed(self, node: NodeId, way: Way) -> Neighbors<'g> {
        Neighbors(self.edges_directed(node, way))
    }
}

impl<'g> IntoEdges for &'g CodeGraph {
    type Edges = Edges<'g>;

    fn edges(self, node: NodeId) -> Edges<'g> {
        self.edges_directed(node, Way::Outgoing)
    }
}

impl<'g> IntoEdgesDirected for &'g CodeGraph {
    type EdgesDirected = Edges<'g>;

    fn edges_directed(self, node: NodeId, way: Way) -> Edges<'g> {
        let direction = match way {
            Way::Outgoing => Direction::Outgoing,
            Way::Incoming => Direction::Incoming,
        };
        Edges { graph: self, places: self.row(node, direction), direction }
    }
}

#[cfg(test)]
mod tests {
    use petgraph::algo::{dijkstra, is_cyclic_directed, tarjan_scc, toposort};
    use petgraph::visit::{Bfs, EdgeFiltered, Reversed, Walker};
    use sscg_core::Relation;

    use super::*;
    use crate::link;
    use crate::testing::functions;

    #[test]
    fn petgraphs_algorithms_run_on_the_code_graph() {
        let project = functions(5, &[(0, 1), (1, 2), (2, 1), (3, 4)]);
        let graph = &link(&project);
        let nodes: Vec<NodeId> = project.symbol_ids().map(|symbol| graph.id(Node::Symbol(symbol))).collect();
        let calls = EdgeFiltered::from_fn(graph, |edge| edge.weight().relation == Relation::Calls);
        assert!(is_cyclic_directed(&calls) && toposort(&calls, None).is_err());
        let cycles: Vec<_> = tarjan_scc(&calls).into_iter().filter(|part| part.len() > 1).collect();
        assert_eq!(cycles, [vec![nodes[2], nodes[1]]]);
        let reached: Vec<NodeId> = Bfs::new(&calls, nodes[0]).iter(&calls).collect();
        assert_eq!(reached, nodes[..3]);
        let distances = dijkstra(&calls, nodes[0], None, |_| 1);
        assert_eq!(distances.get(&nodes[2]), Some(&2));
        // Against the edges, including containment: all nodes that lead to a function.
        let above: Vec<NodeId> = Bfs::new(Reversed(graph), nodes[4]).iter(Reversed(graph)).collect();
        assert_eq!(above, [nodes[4], graph.id(Node::File(sscg_core::FileId::new(0))), nodes[3]]);
        assert_eq!(EdgeCount::edge_count(&graph), graph.edges().len());
    }
}
