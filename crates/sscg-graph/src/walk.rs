//! The code graph as input of ranking kernels.

use derive_setters::Setters;
use sscg_core::{Adjacency, Confidence, Id, NodeId, Relation};

use crate::graph::{CodeGraph, Direction, Edge, Node};

/// Edges by their direction. The weight of an edge is its relation's weight times its confidence weight. External nodes
/// are left out, and so are edges of a node to itself: recursion is no evidence of proximity and would trap a walk.
/// Containment counts once, since other relations repeat [`Relation::Contains`].
impl Adjacency for CodeGraph {
    fn node_count(&self) -> usize {
        CodeGraph::node_count(self)
    }

    fn edge_count(&self) -> usize {
        self.edges().len()
    }

    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        Walk::new(self, 0.0).for_each(Direction::Outgoing, node, visit);
    }
}

/// Code graph that is also walked against its edges, otherwise like the [`Adjacency`] of [`CodeGraph`].
#[derive(Clone, Copy, Debug, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct Walk<'a> {
    /// Graph to walk.
    pub graph: &'a CodeGraph,
    /// Weight of a step against an edge, relative to one along it.
    pub backward: f32,
    /// Minimum confidence of the edges to walk.
    pub min_confidence: Confidence,
}

impl<'a> Walk<'a> {
    /// Creates a walk along edges of any confidence.
    pub fn new(graph: &'a CodeGraph, backward: f32) -> Self {
        Self { graph, backward, min_confidence: Confidence::Ambiguous }
    }

    /// Visits the nodes at the other end of a node's edges in one direction, with the weight of the edge.
    fn for_each(&self, direction: Direction, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        let is_external = |node: NodeId| matches!(self.graph.node(node), Node::External(_));
        let node = NodeId::new(node as usize);
        if is_external(node) {
            return;
        }
        let counts = |edge: &&Edge| {
            edge.source != edge.target
                && edge.confidence >= self.min_confidence
                && (edge.relation == Relation::Contains || !edge.relation.is_containment())
        };
        for edge in self.graph.edges_at(node, direction).filter(counts) {
            let other = match direction {
                Direction::Outgoing => edge.target,
                Direction::Incoming => edge.source,
            };
            if !is_external(other) {
                visit(other.index() as u32, edge.relation.weight() * edge.confidence_weight());
            }
        }
    }
}

impl Adjacency for Walk<'_> {
    fn node_count(&self) -> usize {
        self.graph.node_count()
    }

    fn edge_count(&self) -> usize {
        2 * self.graph.edges().len()
    }

    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        self.for_each(Direction::Outgoing, node, visit);
        self.for_each(Direction::Incoming, node, &mut |source, weight| visit(source, self.backward * weight));
    }
}
