//! Communities: groups of nodes with more weight among them than chance would give.

mod label;
mod level;
mod modularity;
mod moving;
mod random;
mod refine;
mod search;

use rayon::prelude::*;

use crate::Csr;
pub use label::{CommunityLabel, label_communities};
pub use modularity::modularity;
use random::Random;
use search::Search;

/// Finds communities of high modularity in an undirected graph ([`Csr::undirected`]; for a graph in which an edge
/// does not stand at both its ends with the same weight, the result has no meaning and need not converge).
///
/// An iteration moves single nodes to where modularity gains most (*local moving*), makes groups of nodes
/// the nodes of a coarser graph, and goes on with that one until nothing joins any more. In Louvain the
/// groups are the communities found; in Leiden they are parts of them (*refinement*), so that a part can still
/// leave for another community. The next iteration starts from the communities of the last one.
///
/// Each community is connected, with either algorithm: one that is not falls into its parts at the end, which can
/// only raise modularity. A node without edges is a community of its own. [`modularity`] tells how loops count.
///
/// The result depends on the graph, the options and nothing else. It is not the best there is (finding that is
/// NP-hard); another seed gives another one. An iteration takes O(nodes + edges) for each level and pass over
/// it, in practice little more than for the first level. Together with the graph, a start needs about 16 bytes for
/// each edge (counted at both ends) and 32 for each node; starts that run at the same time share the graph only.
///
/// Sources: V. D. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre, *Fast unfolding of communities in large
/// networks*, 2008; V. A. Traag, L. Waltman, N. J. van Eck, *From Louvain to Leiden: guaranteeing
/// well-connected communities*, 2019.
pub fn communities(graph: &Csr, options: &CommunityOptions) -> Communities {
    let search = Search::new(graph, options);
    (0..options.starts.max(1))
        .into_par_iter()
        .map(|start| (start, search.run(Random::new(options.seed, start as u64))))
        // The best, and the first of equals, in whatever order they are compared.
        .reduce_with(|a, b| {
            let order = b.1.modularity.total_cmp(&a.1.modularity).then(a.0.cmp(&b.0));
            if order.is_le() { a } else { b }
        })
        .map(|(_, found)| found)
        .expect("there is at least one start")
}

/// How [`communities`] searches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommunityOptions {
    /// Leiden by default.
    pub algorithm: CommunityAlgorithm,
    /// γ in the formula of [`modularity`]: the larger, the smaller the communities; 1 by default. A value that
    /// is negative or not finite counts as 1.
    pub resolution: f64,
    /// What the order of visits is drawn from; 0 by default.
    pub seed: u64,
    /// The most iterations; 5 by default. The search ends earlier if an iteration changes nothing. With 0, each
    /// node stays on its own.
    pub max_iterations: usize,
    /// How many times the search starts anew, with another order of visits each time; the best result counts. 1
    /// by default, which 0 counts as. Starts run in parallel.
    pub starts: usize,
}

impl Default for CommunityOptions {
    fn default() -> Self {
        Self { algorithm: CommunityAlgorithm::Leiden, resolution: 1.0, seed: 0, max_iterations: 5, starts: 1 }
    }
}

/// What the nodes of a coarser graph are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommunityAlgorithm {
    /// Communities: the fastest.
    Louvain,
    /// Well connected parts of communities: better communities, for about twice the time per iteration.
    Leiden,
}

/// The outcome of [`communities`].
#[derive(Clone, Debug, PartialEq)]
pub struct Communities {
    /// The community of each node, less than `count`. Larger communities come first, among equally large ones
    /// the one with the first node.
    pub membership: Vec<u32>,
    /// How many communities there are.
    pub count: usize,
    /// The [`modularity`] of the membership at the resolution of the options.
    pub modularity: f64,
    /// How many graphs the last iteration worked on: the given one and coarser ones.
    pub levels: usize,
    /// The iterations taken.
    pub iterations: usize,
    /// Whether the last iteration changed nothing.
    pub converged: bool,
}
