//! PageRank of all nodes that the seeds reach.

use super::walk::RandomWalk;
use super::{PageRank, PageRankOptions, Scores, error_bound};

/// Mass in transit over the graph, by place.
struct MassInTransit<'w> {
    walk: &'w RandomWalk,
    /// Probability that the walk continues at each step.
    keep: f64,
    /// Number of visits of each place, as far as the walk has been followed.
    visits: Vec<f64>,
    /// Mass that arrived at each place and has not been followed.
    left: Vec<f64>,
}

/// Sweeps over the places in order, and over each component until its remaining mass is within the tolerance.
pub(super) fn solve(walk: &RandomWalk, seeds: &[(u32, f64)], options: &PageRankOptions) -> PageRank {
    let node_count = walk.node_count();
    let teleport = options.teleport_probability();
    let mut flow = MassInTransit {
        walk,
        keep: 1.0 - teleport,
        visits: vec![0.0; node_count],
        left: vec![0.0; node_count],
    };
    if seeds.is_empty() {
        flow.left.fill(1.0 / node_count as f64);
    }
    for (node, share) in seeds {
        flow.left[walk.places[*node as usize] as usize] += share;
    }
    // Unfollowed mass that is tolerated per visit. Following it would add at most 1 / teleport times as many visits,
    // and dropping it shifts the same amount again between the other nodes.
    let tolerated = options.tolerance * teleport / (2.0 * flow.keep);
    let mut iterations = 0;
    if options.max_iterations > 0 {
        let mut next = 0;
        for &(start, end) in &walk.cycles {
            flow.pass(next, start, 0.0);
            iterations = iterations.max(flow.settle(start, end, tolerated, options.max_iterations));
            next = end;
        }
        flow.pass(next, node_count as u32, 0.0);
        iterations = iterations.max(1);
    }
    let MassInTransit { mut visits, left, .. } = flow;
    let rest: f64 = left.iter().sum();
    visits.iter_mut().zip(left).for_each(|(visits, left)| *visits += left);
    let total: f64 = visits.iter().sum();
    let scores = walk.places.iter().map(|place| visits[*place as usize] / total).collect();
    let residual = error_bound(rest, total, teleport);
    PageRank { scores: Scores::All(scores), iterations, residual, converged: residual <= options.tolerance }
}

impl MassInTransit<'_> {
    /// Follows the remaining mass of places in order, where it exceeds `least`.
    fn pass(&mut self, start: u32, end: u32, least: f64) {
        for place in start..end {
            let arrived = self.left[place as usize];
            if arrived <= least {
                continue;
            }
            let visits = arrived * self.walk.visits_per_arrival(place, self.keep);
            self.visits[place as usize] += visits;
            let share = visits * self.keep / self.walk.weights[place as usize];
            for (target, weight) in self.walk.edges.row(place) {
                self.left[target as usize] += share * f64::from(weight);
            }
            // Mass that came back to the same place is cleared, too: its visits are already counted.
            self.left[place as usize] = 0.0;
        }
    }

    /// Passes over a component until its remaining mass is within the tolerance per visit; returns the number of
    /// passes.
    fn settle(&mut self, start: u32, end: u32, tolerated: f64, max_passes: usize) -> usize {
        let places = start as usize..end as usize;
        let mut least = 0.0;
        for passes in 0..max_passes {
            let rest: f64 = self.left[places.clone()].iter().sum();
            let visits: f64 = self.visits[places.clone()].iter().sum();
            if rest == 0.0 || rest <= tolerated * visits {
                return passes;
            }
            self.pass(start, end, least);
            // Places with too little mass are skipped; in total they may keep half of the tolerance.
            least = 0.5 * tolerated * visits / places.len() as f64;
        }
        max_passes
    }
}
