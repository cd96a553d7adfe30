//! PageRank, global and personalised, by power iteration.

use crate::Csr;

/// Scores each node by how often a walk that keeps returning to `seeds` is found at it.
///
/// At each step the walk jumps to a seed with the teleport probability *a*, and else follows an outgoing edge
/// chosen by weight; where there is none (a *dangling* node) it jumps to a seed, too. With the adjacency
/// matrix *A*, the diagonal matrix *D* of its row sums, and the seeds as a distribution *s*, the scores are the
/// fixed point of
///
/// > p' = (1 - a) (D⁻¹ A)ᵀ p + a s + (1 - a) d s, where d is the mass that p has on dangling nodes.
///
/// They are not negative and sum to 1, and a node that no seed reaches scores exactly 0.
///
/// `graph` holds the edges by the node that they lead to ([`Csr::incoming`]).
///
/// `seeds` are nodes with weights of any scale; the weights of a node named twice add up. A seed is ignored if
/// its weight is negative or not finite or if the graph has no such node. If nothing is left that weighs more
/// than zero, every node is a seed of the same weight: that is global PageRank.
///
/// The iteration starts from *s* and ends when two successive vectors differ by no more than the tolerance in
/// the L1 norm, or when the steps run out. Each step shrinks that difference at least by the factor 1 - a, and
/// the distance to the fixed point is at most (1 - a) / a times the difference. O(nodes + edges) per step.
///
/// Sources: L. Page, S. Brin, R. Motwani, T. Winograd, *The PageRank Citation Ranking: Bringing Order to the
/// Web*, 1999; T. Haveliwala, *Topic-Sensitive PageRank*, 2002, for the seeds.
pub fn pagerank(graph: &Csr, seeds: &[(u32, f64)], options: &PageRankOptions) -> PageRank {
    let node_count = graph.node_count();
    if node_count == 0 {
        return PageRank { scores: Vec::new(), iterations: 0, residual: 0.0, converged: true };
    }
    let mut out_weights = vec![0.0; node_count];
    for (_, source, weight) in graph.edges() {
        out_weights[source as usize] += f64::from(weight);
    }
    let teleport = options.teleport_probability();
    let seeds = seed_distribution(node_count, seeds);

    let mut scores = seeds.clone();
    let mut next = vec![0.0; node_count];
    // What each node passes along an outgoing edge of weight one.
    let mut flow = vec![0.0; node_count];
    let mut iterations = 0;
    let mut residual = f64::INFINITY;
    while iterations < options.max_iterations && !options.is_met_by(residual) {
        let mut dangling = 0.0;
        for ((flow, &score), &out_weight) in flow.iter_mut().zip(&scores).zip(&out_weights) {
            if out_weight > 0.0 {
                *flow = score / out_weight;
            } else {
                dangling += score;
            }
        }
        let returning = teleport + (1.0 - teleport) * dangling;
        residual = 0.0;
        for (node, next) in (0..).zip(&mut next) {
            let arriving: f64 =
                graph.row(node).map(|(source, weight)| f64::from(weight) * flow[source as usize]).sum();
            *next = (1.0 - teleport) * arriving + returning * seeds[node as usize];
            residual += (*next - scores[node as usize]).abs();
        }
        std::mem::swap(&mut scores, &mut next);
        iterations += 1;
    }
    PageRank { scores, iterations, residual, converged: options.is_met_by(residual) }
}

/// When [`pagerank()`] returns to the seeds and when it stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageRankOptions {
    /// The probability of a jump to the seeds at each step; 0.15 by default, which is a damping factor of 0.85.
    /// The larger, the closer to the seeds the mass stays. Clamped to `0.0..=1.0`; NaN counts as the default.
    pub teleport: f64,
    /// The L1 difference of two successive vectors at which the iteration ends; 1e-6 by default.
    pub tolerance: f64,
    /// The most steps to take; 100 by default, which on any graph is enough for the other two defaults.
    pub max_iterations: usize,
}

impl Default for PageRankOptions {
    fn default() -> Self {
        Self { teleport: 0.15, tolerance: 1e-6, max_iterations: 100 }
    }
}

impl PageRankOptions {
    fn teleport_probability(&self) -> f64 {
        if self.teleport.is_nan() { Self::default().teleport } else { self.teleport.clamp(0.0, 1.0) }
    }

    fn is_met_by(&self, residual: f64) -> bool {
        residual <= self.tolerance
    }
}

/// The outcome of [`pagerank()`].
#[derive(Clone, Debug, PartialEq)]
pub struct PageRank {
    /// For each node its share of the walk: not negative, in sum 1. Empty for the empty graph.
    pub scores: Vec<f64>,
    /// The steps taken.
    pub iterations: usize,
    /// The L1 difference of the last two vectors; infinite if no step was allowed.
    pub residual: f64,
    /// Whether `residual` is within the tolerance. If not, the scores are still a distribution, only coarser.
    pub converged: bool,
}

/// The seeds as a distribution over all nodes; the uniform one if they weigh nothing.
fn seed_distribution(node_count: usize, seeds: &[(u32, f64)]) -> Vec<f64> {
    let seeds: Vec<(usize, f64)> = seeds
        .iter()
        .map(|&(node, weight)| (node as usize, weight))
        .filter(|&(node, weight)| node < node_count && weight.is_finite() && weight > 0.0)
        .collect();
    let largest = seeds.iter().map(|seed| seed.1).fold(0.0, f64::max);
    if largest == 0.0 {
        return vec![1.0 / node_count as f64; node_count];
    }
    // Scaled by the largest, so that no sum of finite weights overflows.
    let total: f64 = seeds.iter().map(|seed| seed.1 / largest).sum();
    let mut distribution = vec![0.0; node_count];
    for (node, weight) in seeds {
        distribution[node] += weight / largest / total;
    }
    distribution
}
