//! Graph interface of the ranking kernels.

/// Directed, weighted graph over the dense nodes `0..node_count()`.
///
/// Ranking kernels run on any implementation, independent of the code graph. Parallel edges may be reported one by
/// one; their weights add up.
///
/// ```
/// use sscg_core::Adjacency;
///
/// /// Nodes that each node links to.
/// struct Links(Vec<Vec<u32>>);
///
/// impl Adjacency for Links {
///     fn node_count(&self) -> usize {
///         self.0.len()
///     }
///
///     fn edge_count(&self) -> usize {
///         self.0.iter().map(Vec::len).sum()
///     }
///
///     fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
///         self.0[node as usize].iter().for_each(|target| visit(*target, 1.0));
///     }
/// }
///
/// let links = Links(vec![vec![1, 2], vec![2], vec![]]);
/// assert_eq!((links.node_count(), links.edge_count()), (3, 3));
/// ```
pub trait Adjacency {
    /// Returns the number of nodes.
    fn node_count(&self) -> usize;

    /// Returns the number of edges, or an upper bound.
    fn edge_count(&self) -> usize;

    /// Calls `visit(target, weight)` for each edge out of `node`. Weights are finite and not negative.
    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32));
}
