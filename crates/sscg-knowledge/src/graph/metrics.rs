//! What is computed of the graph as a whole.

use std::collections::BTreeSet;

use sscg_core::Adjacency;
use sscg_rank::{
    CommunityAlgorithm, CommunityOptions, Csr, PageRankOptions, RandomWalk, communities, pagerank,
};

use super::{KnowledgeGraph, NodeIndex};

/// Edges weigh what they are [certain](super::Edge::certainty) of; parallel ones add up.
impl Adjacency for KnowledgeGraph {
    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn edge_count(&self) -> usize {
        self.edges.len()
    }

    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        for edge in self.edges_out(NodeIndex(node)) {
            visit(edge.target.0, edge.certainty());
        }
    }
}

impl KnowledgeGraph {
    /// The share of each node, by its place, of a walk that follows an edge with probability `alpha` and else jumps
    /// anywhere; they sum to 1. 0.85 is usual.
    pub fn pagerank(&self, alpha: f64) -> Vec<f64> {
        let options = PageRankOptions { teleport: 1.0 - alpha, ..PageRankOptions::default() };
        let ranks = pagerank(&RandomWalk::new(self), &[], &options);
        (0..self.nodes.len() as u32).map(|node| ranks.scores.get(node)).collect()
    }

    /// The community of each node, by its place, and how many there are; larger ones have smaller numbers. Edges count
    /// without their direction. By Louvain, the same graph giving the same communities; the larger the resolution (1 is
    /// usual), the smaller they are.
    pub fn membership(&self, resolution: f64) -> (Vec<u32>, usize) {
        let options = CommunityOptions {
            algorithm: CommunityAlgorithm::Louvain,
            resolution,
            // What further ones gain is little, and this is part of every build.
            max_iterations: 1,
            ..CommunityOptions::default()
        };
        let found = communities(&Csr::undirected(self), &options);
        (found.membership, found.count)
    }

    /// The nodes of each community of [`KnowledgeGraph::membership`].
    pub fn communities(&self, resolution: f64) -> Vec<BTreeSet<NodeIndex>> {
        let (membership, count) = self.membership(resolution);
        let mut communities = vec![BTreeSet::new(); count];
        for (node, community) in membership.into_iter().enumerate() {
            communities[community as usize].insert(NodeIndex::new(node));
        }
        communities
    }

    /// Computes PageRank and communities, and notes them at the nodes. Gives back the number of communities.
    pub fn compute_metrics(&mut self, alpha: f64, resolution: f64) -> usize {
        let (ranks, (membership, count)) =
            rayon::join(|| self.pagerank(alpha), || self.membership(resolution));
        for ((node, rank), community) in self.nodes.iter_mut().zip(ranks).zip(membership) {
            node.pagerank = rank;
            node.community_id = Some(community);
        }
        count
    }
}
