//! Compressed graph layout for the kernels.

use sscg_core::Adjacency;

/// Edges in compressed sparse row form: for each node its neighbors, each once and in ascending order, with weights.
///
/// Parallel edges are one edge of their summed weight, rounded to `f32`. Edges of zero weight are dropped, and so are
/// those that [`Adjacency`] forbids (a negative or non-finite weight, a node outside the graph).
///
/// Building costs O(nodes + edges log degree) time; build once and rank many times. A graph takes 4 bytes per node
/// and 8 per edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    /// Row offsets: the edges of node `v` are those from `starts[v]` to `starts[v + 1]`.
    starts: Box<[u32]>,
    neighbors: Box<[u32]>,
    weights: Box<[f32]>,
}

/// Edge with a weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedEdge {
    /// Source node.
    pub source: u32,
    /// Target node.
    pub target: u32,
    /// Weight.
    pub weight: f32,
}

impl WeightedEdge {
    /// Returns the edge with the opposite direction.
    fn turned(self) -> Self {
        Self { source: self.target, target: self.source, weight: self.weight }
    }
}

impl From<(u32, u32, f32)> for WeightedEdge {
    fn from((source, target, weight): (u32, u32, f32)) -> Self {
        Self { source, target, weight }
    }
}

impl Csr {
    /// Builds a graph of `node_count` nodes from edges, by source.
    ///
    /// # Panics
    /// If there are more nodes or edges than `u32` can number.
    pub fn from_edges(node_count: usize, edges: impl IntoIterator<Item = impl Into<WeightedEdge>>) -> Self {
        let nodes = number_of_nodes(node_count);
        let is_valid = |edge: &WeightedEdge| {
            edge.source < nodes && edge.target < nodes && edge.weight.is_finite() && edge.weight > 0.0
        };
        Self::new(node_count, edges.into_iter().map(Into::into).filter(is_valid).collect())
    }

    /// Returns the edges of `graph` by source.
    ///
    /// # Panics
    /// If the graph has more nodes or edges than `u32` can number.
    pub fn outgoing(graph: &(impl Adjacency + ?Sized)) -> Self {
        Self::from_edges(graph.node_count(), edges(graph))
    }

    /// Returns the edges of `graph` by target.
    ///
    /// # Panics
    /// If the graph has more nodes or edges than `u32` can number.
    pub fn incoming(graph: &(impl Adjacency + ?Sized)) -> Self {
        Self::from_edges(graph.node_count(), edges(graph).into_iter().map(WeightedEdge::turned))
    }

    /// Returns the edges of `graph` without their direction: an edge between two nodes appears at both, with the
    /// summed weights of both directions; a self-loop appears once.
    ///
    /// # Panics
    /// If the graph has more nodes or edges than `u32` can number, each edge counted twice.
    pub fn undirected(graph: &(impl Adjacency + ?Sized)) -> Self {
        let mut edges = edges(graph);
        let turned: Vec<_> =
            edges.iter().filter(|edge| edge.source != edge.target).map(|edge| edge.turned()).collect();
        edges.extend(turned);
        Self::from_edges(graph.node_count(), edges)
    }

    /// Returns the graph with all edges reversed.
    pub fn transposed(&self) -> Self {
        Self::new(self.node_count(), self.edges().map(WeightedEdge::turned).collect())
    }

    /// Returns the graph with its nodes renumbered by `numbers`, a permutation.
    pub(crate) fn renumbered(&self, numbers: &[u32]) -> Self {
        let number = |node: u32| numbers[node as usize];
        let edges = self.edges().map(|WeightedEdge { source, target, weight }| WeightedEdge {
            source: number(source),
            target: number(target),
            weight,
        });
        Self::new(self.node_count(), edges.collect())
    }

