//! Immutable snapshot of the code graph.

mod columns;
mod encode;
mod reason;
mod replace;
mod rows;
mod shift;
mod sites;
mod unresolved;

use std::cmp::Reverse;
use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sscg_core::{Confidence, FileId, Id, LineRange, NodeId, Project, Provenance, Relation, SymbolId};

pub use reason::Reason;
pub(crate) use rows::{End, FileEdge, FileLinks, FileUnresolved};
use sites::{Site, Sites};
pub(crate) use unresolved::UnresolvedUse;
pub use unresolved::{Unresolved, UnresolvedReferences};

/// Entity that a node represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// File: its top-level code.
    File(FileId),
    /// Declaration.
    Symbol(SymbolId),
    /// External symbol, as an index into [`CodeGraph::externals`].
    External(u32),
}

impl Node {
    /// Returns the declaration that it is; `None` for a file or an external symbol.
    pub fn symbol(self) -> Option<SymbolId> {
        match self {
            Node::Symbol(symbol) => Some(symbol),
            Node::File(_) | Node::External(_) => None,
        }
    }

    /// Returns the file whose code it is; `None` for an external symbol. O(1).
    ///
    /// # Panics
    /// Panics if a symbol is not of this project.
    pub fn file(self, project: &Project) -> Option<FileId> {
        match self {
            Node::File(file) => Some(file),
            Node::Symbol(symbol) => Some(project.symbol_file(symbol)),
            Node::External(_) => None,
        }
    }
}

/// External symbol: declared outside the project and named by its code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExternalSymbol {
    /// Qualified name in the notation of the language: `std::sync::Arc`, `react.useState`.
    pub name: Box<str>,
    /// Origin of the symbol.
    pub origin: Origin,
}

impl ExternalSymbol {
    /// Creates an external symbol.
    pub fn new(name: impl Into<Box<str>>, origin: Origin) -> Self {
        Self { name: name.into(), origin }
    }
}

/// Origin of an external symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Origin {
    /// Standard library or runtime of the language.
    StandardLibrary,
    /// Package that is not part of the project.
    ThirdParty,
}

impl Origin {
    /// All origins, in declaration order.
    const ALL: [Origin; 2] = [Origin::StandardLibrary, Origin::ThirdParty];
}

/// Typed edge: `source <relation> target`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Edge {
    /// Source node.
    pub source: NodeId,
    /// Target node.
    pub target: NodeId,
    /// Relation of the source to the target.
    pub relation: Relation,
    /// First line in the source's file that makes the edge.
    pub line: u32,
    /// Confidence of the edge.
    pub confidence: Confidence,
    /// Analysis that found the edge.
    pub provenance: Provenance,
    /// Number of candidates left by the rules; 1 unless ambiguous.
    pub candidates: u16,
}

impl Edge {
    /// Creates an exact edge.
    pub fn new(
        source: NodeId,
        target: NodeId,
        relation: Relation,
        line: u32,
        provenance: Provenance,
    ) -> Self {
        Self { source, target, relation, line, confidence: Confidence::Exact, provenance, candidates: 1 }
    }

    /// Returns the confidence as a weight for ranking and paths: 1 if exact, 0.8 if inferred, 1/n if ambiguous among n
    /// candidates.
    pub fn confidence_weight(&self) -> f32 {
        match self.confidence {
            Confidence::Exact => 1.0,
            Confidence::Inferred => 0.8,
            Confidence::Ambiguous => 1.0 / f32::from(self.candidates.max(1)),
        }
    }

    /// Returns the probability that the code means the target, from 0 to 1. It is the share of right edges among those of
    /// the same rule, measured with compilers on 26 packages of Rust and TypeScript (`docs/benchmarks/edges.md`): of
    /// inferred ones .97 that follow from types and .75 that follow from a name alone. One of n candidates has 1/n, and
    /// .6/n if the name alone selects them, as declarations outside of the project compete with them.
    pub fn probability(&self) -> f32 {
        let share = 1.0 / f32::from(self.candidates.max(1));
        match (self.confidence, self.provenance) {
            (Confidence::Exact, _) => 1.0,
            (Confidence::Inferred, Provenance::Name) => 0.75,
            // Compilers report the declared type of a called value, not what it holds, so this was read instead.
            (Confidence::Inferred, Provenance::Flow) => 0.8,
            (Confidence::Inferred, _) => 0.97,
            (Confidence::Ambiguous, Provenance::Name) => 0.6 * share,
            (Confidence::Ambiguous, _) => share,
        }
    }
}

/// Direction relative to the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Source to target.
    Outgoing,
    /// Target to source.
    Incoming,
}

