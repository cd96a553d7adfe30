//! Communities: modularity by definition, properties of every partition, and known partitions.

use std::cmp::Reverse;

use proptest::prelude::*;
use sscg_rank::{Communities, CommunityAlgorithm, CommunityOptions, Csr, communities, modularity};

use crate::Edges;

fn undirected(node_count: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> Csr {
    let edges = edges.into_iter().map(|(source, target)| (source, target, 1.0)).collect();
    Csr::undirected(&Edges { node_count, edges })
}

const ALGORITHMS: [CommunityAlgorithm; 2] = [CommunityAlgorithm::Louvain, CommunityAlgorithm::Leiden];

fn with(algorithm: CommunityAlgorithm) -> CommunityOptions {
    CommunityOptions::default().with_algorithm(algorithm)
}

/// Friendships in a karate club (W. W. Zachary, *An information flow model for conflict and fission in small groups*,
/// 1977).
#[rustfmt::skip]
const KARATE_CLUB: [(u32, u32); 78] = [
    (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (0, 7), (0, 8), (0, 10), (0, 11), (0, 12), (0, 13), (0, 17),
    (0, 19), (0, 21), (0, 31), (1, 2), (1, 3), (1, 7), (1, 13), (1, 17), (1, 19), (1, 21), (1, 30), (2, 3), (2, 7),
    (2, 8), (2, 9), (2, 13), (2, 27), (2, 28), (2, 32), (3, 7), (3, 12), (3, 13), (4, 6), (4, 10), (5, 6), (5, 10),
    (5, 16), (6, 16), (8, 30), (8, 32), (8, 33), (9, 33), (13, 33), (14, 32), (14, 33), (15, 32), (15, 33), (18, 32),
    (18, 33), (19, 33), (20, 32), (20, 33), (22, 32), (22, 33), (23, 25), (23, 27), (23, 29), (23, 32), (23, 33),
    (24, 25), (24, 27), (24, 31), (25, 31), (26, 29), (26, 33), (27, 33), (28, 31), (28, 33), (29, 32), (29, 33),
    (30, 32), (30, 33), (31, 32), (31, 33), (32, 33),
];

#[test]
fn the_karate_club_is_taken_apart_as_well_as_can_be() {
    let graph = undirected(34, KARATE_CLUB);
    for seed in 0..10 {
        let leiden = communities(&graph, &with(CommunityAlgorithm::Leiden).with_seed(seed));
        assert!(leiden.modularity >= 0.41, "seed {seed}: {}", leiden.modularity);
        let louvain = communities(&graph, &with(CommunityAlgorithm::Louvain).with_seed(seed));
        assert!(louvain.modularity >= 0.37, "seed {seed}: {}", louvain.modularity);
    }
    for algorithm in ALGORITHMS {
        // 0.4198 is the optimum.
        let best = communities(&graph, &with(algorithm).with_starts(20));
        assert!((best.modularity - 0.419_789_6).abs() < 1e-6, "{algorithm:?}: {}", best.modularity);
        assert_eq!(best.count, 4);
    }
}

/// Builds cliques of `size` nodes, each joined to the next by one edge, with nodes renamed by `name`.
fn ring_of_cliques(count: u32, size: u32, name: impl Fn(u32) -> u32) -> Csr {
    let inside = (0..count).flat_map(|clique| {
        let first = clique * size;
        (first..first + size).flat_map(move |a| (a + 1..first + size).map(move |b| (a, b)))
    });
    let between = (0..count).map(|clique| (clique * size, (clique + 1) % count * size + 1));
    undirected((count * size) as usize, inside.chain(between).map(|(a, b)| (name(a), name(b))))
}

#[test]
fn cliques_are_communities_whatever_their_nodes_are_called() {
    let names: [fn(u32) -> u32; 3] = [|node| node, |node| 47 - node, |node| node * 29 % 48];
    for name in names {
        let graph = ring_of_cliques(8, 6, name);
        for algorithm in ALGORITHMS {
            for seed in 0..5 {
                let found = communities(&graph, &with(algorithm).with_seed(seed));
                assert_eq!(found.count, 8);
                for node in 0..48 {
                    let first = found.membership[name(node / 6 * 6) as usize];
                    assert_eq!(found.membership[name(node) as usize], first);
                }
            }
        }
    }
}

#[test]
fn resolution_chooses_the_scale() {
    // At resolution 1, modularity is larger for pairs of these cliques (Fortunato and Barthélemy, 2007).
    let graph = ring_of_cliques(30, 5, |node| node);
    let count = |resolution| {
        let options = CommunityOptions::default().with_resolution(resolution).with_starts(4);
        communities(&graph, &options).count
    };
    assert!(count(1.0) < 30);
    assert_eq!(count(2.0), 30);
    assert_eq!(count(1e6), 150);
    assert_eq!(count(0.0), 1);
    assert_eq!(count(f64::MAX), 150);
    for senseless in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(count(senseless), count(1.0));
    }
}

#[test]
fn graphs_may_be_small() {
    for algorithm in ALGORITHMS {
        let empty = communities(&undirected(0, []), &with(algorithm));
        assert_eq!((empty.membership, empty.count, empty.modularity), (vec![], 0, 0.0));
        let loops = communities(&undirected(2, [(0, 0)]), &with(algorithm));
        assert_eq!((loops.membership, loops.count, loops.modularity), (vec![0, 1], 2, 0.0));
        let pair = communities(&undirected(3, [(2, 0)]), &with(algorithm));
        assert_eq!((pair.membership, pair.count, pair.modularity), (vec![0, 1, 0], 2, 0.0));
        assert!(pair.converged);
        let nothing = with(algorithm).with_max_iterations(0).with_starts(0);
        let untouched = communities(&undirected(3, [(2, 0)]), &nothing);
        assert_eq!((untouched.membership, untouched.iterations), (vec![0, 1, 2], 0));
    }
}

#[test]
fn a_graph_with_directions_is_no_reason_to_go_on_for_ever() {
    let edges = (0..60).map(|at| (at, (at * 7 + 1) % 60, 1.0 + (at % 5) as f32)).collect();
    let graph = Csr::outgoing(&Edges { node_count: 60, edges });
    for algorithm in ALGORITHMS {
        let found = communities(&graph, &with(algorithm).with_max_iterations(50));
        assert!(found.modularity.is_finite());
    }
}

#[test]
#[should_panic(expected = "each node has a community")]
fn modularity_needs_a_community_for_each_node() {
    modularity(&undirected(2, [(0, 1)]), &[0], 1.0);
}

/// Generates graphs with self-loops, parallel edges, zero-weight edges and isolated nodes.
fn graph(nodes: u32, edges: usize) -> impl Strategy<Value = Edges> {
    (1..nodes).prop_flat_map(move |n| {
        let weight = prop_oneof![1 => Just(0.0_f32), 4 => Just(1.0), 2 => 0.01_f32..10.0];
        prop::collection::vec((0..n, 0..n, weight), 0..edges)
            .prop_map(move |edges| Edges { node_count: n as usize, edges })
    })
}

fn options() -> impl Strategy<Value = CommunityOptions> {
    let algorithm = prop::sample::select(&ALGORITHMS[..]);
    let resolution = prop_oneof![2 => Just(1.0), 1 => 0.0..4.0, 1 => any::<f64>()];
    let max_iterations = prop_oneof![0_usize..4, Just(usize::MAX)];
    (algorithm, resolution, any::<u64>(), max_iterations, 0_usize..4).prop_map(
        |(algorithm, resolution, seed, max_iterations, starts)| {
            CommunityOptions::default()
                .with_algorithm(algorithm)
                .with_resolution(resolution)
                .with_seed(seed)
                .with_max_iterations(max_iterations)
                .with_starts(starts)
        },
    )
}

/// Computes modularity as Σ over pairs of nodes in one community of (A - γ k k / 2m) / 2m, where A counts a self-loop
/// twice.
fn modularity_by_definition(edges: &Edges, membership: &[u32], resolution: f64) -> f64 {
    let n = edges.node_count;
    let mut matrix = vec![vec![0.0; n]; n];
    for &(source, target, weight) in &edges.edges {
        matrix[source as usize][target as usize] += f64::from(weight);
        matrix[target as usize][source as usize] += f64::from(weight);
    }
    let strengths: Vec<f64> = matrix.iter().map(|row| row.iter().sum()).collect();
    let total: f64 = strengths.iter().sum();
    let mut sum = 0.0;
    for a in 0..n {
        for b in 0..n {
            if total > 0.0 && membership[a] == membership[b] {
                sum += (matrix[a][b] - resolution * strengths[a] * strengths[b] / total) / total;
            }
        }
    }
    sum
}

/// Returns for each node the least node of its connected component inside its community.
fn parts(graph: &Csr, membership: &[u32]) -> Vec<u32> {
    let mut parts: Vec<u32> = (0..graph.node_count() as u32).collect();
    loop {
        let before = parts.clone();
        for edge in graph.edges() {
            let (source, target) = (edge.source as usize, edge.target as usize);
            if membership[source] == membership[target] {
                let least = parts[source].min(parts[target]);
                parts[source] = least;
                parts[target] = least;
            }
        }
        if parts == before {
            return parts;
        }
    }
}

fn assert_is_a_partition(graph: &Csr, found: &Communities) {
    assert_eq!(found.membership.len(), graph.node_count());
    // Numbered by size and then by first node, none empty.
    let mut sizes = vec![0; found.count];
    let mut firsts = vec![usize::MAX; found.count];
    for (node, &community) in found.membership.iter().enumerate() {
        sizes[community as usize] += 1;
        firsts[community as usize] = firsts[community as usize].min(node);
    }
    assert!(sizes.iter().all(|size| *size > 0));
    let order = sizes.iter().zip(&firsts).map(|(size, first)| (Reverse(*size), *first));
    assert!(order.is_sorted());
    // Connected; hence nodes without edges are on their own.
    let parts = parts(graph, &found.membership);
    for (node, part) in parts.iter().enumerate() {
        assert_eq!(*part as usize, firsts[found.membership[node] as usize]);
    }
}

proptest! {
    #[test]
    fn modularity_is_what_its_definition_says(
        (edges, membership) in graph(12, 30).prop_flat_map(|edges| {
            let community = prop_oneof![4 => 0_u32..4, 1 => any::<u32>()];
            let membership = prop::collection::vec(community, edges.node_count);
            (Just(edges), membership)
        }),
        resolution in 0.0..3.0,
    ) {
        let actual = modularity(&Csr::undirected(&edges), &membership, resolution);
        let expected = modularity_by_definition(&edges, &membership, resolution);
        prop_assert!((actual - expected).abs() < 1e-6, "{actual} is not {expected}");
        prop_assert!(actual <= 1.0);
    }

    #[test]
    fn communities_are_connected_and_numbered_by_size(edges in graph(60, 150), options in options()) {
        let graph = Csr::undirected(&edges);
        let found = communities(&graph, &options);
        assert_is_a_partition(&graph, &found);
        prop_assert!(found.modularity.is_finite());
        prop_assert_eq!(found.modularity, modularity(&graph, &found.membership, options.resolution));
        prop_assert!(found.iterations <= options.max_iterations);
        let alone: Vec<u32> = (0..graph.node_count() as u32).collect();
        let before = modularity(&graph, &alone, options.resolution);
        prop_assert!(found.modularity >= before - 1e-9 * before.abs());
    }

    #[test]
    fn once_converged_no_node_gains_by_moving(edges in graph(25, 80), seed in any::<u64>()) {
        let graph = Csr::undirected(&edges);
        for algorithm in ALGORITHMS {
            let options = with(algorithm).with_seed(seed).with_max_iterations(usize::MAX);
            let found = communities(&graph, &options);
            prop_assert!(found.converged);
            let mut moved = found.membership.clone();
            for node in 0..graph.node_count() {
                for community in 0..=found.count as u32 {
                    moved[node] = community;
                    let modularity = modularity(&graph, &moved, 1.0);
                    prop_assert!(modularity <= found.modularity + 1e-5, "{node} gains in {community}");
                }
                moved[node] = found.membership[node];
            }
        }
    }

    #[test]
    fn threads_change_nothing(edges in graph(60, 200), options in options()) {
        let graph = Csr::undirected(&edges);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads can be started").install(|| communities(&graph, &options))
        };
        let (one, two) = (on(1), on(2));
        prop_assert_eq!(one.modularity.to_bits(), two.modularity.to_bits());
        prop_assert_eq!(one, two);
    }
}
