//! Proximity in the graph to the results of other signals.

use std::collections::BTreeMap;

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, FileId, Id, NodeId};
use sscg_graph::{Node, Walk};
use sscg_index::Snapshot;
use sscg_rank::{NearOptions, pagerank_near};

use super::{Signal, SignalContext, SignalId, SignalScores};

/// Scores chunks by personalized PageRank from the best chunks of the other signals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct GraphSignal {
    /// Number of chunks that the walk starts from.
    #[schemars(range(min = 1))]
    pub seeds: usize,
    /// Weight of an edge walked backward: callers are relevant, too.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub backward: f32,
    /// Probability of a jump back to the seeds at each step of the walk.
    #[schemars(range(min = 0.1, max = 1.0))]
    pub teleport: f64,
    /// Minimum mass that the walk still follows; see [`NearOptions::least`]. With these ranges, a walk of one million
    /// steps always reaches all of it.
    #[schemars(range(min = 1e-5, max = 1.0))]
    pub least: f64,
}

impl Default for GraphSignal {
    /// A shallow walk: the mass beyond the nearest neighbors changes no rank that matters, and takes ten times as long.
    fn default() -> Self {
        let teleport = NearOptions::default().teleport;
        Self { seeds: 10, backward: 0.5, teleport, least: 1e-3 }
    }
}

impl Signal for GraphSignal {
    fn id(&self) -> SignalId {
        SignalId::GRAPH
    }

    fn starts_from(&self, _snapshot: &Snapshot) -> usize {
        self.seeds
    }

    /// Returns nothing if the graph has fewer edges than nodes: too few connections of the code are resolved.
    fn score(&self, context: &SignalContext<'_>, found: &[(ChunkId, f64)]) -> SignalScores {
        let snapshot = context.snapshot;
        let (project, graph) = (&snapshot.project, &snapshot.graph);
        if snapshot.derived(|snapshot| Sparse(is_sparse(snapshot))).0 {
            return SignalScores::default();
        }
        let seeds: Vec<(u32, f64)> = found
            .iter()
            .take(self.seeds)
            .filter_map(|(chunk, score)| {
                let node = graph.id(Node::Symbol(project.symbol_of_chunk(*chunk)?));
                Some((node.index() as u32, *score))
            })
            .collect();
        if seeds.is_empty() {
            return SignalScores::default();
        }
        let ranks = pagerank_near(&Walk::new(graph, self.backward), &seeds, &self.walk());
        let mut scores: BTreeMap<ChunkId, f64> = BTreeMap::new();
        for (node, score) in ranks.scores.iter() {
            if let Node::Symbol(symbol) = graph.node(NodeId::new(node as usize)) {
                *scores.entry(project.chunk_of_symbol(symbol)).or_default() += score;
            }
        }
        let mut files: BTreeMap<FileId, f64> = BTreeMap::new();
        for (chunk, score) in &scores {
            *files.entry(project.chunk_file(*chunk)).or_default() += score;
        }
        let mut evidence = SignalScores {
            files: files.into_iter().collect(),
            chunks: scores.into_iter().collect(),
            ..SignalScores::default()
        };
        evidence.normalize();
        evidence
    }
}

impl GraphSignal {
    fn walk(&self) -> NearOptions {
        NearOptions::default().with_teleport(self.teleport).with_least(self.least)
    }
}

/// Set if the graph of a snapshot is too sparse for this signal; cached with the snapshot.
struct Sparse(bool);

fn is_sparse(snapshot: &Snapshot) -> bool {
    let semantic = snapshot.graph.edges().iter().filter(|edge| !edge.relation.is_containment()).count();
    sscg_rank::is_sparse(snapshot.project.symbol_count(), semantic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sscg_core::{Manifests, Project};

    /// Returns the score of each function of a Python file after a walk from the first.
    fn walked(text: &str) -> Vec<f64> {
        let file = sscg_parse::project_file("main.py", text).expect("Python is parsed");
        let project = Project::new(vec![file], Manifests::default());
        let graph = sscg_graph::link(&project);
        let nodes: Vec<usize> =
            project.symbol_ids().map(|symbol| graph.id(Node::Symbol(symbol)).index()).collect();
        let signal = GraphSignal::default();
        let walk = Walk::new(&graph, signal.backward);
        let ranks = pagerank_near(&walk, &[(nodes[0] as u32, 1.0)], &signal.walk());
        nodes.into_iter().map(|node| ranks.scores.get(node as u32)).collect()
    }

    #[test]
    fn a_function_that_calls_itself_is_no_closer_than_one_that_does_not() {
        let plain =
            "def start():\n    left()\n    right()\n\ndef left():\n    pass\n\ndef right():\n    pass\n";
        let recursive = plain.replace("def left():\n    pass", "def left():\n    left()");
        let scores = walked(plain);
        assert!(scores.iter().all(|score| *score > 0.0) && scores[1] == scores[2]);
        assert_eq!(walked(&recursive), scores);
    }
}
