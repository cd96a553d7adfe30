//! Chunks of a connection, and their connected components.

use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashMap;
use sscg_core::{ChunkId, Confidence, NodeId, Project};

use crate::graph::{CodeGraph, Edge};
use crate::shown::{chunk_of, edges_from, edges_within, symbols_shown};

/// Chunks by position, in components: adjacent chunks are in the same one.
pub(super) struct Parts<'a> {
    project: &'a Project,
    graph: &'a CodeGraph,
    min_confidence: Confidence,
    /// First position of each chunk.
    places: FxHashMap<ChunkId, usize>,
    /// Positions, by component.
    sets: UnionFind<usize>,
    /// Number of components.
    parts: usize,
    /// Positions of the chunks that use a chunk or are nested in it, for chunks that are present or not.
    touching: FxHashMap<ChunkId, Vec<usize>>,
    nodes: Vec<(NodeId, usize)>,
    top_level: Vec<TopLevel<'a>>,
}

/// Edge out of top-level code.
#[derive(Clone, Copy)]
pub(super) struct TopLevel<'g> {
    pub(super) edge: &'g Edge,
    /// Position of its chunk.
    pub(super) place: usize,
    /// Number of edges of that chunk.
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

    /// Adds a chunk at the next position, which is returned, and joins it with all adjacent chunks. O(edges out of it).
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

    /// Joins the components of two positions.
    pub(super) fn join(&mut self, one: usize, other: usize) {
        self.parts -= usize::from(self.sets.union(one, other));
    }

    pub(super) fn are_one(&self) -> bool {
        self.parts <= 1
    }

    /// Returns the component of a position, as the position of one of its chunks.
    pub(super) fn part(&self, place: usize) -> usize {
        self.sets.find(place)
    }

    pub(super) fn holds(&self, chunk: ChunkId) -> bool {
        self.places.contains_key(&chunk)
    }

    /// Returns the nodes that the chunks show, each with the position of its chunk.
    pub(super) fn nodes(&self) -> &[(NodeId, usize)] {
        &self.nodes
    }

    /// Returns the edges out of chunks that show no declaration.
    pub(super) fn top_level(&self) -> &[TopLevel<'a>] {
        &self.top_level
    }

    /// Returns the first `count` positions by component, each component sorted, by first member.
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

/// Returns the chunks around a chunk, innermost first.
fn around(project: &Project, chunk: ChunkId) -> impl Iterator<Item = ChunkId> {
    std::iter::successors(project.parent_chunk(chunk), |chunk| project.parent_chunk(*chunk))
}
