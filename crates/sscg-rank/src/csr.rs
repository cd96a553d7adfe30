//! A graph laid out for kernels that pull values along incoming edges.

use sscg_core::Adjacency;

/// The incoming edges of every node in compressed sparse row form, with each node's total outgoing weight.
///
/// Building costs O(nodes + edges) time and memory; build once and rank many times.
#[derive(Clone, Debug)]
pub struct Csr {
    /// The edges into node `v` are `edges[starts[v]..starts[v + 1]]`.
    starts: Vec<usize>,
    /// Source and weight.
    edges: Vec<(u32, f32)>,
    out_weights: Vec<f64>,
}

impl Csr {
    /// Copies the edges of `graph`.
    ///
    /// Parallel edges stay side by side. Edges that can carry no weight are left out: those whose weight is
    /// zero, and those that [`Adjacency`] forbids (a negative or non-finite weight, a target that is no node).
    ///
    /// # Panics
    /// If the graph has more nodes than `u32` can number.
    pub fn from_adjacency(graph: &(impl Adjacency + ?Sized)) -> Self {
        let node_count = graph.node_count();
        let nodes = 0..u32::try_from(node_count).expect("the nodes of a graph are numbered by u32");

        let mut outgoing = Vec::with_capacity(graph.edge_count());
        let mut out_weights = vec![0.0; node_count];
        let mut starts = vec![0; node_count + 1];
        for source in nodes.clone() {
            graph.for_each_out(source, &mut |target, weight| {
                if nodes.contains(&target) && weight.is_finite() && weight > 0.0 {
                    outgoing.push((source, target, weight));
                    out_weights[source as usize] += f64::from(weight);
                    starts[target as usize + 1] += 1;
                }
            });
        }
        for node in 0..node_count {
            starts[node + 1] += starts[node];
        }

        // A counting sort by target; the sources of each target stay in ascending order.
        let mut free = starts.clone();
        let mut edges = vec![(0, 0.0); outgoing.len()];
        for (source, target, weight) in outgoing {
            let slot = &mut free[target as usize];
            edges[*slot] = (source, weight);
            *slot += 1;
        }
        Self { starts, edges, out_weights }
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.out_weights.len()
    }

    /// The number of edges that carry weight.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Source and weight of each edge into `node`, by ascending source.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn in_edges(&self, node: u32) -> &[(u32, f32)] {
        let node = node as usize;
        &self.edges[self.starts[node]..self.starts[node + 1]]
    }

    /// For each node, the sum of the weights of its outgoing edges; zero where a walk finds no way on.
    pub fn out_weights(&self) -> &[f64] {
        &self.out_weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Edges(usize, Vec<(u32, u32, f32)>);

    impl Adjacency for Edges {
        fn node_count(&self) -> usize {
            self.0
        }
        fn edge_count(&self) -> usize {
            self.1.len()
        }
        fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
            for &(_, target, weight) in self.1.iter().filter(|edge| edge.0 == node) {
                visit(target, weight);
            }
        }
    }

    #[test]
    fn edges_are_found_by_target_and_parallel_ones_are_kept() {
        let csr = Csr::from_adjacency(&Edges(
            3,
            vec![(2, 1, 0.5), (0, 1, 1.0), (0, 1, 2.0), (1, 1, 4.0), (0, 2, 8.0)],
        ));
        assert_eq!(csr.in_edges(0), []);
        assert_eq!(csr.in_edges(1), [(0, 1.0), (0, 2.0), (1, 4.0), (2, 0.5)]);
        assert_eq!(csr.in_edges(2), [(0, 8.0)]);
        assert_eq!(csr.out_weights(), [11.0, 4.0, 0.5]);
        assert_eq!((csr.node_count(), csr.edge_count()), (3, 5));
    }

    #[test]
    fn edges_that_can_carry_no_weight_are_left_out() {
        let edges = vec![(0, 1, 0.0), (0, 1, -1.0), (0, 1, f32::NAN), (0, 1, f32::INFINITY), (0, 2, 1.0)];
        let csr = Csr::from_adjacency(&Edges(2, edges));
        assert_eq!(csr.edge_count(), 0);
        assert_eq!(csr.out_weights(), [0.0, 0.0]);
    }

    #[test]
    fn a_graph_may_be_empty() {
        let csr = Csr::from_adjacency(&Edges(0, vec![]));
        assert_eq!((csr.node_count(), csr.edge_count()), (0, 0));
    }
}
