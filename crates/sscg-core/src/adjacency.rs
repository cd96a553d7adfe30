//! The one thing ranking needs to know of a graph.

/// A directed, weighted graph over the dense nodes `0..node_count()`.
///
/// Ranking kernels run on any implementation, so that they need not know the code graph. Parallel edges may
/// be reported one by one; their weights add up.
pub trait Adjacency {
    /// The number of nodes.
    fn node_count(&self) -> usize;

    /// The number of edges.
    fn edge_count(&self) -> usize;

    /// Calls `visit(target, weight)` for each edge out of `node`. Weights are finite and not negative.
    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32));
}
