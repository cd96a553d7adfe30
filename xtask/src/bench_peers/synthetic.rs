//! Synthetic graphs with the shape of code graphs.

use crate::bench::Random;

/// Number of adjacent nodes, like the declarations of a file; cycles occur only among these.
const NEIGHBORHOOD: usize = 32;
/// Weights of edges: relation weight times certainty.
const WEIGHTS: [f32; 6] = [1.0, 0.8, 0.5, 0.4, 0.3, 0.1];

/// Generates about `edges` edges over `nodes` nodes as (source, target, weight), sorted by source. Deterministic.
///
/// Code depends on more basic code, so the nodes have an order and 97 % of the edges lead to a lower node: 50 % of all
/// to one close by, 27 % further away in the same part of the graph, and 20 % to popular nodes, the lowest most. The
/// other 3 % lead to a higher node of the same neighborhood, which creates components of mutual dependence. Out-degrees
/// are geometrically distributed. The IDs of a neighborhood are consecutive, but the neighborhoods are shuffled, so
/// that IDs do not reveal the order.
pub(super) fn code_like(nodes: usize, edges: usize) -> Vec<(u32, u32, f32)> {
    let mut random = Random(nodes as u64);
    let ids = shuffled_ids(nodes, &mut random);
    let mean = edges as f64 / nodes as f64;
    let ends = (mean / (1.0 + mean)).ln();
    let mut found: Vec<(u32, u32, f32)> = Vec::with_capacity(edges + edges / 16);
    for node in 0..nodes {
        let first = found.len();
        let degree = (uniform(&mut random).ln() / ends) as usize;
        // Low nodes have few possible targets.
        for _ in 0..2 * degree {
            let target = target(node, nodes, &mut random);
            let known = found[first..].iter().any(|edge| edge.1 == ids[target]);
            if found.len() < first + degree && target != node && !known {
                found.push((ids[node], ids[target], WEIGHTS[random.below(WEIGHTS.len())]));
            }
        }
    }
    found.sort_unstable_by_key(|&(source, target, _)| (source, target));
    found
}

fn target(node: usize, nodes: usize, random: &mut Random) -> usize {
    let lower = |distance: f64| node.saturating_sub(1 + distance as usize);
    match random.below(100) {
        0..50 => lower(NEIGHBORHOOD as f64 * uniform(random).powi(2)),
        50..77 => lower(16.0 * NEIGHBORHOOD as f64 * uniform(random).powi(2)),
        77..97 => {
            // The density falls with the reciprocal of the rank, but less steeply among the first.
            let head = 8.0;
            (head * (1.0 + node as f64 / head).powf(uniform(random)) - head) as usize
        }
        _ => {
            let end = nodes.min((node / NEIGHBORHOOD + 1) * NEIGHBORHOOD);
            node + random.below(end - node)
        }
    }
}

/// Returns the ID of each node: consecutive within a neighborhood, with the neighborhoods in random order.
fn shuffled_ids(nodes: usize, random: &mut Random) -> Vec<u32> {
    let mut order: Vec<usize> = (0..nodes.div_ceil(NEIGHBORHOOD)).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, random.below(at + 1));
    }
    let mut ids = vec![0; nodes];
    let mut next = 0;
    for first in order.into_iter().map(|at| at * NEIGHBORHOOD) {
        for id in &mut ids[first..nodes.min(first + NEIGHBORHOOD)] {
            *id = next;
            next += 1;
        }
    }
    ids
}

/// Returns a uniform random number in (0, 1].
fn uniform(random: &mut Random) -> f64 {
    let steps = 1 << 52;
    (random.below(steps) + 1) as f64 / steps as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_is_the_same_each_time_and_has_as_many_edges_as_asked_for() {
        let edges = code_like(2_000, 10_000);
        assert_eq!(edges, code_like(2_000, 10_000));
        assert!((9_000..11_000).contains(&edges.len()), "{}", edges.len());
        assert!(edges.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1)), "by source, none twice");
        assert!(edges.iter().all(|&(source, target, _)| source != target && source.max(target) < 2_000));
    }
}
