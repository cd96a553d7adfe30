//! Exact closeness centrality of all nodes.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::betweenness::draw;
use crate::{Csr, EdgeDirection};

/// Number of 64-bit words per lane set: 64 breadth-first searches per word share a sweep over the graph.
const WORDS: usize = 4;

/// Bit set over the searches that share a sweep.
type Lanes = [u64; WORDS];

/// Returns the closeness of each node: the inverse mean distance from the nodes that reach it, scaled by their share.
///
/// If r of the n - 1 other nodes have a path to a node, and the lengths of their shortest paths sum up to d edges,
/// its closeness is
///
/// > r / (n - 1) · r / d,
///
/// and 0 if r is 0. The first factor corrects for graphs that are not strongly connected: without it, a node with a
/// single incoming edge and nothing behind that edge would be closest of all. Closeness is within `0.0..=1.0`; 1
/// means an edge from each other node.
///
/// `graph` holds the edges by source ([`Csr::outgoing`]). With [`EdgeDirection::Incoming`], distances are those *to* a
/// node along the edges: in a call graph, a function with high closeness is reached from many others in few steps.
/// networkx's `closeness_centrality` and rustworkx use the same definition; igraph has it as mode `in` (without the
/// first factor), networkit only in the reverse direction. [`EdgeDirection::Outgoing`] uses the distances *from* a node,
/// and [`EdgeDirection::Both`] ignores the direction of edges. Weights and self-loops do not matter.
///
/// The searches from all nodes run 256 at a time, one bit each, so that searches that cross an edge after the same
/// number of steps cross it together. At most O(nodes · (nodes + edges)) bit operations. Each thread takes 120 bytes
/// per node; a direction other than incoming takes another [`Csr`]. The result is the same for any number of threads.
///
/// Sources: S. Wasserman, K. Faust, *Social Network Analysis*, 1994, for the measure; M. Then et al., *The More the
/// Merrier: Efficient Multi-Source Graph Traversal*, 2014, for the algorithm.
///
/// ```
/// use sscg_rank::{Csr, EdgeDirection, closeness};
///
/// // 0 calls 1, which calls 2.
/// let graph = Csr::from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)]);
/// // One of two nodes reaches 1 over one edge; both reach 2, over three edges in all.
/// let expected = [0.0, 1.0 / 2.0, 2.0 / 3.0];
/// let close = closeness(&graph, EdgeDirection::Incoming);
/// assert!(close.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12));
/// assert_eq!(closeness(&graph, EdgeDirection::Both)[1], 1.0);
/// ```
pub fn closeness(graph: &Csr, direction: EdgeDirection) -> Vec<f64> {
    closeness_sampled(graph, direction, usize::MAX, 0)
}

/// Estimates [`closeness()`] by the distances from `samples` nodes, drawn at random without replacement; `seed` decides
/// which. As many samples as nodes are exact.
///
/// For k samples other than the node, r of which reach it over d edges in all, the estimate is r / k · r / d, within
/// `0.0..=1.0`. If all nodes reach each other over at most D edges, the estimated mean distance is off by at most
///
/// > D · √(ln(2 n / δ) / (2 k))
///
/// at all of the n nodes at once with a probability of at least 1 - δ. The cost is O(`samples` · (nodes + edges)) bit
/// operations; up to 256 samples share one sweep.
///
/// Source: D. Eppstein, J. Wang, *Fast Approximation of Centrality*, 2004.
pub fn closeness_sampled(graph: &Csr, direction: EdgeDirection, samples: usize, seed: u64) -> Vec<f64> {
    let sources = draw(graph.node_count(), samples.min(graph.node_count()), seed);
    // A sweep sums distances at the node it arrives at, so following the edges gives the distances to a node.
    match direction {
        EdgeDirection::Incoming => closeness_along(&[graph], &sources),
        EdgeDirection::Outgoing => closeness_along(&[&graph.transposed()], &sources),
        EdgeDirection::Both => closeness_along(&[graph, &graph.transposed()], &sources),
    }
}