/// Code graph of one project state, with edges in compressed sparse rows in both directions.
///
/// Nodes are numbered files first, then symbols, then external symbols, so that project ids and node ids are converted
/// by adding an offset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CodeGraph {
    files: usize,
    symbols: usize,
    externals: Vec<ExternalSymbol>,
    /// Sorted by (source, target, relation); edges of top-level code also by line.
    edges: Vec<Edge>,
    sites: Sites,
    outgoing: Vec<u32>,
    /// Indices into `edges`, sorted by (target, source, relation).
    by_target: Vec<u32>,
    incoming: Vec<u32>,
    unresolved: UnresolvedReferences,
}

impl CodeGraph {
    /// Builds the rows. Among edges with the same ends and relation, keeps the one with the highest confidence and its
    /// first line; the lines of the others become its [sites](Self::sites_at). Edges of a file's top-level code are
    /// kept line by line, since they belong to different chunks. O(E log E).
    pub(crate) fn new(
        project: &Project,
        externals: Vec<ExternalSymbol>,
        edges: Vec<Edge>,
        unresolved: Vec<(Box<str>, UnresolvedUse)>,
    ) -> Self {
        let size = (project.files().len(), project.symbol_count());
        Self::of_size(size, externals, edges, || UnresolvedReferences::new(unresolved))
    }

    /// Builds the graph like [`CodeGraph::new`], for the given numbers of files and symbols. `unresolved` runs in parallel.
    pub(crate) fn of_size(
        (files, symbols): (usize, usize),
        externals: Vec<ExternalSymbol>,
        mut edges: Vec<Edge>,
        unresolved: impl FnOnce() -> UnresolvedReferences + Send,
    ) -> Self {
        let (sites, unresolved) = rayon::join(|| Sites::new(sort_edges(files, &mut edges)), unresolved);
        let nodes = files + symbols + externals.len();
        let outgoing = row_starts(nodes, edges.iter().map(|edge| edge.source));
        let (by_target, incoming) = targets(nodes, edges.iter().map(|edge| edge.target));
        Self { files, symbols, externals, edges, sites, outgoing, by_target, incoming, unresolved }
    }

    /// Returns the numbers of files and symbols of the project.
    pub fn size(&self) -> (usize, usize) {
        (self.files, self.symbols)
    }

    /// Returns true if the graph has as many files and symbols as `project`. Queries with a project require it.
    pub fn fits(&self, project: &Project) -> bool {
        self.size() == (project.files().len(), project.symbol_count())
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.files + self.symbols + self.externals.len()
    }

    /// Returns all edges, by (source, target, relation).
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns all external symbols, by name.
    pub fn externals(&self) -> &[ExternalSymbol] {
        &self.externals
    }

    /// Returns the entity that a node represents. O(1).
    pub fn node(&self, node: NodeId) -> Node {
        let index = node.index();
        if index < self.files {
            Node::File(FileId::new(index))
        } else if index < self.files + self.symbols {
            Node::Symbol(SymbolId::new(index - self.files))
        } else {
            Node::External((index - self.files - self.symbols) as u32)
        }
    }

    /// Returns true if a node belongs to the standard library, whose uses are not informative about the project. O(1).
    pub fn is_standard(&self, node: NodeId) -> bool {
        match self.node(node) {
            Node::External(at) => self.externals[at as usize].origin == Origin::StandardLibrary,
            Node::File(_) | Node::Symbol(_) => false,
        }
    }

    /// Returns the node of a file, symbol or external symbol. O(1).
    pub fn id(&self, node: Node) -> NodeId {
        match node {
            Node::File(file) => NodeId::new(file.index()),
            Node::Symbol(symbol) => NodeId::new(self.files + symbol.index()),
            Node::External(external) => NodeId::new(self.files + self.symbols + external as usize),
        }
    }

    /// Returns the edges at `node` in one direction, ordered by their other end. O(1) to start.
    pub fn edges_at(
        &self,
        node: NodeId,
        direction: Direction,
    ) -> impl DoubleEndedIterator<Item = &Edge> + ExactSizeIterator {
        self.row(node, direction).map(move |place| self.edge_in_row(place, direction).1)
    }

    /// Returns every line that makes an edge at `node` in one direction: the edges in the order of [`Self::edges_at`],
    /// each once per line, the line with the highest confidence first. O(log edges) per edge.
    pub fn sites_at(&self, node: NodeId, direction: Direction) -> impl Iterator<Item = Edge> {
        self.row(node, direction).flat_map(move |place| {
            let (at, edge) = self.edge_in_row(place, direction);
            self.sites_of(at, *edge)
        })
    }

    /// Returns every line that makes an edge, as an edge of its own.
    pub(crate) fn all_sites(&self) -> impl Iterator<Item = Edge> {
        self.edges.iter().enumerate().flat_map(|(at, edge)| self.sites_of(at, *edge))
    }

    fn sites_of(&self, at: usize, edge: Edge) -> impl Iterator<Item = Edge> {
        let further =
            self.sites.of(at).map(move |Site { line, confidence, .. }| Edge { line, confidence, ..edge });
        std::iter::once(edge).chain(further)
    }

