//! Degree centrality.

use derive_setters::Setters;

use crate::{Csr, EdgeDirection, WeightedEdge};

/// Options of [`degree()`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct DegreeOptions {
    /// Edges that count (default [`EdgeDirection::Both`], the sum of the other two).
    pub direction: EdgeDirection,
    /// Set to count an edge by its weight instead of as one (default `false`).
    pub weighted: bool,
    /// Set to map degrees onto `0.0..=1.0` (default `false`).
    ///
    /// Edge counts are divided by the maximum number of edges to other nodes: n - 1 for n nodes, twice that for both
    /// directions. A node with an additional self-loop gets at most 1. Weights have no such limit and are divided by
    /// the greatest sum.
    pub normalized: bool,
}

/// Returns the number or the total weight of the edges of each node.
///
/// `graph` holds the edges by source ([`Csr::outgoing`]), so parallel edges are one edge of their summed weight. A
/// self-loop is both an incoming and an outgoing edge. With [`Csr::undirected`], [`EdgeDirection::Outgoing`] counts the
/// neighbors of each node.
///
/// The degrees are finite and not negative. O(nodes + edges).
///
/// ```
/// use sscg_rank::{Csr, DegreeOptions, EdgeDirection, degree};
///
/// let graph = Csr::from_edges(3, [(0, 2, 1.0), (1, 2, 0.5)]);
/// assert_eq!(degree(&graph, &DegreeOptions::default()), [1.0, 1.0, 2.0]);
/// let incoming = DegreeOptions::default().with_direction(EdgeDirection::Incoming);
/// assert_eq!(degree(&graph, &incoming.with_weighted(true)), [0.0, 0.0, 1.5]);
/// assert_eq!(degree(&graph, &incoming.with_normalized(true)), [0.0, 0.0, 1.0]);
/// ```
pub fn degree(graph: &Csr, options: &DegreeOptions) -> Vec<f64> {
    let node_count = graph.node_count();
    let (incoming, outgoing) = match options.direction {
        EdgeDirection::Incoming => (true, false),
        EdgeDirection::Outgoing => (false, true),
        EdgeDirection::Both => (true, true),
    };
    let mut degrees = vec![0.0; node_count];
    for WeightedEdge { source, target, weight } in graph.edges() {
        let amount = if options.weighted { f64::from(weight) } else { 1.0 };
        if incoming {
            degrees[target as usize] += amount;
        }
        if outgoing {
            degrees[source as usize] += amount;
        }
    }
    if options.normalized {
        let most = if options.weighted {
            degrees.iter().copied().fold(0.0, f64::max)
        } else {
            let directions = f64::from(u8::from(incoming) + u8::from(outgoing));
            directions * node_count.saturating_sub(1) as f64
        };
        for degree in &mut degrees {
            // In a graph of one node the maximum is 0, but the node can have a self-loop.
            *degree = if *degree > 0.0 { (*degree / most).min(1.0) } else { 0.0 };
        }
    }
    degrees
}
