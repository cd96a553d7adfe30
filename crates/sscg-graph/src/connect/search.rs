//! Search for the cheapest path between two components.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use sscg_core::{ChunkId, Confidence, NodeId, Project};

use super::ConnectOptions;
use super::cost::{self, Cost};
use super::parts::Parts;
use crate::graph::{CodeGraph, Direction, Edge, Node};
use crate::traverse::{Path, step};

/// Cheapest path between two components.
pub(super) struct Bridge {
    pub(super) cost: Cost,
    pub(super) path: Path,
    /// Chunks on the path that were not present, in path order.
    pub(super) added: Vec<ChunkId>,
    /// Position in each of the two components.
    pub(super) ends: (usize, usize),
}

/// Partial path to a node.
#[derive(Clone, Copy)]
struct Way<'g> {
    cost: Cost,
    /// Component that it starts from.
    part: usize,
    /// Last edge; `None` at a node that the component shows.
    by: Option<&'g Edge>,
}

/// Partial paths that reach a node.
#[derive(Clone, Copy)]
struct Reached<'g> {
    /// Cheapest partial path.
    best: Way<'g>,
    /// Cheapest partial path from a component other than that of `best`.
    other: Option<Way<'g>>,
}

impl<'g> Reached<'g> {
    /// Adds a partial path. Returns true if it is one of the two now.
    fn add(&mut self, way: Way<'g>) -> bool {
        if way.cost < self.best.cost {
            if way.part != self.best.part {
                self.other = Some(self.best);
            }
            self.best = way;
            return true;
        }
        let is_kept = way.part != self.best.part && self.other.is_none_or(|other| way.cost < other.cost);
        if is_kept {
            self.other = Some(way);
        }
        is_kept
    }
}

/// Node that partial paths from two components reach.
struct Meeting<'g> {
    cost: Cost,
    node: NodeId,
    ways: [Way<'g>; 2],
    added: Vec<ChunkId>,
}

/// Repeatable search from all components at once.
pub(super) struct Search<'a> {
    project: &'a Project,
    graph: &'a CodeGraph,
    through: Option<&'a dyn Fn(ChunkId) -> bool>,
    min_confidence: Confidence,
    /// Maximum cost of a path.
    limit: Cost,
    /// Number of edges that may still be looked at.
    edges: usize,
    reached: FxHashMap<NodeId, Reached<'a>>,
    queue: BinaryHeap<Reverse<(Cost, NodeId)>>,
    best: Option<Meeting<'a>>,
}

impl<'a> Search<'a> {
    pub(super) fn new(project: &'a Project, graph: &'a CodeGraph, options: &ConnectOptions<'a>) -> Self {
        let ConnectOptions { cost, edges, through, min_confidence, .. } = *options;
        let limit = cost::of_bits(cost);
        let (reached, queue) = (FxHashMap::default(), BinaryHeap::new());
        Self { project, graph, through, min_confidence, limit, edges, reached, queue, best: None }
    }

    /// Finds the cheapest path between two components that adds at most `room` chunks; among equally cheap paths, the
    /// one that adds fewer, then the one found first.
    ///
    /// Each node belongs to its nearest component, and a path is found where an edge leads from the nodes of one
    /// component to those of another. One end of that edge, with the choice among the edges there, is within half of
    /// the path's cost. Nothing farther is looked at, nor any edge list whose choice alone costs more.
    pub(super) fn bridge(&mut self, parts: &Parts<'a>, room: usize) -> Option<Bridge> {
        if room == 0 || parts.are_one() {
            return None;
        }
        self.start(parts, room);
        while let Some(Reverse((cost, node))) = self.queue.pop() {
            if 2 * cost > self.bound() {
                break;
            }
            let Way { cost: least, part, .. } = self.reached[&node].best;
            if least < cost {
                continue;
            }
            for direction in [Direction::Outgoing, Direction::Incoming] {
                let edges = self.graph.edges_at(node, direction);
                if 2 * (cost + cost::of_choice(edges.len())) > self.bound() || edges.len() > self.edges {
                    continue;
                }
                self.edges -= edges.len();
                let least = self.min_confidence;
                for edge in edges.filter(|edge| edge.confidence >= least) {
                    let cost = cost + cost::of_edge(self.project, self.graph, edge);
                    self.reach(parts, room, step(edge, direction).node, Way { cost, part, by: Some(edge) });
                }
            }
        }
        self.best.take().map(|meeting| self.finish(meeting))
    }

