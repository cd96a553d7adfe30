//! PageRank compared to a dense solution and checked for its own invariants.

use proptest::prelude::*;
use sscg_core::Adjacency;
use sscg_rank::{NearOptions, PageRank, PageRankOptions, RandomWalk, pagerank, pagerank_near};

use crate::Edges;

const TELEPORT: f64 = 0.15;

/// Returns options strict enough that the remaining error is rounding.
fn strict() -> PageRankOptions {
    PageRankOptions::default().with_teleport(TELEPORT).with_tolerance(1e-12).with_max_iterations(1000)
}

/// [`PageRank`] with the scores of all nodes.
#[derive(Debug, PartialEq)]
struct Ranking {
    scores: Vec<f64>,
    iterations: usize,
    residual: f64,
    converged: bool,
}

fn rank(node_count: usize, edges: &[(u32, u32, f32)], seeds: &[(u32, f64)]) -> Ranking {
    rank_edges(&Edges { node_count, edges: edges.to_vec() }, seeds, &strict())
}

fn rank_edges(edges: &Edges, seeds: &[(u32, f64)], options: &PageRankOptions) -> Ranking {
    let PageRank { scores, iterations, residual, converged, .. } =
        pagerank(&RandomWalk::new(edges), seeds, options);
    let scores = (0..edges.node_count as u32).map(|node| scores.get(node)).collect();
    Ranking { scores, iterations, residual, converged }
}

fn l1_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

fn assert_close(actual: &[f64], expected: &[f64]) {
    assert_eq!(actual.len(), expected.len());
    let error = actual.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(error < 1e-9, "{actual:?} is not {expected:?}");
}

/// Solves (I - (1 - a) Mᵀ) p = a s for the walk's transition matrix M, in which a dangling row is s.
fn dense_pagerank(graph: &Edges, seeds: &[(u32, f64)]) -> Vec<f64> {
    let n = graph.node_count;
    let seed_total: f64 = seeds.iter().map(|seed| seed.1).sum();
    let mut s = vec![if seed_total > 0.0 { 0.0 } else { 1.0 / n as f64 }; n];
    if seed_total > 0.0 {
        seeds.iter().for_each(|&(node, weight)| s[node as usize] += weight / seed_total);
    }

    let mut walk = vec![vec![0.0; n]; n];
    for &(source, target, weight) in &graph.edges {
        walk[source as usize][target as usize] += f64::from(weight);
    }
    for row in &mut walk {
        // Parallel edges have the weight of one edge, which is an `f32`.
        row.iter_mut().for_each(|weight| *weight = f64::from(*weight as f32));
        let total: f64 = row.iter().sum();
        if total > 0.0 {
            row.iter_mut().for_each(|weight| *weight /= total);
        } else {
            row.clone_from(&s);
        }
    }

    let system = (0..n)
        .map(|v| {
            let identity = |u| if u == v { 1.0 } else { 0.0 };
            let mut row: Vec<f64> = (0..n).map(|u| identity(u) - (1.0 - TELEPORT) * walk[u][v]).collect();
            row.push(TELEPORT * s[v]);
            row
        })
        .collect();
    solve(system)
}

/// Runs Gauss-Jordan elimination with partial pivoting on rows that end with their right-hand side.
fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for column in 0..n {
        let pivot = (column..n)
            .max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))
            .expect("the range holds at least `column`");
        rows.swap(column, pivot);
        let pivot = rows[column].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(index, _)| *index != column) {
            let factor = row[column] / pivot[column];
            row.iter_mut().zip(&pivot).for_each(|(value, pivot)| *value -= factor * pivot);
        }
    }
    rows.iter().enumerate().map(|(index, row)| row[n] / row[index]).collect()
}

/// Generates graphs with self-loops, parallel edges, zero-weight edges and dangling nodes, and seeds, some of zero
/// weight.
fn graph_and_seeds() -> impl Strategy<Value = (Edges, Vec<(u32, f64)>)> {
    (1_u32..12).prop_flat_map(|n| {
        let weight = prop_oneof![1 => Just(0.0_f32), 6 => 0.01_f32..10.0];
        let edges = prop::collection::vec((0..n, 0..n, weight), 0..30)
            .prop_map(move |edges| Edges { node_count: n as usize, edges });
        let seed_weight = prop_oneof![1 => Just(0.0), 4 => 0.01..100.0];
        (edges, prop::collection::vec((0..n, seed_weight), 0..4))
    })
}

/// Generates a graph and seeds as above, with new names for the nodes.
fn graph_seeds_and_names() -> impl Strategy<Value = (Edges, Vec<(u32, f64)>, Vec<u32>)> {
    graph_and_seeds().prop_flat_map(|(graph, seeds)| {
        let names: Vec<u32> = (0..graph.node_count as u32).collect();
        (Just(graph), Just(seeds), Just(names).prop_shuffle())
    })
}

