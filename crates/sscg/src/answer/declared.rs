//! Declarations that the signature of a function names.

use sscg_core::{Confidence, FileId, NodeId, SymbolId, SymbolKind};
use sscg_graph::traverse::type_of;
use sscg_graph::{Direction, Edge, Node};

use super::facts::Facts;

/// Names of the type that contains a function.
const OWN_TYPE: [&str; 2] = ["Self", "this"];

/// Declarations that a function names, other than those of the standard library.
pub(super) struct DeclaredNames<'a> {
    facts: &'a Facts<'a>,
    symbol: SymbolId,
    file: FileId,
    /// Edges of the function, with the name of their target.
    named: Vec<(&'a Edge, String)>,
}

impl<'a> DeclaredNames<'a> {
    pub(super) fn new(facts: &'a Facts<'a>, symbol: SymbolId) -> Self {
        let Facts { project, graph, .. } = *facts;
        let node = graph.id(Node::Symbol(symbol));
        let named = facts
            .edges_at(node, Direction::Outgoing)
            .filter(|edge| !graph.is_standard(edge.target) && edge.target != node)
            .map(|edge| {
                let mut label = graph.label(project, edge.target);
                if let Some(at) = label.rfind(['.', ':']) {
                    label.drain(..=at);
                }
                (edge, label)
            })
            .collect();
        Self { facts, symbol, file: project.symbol_file(symbol), named }
    }

    pub(super) fn symbol(&self) -> SymbolId {
        self.symbol
    }

    /// Returns the declaration that a name in the signature stands for.
    pub(super) fn find(&self, name: &str) -> Option<(NodeId, Confidence)> {
        if OWN_TYPE.contains(&name) {
            return Some((self.own_type()?, Confidence::Exact));
        }
        self.named_so(name).or_else(|| self.named_so(self.imported_as(name)?))
    }

    /// Returns true if a name in the file of the function may stand for a node.
    pub(super) fn is_named(&self, node: NodeId, name: &str) -> bool {
        let is = |name: &str| self.named.iter().any(|(edge, label)| edge.target == node && label == name);
        is(name) || self.imported_as(name).is_some_and(is)
    }

    /// Returns the original of a name that the file imports under another one.
    fn imported_as(&self, name: &str) -> Option<&'a str> {
        let imports = &self.facts.project.files()[self.file].facts.imports;
        imports.iter().find(|it| *it.local == *name && *it.name != *name).map(|it| &*it.name)
    }

    /// Returns the declaration of a name, preferably a type.
    fn named_so(&self, name: &str) -> Option<(NodeId, Confidence)> {
        let same = || self.named.iter().filter(|(_, label)| label == name).map(|(edge, _)| edge);
        let is_type = |edge: &&&Edge| match self.facts.graph.node(edge.target) {
            Node::Symbol(symbol) => self.facts.project.symbol_kind(symbol).is_type(),
            Node::File(_) | Node::External(_) => false,
        };
        same().find(is_type).or_else(|| same().next()).map(|edge| (edge.target, edge.confidence))
    }

    /// Returns the type that contains the function; inside of an implementation block, the type of the block.
    pub(super) fn own_type(&self) -> Option<NodeId> {
        let Facts { project, graph, .. } = *self.facts;
        let mut around = project.self_and_ancestors(self.symbol).skip(1);
        let owner = around.find(|it| {
            let kind = project.symbol_kind(*it);
            kind.is_type() || kind == SymbolKind::Impl
        })?;
        let node = graph.id(Node::Symbol(owner));
        if project.symbol_kind(owner) == SymbolKind::Impl {
            type_of(project, graph, node)
        } else {
            Some(node)
        }
    }
}
