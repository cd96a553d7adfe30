//! Lifting what is near to a place that is named.

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, Confidence, FileId, Id, NodeId};
use sscg_graph::Node;
use sscg_index::Snapshot;
use sscg_rank::{NearOptions, pagerank_near};

use crate::rerank::{add, scale};
use crate::{Hit, RankSource, SignalId, Walk};

/// What nearness to an anchor counts, and what is near.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AnchorOptions {
    /// What nearness counts; the rest is the score by the signals.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub blend: f64,
    /// What an edge counts against its direction.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub backward: f32,
    /// How little of the walk's mass is still followed, and where nearness ends; see [`NearOptions::least`].
    #[schemars(range(min = 1e-9, max = 0.5))]
    pub least: f64,
}

impl Default for AnchorOptions {
    /// What a question is about leads. Callers are as near as callees, and a few steps are near.
    fn default() -> Self {
        Self { blend: 0.4, backward: 1.0, least: 1e-5 }
    }
}

/// Blends how near hits are to some nodes of the graph into their scores, and sorts anew, ties by the order before. Says
/// whether any is near at all.
///
/// A score becomes `blend` times the nearness plus `1 - blend` times the hit's own, divided by the best; it stays the sum of
/// what its sources add. Nearness is 1 at the anchors, and 0 where a walk from them, personalised PageRank, has `least` of
/// the mass that is there: in between it falls with the logarithm of the mass, which is about the number of bits that the
/// way to a node takes. So a step through what everything uses leads far away, as one along an edge that is not sure does.
/// A chunk that shows no declaration is as near as its file. O(1 / `least`) edges.
pub fn anchor(
    hits: &mut [Hit],
    snapshot: &Snapshot,
    anchors: &[NodeId],
    min_confidence: Confidence,
    options: &AnchorOptions,
) -> bool {
    let near = Nearness::new(snapshot, anchors, min_confidence, options);
    let nearness: Vec<f64> = hits.iter().map(|hit| near.of(snapshot, hit.chunk)).collect();
    let mut places: Vec<usize> = (0..hits.len()).filter(|at| nearness[*at] > 0.0).collect();
    places.sort_by(|a, b| nearness[*b].total_cmp(&nearness[*a]));
    scale(hits, 1.0 - options.blend);
    for (place, at) in places.iter().enumerate() {
        let (score, contribution) = (nearness[*at], options.blend * nearness[*at]);
        add(&mut hits[*at], RankSource { signal: SignalId::Anchor, rank: place + 1, score, contribution });
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    !places.is_empty()
}

/// How near chunks and files are to some nodes, from 0 to 1.
struct Nearness {
    chunks: FxHashMap<ChunkId, f64>,
    files: FxHashMap<FileId, f64>,
}

impl Nearness {
    fn new(
        snapshot: &Snapshot,
        anchors: &[NodeId],
        min_confidence: Confidence,
        options: &AnchorOptions,
    ) -> Self {
        let (project, graph) = (&snapshot.project, &snapshot.graph);
        let &AnchorOptions { backward, least, .. } = options;
        let walk = Walk { graph, backward, min_confidence };
        let seeds: Vec<(u32, f64)> = anchors.iter().map(|node| (node.index() as u32, 1.0)).collect();
        let ranks = pagerank_near(&walk, &seeds, &NearOptions { least, ..NearOptions::default() });
        let mut near = Self { chunks: FxHashMap::default(), files: FxHashMap::default() };
        for (node, mass) in ranks.scores.iter() {
            match graph.node(NodeId::new(node as usize)) {
                Node::Symbol(symbol) => {
                    *near.chunks.entry(project.chunk_of_symbol(symbol)).or_default() += mass;
                }
                Node::File(file) => *near.files.entry(file).or_default() += mass,
                Node::Boundary(_) => {}
            }
        }
        let most = near.chunks.values().chain(near.files.values()).copied().fold(0.0, f64::max);
        let nearness = |mass: &mut f64| *mass = (1.0 - (*mass / most).ln() / least.ln()).max(0.0);
        near.chunks.values_mut().for_each(nearness);
        near.files.values_mut().for_each(nearness);
        near
    }

    fn of(&self, snapshot: &Snapshot, chunk: ChunkId) -> f64 {
        let project = &snapshot.project;
        let known = match project.symbol_of_chunk(chunk) {
            Some(_) => self.chunks.get(&chunk),
            None => self.files.get(&project.chunk_file(chunk)),
        };
        known.copied().unwrap_or(0.0)
    }
}
