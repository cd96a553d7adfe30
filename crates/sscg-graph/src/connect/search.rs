//! The search for the cheapest path between two parts.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use sscg_core::{ChunkId, NodeId, Project};

use super::cost::{self, Cost};
use super::parts::Parts;
use crate::graph::{CodeGraph, Direction, Edge, Node};
use crate::traverse::{Path, step};

/// The cheapest path between two parts.
pub(super) struct Bridge {
    pub(super) cost: Cost,
    pub(super) path: Path,
    /// The chunks on it that were not there, in the order of the path.
    pub(super) added: Vec<ChunkId>,
    /// A place in each of the two parts.
    pub(super) ends: (usize, usize),
}

/// How a node was reached.
#[derive(Clone, Copy)]
struct Label<'g> {
    cost: Cost,
    /// The part that it was reached from.
    part: usize,
    /// The last edge on the way; `None` for what a part shows.
    by: Option<&'g Edge>,
    /// Whether there is no cheaper way.
    settled: bool,
}

/// An edge between what was reached from one part and what was reached from another.
struct Meeting<'g> {
    cost: Cost,
    near: NodeId,
    edge: &'g Edge,
    far: NodeId,
    added: Vec<ChunkId>,
}

/// Searches from all parts at once, again and again.
pub(super) struct Search<'a> {
    project: &'a Project,
    graph: &'a CodeGraph,
    through: Option<&'a dyn Fn(ChunkId) -> bool>,
    /// The most that a path may cost.
    limit: Cost,
    /// How many edges may still be looked at.
    edges: usize,
    labels: FxHashMap<NodeId, Label<'a>>,
    queue: BinaryHeap<Reverse<(Cost, NodeId)>>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        project: &'a Project,
        graph: &'a CodeGraph,
        through: Option<&'a dyn Fn(ChunkId) -> bool>,
        limit: Cost,
        edges: usize,
    ) -> Self {
        let (labels, queue) = (FxHashMap::default(), BinaryHeap::new());
        Self { project, graph, through, limit, edges, labels, queue }
    }

    /// The cheapest path between two parts that adds at most `room` chunks; of equally cheap ones that which adds fewer,
    /// then the one found first. Each node is reached from the part that is nearest to it, so that all paths that are
    /// still to be found when nodes at a distance are settled cost at least twice that distance.
    pub(super) fn bridge(&mut self, parts: &Parts<'a>, room: usize) -> Option<Bridge> {
        self.labels.clear();
        self.queue.clear();
        for &(node, place) in parts.nodes() {
            self.reach(node, 0, parts.part(place), None);
        }
        for start in parts.top_level() {
            if matches!(self.graph.node(start.edge.target), Node::Symbol(_)) {
                let cost = cost::of_step(self.graph, start.edge, start.edges);
                self.reach(start.edge.target, cost, parts.part(start.place), Some(start.edge));
            }
        }
        let mut best: Option<Meeting<'a>> = None;
        while let Some(Reverse((cost, node))) = self.queue.pop() {
            let bound = best.as_ref().map_or(self.limit, |best| best.cost);
            if 2 * cost > bound {
                break;
            }
            let label = self.labels.get_mut(&node).expect("what is in the queue was reached");
            if label.settled {
                continue;
            }
            label.settled = true;
            let label = *label;
            for direction in [Direction::Outgoing, Direction::Incoming] {
                let edges = self.graph.edges_at(node, direction);
                if cost + cost::of_choice(edges.len()) > bound || edges.len() > self.edges {
                    continue;
                }
                self.edges -= edges.len();
                for edge in edges {
                    let other = step(edge, direction).node;
                    if !matches!(self.graph.node(other), Node::Symbol(_)) {
                        continue;
                    }
                    let cost = cost + cost::of_edge(self.project, self.graph, edge);
                    match self.labels.get(&other) {
                        Some(met) if met.settled => {
                            let cost = cost + met.cost;
                            let bound =
                                best.as_ref().map_or((self.limit, room), |it| (it.cost, it.added.len()));
                            if met.part != label.part && cost <= bound.0 {
                                let added = self.added(parts, node, other);
                                if added.len() <= room && (best.is_none() || (cost, added.len()) < bound) {
                                    best = Some(Meeting { cost, near: node, edge, far: other, added });
                                }
                            }
                        }
                        _ => self.reach(other, cost, label.part, Some(edge)),
                    }
                }
            }
        }
        best.map(|meeting| self.finish(meeting))
    }

    /// Notes a way to a node, if it is the cheapest one so far and may be part of a bridge: one of its ends is
    /// within half of what it costs.
    fn reach(&mut self, node: NodeId, cost: Cost, part: usize, by: Option<&'a Edge>) {
        let is_cheaper = self.labels.get(&node).is_none_or(|known| cost < known.cost);
        if 2 * cost <= self.limit && is_cheaper && (cost == 0 || self.admits(node)) {
            self.labels.insert(node, Label { cost, part, by, settled: false });
            self.queue.push(Reverse((cost, node)));
        }
    }

    fn admits(&self, node: NodeId) -> bool {
        self.through.is_none_or(|admits| self.chunk(node).is_some_and(admits))
    }

    fn chunk(&self, node: NodeId) -> Option<ChunkId> {
        match self.graph.node(node) {
            Node::Symbol(symbol) => Some(self.project.chunk_of_symbol(symbol)),
            Node::File(_) | Node::Boundary(_) => None,
        }
    }

    /// The way from a node back to its part, with the edges.
    fn way(&self, node: NodeId) -> Path {
        let mut path = Path { nodes: vec![node], edges: Vec::new() };
        let mut at = node;
        // Top-level code is where a way starts, and has no label.
        while let Some(edge) = self.labels.get(&at).and_then(|label| label.by) {
            at = if edge.target == at { edge.source } else { edge.target };
            path.nodes.push(at);
            path.edges.push(*edge);
        }
        path
    }

    /// The chunks on the ways to two nodes that are not there yet.
    fn added(&self, parts: &Parts<'a>, near: NodeId, far: NodeId) -> Vec<ChunkId> {
        let mut added = Vec::new();
        let near = self.way(near).nodes.into_iter().rev();
        for chunk in near.chain(self.way(far).nodes).filter_map(|node| self.chunk(node)) {
            if !parts.holds(chunk) && !added.contains(&chunk) {
                added.push(chunk);
            }
        }
        added
    }

    /// The whole path, from the end with the smaller id.
    fn finish(&self, meeting: Meeting<'a>) -> Bridge {
        let Meeting { cost, near, edge, far, mut added } = meeting;
        let mut path = self.way(near);
        path.nodes.reverse();
        path.edges.reverse();
        path.edges.push(*edge);
        let rest = self.way(far);
        path.nodes.extend(rest.nodes);
        path.edges.extend(rest.edges);
        if path.nodes.first() > path.nodes.last() {
            path.nodes.reverse();
            path.edges.reverse();
            added.reverse();
        }
        Bridge { cost, path, added, ends: (self.labels[&near].part, self.labels[&far].part) }
    }
}
