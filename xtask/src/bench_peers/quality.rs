//! Quality of a result.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use sscg_rank::Csr;

use super::graph::Graph;
use super::request::Request;

/// Quality of a result; metrics that do not apply are absent.
#[derive(Clone, Copy, Default, serde::Serialize)]
pub(super) struct Quality {
    /// L1 distance from the reference, divided by the sum of the reference.
    pub(super) error: Option<f64>,
    /// Number of the reference's 20 best nodes among the result's 20 best.
    pub(super) top_20: Option<usize>,
    /// Number of the reference's 100 best nodes among the result's 100 best.
    pub(super) top_100: Option<usize>,
    pub(super) modularity: Option<f64>,
}

impl Quality {
    /// Compares scores with a reference.
    pub(super) fn of_scores(scores: &[f64], reference: &[f64]) -> Self {
        let distance: f64 = scores.iter().zip(reference).map(|(a, b)| (a - b).abs()).sum();
        let found = |count| {
            let expected = best(reference, count);
            Some(best(scores, count).iter().filter(|node| expected.contains(node)).count())
        };
        let error = Some(distance / reference.iter().sum::<f64>());
        Self { error, top_20: found(20), top_100: found(100), modularity: None }
    }

    /// Rates a partition of `undirected` into communities, given as the community's number for each node.
    pub(super) fn of_communities(communities: &[f64], undirected: &Csr) -> Self {
        // Weight of inner edges and of all edges by community, counted at both ends.
        let mut weights: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
        let mut total = 0.0;
        for edge in undirected.edges() {
            let (here, there) = (communities[edge.source as usize], communities[edge.target as usize]);
            let community = weights.entry(here.to_bits()).or_default();
            let weight = f64::from(edge.weight);
            community.0 += if here == there { weight } else { 0.0 };
            community.1 += weight;
            total += weight;
        }
        let shares = weights.values().map(|(inside, all)| inside / total - (all / total).powi(2));
        Self { modularity: Some(shares.sum()), ..Self::default() }
    }

    /// Returns the worse value of each metric.
    pub(super) fn worse(self, other: Self) -> Self {
        let join = |a: Option<f64>, b: Option<f64>, worse: fn(f64, f64) -> f64| match (a, b) {
            (Some(a), Some(b)) => Some(worse(a, b)),
            (a, b) => a.or(b),
        };
        Self {
            error: join(self.error, other.error, f64::max),
            top_20: self.top_20.into_iter().chain(other.top_20).min(),
            top_100: self.top_100.into_iter().chain(other.top_100).min(),
            modularity: join(self.modularity, other.modularity, f64::min),
        }
    }
}

/// True if each community is connected: a walk inside communities finds no second part of any.
pub(super) fn are_connected(communities: &[f64], undirected: &Csr) -> bool {
    let mut seen = vec![false; communities.len()];
    let mut found = BTreeSet::new();
    for start in 0..communities.len() {
        if seen[start] {
            continue;
        }
        if !found.insert(communities[start].to_bits()) {
            return false;
        }
        seen[start] = true;
        let mut reached = vec![start as u32];
        while let Some(node) = reached.pop() {
            for &neighbor in undirected.neighbors(node) {
                let other = neighbor as usize;
                if !seen[other] && communities[other] == communities[start] {
                    seen[other] = true;
                    reached.push(neighbor);
                }
            }
        }
    }
    true
}

/// Returns the `count` nodes with the highest scores, in no order.
fn best(scores: &[f64], count: usize) -> Vec<usize> {
    let mut nodes: Vec<usize> = (0..scores.len()).collect();
    if nodes.len() > count {
        nodes.select_nth_unstable_by(count, |a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        nodes.truncate(count);
    }
    nodes
}

/// Computes PageRank to the precision of `f64`, with the textbook algorithm and independent of the measured code.
pub(super) fn power_iteration(graph: &Graph, request: &Request) -> Vec<f64> {
    let nodes = graph.outgoing.node_count();
    let incoming = graph.outgoing.transposed();
    let out: Vec<f64> = (0..nodes as u32)
        .map(|node| graph.outgoing.weights(node).iter().map(|it| f64::from(*it)).sum())
        .collect();
    let mut jump = vec![if request.seeds.is_empty() { 1.0 / nodes as f64 } else { 0.0 }; nodes];
    request.seeds.iter().for_each(|&seed| jump[seed as usize] = 1.0 / request.seeds.len() as f64);
    let mut scores = jump.clone();
    // Each step removes 15 % of the error, so that nothing is left after these.
    for _ in 0..250 {
        let dangling: f64 =
            scores.iter().zip(&out).filter(|(_, out)| **out == 0.0).map(|(score, _)| score).sum();
        let jumping = 0.15 + 0.85 * dangling;
        let next: Vec<f64> = (0..nodes as u32)
            .into_par_iter()
            .map(|node| {
                let share = |(source, weight): (u32, f32)| {
                    f64::from(weight) * scores[source as usize] / out[source as usize]
                };
                0.85 * incoming.row(node).map(share).sum::<f64>() + jumping * jump[node as usize]
            })
            .collect();
        let change: f64 = next.iter().zip(&scores).map(|(a, b)| (a - b).abs()).sum();
        scores = next;
        if change < 1e-15 {
            break;
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(nodes: usize) -> Graph {
        let edges = (1..nodes as u32).map(|node| (node, node - 1, 1.0));
        Graph::of_edges("path", nodes, edges.collect())
    }

    #[test]
    fn modularity_is_that_of_the_definition() {
        let undirected = Csr::undirected(&path(4).outgoing);
        let modularity =
            |communities: [f64; 4]| Quality::of_communities(&communities, &undirected).modularity;
        assert_eq!(modularity([7.0, 7.0, 1.0, 1.0]), Some(2.0 / 3.0 - 0.5));
        assert_eq!(modularity([0.0; 4]), Some(0.0));
    }

    #[test]
    fn a_community_in_two_parts_is_not_connected() {
        let undirected = Csr::undirected(&path(4).outgoing);
        assert!(are_connected(&[7.0, 7.0, 1.0, 1.0], &undirected));
        assert!(!are_connected(&[7.0, 1.0, 1.0, 7.0], &undirected));
    }

    #[test]
    fn the_walk_returns_from_where_it_cannot_go_on() {
        // From 2 via 1 to 0, and back: the shares are proportional to 1, 0.85 and 0.85².
        let request = Request { seeds: vec![2], seed: 0, tolerance: 0.0 };
        let scores = power_iteration(&path(3), &request);
        let total = 1.0 + 0.85 + 0.85 * 0.85;
        for (score, share) in scores.iter().zip([0.85 * 0.85, 0.85, 1.0]) {
            assert!((score - share / total).abs() < 1e-14, "{scores:?}");
        }
    }

    #[test]
    fn the_worst_of_all_rounds_is_kept() {
        let exact = Quality::of_scores(&[0.5, 0.25, 0.25], &[0.5, 0.25, 0.25]);
        assert_eq!((exact.error, exact.top_20), (Some(0.0), Some(3)));
        let coarse = Quality::of_scores(&[0.5, 0.5, 0.0], &[0.5, 0.25, 0.25]);
        assert_eq!(exact.worse(coarse).error, Some(0.5));
        assert_eq!(Quality::default().worse(exact).error, Some(0.0));
    }
}
