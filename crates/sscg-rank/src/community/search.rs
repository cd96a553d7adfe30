//! Iterations of Louvain and Leiden.

use std::cmp::Reverse;

use super::level::{Coarse, Finest, Level};
use super::modularity::{modularity_of, usable_resolution};
use super::moving::move_nodes;
use super::random::Random;
use super::refine::refine;
use super::{Communities, CommunityAlgorithm, CommunityOptions};
use crate::Csr;

/// Data shared by all starts.
pub(super) struct Search<'a> {
    graph: &'a Csr,
    finest: Finest<'a>,
    resolution: f64,
    /// resolution / 2m: a pair of nodes in a community costs this times the product of their strengths.
    penalty: f64,
    options: &'a CommunityOptions,
}

/// Nodes of the next level.
struct Groups {
    /// Group of each node of this level.
    of: Vec<u32>,
    /// Community of each group.
    communities: Vec<u32>,
}

impl<'a> Search<'a> {
    pub(super) fn new(graph: &'a Csr, options: &'a CommunityOptions) -> Self {
        let finest = Finest::new(graph);
        let total: f64 = finest.strengths().iter().sum();
        let resolution = usable_resolution(options.resolution);
        let penalty = if total > 0.0 { resolution / total } else { 0.0 };
        Self { graph, finest, resolution, penalty, options }
    }

    /// Finds communities, starting with each node on its own.
    pub(super) fn run(&self, mut random: Random) -> Communities {
        let mut membership: Vec<u32> = (0..self.graph.node_count() as u32).collect();
        let (mut iterations, mut levels, mut converged) = (0, 0, false);
        while iterations < self.options.max_iterations && !converged {
            // The second iteration completes the work of the first at a lower cost, since it chooses among whole
            // communities instead of single nodes. With five or more iterations, a good start is worth more.
            let rushed = iterations == 0 && (2..5).contains(&self.options.max_iterations);
            (levels, converged) = self.iterate(&mut membership, rushed, &mut random);
            iterations += 1;
        }
        let count = split_into_connected(self.graph, &mut membership);
        let membership = by_size(&membership, count);
        let modularity = modularity_of(self.graph, self.finest.strengths(), &membership, self.resolution);
        Communities { membership, count, modularity, levels, iterations, converged }
    }

    /// Improves the communities level by level; returns the number of levels, and true if the search has converged.
    fn iterate(&self, membership: &mut [u32], rushed: bool, random: &mut Random) -> (usize, bool) {
        let mut moved = false;
        let mut levels = 1;
        let Some(groups) = self.step(&self.finest, membership, rushed, random, &mut moved) else {
            return (levels, !moved);
        };
        // Node of the current level that each node of the graph is part of.
        let Groups { of: mut nodes, mut communities } = groups;
        let mut level = Coarse::new(&self.finest, &nodes, communities.len());
        loop {
            levels += 1;
            let Some(groups) = self.step(&level, &mut communities, rushed, random, &mut moved) else { break };
            nodes.iter_mut().for_each(|node| *node = groups.of[*node as usize]);
            communities = groups.communities;
            // A level nearly as large as the graph is dropped before the next one is built.
            level = if 2 * level.edge_count() > self.finest.edge_count() {
                drop(level);
                Coarse::new(&self.finest, &nodes, communities.len())
            } else {
                Coarse::new(&level, &groups.of, communities.len())
            };
        }
        for (community, node) in membership.iter_mut().zip(nodes) {
            *community = communities[node as usize];
        }
        (levels, !moved && !rushed)
    }

    /// Moves the nodes of a level between `communities` and groups them for the next level; `None` if that would be
    /// the same level.
    fn step(
        &self,
        level: &impl Level,
        communities: &mut [u32],
        rushed: bool,
        random: &mut Random,
        moved: &mut bool,
    ) -> Option<Groups> {
        let node_count = level.node_count();
        // One and a half visits of each node catch most of the gain. The other limit is only reached on a graph that
        // is not undirected, on which moving might not end.
        let max_visits =
            if rushed { node_count.saturating_mul(3).div_ceil(2) } else { node_count.saturating_mul(1000) };
        *moved |= move_nodes(level, self.penalty, random.order(node_count), max_visits, communities);
        let count = renumber(communities);
        if count == node_count {
            return None;
        }
        let (groups, group_count) = match self.options.algorithm {
            CommunityAlgorithm::Louvain => (communities.to_vec(), count),
            CommunityAlgorithm::Leiden => {
                let mut groups = refine(level, self.penalty, random.order(node_count), communities);
                let count = renumber(&mut groups);
                (groups, count)
            }
        };
        if group_count == node_count {
            return None;
        }
        let mut group_communities = vec![0; group_count];
        for (&group, &community) in groups.iter().zip(&*communities) {
            group_communities[group as usize] = community;
        }
        Some(Groups { of: groups, communities: group_communities })
    }
}

/// Numbers groups densely by first appearance and returns their number. Group numbers must be less than the number of
/// nodes.
fn renumber(groups: &mut [u32]) -> usize {
    let mut names = vec![u32::MAX; groups.len()];
    let mut count = 0;
    for group in groups {
        let name = &mut names[*group as usize];
        if *name == u32::MAX {
            *name = count;
            count += 1;
        }
        *group = *name;
    }
    count as usize
}

/// Makes each connected component of a community a community of its own; returns the new number of communities.
fn split_into_connected(graph: &Csr, membership: &mut [u32]) -> usize {
    let mut parts = vec![u32::MAX; membership.len()];
    let mut count = 0;
    let mut reached = Vec::new();
    for start in 0..membership.len() {
        if parts[start] != u32::MAX {
            continue;
        }
        parts[start] = count;
        reached.push(start as u32);
        while let Some(node) = reached.pop() {
            for &neighbor in graph.neighbors(node) {
                let part = &mut parts[neighbor as usize];
                if *part == u32::MAX && membership[neighbor as usize] == membership[start] {
                    *part = count;
                    reached.push(neighbor);
                }
            }
        }
        count += 1;
    }
    membership.copy_from_slice(&parts);
    count as usize
}

/// Renumbers `count` communities, the largest first, equally large ones by their first node.
fn by_size(membership: &[u32], count: usize) -> Vec<u32> {
    let mut sizes = vec![0_usize; count];
    membership.iter().for_each(|community| sizes[*community as usize] += 1);
    // They are numbered by their first node so far, and a stable sort keeps that order among equals.
    let mut communities: Vec<u32> = (0..count as u32).collect();
    communities.sort_by_key(|community| Reverse(sizes[*community as usize]));
    let mut numbers = vec![0; count];
    for (number, community) in (0..).zip(communities) {
        numbers[community as usize] = number;
    }
    membership.iter().map(|community| numbers[*community as usize]).collect()
}
