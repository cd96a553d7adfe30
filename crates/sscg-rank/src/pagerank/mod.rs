//! PageRank, global and personalised.

mod near;
mod order;
mod scores;
mod solve;
mod walk;

pub use near::{NearOptions, pagerank_near};
pub use scores::Scores;
pub use walk::RandomWalk;

/// Scores each node by how often a walk that keeps returning to `seeds` is found at it.
///
/// At each step the walk jumps to a seed with the teleport probability *a*, and else follows an outgoing edge chosen by
/// weight; where there is none (a *dangling* node) it jumps to a seed, too. With the adjacency matrix *A*, the diagonal
/// matrix *D* of its row sums, and the seeds as a distribution *s*, the scores are the fixed point of
///
/// > p = (1 - a) (D⁻¹ A)ᵀ p + a s + (1 - a) d s, where d is the mass that p has on dangling nodes.
///
/// They are not negative and sum to 1, and a node that no seed reaches scores exactly 0.
///
/// `seeds` are nodes with weights of any scale; the weights of a node named twice add up. A seed is ignored if its
/// weight is negative or not finite or if the graph has no such node. If nothing is left that weighs more than zero,
/// every node is a seed of the same weight: that is global PageRank.
///
/// Passes once over what lies on no cycle, and sweeps over each strongly connected component that the seeds reach until
/// it is settled: O(nodes) and the edges that are reached, times the sweeps where there are cycles. `docs/ranking.md` has
/// the derivation. The same input gives the same bits. Beside the walk, 16 bytes per node are used. For a few nodes near
/// the seeds of a large graph, [`pagerank_near`] costs less.
///
/// Sources: L. Page, S. Brin, R. Motwani, T. Winograd, *The PageRank Citation Ranking: Bringing Order to the Web*, 1999;
/// T. Haveliwala, *Topic-Sensitive PageRank*, 2002, for the seeds.
pub fn pagerank(walk: &RandomWalk, seeds: &[(u32, f64)], options: &PageRankOptions) -> PageRank {
    let node_count = walk.node_count();
    if node_count == 0 {
        let scores = Scores::All(Vec::new());
        return PageRank { scores, iterations: 0, residual: 0.0, converged: true };
    }
    solve::solve(walk, &seed_distribution(node_count, seeds), options)
}

/// When [`pagerank()`] returns to the seeds, and how far it goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageRankOptions {
    /// The probability of a jump to the seeds at each step; 0.15 by default, which is a damping factor of 0.85. The
    /// larger, the closer to the seeds the mass stays. Clamped to `0.0..=1.0`; NaN counts as the default.
    pub teleport: f64,
    /// The L1 distance to the exact scores that is tolerated; 1e-6 by default.
    pub tolerance: f64,
    /// The most sweeps over any part of the graph; 100 by default, which on any graph is enough for the other two
    /// defaults.
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

/// The outcome of [`pagerank()`] and of [`pagerank_near`].
#[derive(Clone, Debug, PartialEq)]
pub struct PageRank {
    /// For each node its share of the walk: not negative, in sum 1.
    pub scores: Scores,
    /// The most sweeps that any part of the graph took.
    pub iterations: usize,
    /// An upper bound of the L1 distance between `scores` and the exact ones, rounding aside.
    pub residual: f64,
    /// Whether `residual` is within the tolerance, or with [`pagerank_near`], whether nowhere more is left than is told.
    /// If not, the scores are still a distribution, only coarser.
    pub converged: bool,
}

/// How far scores may be from the exact ones if `rest` of `total` visits was not followed. What was not followed would
/// have led to at most (1 - a) / a times as many visits, and as much is lacking elsewhere after normalisation.
fn error_bound(rest: f64, total: f64, teleport: f64) -> f64 {
    if rest == 0.0 { 0.0 } else { 2.0 * (1.0 - teleport) * rest / (teleport * total) }
}

/// The seeds with their shares of the whole weight; none if they weigh nothing.
fn seed_distribution(node_count: usize, seeds: &[(u32, f64)]) -> Vec<(u32, f64)> {
    let is_usable = |seed: &&(u32, f64)| (seed.0 as usize) < node_count && seed.1.is_finite() && seed.1 > 0.0;
    let mut seeds: Vec<(u32, f64)> = seeds.iter().filter(is_usable).copied().collect();
    // Scaled by the largest, so that no sum of finite weights overflows.
    let largest = seeds.iter().map(|seed| seed.1).fold(0.0, f64::max);
    let total: f64 = seeds.iter().map(|seed| seed.1 / largest).sum();
    seeds.iter_mut().for_each(|seed| seed.1 = seed.1 / largest / total);
    seeds
}