/// Returns the closeness of all nodes by their distances from `sources`, in ascending order, along the rows of all
/// `layouts`, which have the same nodes.
fn closeness_along(layouts: &[&Csr], sources: &[u32]) -> Vec<f64> {
    let node_count = layouts[0].node_count();
    let batch_size = Lanes::default().len() * 64;
    let batches = sources.len().div_ceil(batch_size);
    let mut sweeps: Vec<Sweep> =
        (0..rayon::current_num_threads().min(batches)).map(|_| Sweep::new(node_count)).collect();
    // The assignment of batches to threads does not matter: sums of integers are the same in any order.
    let next = AtomicUsize::new(0);
    sweeps.par_iter_mut().for_each(|sweep| {
        loop {
            let start = next.fetch_add(batch_size, Ordering::Relaxed);
            if start >= sources.len() {
                break;
            }
            sweep.run(layouts, &sources[start..sources.len().min(start + batch_size)]);
        }
    });

    (0..node_count)
        .map(|node| {
            let reached_from: u64 = sweeps.iter().map(|sweep| u64::from(sweep.reached_from[node])).sum();
            let distance: u64 = sweeps.iter().map(|sweep| sweep.distance[node]).sum();
            if reached_from == 0 {
                return 0.0;
            }
            let is_source = sources.binary_search(&(node as u32)).is_ok();
            let others = (sources.len() - usize::from(is_source)) as f64;
            let reached_from = reached_from as f64;
            (reached_from / others) * (reached_from / distance as f64)
        })
        .collect()
}

/// Working memory and results of one thread's batches of searches.
struct Sweep {
    /// Number of sources that reached each node, excluding the node itself.
    reached_from: Vec<u32>,
    /// Sum of the distances from those sources.
    distance: Vec<u64>,
    /// Searches that have visited each node.
    seen: Vec<Lanes>,
    /// Searches that arrive at each node in this step, not necessarily for the first time.
    arriving: Vec<Lanes>,
    /// Nodes with at least one arriving search.
    touched: Vec<u32>,
    /// Nodes reached for the first time in the last step, with the searches that reached them.
    frontier: Vec<(u32, Lanes)>,
}

impl Sweep {
    fn new(node_count: usize) -> Self {
        Self {
            reached_from: vec![0; node_count],
            distance: vec![0; node_count],
            seen: vec![Lanes::default(); node_count],
            arriving: vec![Lanes::default(); node_count],
            touched: Vec::new(),
            frontier: Vec::new(),
        }
    }

    /// Runs a search from each of `sources`, of which there are at most as many as lanes.
    fn run(&mut self, layouts: &[&Csr], sources: &[u32]) {
        self.seen.fill(Lanes::default());
        for (lane, &source) in sources.iter().enumerate() {
            let mut lanes = Lanes::default();
            lanes[lane / 64] = 1 << (lane % 64);
            self.seen[source as usize] = lanes;
            self.frontier.push((source, lanes));
        }
        let mut steps = 0;
        while !self.frontier.is_empty() {
            steps += 1;
            for (node, lanes) in self.frontier.drain(..) {
                for neighbor in layouts.iter().flat_map(|layout| layout.neighbors(node)) {
                    let arriving = &mut self.arriving[*neighbor as usize];
                    if *arriving == Lanes::default() {
                        self.touched.push(*neighbor);
                    }
                    for (arriving, lanes) in arriving.iter_mut().zip(lanes) {
                        *arriving |= lanes;
                    }
                }
            }
            for node in self.touched.drain(..) {
                let index = node as usize;
                let mut new = std::mem::take(&mut self.arriving[index]);
                for (new, seen) in new.iter_mut().zip(&mut self.seen[index]) {
                    *new &= !*seen;
                    *seen |= *new;
                }
                let count: u32 = new.iter().map(|word| word.count_ones()).sum();
                if count > 0 {
                    self.reached_from[index] += count;
                    self.distance[index] += u64::from(count) * steps;
                    self.frontier.push((node, new));
                }
            }
        }
    }
}