    /// Returns the index range of a node's row in one direction.
    pub(crate) fn row(&self, node: NodeId, direction: Direction) -> Range<usize> {
        match direction {
            Direction::Outgoing => row(&self.outgoing, node),
            Direction::Incoming => row(&self.incoming, node),
        }
    }

    /// Returns the edge at an index of the rows in one direction, with its index among all edges.
    pub(crate) fn edge_in_row(&self, place: usize, direction: Direction) -> (usize, &Edge) {
        let at = match direction {
            Direction::Outgoing => place,
            Direction::Incoming => self.by_target[place] as usize,
        };
        (at, &self.edges[at])
    }

    /// Returns the edges from one node to another, by relation. O(log edges at the source).
    pub fn edges_between(&self, source: NodeId, target: NodeId) -> &[Edge] {
        let edges = &self.edges[row(&self.outgoing, source)];
        let start = edges.partition_point(|edge| edge.target < target);
        let len = edges[start..].partition_point(|edge| edge.target == target);
        &edges[start..start + len]
    }

    /// Returns the edges whose source is the top-level code of `file` on one of `lines`, without containment.
    pub fn file_edges_on(&self, file: FileId, lines: LineRange) -> impl Iterator<Item = &Edge> {
        let edges = self.edges_at(self.id(Node::File(file)), Direction::Outgoing);
        edges.filter(move |edge| lines.contains(edge.line) && !edge.relation.is_containment())
    }

    /// Returns the uses of `name` that no rule resolved, by source and line. O(log names).
    pub fn unresolved(&self, name: &str) -> impl ExactSizeIterator<Item = Unresolved<'_>> {
        self.unresolved.named(name)
    }

    /// Returns all unresolved references.
    pub fn unresolved_references(&self) -> &UnresolvedReferences {
        &self.unresolved
    }

    /// Returns the display name of a node: a path, a stable symbol key, or the name of an external symbol.
    pub fn label(&self, project: &Project, node: NodeId) -> String {
        match self.node(node) {
            Node::File(file) => project.files()[file].path.to_string(),
            Node::Symbol(symbol) => project.symbol_key(symbol),
            Node::External(external) => self.externals[external as usize].name.to_string(),
        }
    }
}

/// Sorts edges and keeps the one with the highest confidence among equal ones; see [`CodeGraph::new`]. Returns the
/// lines of the others.
fn sort_edges(files: usize, edges: &mut Vec<Edge>) -> Vec<Site> {
    let rank = |edge: &Edge| (Reverse(edge.confidence), edge.candidates, edge.line, edge.provenance);
    edges.par_sort_unstable_by(|a, b| key(files, a).cmp(&key(files, b)).then_with(|| rank(a).cmp(&rank(b))));
    let mut sites = Vec::new();
    let mut count = 0;
    for at in 0..edges.len() {
        let edge = edges[at];
        match edges[..count].last() {
            Some(kept) if key(files, kept) == key(files, &edge) => {
                if kept.line != edge.line {
                    let Edge { line, confidence, .. } = edge;
                    sites.push(Site { edge: count as u32 - 1, line, confidence });
                }
            }
            _ => {
                edges[count] = edge;
                count += 1;
            }
        }
    }
    edges.truncate(count);
    sites
}

/// Returns the sort key of an edge in a graph of `files` files. It is unique per edge.
fn key(files: usize, edge: &Edge) -> (NodeId, NodeId, Relation, u32) {
    let site = if edge.source.index() < files { edge.line } else { 0 };
    (edge.source, edge.target, edge.relation, site)
}

/// Returns the rows by target for sorted edges, given by their targets, and the start of each row.
fn targets(nodes: usize, targets: impl Iterator<Item = NodeId> + Clone) -> (Vec<u32>, Vec<u32>) {
    let incoming = row_starts(nodes, targets.clone());
    // Edges are appended to their target's row in order, which leaves each row sorted by source.
    let mut next = incoming.clone();
    let mut by_target = vec![0; incoming[nodes] as usize];
    for (at, target) in targets.enumerate() {
        let place = &mut next[target.index()];
        by_target[*place as usize] = at as u32;
        *place += 1;
    }
    (by_target, incoming)
}

/// Returns the start of each node's row, and the end of the last one, from the nodes of the entries in any order.
fn row_starts(nodes: usize, entries: impl Iterator<Item = NodeId>) -> Vec<u32> {
    let mut lengths = vec![0_u32; nodes + 1];
    for node in entries {
        lengths[node.index() + 1] += 1;
    }
    accumulate(lengths)
}

/// Computes the start of each row from a zero and the lengths of the rows.
fn accumulate(mut lengths: Vec<u32>) -> Vec<u32> {
    for row in 1..lengths.len() {
        lengths[row] += lengths[row - 1];
    }
    lengths
}

fn row(starts: &[u32], node: NodeId) -> Range<usize> {
    starts[node.index()] as usize..starts[node.index() + 1] as usize
}

#[cfg(test)]
mod tests;
