//! What is close, in the graph, to what was found.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{Adjacency, ChunkId, Confidence, FileId, Id, NodeId, Relation};
use sscg_graph::{CodeGraph, Direction, Edge, Node};
use sscg_index::Snapshot;
use sscg_rank::{NearOptions, pagerank_near};

use super::{Context, Evidence, Signal, SignalId};

/// Scores chunks by personalised PageRank from the best chunks that the other signals found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Graph {
    /// How many found chunks the walk starts from.
    #[schemars(range(min = 1))]
    pub seeds: usize,
    /// What an edge counts against its direction: a caller says something of what it calls, too.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub backward: f32,
    /// The probability of a jump back to the seeds at each step of the walk.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub teleport: f64,
    /// How little of the walk's mass is still followed; see [`NearOptions::least`].
    #[schemars(range(min = 1e-9, max = 1.0))]
    pub least: f64,
}

impl Default for Graph {
    /// A shallow walk: what is left after the nearest neighbours changes no rank that counts, and takes ten times as
    /// long.
    fn default() -> Self {
        let teleport = NearOptions::default().teleport;
        Self { seeds: 10, backward: 0.5, teleport, least: 1e-3 }
    }
}

impl Signal for Graph {
    fn id(&self) -> SignalId {
        SignalId::Graph
    }

    fn starts_from(&self, _snapshot: &Snapshot) -> usize {
        self.seeds
    }

    /// Nothing if the graph has fewer edges than nodes: too little is known of how the code connects.
    fn score(&self, context: &Context<'_>, found: &[(ChunkId, f64)]) -> Evidence {
        let snapshot = context.snapshot;
        let (project, graph) = (&snapshot.project, &snapshot.graph);
        if snapshot.derived(|snapshot| Sparse(is_sparse(snapshot))).0 {
            return Evidence::default();
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
            return Evidence::default();
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
        let mut evidence = Evidence {
            files: files.into_iter().collect(),
            chunks: scores.into_iter().collect(),
            ..Evidence::default()
        };
        evidence.normalize();
        evidence
    }
}

impl Graph {
    fn walk(&self) -> NearOptions {
        NearOptions { teleport: self.teleport, least: self.least, ..NearOptions::default() }
    }
}

/// Whether too little is known of how a snapshot's code connects; kept with it.
struct Sparse(bool);

fn is_sparse(snapshot: &Snapshot) -> bool {
    let semantic = snapshot.graph.edges().iter().filter(|edge| !edge.relation.is_containment()).count();
    sscg_rank::is_sparse(snapshot.project.symbol_count(), semantic)
}

/// The code graph walked both ways, without what lies outside the project, and without edges from a node to
/// itself: that a function is recursive says nothing of what is close to it, and would keep the walk there.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    /// What is walked.
    pub graph: &'a CodeGraph,
    /// What a step against an edge weighs, beside one along it.
    pub backward: f32,
    /// How sure an edge is at least that is walked.
    pub min_confidence: Confidence,
}

impl<'a> Walk<'a> {
    /// A walk along edges of any confidence.
    pub fn new(graph: &'a CodeGraph, backward: f32) -> Self {
        Self { graph, backward, min_confidence: Confidence::Ambiguous }
    }
}

impl Adjacency for Walk<'_> {
    fn node_count(&self) -> usize {
        self.graph.node_count()
    }

    fn edge_count(&self) -> usize {
        2 * self.graph.edges().len()
    }

    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        let node = NodeId::new(node as usize);
        let inside = |node: NodeId| !matches!(self.graph.node(node), Node::Boundary(_));
        if !inside(node) {
            return;
        }
        // That something stands in another thing counts once, whatever else is said of it.
        let counts = |edge: &&Edge| {
            edge.source != edge.target
                && edge.confidence >= self.min_confidence
                && (edge.relation == Relation::Contains || !edge.relation.is_containment())
        };
        let weight = |edge: &Edge| edge.relation.weight() * edge.certainty();
        for edge in
            self.graph.edges_at(node, Direction::Outgoing).filter(counts).filter(|edge| inside(edge.target))
        {
            visit(edge.target.index() as u32, weight(edge));
        }
        for edge in self.graph.edges_at(node, Direction::Incoming).filter(counts) {
            visit(edge.source.index() as u32, self.backward * weight(edge));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sscg_core::{Project, ProjectFile};

    /// The score of each function of a Python file after a walk from the first.
    fn walked(text: &str) -> Vec<f64> {
        let language = sscg_parse::language_of_path("main.py").expect("Python has a frontend");
        let facts = sscg_parse::extract(language, "py", text).into();
        let file = ProjectFile { path: "main.py".into(), language, facts };
        let project = Project::new(vec![file], Vec::new());
        let graph = sscg_graph::link(&project);
        let nodes: Vec<usize> =
            project.symbol_ids().map(|symbol| graph.id(Node::Symbol(symbol)).index()).collect();
        let signal = Graph::default();
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
