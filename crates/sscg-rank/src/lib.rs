//! Ranking kernels: PageRank, centrality, communities and rank fusion on any graph.
//!
//! Numbers in, numbers out. Use it to rank nodes of a graph of your own, or to fuse rankings. The code graph of
//! [`sscg-graph`](https://docs.rs/sscg-graph) is one of the possible inputs.
//!
//! *Invariant:* pure functions of their arguments. No I/O, no clock, no randomness except from a seed, no knowledge of
//! what a node represents. The same input gives the same bits for any number of threads. Invalid numbers are left out
//! as documented at each function, so that no score is ever NaN.
//!
//! # Overview
//!
//! - A kernel runs on a [`Csr`] of edges or, for PageRank, on a [`RandomWalk`], each built once from any [`Adjacency`]:
//!   [`Csr::outgoing`], [`RandomWalk::new`].
//! - *Which nodes of a graph matter, seen from these seeds?* [`pagerank()`]; near the seeds of a large graph, without
//!   preparation, [`pagerank_near`].
//! - *Which nodes matter at all?* [`degree()`] by their edges, [`closeness()`] by their distances, [`betweenness()`] by
//!   the shortest paths through them.
//! - *What belongs together?* [`communities()`], by Louvain or Leiden, and [`label_communities`] for their names.
//! - *How do several rankings become one?* [`rrf`] fuses by rank and needs no comparable scores; [`min_max`] makes
//!   scores comparable for fusion by score; [`is_sparse`] detects graphs with too few edges for their ranking to be
//!   worth fusing.
//!
//! # Example
//!
//! ```
//! use sscg_rank::{Csr, PageRankOptions, RRF_K, RandomWalk, pagerank, rrf};
//!
//! // 0 calls 1 and 2, both of which call 3; nothing reaches 4. Every call weighs the same.
//! let calls = Csr::from_edges(5, [(0, 1), (0, 2), (1, 3), (2, 3), (4, 3)].map(|(from, to)| (from, to, 1.0)));
//! let walk = RandomWalk::new(&calls);
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
//! # Design
//!
//! - **One trait as input.** [`Adjacency`] stands in [`sscg-core`](sscg_core), below graphs and kernels, so the kernels
//!   run on any graph and have no knowledge of code.
//! - **PageRank is solved by component.** Nodes on no cycle are passed once; each strongly connected component is swept
//!   until it has converged. [`PageRank::residual`] bounds the distance to the exact scores.
//! - **Components are settled by pushing, not by a second layout of the edges.** Pulling in order of level was up to
//!   1.6 times as fast, for 1.2 to 1.6 times the memory; the memory bound is a guarantee.
//! - **Proximity needs no preparation.** [`pagerank_near`] walks a graph as it is, because an ordered copy of 3 million
//!   edges took 1.5 s after each edit.
//! - **Each algorithm names its source**, its complexity, and where it differs from the source.

mod centrality;
mod community;
mod csr;
mod fusion;
mod pagerank;

pub use centrality::{
    BetweennessOptions, DegreeOptions, EdgeDirection, betweenness, betweenness_samples, closeness,
    closeness_sampled, degree,
};
pub use community::{
    Communities, CommunityAlgorithm, CommunityLabel, CommunityOptions, communities, label_communities,
    modularity,
};
pub use csr::{Csr, WeightedEdge};
pub use fusion::{
    Annotated, CENTRALITY_ALPHA, RRF_K, annotate, blend, is_sparse, min_max, rank_normalize, rerank, rrf,
};
pub use pagerank::{NearOptions, PageRank, PageRankOptions, RandomWalk, Scores, pagerank, pagerank_near};

#[doc(no_inline)]
pub use sscg_core::Adjacency;
