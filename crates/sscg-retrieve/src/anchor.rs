//! Boosts for hits that are close to a named place.

use derive_setters::Setters;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, Confidence, FileId, Id, NodeId};
use sscg_graph::{Node, Walk};
use sscg_index::Snapshot;
use sscg_rank::{NearOptions, pagerank_near};

use crate::hit::{add, scale};
use crate::{Hit, RankSource, SignalId};

/// Weight and reach of the proximity to an anchor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct AnchorOptions {
    /// Share of proximity; the rest is the score of the signals.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub blend: f64,
    /// Weight of an edge walked backward.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub backward: f32,
    /// Minimum mass that the walk still follows, and where proximity is 0; see [`NearOptions::least`]. A walk of one
    /// million steps reaches all of it.
    #[schemars(range(min = 1e-5, max = 0.5))]
    pub least: f64,
}

impl Default for AnchorOptions {
    /// The score for the question dominates. Callers count as much as callees, and a few steps away still counts as
    /// close.
    fn default() -> Self {
        Self { blend: 0.4, backward: 1.0, least: 1e-5 }
    }
}

/// Blends the proximity of hits to some graph nodes into their scores and sorts again; ties keep their order. Returns
/// true if any hit has a proximity above 0.
///
/// A score becomes `blend` times the proximity plus `1 - blend` times the hit's own score divided by the best score. It
/// stays the sum of the contributions of its sources. The proximity comes from personalized PageRank: it is 1 at the
/// anchors, and 0 where the mass is at most `least` of the largest mass. In between it falls with the logarithm of the
/// mass, which is about the number of bits that encode the path to a node. So a step through a node that everything
/// uses leads far away, as does a step along an edge of low confidence. A chunk without a declaration has the proximity
/// of its file. O(1 / `least`) edges.
pub fn anchor(
    hits: &mut [Hit],
    snapshot: &Snapshot,
    anchors: &[NodeId],
    min_confidence: Confidence,
    options: &AnchorOptions,
) -> bool {
    let near = Proximity::new(snapshot, anchors, min_confidence, options);
    let proximity: Vec<f64> = hits.iter().map(|hit| near.of(snapshot, hit.chunk)).collect();
    let mut places: Vec<usize> = (0..hits.len()).filter(|at| proximity[*at] > 0.0).collect();
    places.sort_by(|a, b| proximity[*b].total_cmp(&proximity[*a]));
    scale(hits, 1.0 - options.blend);
    for (place, at) in places.iter().enumerate() {
        let (score, contribution) = (proximity[*at], options.blend * proximity[*at]);
        add(&mut hits[*at], RankSource { signal: SignalId::ANCHOR, rank: place + 1, score, contribution });
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    !places.is_empty()
}

/// Proximity of chunks and files to some nodes, from 0 to 1.
struct Proximity {
    chunks: FxHashMap<ChunkId, f64>,
    files: FxHashMap<FileId, f64>,
}

impl Proximity {
    fn new(
        snapshot: &Snapshot,
        anchors: &[NodeId],
        min_confidence: Confidence,
        options: &AnchorOptions,
    ) -> Self {
        let (project, graph) = (&snapshot.project, &snapshot.graph);
        let &AnchorOptions { backward, least, .. } = options;
        let walk = Walk::new(graph, backward).with_min_confidence(min_confidence);
        let seeds: Vec<(u32, f64)> = anchors.iter().map(|node| (node.index() as u32, 1.0)).collect();
        let ranks = pagerank_near(&walk, &seeds, &NearOptions::default().with_least(least));
        let mut near = Self { chunks: FxHashMap::default(), files: FxHashMap::default() };
        for (node, mass) in ranks.scores.iter() {
            match graph.node(NodeId::new(node as usize)) {
                Node::Symbol(symbol) => {
                    *near.chunks.entry(project.chunk_of_symbol(symbol)).or_default() += mass;
                }
                Node::File(file) => *near.files.entry(file).or_default() += mass,
                Node::External(_) => {}
            }
        }
        let most = near.chunks.values().chain(near.files.values()).copied().fold(0.0, f64::max);
        let proximity = |mass: &mut f64| *mass = (1.0 - (*mass / most).ln() / least.ln()).max(0.0);
        near.chunks.values_mut().for_each(proximity);
        near.files.values_mut().for_each(proximity);
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
