//! Metrics of the graph as a whole.

use std::collections::BTreeSet;

use sscg_core::Adjacency;
use sscg_rank::{
    CommunityAlgorithm, CommunityOptions, Csr, PageRankOptions, RandomWalk, communities, pagerank,
};

use super::{KnowledgeGraph, NodeIndex};

/// Edges are weighted by their [confidence](super::Edge::confidence_weight); weights of parallel edges add up.
impl Adjacency for KnowledgeGraph {
    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn edge_count(&self) -> usize {
        self.edges.len()
    }

    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        for edge in self.edges_out(NodeIndex(node)) {
            visit(edge.target.0, edge.confidence_weight());
        }
    }
}

impl KnowledgeGraph {
    /// Returns the PageRank of each node, by node index: its share of a random walk that follows an edge with
    /// probability `alpha` and otherwise jumps to any node. The shares sum to 1. The usual `alpha` is 0.85.
    pub fn pagerank(&self, alpha: f64) -> Vec<f64> {
        let options = PageRankOptions::default().with_teleport(1.0 - alpha);
        let ranks = pagerank(&RandomWalk::new(self), &[], &options);
        (0..self.nodes.len() as u32).map(|node| ranks.scores.get(node)).collect()
    }

    /// Returns the community of each node, by node index, and the number of communities; larger communities have
    /// smaller numbers. Uses Louvain on the undirected graph; the result is deterministic. A larger resolution gives
    /// smaller communities; 1 is usual.
    pub fn membership(&self, resolution: f64) -> (Vec<u32>, usize) {
        // Further iterations gain little, and this is part of every build.
        let options = CommunityOptions::default()
            .with_algorithm(CommunityAlgorithm::Louvain)
            .with_resolution(resolution)
            .with_max_iterations(1);
        let found = communities(&Csr::undirected(self), &options);
        (found.membership, found.count)
    }

    /// Returns the nodes of each community of [`KnowledgeGraph::membership`].
    pub fn communities(&self, resolution: f64) -> Vec<BTreeSet<NodeIndex>> {
        let (membership, count) = self.membership(resolution);
        let mut communities = vec![BTreeSet::new(); count];
        for (node, community) in membership.into_iter().enumerate() {
            communities[community as usize].insert(NodeIndex::new(node));
        }
        communities
    }

    /// Computes PageRank and communities, and stores them in the nodes. Returns the number of communities.
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
