//! Centralities compared to their definitions.

use proptest::prelude::*;
use sscg_core::Adjacency;
use sscg_rank::{
    BetweennessOptions, Csr, DegreeOptions, EdgeDirection, betweenness, betweenness_samples, closeness,
    closeness_sampled, degree,
};

const DIRECTIONS: [EdgeDirection; 3] =
    [EdgeDirection::Incoming, EdgeDirection::Outgoing, EdgeDirection::Both];

/// Targets of each node, with weights.
#[derive(Clone, Debug)]
struct Graph(Vec<Vec<(u32, f32)>>);

impl Adjacency for Graph {
    fn node_count(&self) -> usize {
        self.0.len()
    }
    fn edge_count(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        self.0[node as usize].iter().for_each(|&(target, weight)| visit(target, weight));
    }
}

impl Graph {
    fn new(node_count: usize, edges: impl IntoIterator<Item = (u32, u32, f32)>) -> Self {
        let mut graph = Self(vec![vec![]; node_count]);
        for (source, target, weight) in edges {
            graph.0[source as usize].push((target, weight));
        }
        graph
    }

    fn unweighted(node_count: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        Self::new(node_count, edges.into_iter().map(|(source, target)| (source, target, 1.0)))
    }

    fn edges(&self) -> Vec<(u32, u32, f32)> {
        (0..).zip(&self.0).flat_map(|(s, row)| row.iter().map(move |&(t, weight)| (s, t, weight))).collect()
    }

    fn renamed(&self, names: &[u32]) -> Self {
        let edges = self.edges().into_iter().rev();
        let name = |node: u32| names[node as usize];
        Self::new(self.0.len(), edges.map(|(s, t, weight)| (name(s), name(t), weight)))
    }

    /// Returns `[s][t]`, true if there is an edge from s to t.
    fn matrix(&self) -> Vec<Vec<bool>> {
        let mut matrix = vec![vec![false; self.0.len()]; self.0.len()];
        for (source, target, weight) in self.edges() {
            matrix[source as usize][target as usize] |= weight > 0.0;
        }
        matrix
    }

    /// Creates a graph of some thousand nodes in which a few are the target of many edges, some of which lead back.
    fn large(node_count: u32, edge_count: u32) -> Self {
        let mut state = 1_u64;
        let mut random = |bound: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 32) as u32) % bound
        };
        let edges = (0..edge_count).map(|_| {
            let source = random(node_count);
            let bound = if random(10) == 0 { node_count } else { source + 1 };
            let far = random(bound);
            (source, if random(2) == 0 { random(far + 1) } else { far })
        });
        Self::unweighted(node_count as usize, edges.collect::<Vec<_>>())
    }
}

/// Generates small graphs with self-loops, parallel edges, isolated nodes and edges of zero weight.
fn graphs() -> impl Strategy<Value = Graph> {
    (0_usize..9).prop_flat_map(|node_count| {
        let node = 0..node_count.max(1) as u32;
        let weight = prop_oneof![Just(0.0_f32), 0.1_f32..4.0];
        let edges = prop::collection::vec((node.clone(), node, weight), 0..=3 * node_count);
        edges.prop_map(move |edges| Graph::new(node_count, edges))
    })
}

fn graphs_with_names() -> impl Strategy<Value = (Graph, Vec<u32>)> {
    graphs().prop_flat_map(|graph| {
        let names: Vec<u32> = (0..graph.0.len() as u32).collect();
        (Just(graph), Just(names).prop_shuffle())
    })
}

/// Returns the lengths of the shortest paths, as `[from][to]`, by the Floyd-Warshall algorithm.
fn distances(edges: &[Vec<bool>]) -> Vec<Vec<Option<usize>>> {
    let n = edges.len();
    let mut distances: Vec<Vec<Option<usize>>> = (0..n)
        .map(|s| (0..n).map(|t| if s == t { Some(0) } else { edges[s][t].then_some(1) }).collect())
        .collect();
    for via in 0..n {
        for s in 0..n {
            for t in 0..n {
                if let (Some(a), Some(b)) = (distances[s][via], distances[via][t]) {
                    distances[s][t] = Some(distances[s][t].map_or(a + b, |known| known.min(a + b)));
                }
            }
        }
    }
    distances
}

