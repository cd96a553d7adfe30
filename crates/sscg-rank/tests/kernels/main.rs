//! Tests of the kernels against oracles, their own invariants and other libraries.

mod centrality;
mod community;
mod pagerank;
mod reference;

use sscg_core::Adjacency;

/// Graph as a list of (source, target, weight).
#[derive(Clone, Debug)]
struct Edges {
    node_count: usize,
    edges: Vec<(u32, u32, f32)>,
}

impl Adjacency for Edges {
    fn node_count(&self) -> usize {
        self.node_count
    }
    fn edge_count(&self) -> usize {
        self.edges.len()
    }
    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        for &(_, target, weight) in self.edges.iter().filter(|edge| edge.0 == node) {
            visit(target, weight);
        }
    }
}
