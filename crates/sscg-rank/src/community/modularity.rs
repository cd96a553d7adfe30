//! Modularity: the quality of a partition compared to chance.

use crate::Csr;

/// Returns the modularity of a partition of an undirected graph ([`Csr::undirected`]).
///
/// > Q = Σ over communities c of ( L / m - γ (K / 2m)² )
///
/// where *L* is the weight of the edges inside c, *K* the sum of the strengths of its nodes, *m* the weight of all
/// edges and γ the resolution. The strength of a node is the weight of its edges; a self-loop counts twice, because
/// it has both ends there. In *L* and *m* it counts once like any edge. Q is at most 1, and at least -1/2 for γ = 1;
/// a graph without edges has 0.
///
/// `membership` is the community of each node: any numbers are allowed, and equal numbers mean the same community. A
/// resolution that is negative or not finite counts as 1. O(edges + nodes log nodes).
///
/// Sources: M. E. J. Newman, M. Girvan, *Finding and evaluating community structure in networks*, 2004; J. Reichardt,
/// S. Bornholdt, *Statistical mechanics of community detection*, 2006, for the resolution.
///
/// # Panics
/// If `membership` does not have one entry for each node.
pub fn modularity(graph: &Csr, membership: &[u32], resolution: f64) -> f64 {
    assert_eq!(membership.len(), graph.node_count(), "each node has a community");
    modularity_of(graph, &strengths(graph), membership, usable_resolution(resolution))
}

/// Computes [`modularity`], given the strength of each node.
pub(super) fn modularity_of(graph: &Csr, strengths: &[f64], membership: &[u32], resolution: f64) -> f64 {
    let total: f64 = strengths.iter().sum();
    if total == 0.0 {
        return 0.0;
    }
    let inside: f64 = graph
        .edges()
        .filter(|edge| membership[edge.source as usize] == membership[edge.target as usize])
        .map(|edge| ends(edge.source, edge.target, edge.weight))
        .sum();
    let expected: f64 = community_strengths(membership, strengths)
        .into_iter()
        .map(|strength| (strength / total).powi(2))
        .sum();
    inside / total - resolution * expected
}

/// Returns the strength of each node: the weight of its edges, self-loops counted twice.
pub(super) fn strengths(graph: &Csr) -> Vec<f64> {
    (0..graph.node_count() as u32)
        .map(|node| graph.row(node).map(|(neighbor, weight)| ends(node, neighbor, weight)).sum())
        .collect()
}

pub(super) fn usable_resolution(resolution: f64) -> f64 {
    if resolution.is_finite() && resolution >= 0.0 { resolution } else { 1.0 }
}

/// Returns the weight of an edge times the number of its ends at `node`.
fn ends(node: u32, neighbor: u32, weight: f32) -> f64 {
    f64::from(weight) * if node == neighbor { 2.0 } else { 1.0 }
}

/// Returns the strength of each community, in any order; entries may be 0 for unused numbers.
fn community_strengths(membership: &[u32], strengths: &[f64]) -> Vec<f64> {
    let bound = membership.iter().max().map_or(0, |most| *most as usize + 1);
    if bound <= membership.len() {
        let mut sums = vec![0.0; bound];
        for (&community, strength) in membership.iter().zip(strengths) {
            sums[community as usize] += strength;
        }
        return sums;
    }
    // If the numbers exceed the size of the graph, nodes are sorted by community instead of indexed.
    let mut nodes: Vec<(u32, f64)> = membership.iter().copied().zip(strengths.iter().copied()).collect();
    nodes.sort_by_key(|(community, _)| *community);
    nodes.chunk_by(|a, b| a.0 == b.0).map(|nodes| nodes.iter().map(|(_, strength)| strength).sum()).collect()
}
