//! Cost of an edge in a path.

use sscg_core::Project;

use crate::graph::{CodeGraph, Direction, Edge};
use crate::shown::chunk_of;

/// Cost in thousandths of a bit: sums of integers are the same in any order.
pub(super) type Cost = u64;

/// Converts bits to a cost.
pub(super) fn of_bits(bits: f64) -> Cost {
    (bits.max(0.0) * 1000.0).round() as Cost
}

/// Converts a cost to bits.
pub(super) fn in_bits(cost: Cost) -> f64 {
    cost as f64 / 1000.0
}

/// Returns the cost of a choice among `edges` edges: the minimum cost of an edge at a node with that many.
pub(super) fn of_choice(edges: usize) -> Cost {
    of_bits((edges.max(1) as f64).log2())
}

/// Returns the cost of an edge between symbols; see [`connect`](super::connect()).
pub(super) fn of_edge(project: &Project, graph: &CodeGraph, edge: &Edge) -> Cost {
    let outgoing = graph.edges_at(edge.source, Direction::Outgoing).len();
    let chunk = |node| chunk_of(project, graph, node, 0);
    if edge.relation.is_containment() && chunk(edge.source) == chunk(edge.target) {
        // A type and its field: not a step to another chunk.
        return of_choices(graph, edge, outgoing);
    }
    of_step(graph, edge, outgoing)
}

/// Returns the cost of an edge to another chunk from a source with `outgoing` edges.
pub(super) fn of_step(graph: &CodeGraph, edge: &Edge, outgoing: usize) -> Cost {
    let strength = f64::from(edge.relation.weight()) * f64::from(edge.confidence_weight());
    of_bits(1.0 - strength.log2()) + of_choices(graph, edge, outgoing)
}

fn of_choices(graph: &CodeGraph, edge: &Edge, outgoing: usize) -> Cost {
    of_choice(outgoing) + of_choice(graph.edges_at(edge.target, Direction::Incoming).len())
}
