//! Tasks of the benchmark.

use std::ops::RangeInclusive;

use super::graph::Graph;
use super::kernel::{
    Prepare, graph_pagerank, sscg_betweenness, sscg_closeness, sscg_leiden, sscg_leiden_converged,
    sscg_leiden_twice, sscg_louvain, sscg_near, sscg_near_further, sscg_pagerank,
};
use super::quality::power_iteration;
use super::request::Request;

/// A task for SSCG and its peers.
pub(super) struct Task {
    pub(super) name: &'static str,
    /// Name of the task in `peers.py`.
    pub(super) kind: &'static str,
    /// Number of random start nodes per round, for tasks that need them.
    pub(super) seeds: usize,
    /// Edge counts of the graphs that the task applies to.
    pub(super) edges: RangeInclusive<usize>,
    pub(super) measure: Measure,
    /// True if the graph's weights count; otherwise all are 1.
    pub(super) weighted: bool,
    /// In-process contestants, SSCG's own first.
    pub(super) kernels: &'static [(&'static str, Prepare)],
    /// Contestants in `peers.py`.
    pub(super) peers: &'static [Peer],
}

/// A library, or one of its algorithms.
pub(super) struct Peer {
    pub(super) name: &'static str,
    /// Maximum number of edges of its graphs.
    pub(super) most_edges: usize,
    /// True if its numbers mean the same as the reference's.
    pub(super) comparable: bool,
}

/// Measure of a result's quality.
pub(super) enum Measure {
    /// Distance from the exact result.
    Exact(fn(&Graph, &Request) -> Vec<f64>),
    /// Distance from the result of this peer.
    Peer(&'static str),
    /// Modularity; SSCG's communities must be connected.
    Modularity,
    /// Time only.
    Time,
}

const ANY: usize = usize::MAX;

const fn peer(name: &'static str, most_edges: usize) -> Peer {
    Peer { name, most_edges, comparable: true }
}

/// Returns a peer whose numbers mean something else.
const fn other(name: &'static str, most_edges: usize) -> Peer {
    Peer { name, most_edges, comparable: false }
}

/// All tasks.
pub(super) const TASKS: &[Task] = &[
    Task {
        name: "personalised PageRank",
        kind: "pagerank",
        seeds: 5,
        edges: 30_000..=ANY,
        measure: Measure::Exact(power_iteration),
        weighted: true,
        kernels: &[
            ("sscg", sscg_pagerank),
            ("sscg near, 1e-5", sscg_near),
            ("sscg near, 2e-6", sscg_near_further),
        ],
        // networkit has no personalized PageRank: its walk returns to all nodes uniformly.
        peers: &[
            peer("scipy", ANY),
            peer("igraph", ANY),
            peer("rustworkx", ANY),
            peer("networkx", 2_000_000),
        ],
    },
    Task {
        name: "global PageRank",
        kind: "pagerank",
        seeds: 0,
        edges: 30_000..=ANY,
        measure: Measure::Exact(power_iteration),
        weighted: true,
        kernels: &[("sscg", sscg_pagerank)],
        peers: &[
            peer("scipy", ANY),
            peer("igraph", ANY),
            peer("networkit", ANY),
            peer("rustworkx", ANY),
            peer("networkx", 2_000_000),
        ],
    },
    Task {
        name: "global PageRank, plain",
        kind: "pagerank",
        seeds: 0,
        edges: 30_000..=ANY,
        measure: Measure::Exact(power_iteration),
        weighted: false,
        kernels: &[("sscg", sscg_pagerank), ("graph", graph_pagerank)],
        peers: &[],
    },
    Task {
        name: "betweenness",
        kind: "betweenness",
        seeds: 0,
        edges: 0..=30_000,
        measure: Measure::Peer("igraph"),
        weighted: true,
        kernels: &[("sscg", sscg_betweenness)],
        peers: &[peer("igraph", ANY), peer("networkit", ANY), peer("rustworkx", ANY)],
    },
    Task {
        name: "betweenness, 256 sources",
        kind: "sampled betweenness",
        seeds: 256,
        edges: 30_000..=2_000_000,
        // Each draws different sources, so that results are not comparable.
        measure: Measure::Time,
        weighted: true,
        kernels: &[("sscg", sscg_betweenness)],
        peers: &[peer("igraph", ANY), peer("networkit", ANY)],
    },
    Task {
        name: "closeness",
        kind: "closeness",
        seeds: 0,
        edges: 0..=60_000,
        measure: Measure::Peer("rustworkx"),
        weighted: true,
        kernels: &[("sscg", sscg_closeness)],
        // On graphs that are not strongly connected, igraph and networkit define closeness differently.
        peers: &[
            other("igraph", ANY),
            other("networkit", ANY),
            peer("rustworkx", ANY),
            peer("networkx", 30_000),
        ],
    },
    Task {
        name: "Louvain",
        kind: "communities",
        seeds: 0,
        edges: 30_000..=2_000_000,
        measure: Measure::Modularity,
        weighted: true,
        kernels: &[
            ("sscg Louvain, 2 iterations", sscg_louvain),
            ("sscg Leiden, 2 iterations", sscg_leiden_twice),
        ],
        peers: &[peer("networkit PLM", ANY), peer("igraph multilevel", ANY)],
    },
    Task {
        name: "Leiden",
        kind: "communities",
        seeds: 0,
        edges: 30_000..=2_000_000,
        measure: Measure::Modularity,
        weighted: true,
        kernels: &[
            ("sscg Leiden, 2 iterations", sscg_leiden_twice),
            ("sscg Leiden, 5 iterations", sscg_leiden),
        ],
        peers: &[
            peer("networkit ParallelLeiden", ANY),
            peer("igraph Leiden, 2 iterations", ANY),
            peer("leidenalg, 2 iterations", 500_000),
        ],
    },
    Task {
        name: "Leiden, converged",
        kind: "communities",
        seeds: 0,
        edges: 30_000..=2_000_000,
        measure: Measure::Modularity,
        weighted: true,
        kernels: &[
            ("sscg Leiden, 5 iterations", sscg_leiden),
            ("sscg Leiden, converged", sscg_leiden_converged),
        ],
        peers: &[peer("igraph Leiden, converged", ANY), peer("leidenalg, converged", 100_000)],
    },
];
