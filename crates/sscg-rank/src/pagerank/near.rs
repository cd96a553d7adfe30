//! PageRank near the seeds, on a graph of which nothing was prepared.

use std::collections::VecDeque;
use std::mem;

use rustc_hash::FxHashMap;
use sscg_core::Adjacency;

use super::{PageRank, PageRankOptions, Scores, error_bound, seed_distribution, teleport_probability};

/// Less than rounding leaves behind would be followed for ever.
const LEAST: f64 = 1e-15;

/// How far [`pagerank_near`] goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearOptions {
    /// The probability of a jump to the seeds at each step; as in [`PageRankOptions`].
    pub teleport: f64,
    /// Mass that came to a node is followed if there is more than so much of the seeds' whole mass for each of its
    /// edges; 1e-6 by default, at least 1e-15. A node with very many edges is not followed for little.
    pub least: f64,
    /// How often mass is followed at most; a million by default.
    pub max_iterations: usize,
}

impl Default for NearOptions {
    fn default() -> Self {
        Self { teleport: PageRankOptions::default().teleport, least: 1e-6, max_iterations: 1_000_000 }
    }
}

/// The scores that [`pagerank()`](super::pagerank()) gives, of nodes near the seeds, without a look at the rest of the
/// graph: nothing is prepared, so that it can be asked of a graph that changed a moment ago.
///
/// Mass is pushed along edges from wherever there is enough of it. The cost is O(1 / (`least` * teleport)) edges,
/// whatever the size of the graph, and the rows of nodes that are reached are looked at once. `residual` bounds the L1
/// distance to the exact scores, from all that was not followed; `iterations` is how often mass was followed. Without
/// seeds nothing is near: all scores are 0.
///
/// Source: R. Andersen, F. Chung, K. Lang, *Local Graph Partitioning using PageRank Vectors*, 2006.
pub fn pagerank_near(graph: &impl Adjacency, seeds: &[(u32, f64)], options: &NearOptions) -> PageRank {
    let teleport = teleport_probability(options.teleport);
    let keep = 1.0 - teleport;
    let mut near = Near {
        least: options.least.max(LEAST),
        known: FxHashMap::default(),
        list: Vec::new(),
        queue: VecDeque::new(),
    };
    for (node, share) in seed_distribution(graph.node_count(), seeds) {
        near.arrive(node, share);
    }
    let mut iterations = 0;
    while iterations < options.max_iterations
        && let Some(at) = near.queue.pop_front()
    {
        let reached = &mut near.list[at];
        reached.is_waiting = false;
        let node = reached.node;
        let row = *reached.row.get_or_insert_with(|| Row::of(graph, node));
        if reached.left <= near.least * row.edges as f64 {
            continue;
        }
        iterations += 1;
        let visits = mem::take(&mut reached.left);
        reached.visits += visits;
        if row.weight > 0.0 {
            let share = visits * keep / row.weight;
            graph.for_each_out(node, &mut |target, weight| near.arrive(target, share * f64::from(weight)));
        }
    }
    let rest: f64 = near.list.iter().map(|reached| reached.left).sum();
    let total: f64 = near.list.iter().map(|reached| reached.visits + reached.left).sum();
    let score = |reached: &Reached| (reached.node, (reached.visits + reached.left) / total);
    let mut scores: Vec<(u32, f64)> = near.list.iter().map(score).collect();
    scores.sort_unstable_by_key(|(node, _)| *node);
    let residual = if total > 0.0 { error_bound(rest, total, teleport) } else { 0.0 };
    PageRank { scores: Scores::Near(scores), iterations, residual, converged: near.queue.is_empty() }
}

/// The nodes that mass has come to.
struct Near {
    least: f64,
    /// Where a node stands in the list.
    known: FxHashMap<u32, usize>,
    list: Vec<Reached>,
    /// Places in the list where mass came since they were looked at.
    queue: VecDeque<usize>,
}

struct Reached {
    node: u32,
    is_waiting: bool,
    /// How often the walk was there, as far as it has been followed.
    visits: f64,
    /// What arrived and was not followed.
    left: f64,
    /// What is known of its edges, once they were looked at.
    row: Option<Row>,
}

#[derive(Clone, Copy)]
struct Row {
    edges: usize,
    weight: f64,
}

impl Row {
    fn of(graph: &impl Adjacency, node: u32) -> Self {
        let mut row = Self { edges: 0, weight: 0.0 };
        graph.for_each_out(node, &mut |_, weight| {
            row.edges += 1;
            row.weight += f64::from(weight);
        });
        row
    }
}

impl Near {
    fn arrive(&mut self, node: u32, mass: f64) {
        let next = self.list.len();
        let at = *self.known.entry(node).or_insert(next);
        if at == next {
            self.list.push(Reached { node, is_waiting: false, visits: 0.0, left: 0.0, row: None });
        }
        let reached = &mut self.list[at];
        reached.left += mass;
        let edges = reached.row.map_or(1, |row| row.edges);
        if !reached.is_waiting && reached.left > self.least * edges as f64 {
            reached.is_waiting = true;
            self.queue.push_back(at);
        }
    }
}
