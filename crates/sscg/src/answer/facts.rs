//! Graph around a declaration, as far as an answer shows it.

use sscg_core::{Confidence, FileId, NodeId, Project};
use sscg_format::{SignatureType, SymbolRef};
use sscg_graph::{CodeGraph, Direction, Edge, Node};
use sscg_index::Snapshot;

/// Maximum number of characters of a constant's value, or type, that is shown.
pub(super) const MOST_VALUE_CHARACTERS: usize = 80;

/// Context for collecting facts of the graph about declarations.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) project: &'a Project,
    pub(super) graph: &'a CodeGraph,
    /// Set if the declaration was looked up: then all of its callers are of interest.
    pub(super) is_lookup: bool,
    /// Depth to which calls are followed; `None` means unlimited.
    pub(super) call_depth: Option<u32>,
    /// Minimum confidence of edges to show.
    pub(super) min_confidence: Confidence,
}

impl Facts<'_> {
    pub(super) fn edges_at(&self, node: NodeId, direction: Direction) -> impl Iterator<Item = &Edge> {
        self.graph.edges_at(node, direction).filter(|edge| edge.confidence >= self.min_confidence)
    }

    /// Returns a reference to the code that a node represents.
    pub(super) fn symbol(&self, node: NodeId, confidence: Confidence) -> SymbolRef {
        let Self { project, graph, .. } = *self;
        match graph.node(node) {
            Node::Symbol(symbol) => SymbolRef::default()
                .with_name(project.qualified_name(symbol))
                .with_file(self.path(project.symbol_file(symbol)))
                .with_id(project.chunk_key(project.chunk_of_symbol(symbol)))
                .with_confidence(confidence),
            Node::File(file) => SymbolRef::default().with_name(self.path(file)).with_confidence(confidence),
            Node::External(_) => {
                SymbolRef::default().with_name(graph.label(project, node)).with_confidence(confidence)
            }
        }
    }

    pub(super) fn path(&self, file: FileId) -> String {
        self.project.files()[file].path.to_string()
    }

    /// Returns the type of a node. An external one is named apart from its package.
    pub(super) fn signature_type(&self, node: NodeId, confidence: Confidence) -> SignatureType {
        let mut ty = self.symbol(node, confidence);
        let mut line = 0;
        match self.graph.node(node) {
            Node::Symbol(symbol) => line = self.project.symbol(symbol).name_line as usize,
            Node::External(_) => {
                if let Some(at) = ty.name.rfind(['.', ':']) {
                    ty.file = ty.name[..at].trim_end_matches(':').to_owned();
                    ty.name.drain(..=at);
                }
            }
            Node::File(_) => {}
        }
        SignatureType::default().with_ty(ty).with_line(line)
    }
}
