//! Graphs laid out for kernels.

use sscg_core::Adjacency;

/// Edges in compressed sparse row form: for each node its neighbours, each once and in ascending order, with weights.
///
/// Parallel edges are one edge of their summed weight, rounded to `f32`. Edges that can carry no weight are left out: those whose weight
/// is zero, and those that [`Adjacency`] forbids (a negative or non-finite weight, a target that is no node).
///
/// Building costs O(nodes + edges log degree) time; build once and rank many times. A graph takes 4 bytes per node and 8
/// per edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    /// The edges of node `v` are those from `starts[v]` to `starts[v + 1]`.
    starts: Box<[u32]>,
    neighbors: Box<[u32]>,
    weights: Box<[f32]>,
}

impl Csr {
    /// The edges of `graph` by the node that they start at.
    ///
    /// # Panics
    /// If the graph has more nodes or edges than `u32` can number.
    pub fn outgoing(graph: &(impl Adjacency + ?Sized)) -> Self {
        Self::new(graph.node_count(), edges(graph))
    }

    /// The edges of `graph` by the node that they lead to.
    ///
    /// # Panics
    /// If the graph has more nodes or edges than `u32` can number.
    pub fn incoming(graph: &(impl Adjacency + ?Sized)) -> Self {
        let turned = edges(graph).into_iter().map(|(source, target, weight)| (target, source, weight));
        Self::new(graph.node_count(), turned.collect())
    }

    /// The edges of `graph` without their direction: an edge between two nodes stands at both, with the weights of
    /// both directions added up; one from a node to itself stands there once.
    ///
    /// # Panics
    /// If the graph has more nodes or edges than `u32` can number, each edge counted twice.
    pub fn undirected(graph: &(impl Adjacency + ?Sized)) -> Self {
        let mut edges = edges(graph);
        let turned: Vec<_> = edges
            .iter()
            .filter(|(source, target, _)| source != target)
            .map(|&(source, target, weight)| (target, source, weight))
            .collect();
        edges.extend(turned);
        Self::new(graph.node_count(), edges)
    }

    /// The same edges turned around.
    pub fn transposed(&self) -> Self {
        let turned = self.edges().map(|(node, neighbor, weight)| (neighbor, node, weight));
        Self::new(self.node_count(), turned.collect())
    }

    /// The same edges with other numbers for the nodes, each of which is used once.
    pub(crate) fn renumbered(&self, numbers: &[u32]) -> Self {
        let number = |node: u32| numbers[node as usize];
        let edges = self.edges().map(|(node, neighbor, weight)| (number(node), number(neighbor), weight));
        Self::new(self.node_count(), edges.collect())
    }

    /// From (node, neighbour, weight), whose weights are positive and whose nodes are less than `node_count`.
    fn new(node_count: usize, edges: Vec<(u32, u32, f32)>) -> Self {
        u32::try_from(edges.len()).expect("the edges of a graph are numbered by u32");
        // A counting sort by node.
        let mut starts = vec![0; node_count + 1];
        for (node, ..) in &edges {
            starts[*node as usize + 1] += 1;
        }
        for node in 0..node_count {
            starts[node + 1] += starts[node];
        }
        let mut free = starts.clone();
        let mut rows = vec![(0, 0.0); edges.len()];
        for (node, neighbor, weight) in edges {
            let slot = &mut free[node as usize];
            rows[*slot as usize] = (neighbor, weight);
            *slot += 1;
        }
        let (mut neighbors, mut weights) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
        for node in 0..node_count {
            let row = &mut rows[starts[node] as usize..free[node] as usize];
            // Stable, so that parallel edges are added up in the order of the graph.
            row.sort_by_key(|(neighbor, _)| *neighbor);
            starts[node] = neighbors.len() as u32;
            for parallel in row.chunk_by(|a, b| a.0 == b.0) {
                let weight: f64 = parallel.iter().map(|(_, weight)| f64::from(*weight)).sum();
                neighbors.push(parallel[0].0);
                weights.push(weight.min(f64::from(f32::MAX)) as f32);
            }
        }
        starts[node_count] = neighbors.len() as u32;
        Self { starts: starts.into(), neighbors: neighbors.into(), weights: weights.into() }
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of edges, parallel ones counted once.
    pub fn edge_count(&self) -> usize {
        self.neighbors.len()
    }

    /// The number of neighbours of `node`.
    ///
    /// # Panics
    /// If there is no such node; so do the others that take one.
    pub fn degree(&self, node: u32) -> usize {
        self.range(node).len()
    }

    /// The neighbours of `node`, in ascending order.
    pub fn neighbors(&self, node: u32) -> &[u32] {
        &self.neighbors[self.range(node)]
    }

    /// The weights of the edges to the neighbours of `node`: finite and greater than zero.
    pub fn weights(&self, node: u32) -> &[f32] {
        &self.weights[self.range(node)]
    }

    /// Each neighbour of `node` with the weight of the edge to it.
    pub fn row(&self, node: u32) -> impl ExactSizeIterator<Item = (u32, f32)> {
        self.neighbors(node).iter().copied().zip(self.weights(node).iter().copied())
    }

    /// All edges as (node, neighbour, weight), by node.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, f32)> {
        let nodes = 0..self.node_count() as u32;
        nodes.flat_map(|node| self.row(node).map(move |(neighbor, weight)| (node, neighbor, weight)))
    }

