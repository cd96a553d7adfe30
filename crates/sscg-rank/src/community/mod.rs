//! Communities: groups of nodes with more edge weight among them than expected by chance.

mod label;
mod level;
mod modularity;
mod moving;
mod random;
mod refine;
mod search;

use derive_setters::Setters;
use rayon::prelude::*;

use crate::Csr;
pub use label::{CommunityLabel, label_communities};
pub use modularity::modularity;
use random::Random;
use search::Search;

/// Finds communities of high modularity in an undirected graph ([`Csr::undirected`]). If an edge does not appear at
/// both its ends with the same weight, the result has no meaning and the search need not converge.
///
/// An iteration moves single nodes to where modularity gains most (*local moving*), makes groups of nodes the nodes
/// of a coarser graph, and repeats on that graph until nothing joins any more. In Louvain the groups are the
/// communities found. In Leiden they are parts of them (*refinement*), so that a part can still leave for another
/// community. The next iteration starts from the communities of the last one.
///
/// Each community is connected, with either algorithm: a disconnected one is split into its components at the end,
/// which can only raise modularity. A node without edges is a community of its own. [`modularity`] documents how
/// self-loops count.
///
/// The result depends only on the graph and the options. It is not the optimum (finding that is NP-hard); another
/// seed gives another result. An iteration takes O(nodes + edges) for each level and pass over it, in practice little
/// more than for the first level. In addition to the graph, a start needs about 16 bytes for each edge (counted at
/// both ends) and 32 for each node; concurrent starts share only the graph.
///
/// Sources: V. D. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre, *Fast unfolding of communities in large
/// networks*, 2008; V. A. Traag, L. Waltman, N. J. van Eck, *From Louvain to Leiden: guaranteeing well-connected
/// communities*, 2019.
///
/// ```
/// use sscg_rank::{CommunityOptions, Csr, communities};
///
/// // Two triangles, connected by one edge.
/// let edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)];
/// let graph = Csr::from_edges(6, edges.map(|(source, target)| (source, target, 1.0)));
/// let found = communities(&Csr::undirected(&graph), &CommunityOptions::default());
/// assert_eq!(found.membership, [0, 0, 0, 1, 1, 1]);
/// ```
pub fn communities(graph: &Csr, options: &CommunityOptions) -> Communities {
    let search = Search::new(graph, options);
    (0..options.starts.max(1))
        .into_par_iter()
        .map(|start| (start, search.run(Random::new(options.seed, start as u64))))
        // The best start wins, and the first among equals, regardless of the order of comparison.
        .reduce_with(|a, b| {
            let order = b.1.modularity.total_cmp(&a.1.modularity).then(a.0.cmp(&b.0));
            if order.is_le() { a } else { b }
        })
        .map(|(_, found)| found)
        .expect("there is at least one start")
}

/// Options of [`communities`].
#[derive(Clone, Copy, Debug, PartialEq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct CommunityOptions {
    /// Search algorithm (default Leiden).
    pub algorithm: CommunityAlgorithm,
    /// γ in the formula of [`modularity`] (default 1): the larger, the smaller the communities. A value that is
    /// negative or not finite counts as 1.
    pub resolution: f64,
    /// Seed of the visiting order (default 0).
    pub seed: u64,
    /// Maximum number of iterations (default 5). The search ends earlier if an iteration changes nothing. With 0,
    /// each node is its own community.
    pub max_iterations: usize,
    /// Number of starts of the search, each with another visiting order; the best result is returned (default 1; 0
    /// counts as 1). Starts run in parallel.
    pub starts: usize,
}

impl Default for CommunityOptions {
    fn default() -> Self {
        Self { algorithm: CommunityAlgorithm::Leiden, resolution: 1.0, seed: 0, max_iterations: 5, starts: 1 }
    }
}

/// Community search algorithm: determines the nodes of a coarser graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommunityAlgorithm {
    /// Communities: the fastest.
    Louvain,
    /// Well-connected parts of communities: better communities, for about twice the time per iteration.
    Leiden,
}

/// Result of [`communities`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Communities {
    /// Community of each node, less than `count`. Larger communities come first; among equally large ones, the one
    /// with the first node.
    pub membership: Vec<u32>,
    /// Number of communities.
    pub count: usize,
    /// [`modularity`] of the membership at the resolution of the options.
    pub modularity: f64,
    /// Number of graphs that the last iteration worked on: the input graph and coarser ones.
    pub levels: usize,
    /// Number of iterations run.
    pub iterations: usize,
    /// True if the last iteration changed nothing.
    pub converged: bool,
}