proptest! {
    #[test]
    fn scores_are_the_dense_solution((graph, seeds) in graph_and_seeds()) {
        let ranking = rank_edges(&graph, &seeds, &strict());
        prop_assert!(ranking.converged);
        assert_close(&ranking.scores, &dense_pagerank(&graph, &seeds));
    }

    #[test]
    fn the_defaults_converge_on_any_graph_within_the_stated_error((graph, seeds) in graph_and_seeds()) {
        let ranking = rank_edges(&graph, &seeds, &PageRankOptions::default());
        prop_assert!(ranking.converged && ranking.residual <= 1e-6);
        let error = l1_distance(&ranking.scores, &dense_pagerank(&graph, &seeds));
        prop_assert!(error <= ranking.residual + 1e-12, "{} for {}", error, ranking.residual);
    }

    #[test]
    fn a_walk_that_does_not_converge_says_how_far_it_is((graph, seeds) in graph_and_seeds(), sweeps in 0_usize..4) {
        let options = strict().with_max_iterations(sweeps);
        let ranking = rank_edges(&graph, &seeds, &options);
        prop_assert_eq!(ranking.converged, ranking.residual <= options.tolerance);
        let error = l1_distance(&ranking.scores, &dense_pagerank(&graph, &seeds));
        prop_assert!(error <= ranking.residual + 1e-9, "{} for {}", error, ranking.residual);
        prop_assert!(ranking.scores.iter().all(|score| score.is_finite() && *score >= 0.0));
    }

    #[test]
    fn scores_near_the_seeds_are_as_close_as_stated(
        (graph, seeds) in graph_and_seeds(),
        least in prop_oneof![Just(0.0), 0.0..0.1],
        max_iterations in prop_oneof![0_usize..20, Just(1_000_000)],
    ) {
        let options =
            NearOptions::default().with_teleport(TELEPORT).with_least(least).with_max_iterations(max_iterations);
        let near = pagerank_near(&graph, &seeds, &options);
        let scores: Vec<f64> = (0..graph.node_count as u32).map(|node| near.scores.get(node)).collect();
        if seeds.iter().all(|seed| seed.1 == 0.0) {
            prop_assert_eq!(near.scores.iter().count(), 0);
            return Ok(());
        }
        prop_assert!((scores.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(near.converged || max_iterations < 20);
        let error = l1_distance(&scores, &dense_pagerank(&graph, &seeds));
        // Parallel edges are not rounded to the weight of one.
        prop_assert!(error <= near.residual + 1e-7, "{} for {}", error, near.residual);
    }

    #[test]
    fn what_is_near_is_found_on_any_input(
        (graph, _) in graph_and_seeds(),
        seeds in prop::collection::vec((0..20_u32, any::<f64>()), 0..4),
        (teleport, least) in (any::<f64>(), any::<f64>()),
    ) {
        let options =
            NearOptions::default().with_teleport(teleport).with_least(least).with_max_iterations(1000);
        let near = pagerank_near(&graph, &seeds, &options);
        let is_sound = |(node, score): (u32, f64)| (node as usize) < graph.node_count && score <= 1.0 + 1e-9;
        prop_assert!(near.scores.iter().all(is_sound));
    }

    #[test]
    fn scores_are_a_distribution_however_few_the_steps(
        (graph, seeds) in graph_and_seeds(),
        teleport in prop_oneof![any::<f64>(), 0.0..=1.0],
        max_iterations in 0_usize..20,
    ) {
        let options = PageRankOptions::default().with_teleport(teleport).with_max_iterations(max_iterations);
        let ranking = rank_edges(&graph, &seeds, &options);
        prop_assert!(ranking.scores.iter().all(|score| *score >= 0.0));
        prop_assert!((ranking.scores.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(ranking.iterations <= max_iterations);
    }

    #[test]
    fn renaming_the_nodes_renames_the_scores((graph, seeds, names) in graph_seeds_and_names()) {
        let name = |node: u32| names[node as usize];
        let renamed = Edges {
            node_count: graph.node_count,
            edges: graph.edges.iter().rev().map(|&(s, t, weight)| (name(s), name(t), weight)).collect(),
        };
        let renamed_seeds: Vec<_> = seeds.iter().map(|&(node, weight)| (name(node), weight)).collect();
        let scores = rank_edges(&graph, &seeds, &strict()).scores;
        let renamed_scores = rank_edges(&renamed, &renamed_seeds, &strict()).scores;
        let found: Vec<f64> = names.iter().map(|&name| renamed_scores[name as usize]).collect();
        assert_close(&found, &scores);
    }

    #[test]
    fn no_mass_leaks_to_nodes_that_the_seed_does_not_reach((graph, _) in graph_and_seeds()) {
        let mut reached = vec![false; graph.node_count];
        let mut frontier = vec![0];
        while let Some(node) = frontier.pop() {
            if !std::mem::replace(&mut reached[node as usize], true) {
                graph.for_each_out(node, &mut |target, weight| {
                    if weight > 0.0 {
                        frontier.push(target);
                    }
                });
            }
        }
        let scores = rank_edges(&graph, &[(0, 1.0)], &strict()).scores;
        for (score, reached) in scores.into_iter().zip(reached) {
            prop_assert_eq!(score > 0.0, reached);
        }
    }

    #[test]
    fn parallel_edges_weigh_as_much_as_one_of_their_sum((graph, seeds) in graph_and_seeds()) {
        let twice = Edges { edges: graph.edges.iter().flat_map(|edge| [*edge; 2]).collect(), ..graph };
        let doubled = Edges {
            edges: graph.edges.iter().map(|&(s, t, weight)| (s, t, 2.0 * weight)).collect(),
            ..graph
        };
        let scores = |graph| rank_edges(graph, &seeds, &strict()).scores;
        assert_close(&scores(&twice), &scores(&doubled));
    }
}

#[test]
fn a_dangling_node_returns_its_mass_to_the_seeds() {
    // p0 = a + (1 - a) p1 and p1 = (1 - a) p0.
    let p0 = 1.0 / (1.0 + (1.0 - TELEPORT));
    assert_close(&rank(2, &[(0, 1, 1.0)], &[(0, 1.0)]).scores, &[p0, 1.0 - p0]);
    assert_close(&rank(2, &[(0, 1, 1.0)], &[(1, 1.0)]).scores, &[0.0, 1.0]);
}

#[test]
fn a_node_whose_edges_weigh_nothing_is_dangling() {
    let edges = [(0, 1, 1.0), (1, 2, 0.0)];
    assert_eq!(rank(3, &edges, &[(0, 1.0)]), rank(3, &edges[..1], &[(0, 1.0)]));
}

#[test]
fn edges_share_mass_by_weight() {
    let scores = rank(3, &[(0, 1, 1.0), (0, 2, 2.0), (0, 2, 1.0)], &[(0, 1.0)]).scores;
    assert!((scores[2] / scores[1] - 3.0).abs() < 1e-9);
}

#[test]
fn without_usable_seeds_the_ranking_is_global() {
    let edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 1, 1.0)];
    let global = rank(3, &edges, &[(0, 1.0), (1, 1.0), (2, 1.0)]);
    let useless = [(0, 0.0), (1, -1.0), (1, f64::NAN), (2, f64::INFINITY), (3, 1.0), (u32::MAX, 1.0)];
    assert_close(&rank(3, &edges, &[]).scores, &global.scores);
    assert_close(&rank(3, &edges, &useless).scores, &global.scores);
}

#[test]
fn unusable_seeds_do_not_disturb_the_others() {
    let edges = [(0, 1, 1.0), (1, 0, 1.0)];
    let seeds = [(0, 2.0), (1, f64::NAN), (1, -5.0), (9, 1.0)];
    assert_eq!(rank(2, &edges, &seeds), rank(2, &edges, &[(0, 2.0)]));
}

#[test]
fn the_scale_of_the_seeds_does_not_matter() {
    let edges = [(0, 1, 1.0), (1, 2, 1.0)];
    let expected = rank(3, &edges, &[(0, 1.0), (2, 1.0)]).scores;
    for weight in [f64::MAX, f64::MIN_POSITIVE, 5e-324] {
        assert_close(&rank(3, &edges, &[(0, weight), (2, weight)]).scores, &expected);
    }
    assert_close(&rank(3, &edges, &[(0, 1.0), (0, 1.0), (2, 2.0)]).scores, &expected);
}

#[test]
fn extreme_edge_weights_give_numbers() {
    for weight in [f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1)] {
        let scores = rank(2, &[(0, 1, weight), (0, 1, weight), (1, 0, 1.0)], &[]).scores;
        assert_close(&scores, &[0.5, 0.5]);
    }
}

#[test]
fn running_out_of_steps_is_stated_and_no_error() {
    let cycle = Edges { node_count: 2, edges: vec![(0, 1, 1.0), (1, 0, 1.0)] };
    let with_steps = |max_iterations| {
        rank_edges(&cycle, &[(0, 1.0)], &PageRankOptions::default().with_max_iterations(max_iterations))
    };
    let start = with_steps(0);
    assert_eq!((&start.scores[..], start.iterations, start.converged), (&[1.0, 0.0][..], 0, false));
    let short = with_steps(3);
    assert_eq!((short.iterations, short.converged), (3, false));
    assert!(short.residual > 1e-6);
    assert!(with_steps(100).converged);
}

#[test]
fn the_empty_graph_has_no_scores() {
    let ranking = rank(0, &[], &[(0, 1.0)]);
    assert_eq!(ranking, Ranking { scores: vec![], iterations: 0, residual: 0.0, converged: true });
}
