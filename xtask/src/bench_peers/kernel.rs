//! What is measured in this process: SSCG's kernels and other crates.

use graph::prelude::{CsrLayout, DirectedCsrGraph, GraphBuilder, PageRankConfig, page_rank};
use sscg_core::Adjacency;
use sscg_rank::{PageRankOptions, pagerank};

use super::graph::Graph;
use super::task::Request;

/// Does a task on a graph that it was given in the layout that it takes. All but that and what the outcome does is
/// within the time.
pub(super) type Kernel = Box<dyn Fn(&Request) -> Outcome>;

/// Lays a result out as one number for each node.
pub(super) type Outcome = Box<dyn FnOnce() -> Vec<f64>>;

/// Makes a kernel of a graph.
pub(super) type Prepare = fn(&Graph) -> Kernel;

pub(super) fn sscg_pagerank(graph: &Graph) -> Kernel {
    let incoming = graph.outgoing.transposed();
    Box::new(move |request| {
        let seeds: Vec<(u32, f64)> = request.seeds.iter().map(|&node| (node, 1.0)).collect();
        let options = PageRankOptions { tolerance: request.tolerance, ..PageRankOptions::default() };
        let ranking = pagerank(&incoming, &seeds, &options);
        Box::new(move || ranking.scores)
    })
}

/// Of the crate `graph`: without weights and in `f32`, and the mass on dangling nodes is lost, which for a walk that
/// returns to all nodes alike is a matter of scale.
pub(super) fn graph_pagerank(graph: &Graph) -> Kernel {
    let nodes = graph.node_count();
    let edges = graph.outgoing.edges().map(|(source, target, _)| (source, target));
    let graph: DirectedCsrGraph<u32> =
        GraphBuilder::new().csr_layout(CsrLayout::Sorted).edges(edges.collect::<Vec<_>>()).build();
    Box::new(move |request| {
        let known = graph::prelude::Graph::node_count(&graph);
        let (scores, ..) = page_rank(&graph, PageRankConfig::new(100, request.tolerance, 0.85));
        Box::new(move || {
            let mut scores: Vec<f64> = scores.into_iter().map(f64::from).collect();
            // It knows of no node after the last one that has an edge.
            scores.resize(nodes, 0.15 / f64::from(known));
            let mass: f64 = scores.iter().sum();
            scores.iter_mut().for_each(|score| *score /= mass);
            scores
        })
    })
}
