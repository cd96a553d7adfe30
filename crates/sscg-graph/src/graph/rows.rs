//! Links of files before nodes are numbered, and the numbering.

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{Confidence, NodeId, Project, Provenance, Relation};

use super::{CodeGraph, Edge, ExternalSymbol, Node, Reason, UnresolvedUse};

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
    External(ExternalSymbol),
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
        let mut externals: Vec<ExternalSymbol> = external_symbols(&links).into_iter().cloned().collect();
        externals.sort_unstable();
        let ids: FxHashMap<&ExternalSymbol, u32> =
            externals.iter().enumerate().map(|(id, external)| (external, id as u32)).collect();
        // Node numbers depend only on the numbers of files and symbols, which an edgeless graph has.
        let numbering = Self::new(project, Vec::new(), Vec::new(), Vec::new());
        let (edges, unresolved) = numbered(&numbering, links, |external| ids[external]);
        drop(ids);
        Self::new(project, externals, edges, unresolved)
    }
}

/// Returns the distinct external symbols that links name.
pub(super) fn external_symbols(links: &[FileLinks]) -> FxHashSet<&ExternalSymbol> {
    let ends = links.iter().flat_map(|links| links.edges.iter()).map(|edge| &edge.target);
    ends.filter_map(|end| if let End::External(external) = end { Some(external) } else { None }).collect()
}

/// Replaces the ends of all links by node ids.
pub(super) fn numbered(
    numbering: &CodeGraph,
    links: Vec<FileLinks>,
    external_id: impl Fn(&ExternalSymbol) -> u32,
) -> (Vec<Edge>, Vec<(Box<str>, UnresolvedUse)>) {
    let id = |end: &End| -> NodeId {
        match end {
            End::Inside(node) => numbering.id(*node),
            End::External(external) => numbering.id(Node::External(external_id(external))),
        }
    };
    let mut edges = Vec::with_capacity(links.iter().map(|links| links.edges.len()).sum());
    let mut unresolved = Vec::with_capacity(links.iter().map(|links| links.unresolved.len()).sum());
    for FileLinks { edges: edges_of_file, unresolved: unresolved_of_file } in links {
        edges.extend(edges_of_file.into_iter().map(|edge| Edge {
            source: numbering.id(edge.source),
            target: id(&edge.target),
            relation: edge.relation,
            line: edge.line,
            confidence: edge.confidence,
            provenance: edge.provenance,
            candidates: edge.candidates,
        }));
        unresolved.extend(unresolved_of_file.into_iter().map(
            |FileUnresolved { name, source, line, relation, reason }| {
                (name, UnresolvedUse { source: numbering.id(source), line, relation, reason })
            },
        ));
    }
    (edges, unresolved)
}