fn closeness_by_definition(graph: &Graph, direction: EdgeDirection) -> Vec<f64> {
    let n = graph.0.len();
    let edges = graph.matrix();
    let turned = |s: usize, t: usize| match direction {
        EdgeDirection::Incoming => edges[s][t],
        EdgeDirection::Outgoing => edges[t][s],
        EdgeDirection::Both => edges[s][t] || edges[t][s],
    };
    let edges: Vec<Vec<bool>> = (0..n).map(|s| (0..n).map(|t| turned(s, t)).collect()).collect();
    let distances = distances(&edges);
    (0..n)
        .map(|node| {
            let others = (0..n).filter(|other| *other != node);
            let lengths: Vec<usize> = others.filter_map(|other| distances[other][node]).collect();
            let (reached, total) = (lengths.len() as f64, lengths.iter().sum::<usize>() as f64);
            if lengths.is_empty() { 0.0 } else { reached / total * reached / (n - 1) as f64 }
        })
        .collect()
}

/// Enumerates every shortest path between every two nodes.
fn betweenness_by_definition(graph: &Graph) -> Vec<f64> {
    let n = graph.0.len();
    let edges = graph.matrix();
    let distances = distances(&edges);
    let mut sums = vec![0.0; n];
    for s in 0..n {
        for t in (0..n).filter(|t| *t != s) {
            let mut complete: Vec<Vec<usize>> = Vec::new();
            let mut paths = vec![vec![s]];
            while let Some(path) = paths.pop() {
                let end = path[path.len() - 1];
                if end == t {
                    complete.push(path);
                    continue;
                }
                let is_on_the_way = |next: usize| {
                    distances[next][t].is_some_and(|rest| Some(path.len() + rest) == distances[s][t])
                };
                for next in (0..n).filter(|next| edges[end][*next] && is_on_the_way(*next)) {
                    paths.push(path.iter().copied().chain([next]).collect());
                }
            }
            for path in &complete {
                for node in &path[1..path.len() - 1] {
                    sums[*node] += 1.0 / complete.len() as f64;
                }
            }
        }
    }
    sums
}

fn degree_by_definition(graph: &Graph, options: &DegreeOptions) -> Vec<f64> {
    let n = graph.0.len();
    let mut weights = vec![vec![0.0_f64; n]; n];
    for (source, target, weight) in graph.edges() {
        weights[source as usize][target as usize] += f64::from(weight);
    }
    let amount = |s: usize, t: usize| match options.weighted {
        true => f64::from(weights[s][t] as f32),
        false => f64::from(u8::from(weights[s][t] > 0.0)),
    };
    let incoming = |v: usize| (0..n).map(|other| amount(other, v)).sum::<f64>();
    let outgoing = |v: usize| (0..n).map(|other| amount(v, other)).sum::<f64>();
    (0..n)
        .map(|node| match options.direction {
            EdgeDirection::Incoming => incoming(node),
            EdgeDirection::Outgoing => outgoing(node),
            EdgeDirection::Both => incoming(node) + outgoing(node),
        })
        .collect()
}

fn assert_close(actual: &[f64], expected: &[f64]) {
    assert_eq!(actual.len(), expected.len());
    for (a, b) in actual.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{actual:?} is not {expected:?}");
    }
}

fn exact(graph: &Graph) -> Vec<f64> {
    betweenness(&Csr::outgoing(graph), &BetweennessOptions::default())
}