    fn range(&self, node: u32) -> std::ops::Range<usize> {
        let node = node as usize;
        self.starts[node] as usize..self.starts[node + 1] as usize
    }
}

/// The edges of a graph that carry weight, as (source, target, weight).
fn edges(graph: &(impl Adjacency + ?Sized)) -> Vec<(u32, u32, f32)> {
    let node_count = u32::try_from(graph.node_count()).expect("the nodes of a graph are numbered by u32");
    let mut edges = Vec::with_capacity(graph.edge_count());
    for source in 0..node_count {
        graph.for_each_out(source, &mut |target, weight| {
            if target < node_count && weight.is_finite() && weight > 0.0 {
                edges.push((source, target, weight));
            }
        });
    }
    edges
}

impl Adjacency for Csr {
    fn node_count(&self) -> usize {
        Csr::node_count(self)
    }

    fn edge_count(&self) -> usize {
        self.neighbors.len()
    }

    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        self.row(node).for_each(|(neighbor, weight)| visit(neighbor, weight));
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

    fn row(csr: &Csr, node: u32) -> Vec<(u32, f32)> {
        csr.row(node).collect()
    }

    #[test]
    fn rows_are_in_order_and_parallel_edges_are_one() {
        let graph = Edges(3, vec![(2, 1, 0.5), (0, 2, 8.0), (0, 1, 1.0), (0, 1, 2.0), (1, 1, 4.0)]);
        let outgoing = Csr::outgoing(&graph);
        assert_eq!(row(&outgoing, 0), [(1, 3.0), (2, 8.0)]);
        assert_eq!(row(&outgoing, 1), [(1, 4.0)]);
        assert_eq!((outgoing.node_count(), outgoing.edge_count()), (3, 4));
        let incoming = Csr::incoming(&graph);
        assert_eq!(row(&incoming, 0), []);
        assert_eq!(row(&incoming, 1), [(0, 3.0), (1, 4.0), (2, 0.5)]);
        assert_eq!(incoming, outgoing.transposed());
        let undirected = Csr::undirected(&graph);
        assert_eq!(row(&undirected, 1), [(0, 3.0), (1, 4.0), (2, 0.5)]);
        assert_eq!(row(&undirected, 2), [(0, 8.0), (1, 0.5)]);
        assert_eq!(undirected, undirected.transposed());
    }

    #[test]
    fn edges_that_can_carry_no_weight_are_left_out() {
        let edges = vec![(0, 1, 0.0), (0, 1, -1.0), (0, 1, f32::NAN), (0, 1, f32::INFINITY), (0, 2, 1.0)];
        assert_eq!(Csr::outgoing(&Edges(2, edges)).edge_count(), 0);
        let huge = Csr::outgoing(&Edges(2, vec![(0, 1, f32::MAX), (0, 1, f32::MAX)]));
        assert_eq!(row(&huge, 0), [(1, f32::MAX)]);
    }

    #[test]
    fn a_graph_may_be_empty() {
        let csr = Csr::undirected(&Edges(0, vec![]));
        assert_eq!((csr.node_count(), csr.edge_count()), (0, 0));
    }
}
