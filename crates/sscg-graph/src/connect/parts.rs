//! Which chunks are there, and which of them are connected.

use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashMap;
use sscg_core::{ChunkId, Confidence, NodeId, Project};

use crate::graph::{CodeGraph, Edge};
use crate::shown::{chunk_of, edges_from, edges_within, symbols_shown};

/// Chunks by place, in parts: those that touch are in one.
pub(super) struct Parts<'a> {
    project: &'a Project,
    graph: &'a CodeGraph,
    min_confidence: Confidence,
    /// Where each chunk stands first.
    places: FxHashMap<ChunkId, usize>,
    /// The places, by part.
    sets: UnionFind<usize>,
    /// How many parts there are.
    parts: usize,
    /// The places of the chunks that touch a chunk, whether it is there or not: of those that use it or stand in it.
    touching: FxHashMap<ChunkId, Vec<usize>>,
    nodes: Vec<(NodeId, usize)>,
    top_level: Vec<TopLevel<'a>>,
}

/// An edge out of top-level code.
#[derive(Clone, Copy)]
pub(super) struct TopLevel<'g> {
    pub(super) edge: &'g Edge,
    /// The place of its chunk.
    pub(super) place: usize,
    /// How many edges that chunk has.
    pub(super) edges: usize,
}

impl<'a> Parts<'a> {
    pub(super) fn new(project: &'a Project, graph: &'a CodeGraph, min_confidence: Confidence) -> Self {
        Self {
            project,
            graph,
            min_confidence,
            places: FxHashMap::default(),
            sets: UnionFind::new_empty(),
            parts: 0,
            touching: FxHashMap::default(),
            nodes: Vec::new(),
            top_level: Vec::new(),
        }
    }

    /// Puts a chunk at the next place, which is returned, into one part with all that it touches. O(edges out of it).
    pub(super) fn add(&mut self, chunk: ChunkId) -> usize {
        let (project, graph) = (self.project, self.graph);
        let place = self.sets.new_set();
        self.parts += 1;
        let first = *self.places.entry(chunk).or_insert(place);
        if first != place {
            self.join(first, place);
            return place;
        }
        let is_sure = |edge: &&Edge| edge.confidence >= self.min_confidence;
        let mut edges = edges_from(project, graph, chunk);
        let mut within = edges_within(project, graph, chunk);
        edges.retain(is_sure);
        within.retain(is_sure);
        let used = edges.iter().chain(&within).filter_map(|edge| chunk_of(project, graph, edge.target, 0));
        let used = used.flat_map(|used| std::iter::once(used).chain(around(project, used)));
        for touched in used.chain(around(project, chunk)) {
            self.touching.entry(touched).or_default().push(place);
            if let Some(&touched) = self.places.get(&touched) {
                self.join(place, touched);
            }
        }
        for other in self.touching.remove(&chunk).unwrap_or_default() {
            self.join(place, other);
        }
        self.nodes.extend(symbols_shown(project, graph, chunk).into_iter().map(|node| (node, place)));
        if project.symbol_of_chunk(chunk).is_none() {
            let top_level = |edge: &&'a Edge| TopLevel { edge, place, edges: edges.len() };
            self.top_level.extend(edges.iter().map(top_level));
        }
        place
    }

    /// Makes the parts of two places one.
    pub(super) fn join(&mut self, one: usize, other: usize) {
        self.parts -= usize::from(self.sets.union(one, other));
    }

    pub(super) fn are_one(&self) -> bool {
        self.parts <= 1
    }

    /// The part that a place is in: the place of one of its chunks.
    pub(super) fn part(&self, place: usize) -> usize {
        self.sets.find(place)
    }

    pub(super) fn holds(&self, chunk: ChunkId) -> bool {
        self.places.contains_key(&chunk)
    }

    /// What the chunks show, each node with the place of its chunk.
    pub(super) fn nodes(&self) -> &[(NodeId, usize)] {
        &self.nodes
    }

    /// The edges out of chunks that show no declaration.
    pub(super) fn top_level(&self) -> &[TopLevel<'a>] {
        &self.top_level
    }

    /// The first `count` places by part, each part sorted, by first member.
    pub(super) fn groups(&self, count: usize) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut group_of: FxHashMap<usize, usize> = FxHashMap::default();
        for place in 0..count {
            let group = *group_of.entry(self.part(place)).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(place);
        }
        groups
    }
}

/// The chunks that a chunk stands in, innermost first.
fn around(project: &Project, chunk: ChunkId) -> impl Iterator<Item = ChunkId> {
    std::iter::successors(project.parent_chunk(chunk), |chunk| project.parent_chunk(*chunk))
}