proptest! {
    #[test]
    fn closeness_is_what_its_definition_says(graph in graphs()) {
        for direction in DIRECTIONS {
            let found = closeness(&Csr::outgoing(&graph), direction);
            assert_close(&found, &closeness_by_definition(&graph, direction));
            prop_assert!(found.iter().all(|closeness| (0.0..=1.0).contains(closeness)));
        }
        let undirected = closeness(&Csr::undirected(&graph), EdgeDirection::Outgoing);
        prop_assert_eq!(closeness(&Csr::outgoing(&graph), EdgeDirection::Both), undirected);
    }

    #[test]
    fn betweenness_is_what_its_definition_says(graph in graphs()) {
        let expected = betweenness_by_definition(&graph);
        assert_close(&exact(&graph), &expected);
        assert_close(&betweenness(&Csr::incoming(&graph), &BetweennessOptions::default()), &expected);

        let options = BetweennessOptions::default().with_normalized(true);
        let normalized = betweenness(&Csr::outgoing(&graph), &options);
        prop_assert!(normalized.iter().all(|share| (0.0..=1.0).contains(share)));
        let n = graph.0.len() as f64;
        let pairs = if n > 2.0 { (n - 1.0) * (n - 2.0) } else { 1.0 };
        assert_close(&normalized, &expected.iter().map(|sum| sum / pairs).collect::<Vec<_>>());
    }

    #[test]
    fn degree_is_what_its_definition_says(graph in graphs(), weighted: bool) {
        for direction in DIRECTIONS {
            let options = DegreeOptions::default().with_direction(direction).with_weighted(weighted);
            let csr = Csr::outgoing(&graph);
            let degrees = degree(&csr, &options);
            assert_close(&degrees, &degree_by_definition(&graph, &options));
            let normalized = degree(&csr, &options.with_normalized(true));
            for (a, b) in degrees.iter().zip(&normalized) {
                prop_assert!((0.0..=1.0).contains(b));
                prop_assert_eq!(*a > 0.0, *b > 0.0);
            }
        }
    }

    #[test]
    fn renaming_the_nodes_renames_what_is_central((graph, names) in graphs_with_names()) {
        let renamed = graph.renamed(&names);
        let back = |scores: Vec<f64>| names.iter().map(|&name| scores[name as usize]).collect::<Vec<f64>>();
        assert_close(&back(exact(&renamed)), &exact(&graph));
        for direction in DIRECTIONS {
            let of = |graph: &Graph| closeness(&Csr::outgoing(graph), direction);
            prop_assert_eq!(back(of(&renamed)), of(&graph));
            let options =
                DegreeOptions::default().with_direction(direction).with_weighted(true).with_normalized(true);
            let of = |graph: &Graph| degree(&Csr::outgoing(graph), &options);
            assert_close(&back(of(&renamed)), &of(&graph));
        }
    }

    #[test]
    fn a_sample_of_all_nodes_is_exact_and_none_leaves_the_range(
        graph in graphs(), samples in 0_usize..12, seed: u64,
    ) {
        let csr = Csr::outgoing(&graph);
        let options = BetweennessOptions::default().with_samples(samples).with_seed(seed).with_normalized(true);
        let sampled = betweenness(&csr, &options);
        prop_assert!(sampled.iter().all(|share| (0.0..=1.0).contains(share)));
        if samples >= graph.0.len() {
            prop_assert_eq!(sampled, betweenness(&csr, &options.with_samples(usize::MAX)));
        }
        for direction in DIRECTIONS {
            let sampled = closeness_sampled(&csr, direction, samples, seed);
            prop_assert!(sampled.iter().all(|closeness| (0.0..=1.0).contains(closeness)));
            if samples >= graph.0.len() {
                prop_assert_eq!(sampled, closeness(&csr, direction));
            }
        }
    }
}

#[test]
fn nodes_of_the_smallest_graphs_have_no_centrality() {
    for graph in [Graph(vec![]), Graph(vec![vec![]]), Graph(vec![vec![(0, 1.0)]])] {
        let csr = Csr::outgoing(&graph);
        let zeros = vec![0.0; graph.0.len()];
        for normalized in [false, true] {
            assert_eq!(betweenness(&csr, &BetweennessOptions::default().with_normalized(normalized)), zeros);
        }
        for direction in DIRECTIONS {
            assert_eq!(closeness(&csr, direction), zeros);
        }
    }
    let only_itself = Csr::outgoing(&Graph(vec![vec![(0, 1.0)]]));
    assert_eq!(degree(&only_itself, &DegreeOptions::default()), [2.0]);
    assert_eq!(degree(&only_itself, &DegreeOptions::default().with_normalized(true)), [1.0]);
}

#[test]
fn closeness_is_by_who_reaches_a_node_unless_asked_otherwise() {
    let calls = Csr::outgoing(&Graph::unweighted(4, [(0, 2), (1, 2)]));
    assert_close(&closeness(&calls, EdgeDirection::Incoming), &[0.0, 0.0, 2.0 / 3.0, 0.0]);
    assert_close(&closeness(&calls, EdgeDirection::Outgoing), &[1.0 / 3.0, 1.0 / 3.0, 0.0, 0.0]);
    assert_close(&closeness(&calls, EdgeDirection::Both), &[4.0 / 9.0, 4.0 / 9.0, 2.0 / 3.0, 0.0]);
}

