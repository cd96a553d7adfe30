//! PageRank near the seeds, on a graph without any preparation.

use std::collections::VecDeque;
use std::mem;

use derive_setters::Setters;
use rustc_hash::FxHashMap;
use sscg_core::Adjacency;

use super::{PageRank, PageRankOptions, Scores, error_bound, seed_distribution, teleport_probability};

/// Lower bound of `NearOptions::least`: amounts of the size of rounding errors would be followed forever.
const LEAST: f64 = 1e-15;

/// Options of [`pagerank_near`].
#[derive(Clone, Copy, Debug, PartialEq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct NearOptions {
    /// Probability of a jump to the seeds at each step; as in [`PageRankOptions`].
    pub teleport: f64,
    /// Minimum mass to follow from a node, as a fraction of the seeds' total mass per edge of the node (default 1e-6,
    /// at least 1e-15). A node with very many edges is not followed for little mass.
    pub least: f64,
    /// Maximum number of times that mass is followed from a node (default one million).
    pub max_iterations: usize,
}

impl Default for NearOptions {
    fn default() -> Self {
        Self { teleport: PageRankOptions::default().teleport, least: 1e-6, max_iterations: 1_000_000 }
    }
}

/// Computes the scores of [`pagerank()`](super::pagerank()) for nodes near the seeds, without visiting the rest of
/// the graph. It needs no preparation and so suits a graph that has just changed.
///
/// Mass is pushed along edges from each node that has enough of it. The cost is O(1 / (`least` * teleport)) edges,
/// independent of the size of the graph; the rows of reached nodes are summed once. `residual` bounds the L1 distance
/// to the exact scores by the mass that was not followed; `iterations` is the number of pushes. Without seeds all
/// scores are 0.
///
/// Source: R. Andersen, F. Chung, K. Lang, *Local Graph Partitioning using PageRank Vectors*, 2006.
///
/// ```
/// use sscg_rank::{Csr, NearOptions, PageRankOptions, RandomWalk, pagerank, pagerank_near};
///
/// // 0 calls 1 and 2, both of which call 3; nothing reaches 4.
/// let calls = Csr::from_edges(5, [(0, 1, 1.0), (0, 2, 1.0), (1, 3, 1.0), (2, 3, 1.0), (4, 3, 1.0)]);
/// let near = pagerank_near(&calls, &[(0, 1.0)], &NearOptions::default());
/// assert!(near.converged && near.scores.get(3) > near.scores.get(1));
/// assert_eq!(near.scores.get(4), 0.0);
///
/// let exact = pagerank(&RandomWalk::new(&calls), &[(0, 1.0)], &PageRankOptions::default());
/// assert!((near.scores.get(3) - exact.scores.get(3)).abs() < 1e-4);
/// ```
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

/// Nodes that mass has reached.
struct Near {
    least: f64,
    /// Index of each node in `list`.
    known: FxHashMap<u32, usize>,
    list: Vec<Reached>,
    /// Indexes into `list` of nodes that received mass since they were last processed.
    queue: VecDeque<usize>,
}

struct Reached {
    node: u32,
    is_waiting: bool,
    /// Number of visits of the walk, as far as it has been followed.
    visits: f64,
    /// Mass that arrived and has not been followed.
    left: f64,
    /// Number and weight of the node's edges, once they were inspected.
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
