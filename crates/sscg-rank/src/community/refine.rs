//! Refinement: splits a community into well-connected parts.

use super::level::{Level, Links};

/// Splits each community into connected groups; returns the group of each node, identified by one of its nodes.
///
/// Each node starts as a group of its own. In turn, a node that is still alone joins the group of its community that
/// gains most, if any does. Only nodes and groups that are well connected to the rest of their community take part.
/// (The Leiden paper draws the group at random, favoring a large gain; this is its limit for θ → 0.)
///
/// `penalty` is resolution / 2m. `order` holds each node once.
pub(super) fn refine(level: &impl Level, penalty: f64, order: Vec<u32>, communities: &[u32]) -> Vec<u32> {
    let node_count = level.node_count();
    let mut community_strengths = vec![0.0; node_count];
    for (&community, strength) in communities.iter().zip(level.strengths()) {
        community_strengths[community as usize] += strength;
    }
    let near = |node: u32| {
        let own = communities[node as usize];
        level.others(node).filter(move |(other, _)| communities[*other as usize] == own)
    };
    let mut groups: Vec<u32> = (0..node_count as u32).collect();
    let mut group_strengths = level.strengths().to_vec();
    // Weight of the edges between each group and the rest of its community.
    let mut cuts: Vec<f64> =
        (0..node_count as u32).map(|node| near(node).map(|(_, weight)| f64::from(weight)).sum()).collect();
    let mut alone = vec![true; node_count];
    let mut links = Links::new(node_count);
    for node in order {
        let own = communities[node as usize];
        let strength = level.strengths()[node as usize];
        let is_well_connected = |strength: f64, cut: f64| {
            cut >= penalty * strength * (community_strengths[own as usize] - strength)
        };
        if !alone[node as usize] || !is_well_connected(strength, cuts[node as usize]) {
            continue;
        }
        near(node).for_each(|(other, weight)| links.add(groups[other as usize], weight));
        let (mut best, mut best_link, mut most) = (node, 0.0, 0.0);
        links.drain(|group, link| {
            let group_strength = group_strengths[group as usize];
            let gain = link - penalty * strength * group_strength;
            if gain > most && is_well_connected(group_strength, cuts[group as usize]) {
                (best, best_link, most) = (group, link, gain);
            }
        });
        if best != node {
            groups[node as usize] = best;
            alone[best as usize] = false;
            group_strengths[best as usize] += strength;
            cuts[best as usize] += cuts[node as usize] - 2.0 * best_link;
        }
    }
    groups
}