/// Covers more searches than share one sweep, and paths longer than the graph is wide.
#[test]
fn closeness_of_a_long_path_is_that_of_the_formula() {
    let n = 1000;
    let path = Csr::outgoing(&Graph::unweighted(n, (1..n as u32).map(|node| (node - 1, node))));
    let expected: Vec<f64> = (0..n)
        .map(|before| {
            let before = before as f64;
            if before > 0.0 { before / 999.0 * before / (before * (before + 1.0) / 2.0) } else { 0.0 }
        })
        .collect();
    assert_close(&closeness(&path, EdgeDirection::Incoming), &expected);
}

#[test]
fn sampled_closeness_is_off_by_no_more_than_the_bound() {
    let n = 1000;
    let ring = Csr::outgoing(&Graph::unweighted(n, (0..n as u32).map(|node| (node, (node + 1) % n as u32))));
    let bound = 999.0 * ((2.0 * n as f64 / 0.001).ln() / (2.0 * 256.0)).sqrt();
    let sampled = closeness_sampled(&ring, EdgeDirection::Incoming, 256, 7);
    // The mean distance is 500 at all nodes.
    let most = sampled.iter().map(|closeness| (1.0 / closeness - 500.0).abs()).fold(0.0, f64::max);
    assert!(most > 0.0 && most <= bound, "{most} of {bound}");
    assert_eq!(sampled, closeness_sampled(&ring, EdgeDirection::Incoming, 256, 7));
    assert_ne!(sampled, closeness_sampled(&ring, EdgeDirection::Incoming, 256, 8));
}

/// Chains diamonds, each of which doubles the number of paths: 2^1100 exceeds the range of `f64`.
#[test]
fn more_paths_than_a_float_can_count_give_numbers() {
    let diamonds = 1100;
    let edges = (0..diamonds).flat_map(|i| {
        let start = 3 * i;
        [(start, start + 1), (start, start + 2), (start + 1, start + 3), (start + 2, start + 3)]
    });
    let node_count = 3 * diamonds as usize + 1;
    let expected: Vec<f64> = (0..node_count)
        .map(|node| {
            let (before, after) = match node % 3 {
                0 => (node, node_count - 1 - node),
                side => (node - side + 1, node_count - 1 - (node - side + 2)),
            };
            let share = if node % 3 == 0 { 1.0 } else { 0.5 };
            share * (before * after) as f64
        })
        .collect();
    assert_close(&exact(&Graph::unweighted(node_count, edges)), &expected);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let graph = Graph::large(1000, 5000);
    let csr = Csr::outgoing(&graph);
    let all = || {
        let sample = BetweennessOptions::default().with_samples(100).with_seed(1).with_normalized(true);
        [
            closeness(&csr, EdgeDirection::Incoming),
            closeness(&csr, EdgeDirection::Both),
            betweenness(&csr, &BetweennessOptions::default()),
            betweenness(&csr, &sample),
        ]
        .map(|scores| scores.into_iter().map(f64::to_bits).collect::<Vec<_>>())
    };
    let with_threads = |count| {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("threads can be started");
        pool.install(all)
    };
    let alone = with_threads(1);
    assert!(alone.iter().all(|bits| bits.iter().any(|bits| *bits != 0)));
    for count in [2, 5] {
        assert_eq!(with_threads(count), alone);
    }
}

#[test]
fn a_sample_is_off_by_no_more_than_the_bound_and_follows_its_seed() {
    let csr = Csr::outgoing(&Graph::large(1500, 7500));
    let exact = betweenness(&csr, &BetweennessOptions::default().with_normalized(true));
    let error = 0.1;
    let samples = betweenness_samples(1500, error, 1e-6);
    assert!(samples < 1500);
    let draw = |seed| {
        betweenness(
            &csr,
            &BetweennessOptions::default().with_samples(samples).with_seed(seed).with_normalized(true),
        )
    };
    for seed in 0..5 {
        let errors = draw(seed).into_iter().zip(&exact).map(|(a, b)| (a - b).abs());
        assert!(errors.fold(0.0, f64::max) <= error);
    }
    assert_eq!(draw(0), draw(0));
    assert_ne!(draw(0), draw(1));
}