    /// Starts with the nodes that the components show, and with the targets of top-level code.
    fn start(&mut self, parts: &Parts<'a>, room: usize) {
        self.reached.clear();
        self.queue.clear();
        for &(node, place) in parts.nodes() {
            let way = Way { cost: 0, part: parts.part(place), by: None };
            self.reached.insert(node, Reached { best: way, other: None });
            self.queue.push(Reverse((0, node)));
        }
        for start in parts.top_level() {
            let cost = cost::of_step(self.graph, start.edge, start.edges);
            let way = Way { cost, part: parts.part(start.place), by: Some(start.edge) };
            self.reach(parts, room, start.edge.target, way);
        }
    }

    /// Returns the maximum cost of a path that is of use.
    fn bound(&self) -> Cost {
        self.best.as_ref().map_or(self.limit, |best| best.cost)
    }

    /// Records a partial path to a node. With one from another component it forms a path.
    fn reach(&mut self, parts: &Parts<'a>, room: usize, node: NodeId, way: Way<'a>) {
        let Some(chunk) = self.chunk(node) else { return };
        if way.cost > self.bound() {
            return;
        }
        let reached = match self.reached.entry(node) {
            Entry::Occupied(entry) => {
                let reached = entry.into_mut();
                if !reached.add(way) {
                    return;
                }
                *reached
            }
            Entry::Vacant(_) if self.through.is_some_and(|admits| !admits(chunk)) => return,
            Entry::Vacant(entry) => *entry.insert(Reached { best: way, other: None }),
        };
        if let Some(other) = reached.other {
            self.meet(parts, room, node, [reached.best, other]);
        }
        if reached.best.cost == way.cost && 2 * way.cost <= self.bound() {
            self.queue.push(Reverse((way.cost, node)));
        }
    }

    /// Keeps a path between two components if it is the best so far.
    fn meet(&mut self, parts: &Parts<'a>, room: usize, node: NodeId, ways: [Way<'a>; 2]) {
        let cost = ways[0].cost + ways[1].cost;
        if cost > self.bound() {
            return;
        }
        let mut added: Vec<ChunkId> = Vec::new();
        for chunk in self.path(node, &ways).nodes.into_iter().filter_map(|node| self.chunk(node)) {
            if !parts.holds(chunk) && !added.contains(&chunk) {
                added.push(chunk);
            }
        }
        let is_better = |best: &Meeting<'_>| (cost, added.len()) < (best.cost, best.added.len());
        if added.len() <= room && self.best.as_ref().is_none_or(is_better) {
            self.best = Some(Meeting { cost, node, ways, added });
        }
    }

    fn chunk(&self, node: NodeId) -> Option<ChunkId> {
        match self.graph.node(node) {
            Node::Symbol(symbol) => Some(self.project.chunk_of_symbol(symbol)),
            Node::File(_) | Node::External(_) => None,
        }
    }

    /// Returns the path that two partial paths to a node form.
    fn path(&self, node: NodeId, ways: &[Way<'a>; 2]) -> Path {
        let mut path = Path { nodes: vec![node], edges: Vec::new() };
        self.follow(node, ways[0], &mut path);
        path.nodes.reverse();
        path.edges.reverse();
        self.follow(node, ways[1], &mut path);
        path
    }

    /// Follows a partial path back from a node. The nodes on it are settled, so their partial paths no longer change.
    fn follow(&self, node: NodeId, way: Way<'a>, path: &mut Path) {
        let (mut at, mut by) = (node, way.by);
        while let Some(edge) = by {
            at = if edge.target == at { edge.source } else { edge.target };
            path.nodes.push(at);
            path.edges.push(*edge);
            // Partial paths start at top-level code; none leads to it.
            by = self.reached.get(&at).and_then(|reached| reached.best.by);
        }
    }

    /// Returns the whole path, from the end with the smaller id.
    fn finish(&self, meeting: Meeting<'a>) -> Bridge {
        let Meeting { cost, node, ways, mut added } = meeting;
        let mut path = self.path(node, &ways);
        if path.nodes.first() > path.nodes.last() {
            path.nodes.reverse();
            path.edges.reverse();
            added.reverse();
        }
        Bridge { cost, path, added, ends: (ways[0].part, ways[1].part) }
    }
}
