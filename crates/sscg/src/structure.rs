//! Properties of a project's whole graph: centrality of declarations, and their communities.

use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use sscg_core::{ChunkId, Id, NodeId, Project, UnknownName};
use sscg_graph::{CodeGraph, Node};
use sscg_index::Snapshot;
use sscg_rank::{
    BetweennessOptions, CommunityOptions, Csr, DegreeOptions, EdgeDirection, PageRankOptions, RandomWalk,
    betweenness, closeness_sampled, communities, degree, label_communities, pagerank,
};
use sscg_retrieve::Standing;

use crate::explore::names::standing_of;

/// Use of centrality in an answer. Also read from `true` (`sort`) and `false` (`off`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CentralityMode {
    /// None.
    #[default]
    Off,
    /// Results show it; their order stays.
    Show,
    /// Results show it, and are sorted by score and centrality.
    Sort,
}

impl CentralityMode {
    /// All modes; the first is the default.
    pub const ALL: [Self; 3] = [Self::Off, Self::Show, Self::Sort];

    /// Returns the wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Show => "show",
            Self::Sort => "sort",
        }
    }
}

sscg_core::parsed_by_name! { CentralityMode, "mode of centrality", Self::ALL.into_iter(); }

impl<'de> Deserialize<'de> for CentralityMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// Value of the key, which was true or false before it had three modes.
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            IsSorted(bool),
            Mode(String),
        }
        match Written::deserialize(deserializer)? {
            Written::IsSorted(is_sorted) => Ok(if is_sorted { Self::Sort } else { Self::Off }),
            Written::Mode(name) => name
                .parse()
                .map_err(|_: UnknownName| D::Error::unknown_variant(&name, &["off", "show", "sort"])),
        }
    }
}

/// Measure of centrality in the code graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CentralityMethod {
    /// PageRank of a declaration: used by many that are used by many. O(nodes + edges).
    #[default]
    Pagerank,
    /// Number of edges from and to a declaration. O(nodes + edges).
    Degree,
    /// Number of shortest paths through a declaration, estimated from those that start at 256 nodes.
    Betweenness,
    /// Inverse mean distance to a declaration from all that reach it, estimated from 256 nodes.
    Closeness,
}

/// Number of nodes from which paths are followed where all of them would cost O(nodes × edges). The errors are those of
/// [`sscg_rank::betweenness()`] and [`sscg_rank::closeness_sampled`] for this k.
const SAMPLES: usize = 256;

impl CentralityMethod {
    /// All methods; the first is the default.
    pub const ALL: [Self; 4] = [Self::Pagerank, Self::Degree, Self::Betweenness, Self::Closeness];

    /// Returns the wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pagerank => "pagerank",
            Self::Degree => "degree",
            Self::Betweenness => "betweenness",
            Self::Closeness => "closeness",
        }
    }

    /// Returns the score of each node.
    fn scores(self, graph: &CodeGraph) -> Vec<f64> {
        match self {
            Self::Pagerank => {
                let ranks = pagerank(&RandomWalk::new(graph), &[], &PageRankOptions::default());
                (0..graph.node_count() as u32).map(|node| ranks.scores.get(node)).collect()
            }
            Self::Degree => degree(&Csr::outgoing(graph), &DegreeOptions::default()),
            Self::Betweenness => {
                betweenness(&Csr::outgoing(graph), &BetweennessOptions::default().with_samples(SAMPLES))
            }
            Self::Closeness => closeness_sampled(&Csr::outgoing(graph), EdgeDirection::Incoming, SAMPLES, 0),
        }
    }
}

sscg_core::parsed_by_name! { CentralityMethod, "measure of centrality", Self::ALL.into_iter(); }

/// Centrality of each chunk, relative to the most central chunk: the sum over its declarations, or for closeness, which
/// does not add up, the maximum.
pub(crate) struct Centrality(Vec<f64>);

/// Centralities of a snapshot by method, each computed once.
#[derive(Default)]
struct Centralities([OnceLock<Arc<Centrality>>; CentralityMethod::ALL.len()]);

impl Centrality {
    /// Returns the centrality of a snapshot's chunks.
    pub(crate) fn of(snapshot: &Snapshot, method: CentralityMethod) -> Arc<Self> {
        let known = snapshot.derived(|_| Centralities::default());
        Arc::clone(known.0[method as usize].get_or_init(|| Arc::new(Self::compute(snapshot, method))))
    }

    fn compute(snapshot: &Snapshot, method: CentralityMethod) -> Self {
        let Snapshot { project, graph, .. } = snapshot;
        let scores = method.scores(graph);
        let mut chunks = vec![0.0; project.chunk_count()];
        for symbol in project.symbol_ids().filter(|symbol| !project.is_anonymous(*symbol)) {
            let score = scores[graph.id(Node::Symbol(symbol)).index()];
            let of_chunk: &mut f64 = &mut chunks[project.chunk_of_symbol(symbol).index()];
            *of_chunk =
                if method == CentralityMethod::Closeness { of_chunk.max(score) } else { *of_chunk + score };
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
            let name = if project.is_anonymous(symbol) { "" } else { project.symbol_name(symbol) };
            (&project.files()[project.symbol_file(symbol)].path, name)
        }
        Node::External(_) => ("", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_of_centrality_are_also_read_from_true_and_false() {
        let read = |text: &str| serde_json::from_str::<CentralityMode>(text).ok();
        assert_eq!(read("true"), Some(CentralityMode::Sort));
        assert_eq!(read("false"), Some(CentralityMode::Off));
        assert_eq!(read("\"show\""), Some(CentralityMode::Show));
        assert_eq!(read("\"all\""), None);
    }
}
