//! In-process contestants: SSCG's kernels and other crates.

use graph::prelude::{CsrLayout, DirectedCsrGraph, GraphBuilder, PageRankConfig, page_rank};
use sscg_rank::{
    BetweennessOptions, CommunityAlgorithm, CommunityOptions, Csr, EdgeDirection, NearOptions,
    PageRankOptions, RandomWalk, betweenness, closeness, communities, pagerank, pagerank_near,
};

use super::graph::Graph;
use super::request::Request;

/// Task on a graph in the algorithm's own layout. The measured time excludes the conversion to that layout and the call
/// of the outcome.
pub(super) type Kernel = Box<dyn Fn(&Request) -> Outcome>;

/// Conversion of a result to one number per node.
pub(super) type Outcome = Box<dyn FnOnce() -> Vec<f64>>;

/// Function that prepares a kernel for a graph.
pub(super) type Prepare = fn(&Graph) -> Kernel;

/// SSCG's tolerance, the distance to the exact scores.
const DISTANCE: f64 = 1e-6;

pub(super) fn sscg_pagerank(graph: &Graph) -> Kernel {
    let (nodes, walk) = (graph.outgoing.node_count() as u32, RandomWalk::new(&graph.outgoing));
    let options = PageRankOptions::default().with_tolerance(DISTANCE);
    Box::new(move |request| {
        let ranking = pagerank(&walk, &seeds(request), &options);
        Box::new(move || (0..nodes).map(|node| ranking.scores.get(node)).collect())
    })
}

/// Returns a kernel that is precise enough for the 20 best nodes.
pub(super) fn sscg_near(graph: &Graph) -> Kernel {
    sscg_near_by(graph, 1e-5)
}

/// Returns a kernel that is precise enough for the 100 best nodes.
pub(super) fn sscg_near_further(graph: &Graph) -> Kernel {
    sscg_near_by(graph, 2e-6)
}

fn sscg_near_by(graph: &Graph, least: f64) -> Kernel {
    let (nodes, graph) = (graph.outgoing.node_count() as u32, graph.outgoing.clone());
    let options = NearOptions::default().with_least(least);
    Box::new(move |request| {
        let ranking = pagerank_near(&graph, &seeds(request), &options);
        Box::new(move || (0..nodes).map(|node| ranking.scores.get(node)).collect())
    })
}

/// Returns the seeds of a request, all with the same weight.
fn seeds(request: &Request) -> Vec<(u32, f64)> {
    request.seeds.iter().map(|&node| (node, 1.0)).collect()
}

pub(super) fn sscg_betweenness(graph: &Graph) -> Kernel {
    let graph = graph.outgoing.clone();
    Box::new(move |request| {
        let mut options = BetweennessOptions::default().with_seed(request.seed);
        options.samples = (!request.seeds.is_empty()).then_some(request.seeds.len());
        let scores = betweenness(&graph, &options);
        Box::new(move || scores)
    })
}

pub(super) fn sscg_closeness(graph: &Graph) -> Kernel {
    let graph = graph.outgoing.clone();
    Box::new(move |_| {
        let scores = closeness(&graph, EdgeDirection::Incoming);
        Box::new(move || scores)
    })
}

pub(super) fn sscg_louvain(graph: &Graph) -> Kernel {
    let algorithm = CommunityAlgorithm::Louvain;
    sscg_communities(graph, CommunityOptions::default().with_algorithm(algorithm).with_max_iterations(2))
}

pub(super) fn sscg_leiden_twice(graph: &Graph) -> Kernel {
    sscg_communities(graph, CommunityOptions::default().with_max_iterations(2))
}

pub(super) fn sscg_leiden(graph: &Graph) -> Kernel {
    sscg_communities(graph, CommunityOptions::default())
}

pub(super) fn sscg_leiden_converged(graph: &Graph) -> Kernel {
    sscg_communities(graph, CommunityOptions::default().with_max_iterations(usize::MAX))
}

fn sscg_communities(graph: &Graph, options: CommunityOptions) -> Kernel {
    let graph = Csr::undirected(&graph.outgoing);
    Box::new(move |request| {
        let found = communities(&graph, &options.with_seed(request.seed));
        Box::new(move || found.membership.into_iter().map(f64::from).collect())
    })
}

/// Returns the kernel of the crate `graph`: unweighted and in `f32`. It loses the mass on dangling nodes, which only
/// changes the scale, since the walk returns to all nodes uniformly.
pub(super) fn graph_pagerank(graph: &Graph) -> Kernel {
    let nodes = graph.outgoing.node_count();
    let edges = graph.outgoing.edges().map(|edge| (edge.source, edge.target));
    let graph: DirectedCsrGraph<u32> =
        GraphBuilder::new().csr_layout(CsrLayout::Sorted).edges(edges.collect::<Vec<_>>()).build();
    Box::new(move |request| {
        let known = graph::prelude::Graph::node_count(&graph);
        let (scores, ..) = page_rank(&graph, PageRankConfig::new(100, request.tolerance, 0.85));
        Box::new(move || {
            let mut scores: Vec<f64> = scores.into_iter().map(f64::from).collect();
            // The crate ignores nodes after the last one with an edge.
            scores.resize(nodes, 0.15 / f64::from(known));
            let mass: f64 = scores.iter().sum();
            scores.iter_mut().for_each(|score| *score /= mass);
            scores
        })
    })
}
