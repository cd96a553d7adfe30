//! Properties of a project's whole graph: centrality of declarations, and their communities.

use sscg_core::{ChunkId, Id, NodeId, Project};
use sscg_graph::{CodeGraph, Node};
use sscg_index::Snapshot;
use sscg_rank::{
    CommunityOptions, Csr, PageRankOptions, RandomWalk, communities, label_communities, pagerank,
};
use sscg_retrieve::Standing;

use crate::explore::names::standing_of;

/// Centrality of each chunk: the PageRank of its declarations, relative to the most central chunk. Computed once per
/// snapshot.
pub(crate) struct Centrality(Vec<f64>);

impl Centrality {
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let Snapshot { project, graph, .. } = snapshot;
        let walk = RandomWalk::new(&**graph);
        let ranks = pagerank(&walk, &[], &PageRankOptions::default());
        let mut chunks = vec![0.0; project.chunk_count()];
        for symbol in project.symbol_ids() {
            let node = graph.id(Node::Symbol(symbol)).index() as u32;
            chunks[project.chunk_of_symbol(symbol).index()] += ranks.scores.get(node);
        }
        let most = chunks.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        chunks.iter_mut().for_each(|score| *score /= most);
        Self(chunks)
    }

    pub(crate) fn get(&self, chunk: ChunkId) -> f64 {
        self.0[chunk.index()]
    }
}

/// Communities of a snapshot's declarations. Computed once.
pub(crate) struct CommunityMap {
    membership: Vec<u32>,
    labels: Vec<String>,
}

impl CommunityMap {
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let Snapshot { project, graph, .. } = snapshot;
        let csr = Csr::undirected(&**graph);
        let found = communities(&csr, &CommunityOptions::default());
        // Where a community has code of the project's own, its tests do not name it.
        let nodes = 0..graph.node_count();
        let own: Vec<bool> =
            nodes.map(|node| standing_of(snapshot, NodeId::new(node)) == Standing::Product).collect();
        let community = |node: usize| found.membership[node] as usize;
        let mut has_own = vec![false; own.len()];
        (0..own.len()).filter(|node| own[*node]).for_each(|node| has_own[community(node)] = true);
        let labels = label_communities(&found.membership, |node| {
            let is_named_after = own[node as usize] || !has_own[community(node as usize)];
            if is_named_after { described(project, graph, node) } else { ("", "") }
        });
        Self { membership: found.membership, labels: labels.iter().map(ToString::to_string).collect() }
    }

    /// Returns the community of a chunk's declaration.
    pub(crate) fn get(&self, snapshot: &Snapshot, chunk: ChunkId) -> Option<u32> {
        let symbol = snapshot.project.symbol_of_chunk(chunk)?;
        Some(self.membership[snapshot.graph.id(Node::Symbol(symbol)).index()])
    }

    pub(crate) fn label(&self, community: u32) -> &str {
        &self.labels[community as usize]
    }
}

fn described<'a>(project: &'a Project, graph: &CodeGraph, node: u32) -> (&'a str, &'a str) {
    match graph.node(NodeId::new(node as usize)) {
        Node::File(file) => (&project.files()[file].path, ""),
        Node::Symbol(symbol) => {
            (&project.files()[project.symbol_file(symbol)].path, project.symbol_name(symbol))
        }
        Node::External(_) => ("", ""),
    }
}
