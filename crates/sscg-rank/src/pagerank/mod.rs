//! PageRank, global and personalized.

mod near;
mod order;
mod scores;
mod solve;
mod walk;

use derive_setters::Setters;

pub use near::{NearOptions, pagerank_near};
pub use scores::Scores;
pub use walk::RandomWalk;

/// Scores each node by the share of its visits on a random walk that keeps returning to `seeds`.
///
/// At each step the walk jumps to a seed with the teleport probability *a*; otherwise it follows an outgoing edge
/// chosen by weight. From a node without outgoing edges (a *dangling* node) it jumps to a seed, too. With the
/// adjacency matrix *A*, the diagonal matrix *D* of its row sums, and the seeds as a distribution *s*, the scores are
/// the fixed point of
///
/// > p = (1 - a) (D⁻¹ A)ᵀ p + a s + (1 - a) d s, where d is the mass that p has on dangling nodes.
///
/// The scores are not negative and sum to 1. A node that no seed reaches scores exactly 0.
///
/// `seeds` are nodes with weights of any scale; the weights of a repeated node add up. A seed is ignored if its
/// weight is negative or not finite or if the graph has no such node. If no seed with a positive weight remains,
/// every node is a seed of the same weight: that is global PageRank.
///
/// Nodes on no cycle are passed once. Each strongly connected component that the seeds reach is swept until it has
/// converged. The cost is O(nodes) plus the reached edges, times the number of sweeps in cycles. `docs/ranking.md`
/// has the derivation. The same input gives the same bits. In addition to the walk, 16 bytes per node are used. For a
/// few nodes near the seeds of a large graph, [`pagerank_near`] costs less.
///
/// Sources: L. Page, S. Brin, R. Motwani, T. Winograd, *The PageRank Citation Ranking: Bringing Order to the Web*,
/// 1999; T. Haveliwala, *Topic-Sensitive PageRank*, 2002, for the seeds.
///
/// ```
/// use sscg_rank::{Csr, PageRankOptions, RandomWalk, pagerank};
///
/// let edges = Csr::from_edges(3, [(0, 2, 1.0), (1, 2, 1.0)]);
/// // Without seeds, that is global PageRank.
/// let ranking = pagerank(&RandomWalk::new(&edges), &[], &PageRankOptions::default());
/// assert_eq!(ranking.scores.top(1)[0].0, 2);
/// ```
pub fn pagerank(walk: &RandomWalk, seeds: &[(u32, f64)], options: &PageRankOptions) -> PageRank {
    let node_count = walk.node_count();
    if node_count == 0 {
        let scores = Scores::All(Vec::new());
        return PageRank { scores, iterations: 0, residual: 0.0, converged: true };
    }
    solve::solve(walk, &seed_distribution(node_count, seeds), options)
}

/// Options of [`pagerank()`].
#[derive(Clone, Copy, Debug, PartialEq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct PageRankOptions {
    /// Probability of a jump to the seeds at each step (default 0.15, a damping factor of 0.85). The larger, the
    /// closer to the seeds the mass stays. Clamped to `0.0..=1.0`; NaN counts as the default.
    pub teleport: f64,
    /// Tolerated L1 distance to the exact scores (default 1e-6).
    pub tolerance: f64,
    /// Maximum number of sweeps over any part of the graph (default 100, which is enough on any graph for the other
    /// two defaults).
    pub max_iterations: usize,
}

impl Default for PageRankOptions {
    fn default() -> Self {
        Self { teleport: 0.15, tolerance: 1e-6, max_iterations: 100 }
    }
}

impl PageRankOptions {
    fn teleport_probability(&self) -> f64 {
        teleport_probability(self.teleport)
    }
}

fn teleport_probability(given: f64) -> f64 {
    if given.is_nan() { PageRankOptions::default().teleport } else { given.clamp(0.0, 1.0) }
}

/// Result of [`pagerank()`] and [`pagerank_near`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PageRank {
    /// Share of the walk's visits of each node: not negative, in sum 1.
    pub scores: Scores,
    /// Largest number of sweeps over any part of the graph.
    pub iterations: usize,
    /// Upper bound of the L1 distance between `scores` and the exact ones, rounding aside.
    pub residual: f64,
    /// True if `residual` is within the tolerance; with [`pagerank_near`], true if no node has more unfollowed mass
    /// than `NearOptions::least` allows. If false, the scores are still a distribution, only less precise.
    pub converged: bool,
}

/// Returns the maximum distance of scores from the exact ones if `rest` of `total` visits was not followed. That rest
/// would have led to at most (1 - a) / a times as many visits, and the same amount is missing elsewhere after
/// normalization.
fn error_bound(rest: f64, total: f64, teleport: f64) -> f64 {
    if rest == 0.0 { 0.0 } else { 2.0 * (1.0 - teleport) * rest / (teleport * total) }
}

/// Returns the seeds with their shares of the total weight; none if the total weight is zero.
fn seed_distribution(node_count: usize, seeds: &[(u32, f64)]) -> Vec<(u32, f64)> {
    let is_usable = |seed: &&(u32, f64)| (seed.0 as usize) < node_count && seed.1.is_finite() && seed.1 > 0.0;
    let mut seeds: Vec<(u32, f64)> = seeds.iter().filter(is_usable).copied().collect();
    // Scaled by the largest, so that no sum of finite weights overflows.
    let largest = seeds.iter().map(|seed| seed.1).fold(0.0, f64::max);
    let total: f64 = seeds.iter().map(|seed| seed.1 / largest).sum();
    seeds.iter_mut().for_each(|seed| seed.1 = seed.1 / largest / total);
    seeds
}
