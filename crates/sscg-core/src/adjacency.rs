//! Graph interface of the ranking kernels.

/// Directed, weighted graph over the dense nodes `0..node_count()`.
///
/// Ranking kernels run on any implementation, independent of the code graph. Parallel edges may be reported one by
/// one; their weights add up.
pub trait Adjacency {
    /// Returns the number of nodes.
    fn node_count(&self) -> usize;

    /// Returns the number of edges, or an upper bound.
    fn edge_count(&self) -> usize;

    /// Calls `visit(target, weight)` for each edge out of `node`. Weights are finite and not negative.
    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32));
}
