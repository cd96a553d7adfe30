//! Links of files before nodes are numbered, and the numbering.

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{Confidence, NodeId, Project, Provenance, Relation};

use super::{Boundary, CodeGraph, Edge, Node, Reason, Use};

/// Links of one file.
#[derive(Default)]
pub(crate) struct FileLinks {
    pub(crate) edges: Vec<FileEdge>,
    pub(crate) unresolved: Vec<FileUnresolved>,
}

/// [`Edge`] of a file, before numbering.
pub(crate) struct FileEdge {
    pub(crate) source: Node,
    pub(crate) target: End,
    pub(crate) relation: Relation,
    pub(crate) line: u32,
    pub(crate) confidence: Confidence,
    pub(crate) provenance: Provenance,
    pub(crate) candidates: u16,
}

/// Target of a file's edge.
pub(crate) enum End {
    Inside(Node),
    Outside(Boundary),
}

/// [`Unresolved`](super::Unresolved) use in a file, before numbering.
pub(crate) struct FileUnresolved {
    pub(crate) name: Box<str>,
    pub(crate) source: Node,
    pub(crate) line: u32,
    pub(crate) relation: Relation,
    pub(crate) reason: Reason,
}

impl CodeGraph {
    /// Builds the graph from the links of all files. O(E log E).
    pub(crate) fn of_links(project: &Project, links: Vec<FileLinks>) -> Self {
        let mut boundaries: Vec<Boundary> = outside(&links).into_iter().cloned().collect();
        boundaries.sort_unstable();
        let ids: FxHashMap<&Boundary, u32> =
            boundaries.iter().enumerate().map(|(id, boundary)| (boundary, id as u32)).collect();
        // Node numbers depend only on the numbers of files and symbols, which an edgeless graph has.
        let numbering = Self::new(project, Vec::new(), Vec::new(), Vec::new());
        let (edges, ledger) = numbered(&numbering, links, |boundary| ids[boundary]);
        drop(ids);
        Self::new(project, boundaries, edges, ledger)
    }
}

/// Returns the distinct external symbols that links name.
pub(super) fn outside(links: &[FileLinks]) -> FxHashSet<&Boundary> {
    let ends = links.iter().flat_map(|links| links.edges.iter()).map(|edge| &edge.target);
    ends.filter_map(|end| if let End::Outside(boundary) = end { Some(boundary) } else { None }).collect()
}

/// Replaces the ends of all links by node ids.
pub(super) fn numbered(
    numbering: &CodeGraph,
    links: Vec<FileLinks>,
    boundary_id: impl Fn(&Boundary) -> u32,
) -> (Vec<Edge>, Vec<(Box<str>, Use)>) {
    let id = |end: &End| -> NodeId {
        match end {
            End::Inside(node) => numbering.id(*node),
            End::Outside(boundary) => numbering.id(Node::Boundary(boundary_id(boundary))),
        }
    };
    let mut edges = Vec::with_capacity(links.iter().map(|links| links.edges.len()).sum());
    let mut ledger = Vec::with_capacity(links.iter().map(|links| links.unresolved.len()).sum());
    for FileLinks { edges: of_file, unresolved } in links {
        edges.extend(of_file.into_iter().map(|edge| Edge {
            source: numbering.id(edge.source),
            target: id(&edge.target),
            relation: edge.relation,
            line: edge.line,
            confidence: edge.confidence,
            provenance: edge.provenance,
            candidates: edge.candidates,
        }));
        ledger.extend(unresolved.into_iter().map(
            |FileUnresolved { name, source, line, relation, reason }| {
                (name, Use { source: numbering.id(source), line, relation, reason })
            },
        ));
    }
    (edges, ledger)
}
