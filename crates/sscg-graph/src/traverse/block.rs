//! Implementation blocks, which belong to a type wherever they stand.

use sscg_core::{NodeId, Project, Relation, SymbolKind};

use crate::graph::{CodeGraph, Direction, Node};

/// The type that an implementation block belongs to, where that is part of the project.
pub(super) fn type_of(project: &Project, graph: &CodeGraph, block: NodeId) -> Option<NodeId> {
    let kind = |node: NodeId| match graph.node(node) {
        Node::Symbol(symbol) => Some(project.symbol(symbol).kind),
        Node::File(_) | Node::Boundary(_) => None,
    };
    if kind(block) != Some(SymbolKind::Impl) {
        return None;
    }
    // What else a block may refer to is the trait that it says its type does not implement.
    let is_type = |node: &NodeId| kind(*node).is_some_and(|kind| kind.is_type() && kind != SymbolKind::Trait);
    let named = graph.edges_at(block, Direction::Outgoing);
    named.filter(|edge| edge.relation == Relation::References).map(|edge| edge.target).find(is_type)
}

/// The implementation blocks of a type, in the order of the project.
pub(super) fn blocks_of(project: &Project, graph: &CodeGraph, ty: NodeId) -> Vec<NodeId> {
    let naming = graph.edges_at(ty, Direction::Incoming).map(|edge| edge.source);
    let mut blocks: Vec<NodeId> =
        naming.filter(|source| type_of(project, graph, *source) == Some(ty)).collect();
    blocks.dedup();
    blocks
}
