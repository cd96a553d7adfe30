//! Betweenness centrality, exact and sampled.

use derive_setters::Setters;

use super::dependencies::sum_dependencies;
use crate::Csr;

/// Options of [`betweenness()`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct BetweennessOptions {
    /// Number of source nodes, drawn at random, to follow paths from. `None` (default), or a number not less than the
    /// number of nodes, is exact. See [`betweenness_samples`] for a sufficient number.
    pub samples: Option<usize>,
    /// Seed of the sample; the same seed draws the same nodes.
    pub seed: u64,
    /// Set to divide the result by (n - 1) (n - 2) for n nodes, the number of pairs of other nodes, so that it is
    /// within `0.0..=1.0` (default `false`).
    pub normalized: bool,
}

/// Returns the betweenness of each node: the number of shortest paths between other nodes that pass through it.
///
/// The betweenness of v is the sum, over all ordered pairs of other nodes s and t, of the fraction of the shortest
/// paths from s to t that pass through v. Paths follow the direction of the edges, and the length of a path is its
/// number of edges. Weights, parallel edges and self-loops do not matter. With [`Csr::undirected`] each pair counts
/// in both orders: the customary number is half the result, while `normalized` gives the customary one. The edge
/// layout, by source or by target, matters only for the paths that a sample follows.
///
/// *Exact*, it takes O(nodes · (nodes + edges)) time. *Sampled*, paths are followed from k nodes drawn without
/// replacement, and the sums are scaled by n / k. The result is an unbiased estimate in O(k · (nodes + edges)) time.
/// Its error, normalized, is at most
///
/// > ε = n / (n - 1) · √(ln(2 n / δ) / (2 k))
///
/// at all nodes at once with a probability of at least 1 - δ. A source adds between 0 and n - 2 to a node, or between
/// 0 and n / (n - 1) after scaling. Hoeffding's inequality holds for such terms, also for draws without replacement.
/// The bound assumes nothing about the graph; most errors are far smaller.
///
/// Each thread takes 28 bytes per node and 4 per edge on a shortest path from one source. The result is bit-identical
/// for any number of threads. Paths are counted in `f64`. If a count exceeds its range, logarithms are used, which
/// keep at least nine digits.
///
/// Sources: U. Brandes, *A Faster Algorithm for Betweenness Centrality*, 2001; U. Brandes, C. Pich, *Centrality
/// Estimation in Large Networks*, 2007, for sampling; W. Hoeffding, *Probability Inequalities for Sums of Bounded
/// Random Variables*, 1963, for the bound.
///
/// ```
/// use sscg_rank::{BetweennessOptions, Csr, betweenness};
///
/// // Two paths lead from 0 to 3, through 1 and through 2; all paths to 4 pass through 3.
/// let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)];
/// let graph = Csr::from_edges(5, edges.map(|(source, target)| (source, target, 1.0)));
/// assert_eq!(betweenness(&graph, &BetweennessOptions::default()), [0.0, 1.0, 1.0, 3.0, 0.0]);
/// let normalized = BetweennessOptions::default().with_normalized(true);
/// assert_eq!(betweenness(&graph, &normalized)[3], 0.25);
/// ```
pub fn betweenness(graph: &Csr, options: &BetweennessOptions) -> Vec<f64> {
    let node_count = graph.node_count();
    let samples = options.samples.unwrap_or(node_count).min(node_count);
    let mut sums = sum_dependencies(graph, &draw(node_count, samples, options.seed));
    let scale = if samples > 0 { node_count as f64 / samples as f64 } else { 0.0 };
    let pairs = node_count.saturating_sub(1) as f64 * node_count.saturating_sub(2) as f64;
    for sum in &mut sums {
        *sum *= scale;
        if options.normalized && *sum > 0.0 {
            // An estimate can exceed the largest possible exact value.
            *sum = (*sum / pairs).min(1.0);
        }
    }
    sums
}

/// Returns the number of samples for which the normalized error of [`betweenness()`] is at most `error` at all nodes
/// at once with a probability of at least 1 - `failure`.
///
/// At most `node_count`, which is exact; also `node_count` if `error` or `failure` is not above zero.
pub fn betweenness_samples(node_count: usize, error: f64, failure: f64) -> usize {
    if !(error > 0.0 && failure > 0.0) || node_count < 2 {
        return node_count;
    }
    let n = node_count as f64;
    let range = n / (n - 1.0);
    let samples = range * range * (2.0 * n / failure).ln() / (2.0 * error * error);
    // A probability bound above 1 holds trivially, without any sample.
    (samples.max(1.0).ceil() as usize).min(node_count)
}

/// Draws `count` of the nodes, in ascending order; each set of that size is equally likely.
///
/// Source: C. T. Fan, M. E. Muller, I. Rezucha, *Development of Sampling Plans by Using Sequential (Item by Item)
/// Selection Techniques and Digital Computers*, 1962.
pub(super) fn draw(node_count: usize, count: usize, seed: u64) -> Vec<u32> {
    let mut random = SplitMix(seed);
    let mut drawn = Vec::with_capacity(count);
    for node in 0..node_count {
        if random.below((node_count - node) as u64) < (count - drawn.len()) as u64 {
            drawn.push(node as u32);
        }
    }
    drawn
}

/// SplitMix64 random number generator (G. L. Steele, D. Lea, C. H. Flood, *Fast Splittable Pseudorandom Number
/// Generators*, 2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Returns a number less than `bound`. Even for a bound of 2^32, probabilities differ by at most a relative
    /// 2^-32.
    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_is_as_likely_to_be_drawn() {
        let mut times = [0; 10];
        for seed in 0..10_000 {
            let drawn = draw(10, 3, seed);
            assert_eq!(drawn.len(), 3);
            assert!(drawn.is_sorted_by(|a, b| a < b));
            drawn.into_iter().for_each(|node| times[node as usize] += 1);
        }
        // Six standard deviations.
        assert!(times.iter().all(|times| (2725..3275).contains(times)), "{times:?}");
        assert_eq!(draw(5, 5, 7), [0, 1, 2, 3, 4]);
        assert!(draw(0, 0, 7).is_empty());
    }

    #[test]
    fn as_many_samples_are_enough_as_the_bound_says() {
        let samples = betweenness_samples(200_000, 0.05, 0.1);
        let bound =
            |k: usize| (200_000.0 / 199_999.0) * ((2.0 * 200_000.0 / 0.1_f64).ln() / (2.0 * k as f64)).sqrt();
        assert!(bound(samples) <= 0.05 && bound(samples - 1) > 0.05);
        assert_eq!(betweenness_samples(100, 1e-9, 0.1), 100);
        assert_eq!(betweenness_samples(100, 1e9, 1e9), 1);
        for useless in [0.0, -1.0, f64::NAN] {
            assert_eq!(betweenness_samples(100, useless, 0.1), 100);
            assert_eq!(betweenness_samples(100, 0.1, useless), 100);
        }
        assert_eq!(betweenness_samples(0, 0.1, 0.1), 0);
    }
}
