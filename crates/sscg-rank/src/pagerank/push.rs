//! PageRank near the seeds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem;

use rustc_hash::FxHashMap;

use super::walk::RandomWalk;
use super::{PageRank, PageRankOptions, Scores, error_bound};

/// Mass on its way over the places that it has come to.
struct Reached<'w> {
    walk: &'w RandomWalk,
    /// The probability to go on at each step.
    keep: f64,
    /// Where a place stands in the list.
    known: FxHashMap<u32, u32>,
    list: Vec<Reach>,
    /// Places where more is left than may stay: those to come to in this sweep, and those in the next.
    now: BinaryHeap<Reverse<u32>>,
    later: BinaryHeap<Reverse<u32>>,
}

struct Reach {
    place: u32,
    /// How often the walk was there, as far as it has been followed.
    visits: f64,
    /// What arrived and was not followed.
    left: f64,
    is_waiting: bool,
}

/// Follows mass in sweeps over the places in order, wherever more than `least` of it has come together.
pub(super) fn push(
    walk: &RandomWalk,
    seeds: &[(u32, f64)],
    least: f64,
    options: &PageRankOptions,
) -> PageRank {
    let teleport = options.teleport_probability();
    let mut reached = Reached {
        walk,
        keep: 1.0 - teleport,
        known: FxHashMap::default(),
        list: Vec::new(),
        now: BinaryHeap::new(),
        later: BinaryHeap::new(),
    };
    for (node, share) in seeds {
        reached.arrive(walk.places[*node as usize], *share, None, least);
    }
    let mut iterations = 0;
    while iterations < options.max_iterations && !reached.now.is_empty() {
        while let Some(Reverse(place)) = reached.now.pop() {
            reached.follow(place, least);
        }
        mem::swap(&mut reached.now, &mut reached.later);
        iterations += 1;
    }
    let rest: f64 = reached.list.iter().map(|reach| reach.left).sum();
    let total: f64 = reached.list.iter().map(|reach| reach.visits + reach.left).sum();
    let score = |reach: &Reach| (walk.nodes[reach.place as usize], (reach.visits + reach.left) / total);
    let mut scores: Vec<(u32, f64)> = reached.list.iter().map(score).collect();
    scores.sort_unstable_by_key(|(node, _)| *node);
    let residual = error_bound(rest, total, teleport);
    PageRank { scores: Scores::Near(scores), iterations, residual, converged: reached.now.is_empty() }
}

impl Reached<'_> {
    /// Follows what is left at a place.
    fn follow(&mut self, place: u32, least: f64) {
        let walk = self.walk;
        let at = self.known[&place] as usize;
        let reach = &mut self.list[at];
        reach.is_waiting = false;
        let visits = mem::take(&mut reach.left) * walk.visits_per_arrival(place, self.keep);
        reach.visits += visits;
        let share = visits * self.keep / walk.weights[place as usize];
        for (target, weight) in walk.edges.row(place).filter(|(target, _)| *target != place) {
            self.arrive(target, share * f64::from(weight), Some(place), least);
        }
    }

    /// Adds what comes to a place, from another one or as a seed.
    fn arrive(&mut self, place: u32, mass: f64, from: Option<u32>, least: f64) {
        let next = self.list.len() as u32;
        let at = *self.known.entry(place).or_insert(next);
        if at == next {
            self.list.push(Reach { place, visits: 0.0, left: 0.0, is_waiting: false });
        }
        let reach = &mut self.list[at as usize];
        reach.left += mass;
        if reach.left > least && !reach.is_waiting {
            reach.is_waiting = true;
            let heap = if from.is_none_or(|from| from < place) { &mut self.now } else { &mut self.later };
            heap.push(Reverse(place));
        }
    }
}
