//! Ranking kernels: numbers in, numbers out.
//!
//! The kernels rank and relate the first candidates of a search:
//!
//! - *Which nodes of a graph matter, seen from these seeds?* [`pagerank()`], on a [`RandomWalk`] built once from any
//!   [`Adjacency`](sscg_core::Adjacency).
//! - *Which nodes matter at all?* [`degree()`] by their edges, [`closeness()`] by their distances, [`betweenness()`]
//!   by the shortest paths through them.
//! - *What belongs together?* [`communities()`], by Louvain or Leiden.
//! - *How do several rankings become one?* [`rrf`] fuses by rank and needs no comparable scores; [`min_max`] makes
//!   scores comparable for fusion by score; [`is_sparse`] detects graphs with too few edges for their ranking to be
//!   worth fusing.
//!
//! ```
//! use sscg_core::Adjacency;
//! use sscg_rank::{PageRankOptions, RRF_K, RandomWalk, pagerank, rrf};
//!
//! /// For each node, its targets; every edge weighs the same.
//! struct Calls(Vec<Vec<u32>>);
//!
//! impl Adjacency for Calls {
//!     fn node_count(&self) -> usize {
//!         self.0.len()
//!     }
//!     fn edge_count(&self) -> usize {
//!         self.0.iter().map(Vec::len).sum()
//!     }
//!     fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
//!         self.0[node as usize].iter().for_each(|&target| visit(target, 1.0));
//!     }
//! }
//!
//! // 0 calls 1 and 2, both of which call 3; nothing reaches 4.
//! let walk = RandomWalk::new(&Calls(vec![vec![1, 2], vec![3], vec![3], vec![], vec![3]]));
//! let ranking = pagerank(&walk, &[(0, 1.0)], &PageRankOptions::default());
//! assert!(ranking.converged);
//! assert!(ranking.scores.get(3) > ranking.scores.get(1));
//! assert_eq!(ranking.scores.get(4), 0.0);
//!
//! // Node 3 is the only one that both the graph and the words of the question put forward.
//! let by_graph: &[u32] = &[0, 3, 1, 2];
//! let by_words: &[u32] = &[3, 4];
//! assert_eq!(rrf(&[(1.0, by_graph), (1.0, by_words)], RRF_K)[0].0, 3);
//! ```
//!
//! *Invariant:* pure functions of their arguments. No I/O, no clock, no randomness except from a seed, no knowledge
//! of what a node represents. The same input gives the same bits for any number of threads. Invalid numbers are left
//! out as documented at each function, so that no score is ever NaN.

mod centrality;
mod community;
mod csr;
mod fusion;
mod pagerank;

pub use centrality::{
    BetweennessOptions, DegreeOptions, Direction, betweenness, betweenness_samples, closeness, degree,
};
pub use community::{
    Communities, CommunityAlgorithm, CommunityLabel, CommunityOptions, communities, label_communities,
    modularity,
};
pub use csr::Csr;
pub use fusion::{
    Annotated, CENTRALITY_ALPHA, RRF_K, annotate, blend, is_sparse, min_max, rank_normalize, rerank, rrf,
};
pub use pagerank::{NearOptions, PageRank, PageRankOptions, RandomWalk, Scores, pagerank, pagerank_near};
