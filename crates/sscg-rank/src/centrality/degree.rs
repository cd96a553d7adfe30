//! Degree centrality.

use crate::{Csr, Direction};

/// What [`degree()`] counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DegreeOptions {
    /// Which edges count; [`Direction::Both`] by default, the sum of the other two.
    pub direction: Direction,
    /// Whether an edge counts by its weight and not as one; `false` by default.
    pub weighted: bool,
    /// Whether degrees are mapped onto `0.0..=1.0`; `false` by default.
    ///
    /// Numbers of edges are divided by the most that a node can have to others, n - 1 for n nodes and twice
    /// that for both directions; a node that has an edge to itself besides gets 1 at most. Weights have no such
    /// limit and are divided by the greatest sum.
    pub normalized: bool,
}

/// The number or the weight of the edges of each node.
///
/// `graph` holds the edges by the node that they start at ([`Csr::outgoing`]), and so parallel edges are one edge of
/// their summed weight. An edge from a node to itself both leads to it and starts at it. With [`Csr::undirected`],
/// [`Direction::Outgoing`] counts the neighbours of each node.
///
/// The degrees are finite and not negative. O(nodes + edges).
pub fn degree(graph: &Csr, options: &DegreeOptions) -> Vec<f64> {
    let node_count = graph.node_count();
    let (incoming, outgoing) = match options.direction {
        Direction::Incoming => (true, false),
        Direction::Outgoing => (false, true),
        Direction::Both => (true, true),
    };
    let mut degrees = vec![0.0; node_count];
    for (source, target, weight) in graph.edges() {
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
            // A single node can have an edge, to itself, though the most that it can have to others is none.
            *degree = if *degree > 0.0 { (*degree / most).min(1.0) } else { 0.0 };
        }
    }
    degrees
}