    /// Builds a graph from edges with positive weights between nodes less than `node_count`.
    fn new(node_count: usize, edges: Vec<WeightedEdge>) -> Self {
        u32::try_from(edges.len()).expect("the edges of a graph are numbered by u32");
        // Counting sort by node.
        let mut starts = vec![0; node_count + 1];
        for edge in &edges {
            starts[edge.source as usize + 1] += 1;
        }
        for node in 0..node_count {
            starts[node + 1] += starts[node];
        }
        let mut free = starts.clone();
        let mut rows = vec![(0, 0.0); edges.len()];
        for WeightedEdge { source, target, weight } in edges {
            let slot = &mut free[source as usize];
            rows[*slot as usize] = (target, weight);
            *slot += 1;
        }
        let (mut neighbors, mut weights) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
        for node in 0..node_count {
            let row = &mut rows[starts[node] as usize..free[node] as usize];
            // A stable sort, so that parallel edges are summed in the order of the graph.
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

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of edges, parallel ones counted once.
    pub fn edge_count(&self) -> usize {
        self.neighbors.len()
    }

    /// Returns the number of neighbors of `node`.
    ///
    /// # Panics
    /// If there is no such node; the other methods that take a node panic, too.
    pub fn degree(&self, node: u32) -> usize {
        self.range(node).len()
    }

    /// Returns the neighbors of `node`, in ascending order.
    pub fn neighbors(&self, node: u32) -> &[u32] {
        &self.neighbors[self.range(node)]
    }

    /// Returns the weights of the edges to the neighbors of `node`: finite and greater than zero.
    pub fn weights(&self, node: u32) -> &[f32] {
        &self.weights[self.range(node)]
    }

    /// Returns each neighbor of `node` with the weight of the edge to it.
    pub fn row(&self, node: u32) -> impl ExactSizeIterator<Item = (u32, f32)> {
        self.neighbors(node).iter().copied().zip(self.weights(node).iter().copied())
    }

    /// Returns all edges, from each node to its neighbors, by node.
    pub fn edges(&self) -> impl Iterator<Item = WeightedEdge> {
        let nodes = 0..self.node_count() as u32;
        nodes.flat_map(|source| {
            self.row(source).map(move |(target, weight)| WeightedEdge { source, target, weight })
        })
    }

    fn range(&self, node: u32) -> std::ops::Range<usize> {
        let node = node as usize;
        self.starts[node] as usize..self.starts[node + 1] as usize
    }
}

fn number_of_nodes(node_count: usize) -> u32 {
    u32::try_from(node_count).expect("the nodes of a graph are numbered by u32")
}

/// Returns the edges of a graph.
fn edges(graph: &(impl Adjacency + ?Sized)) -> Vec<WeightedEdge> {
    let mut edges = Vec::with_capacity(graph.edge_count());
    for source in 0..number_of_nodes(graph.node_count()) {
        graph.for_each_out(source, &mut |target, weight| edges.push(WeightedEdge { source, target, weight }));
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

    /// Graph that reports its edges as they are listed.
    struct Edges<'a>(usize, &'a [(u32, u32, f32)]);

    impl Adjacency for Edges<'_> {
        fn node_count(&self) -> usize {
            self.0
        }

        fn edge_count(&self) -> usize {
            self.1.len()
        }

        fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
            self.1.iter().filter(|edge| edge.0 == node).for_each(|edge| visit(edge.1, edge.2));
        }
    }

    fn empty(node_count: usize) -> Csr {
        Csr::from_edges(node_count, Vec::<WeightedEdge>::new())
    }

    fn row(csr: &Csr, node: u32) -> Vec<(u32, f32)> {
        csr.row(node).collect()
    }

    #[test]
    fn rows_are_in_order_and_parallel_edges_are_one() {
        let edges = [(2, 1, 0.5), (0, 2, 8.0), (0, 1, 1.0), (0, 1, 2.0), (1, 1, 4.0)];
        let outgoing = Csr::from_edges(3, edges);
        assert_eq!(row(&outgoing, 0), [(1, 3.0), (2, 8.0)]);
        assert_eq!(row(&outgoing, 1), [(1, 4.0)]);
        assert_eq!((outgoing.node_count(), outgoing.edge_count()), (3, 4));
        let incoming = Csr::incoming(&Edges(3, &edges));
        assert_eq!(row(&incoming, 0), []);
        assert_eq!(row(&incoming, 1), [(0, 3.0), (1, 4.0), (2, 0.5)]);
        assert_eq!(incoming, outgoing.transposed());
        let undirected = Csr::undirected(&Edges(3, &edges));
        assert_eq!(row(&undirected, 1), [(0, 3.0), (1, 4.0), (2, 0.5)]);
        assert_eq!(row(&undirected, 2), [(0, 8.0), (1, 0.5)]);
        assert_eq!(undirected, undirected.transposed());
    }

    #[test]
    fn edges_that_can_carry_no_weight_are_left_out() {
        let mut weights = [0.0, -1.0, f32::NAN, f32::INFINITY, 1.0].map(|weight| (0, 1, weight));
        weights[4].1 = 2;
        assert_eq!(Csr::outgoing(&Edges(2, &weights)), empty(2));
        assert_eq!(Csr::undirected(&Edges(2, &weights)), empty(2));
        assert_eq!(Csr::from_edges(2, weights).edge_count(), 0);
        assert_eq!(Csr::from_edges(2, [(0, 2, 1.0), (2, 0, 1.0)]).edge_count(), 0);
        let huge = Csr::from_edges(2, [(0, 1, f32::MAX), (0, 1, f32::MAX)]);
        assert_eq!(row(&huge, 0), [(1, f32::MAX)]);
    }

    #[test]
    fn a_graph_may_be_empty() {
        let csr = empty(0);
        assert_eq!((csr.node_count(), csr.edge_count()), (0, 0));
        assert_eq!(Csr::undirected(&csr), csr);
    }
}
