//! Parameters of one round.

use super::graph::Graph;
use crate::bench::Random;

/// L1 difference of two successive vectors at which a power iteration with damping 0.85 is within 1e-6 of the fixed
/// point.
const TOLERANCE: f64 = 1e-6 * 0.15 / 0.85;

/// Parameters of one round.
pub(super) struct Request {
    /// Start nodes.
    pub(super) seeds: Vec<u32>,
    /// Random seed.
    pub(super) seed: u64,
    pub(super) tolerance: f64,
}

impl Request {
    /// Draws distinct start nodes, this many if possible, among those with an outgoing edge.
    pub(super) fn new(graph: &Graph, seeds: usize, round: usize) -> Self {
        let seed = round as u64 + 1;
        let mut random = Random(seed);
        let mut starts: Vec<u32> =
            (0..graph.outgoing.node_count() as u32).filter(|node| graph.outgoing.degree(*node) > 0).collect();
        let count = seeds.min(starts.len());
        for at in 0..count {
            let other = at + random.below(starts.len() - at);
            starts.swap(at, other);
        }
        starts.truncate(count);
        Self { seeds: starts, seed, tolerance: TOLERANCE }
    }
}
