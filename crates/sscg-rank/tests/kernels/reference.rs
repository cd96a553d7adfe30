//! The kernels against what networkx says of the same graphs (`tests/reference/make.py`).

use serde::Deserialize;
use sscg_rank::{
    BetweennessOptions, Csr, Direction, PageRank, PageRankOptions, RandomWalk, betweenness, closeness,
    modularity, pagerank,
};

use crate::Edges;

/// A graph and what holds of it, told in `make.py`.
#[derive(Deserialize)]
struct Reference {
    name: String,
    nodes: usize,
    edges: Vec<(u32, u32, f32)>,
    seeds: Vec<(u32, f64)>,
    pagerank: Vec<f64>,
    personalised_pagerank: Vec<f64>,
    closeness: Vec<f64>,
    closeness_out: Vec<f64>,
    betweenness: Vec<f64>,
    partition: Vec<u32>,
    modularity: f64,
}

impl Reference {
    fn graph(&self) -> Edges {
        Edges { node_count: self.nodes, edges: self.edges.clone() }
    }
}

fn references() -> Vec<Reference> {
    serde_json::from_str(include_str!("../reference/vectors.json")).expect("`make.py` writes JSON")
}

fn assert_close(name: &str, actual: &[f64], expected: &[f64]) {
    assert_eq!(actual.len(), expected.len(), "{name}");
    let distance: f64 = actual.iter().zip(expected).map(|(a, b)| (a - b).abs()).sum();
    assert!(distance < 1e-11, "{name}: {distance}");
}

#[test]
fn pagerank_is_that_of_networkx() {
    let options = PageRankOptions { tolerance: 1e-13, max_iterations: 1000, ..PageRankOptions::default() };
    for reference in references() {
        let walk = RandomWalk::new(&reference.graph());
        let all = |ranking: PageRank| -> Vec<f64> {
            (0..reference.nodes as u32).map(|node| ranking.scores.get(node)).collect()
        };
        let global = all(pagerank(&walk, &[], &options));
        assert_close(&reference.name, &global, &reference.pagerank);
        let personalised = all(pagerank(&walk, &reference.seeds, &options));
        assert_close(&reference.name, &personalised, &reference.personalised_pagerank);
    }
}

#[test]
fn centrality_is_that_of_networkx() {
    for reference in references() {
        let graph = Csr::outgoing(&reference.graph());
        assert_close(&reference.name, &closeness(&graph, Direction::Incoming), &reference.closeness);
        assert_close(&reference.name, &closeness(&graph, Direction::Outgoing), &reference.closeness_out);
        let found = betweenness(&graph, &BetweennessOptions::default());
        assert_close(&reference.name, &found, &reference.betweenness);
    }
}

#[test]
fn modularity_is_that_of_networkx() {
    for reference in references() {
        let found = modularity(&Csr::undirected(&reference.graph()), &reference.partition, 1.0);
        assert_close(&reference.name, &[found], &[reference.modularity]);
    }
}
