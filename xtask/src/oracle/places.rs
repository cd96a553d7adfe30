//! Nodes that stand for the declarations of an oracle.

use rustc_hash::FxHashMap;
use sscg_core::{FileId, LocalSymbol, NodeId, Project, Relation, SymbolKind};
use sscg_graph::{CodeGraph, Node};

use super::fact::{DeclarationLine, Fact};

/// Differences in an oracle's view of edges.
#[derive(Clone, Copy, Default)]
pub(super) struct Rules {
    /// The oracle reports `calls` where the graph has `instantiates`.
    pub(super) construction_is_call: bool,
    /// The oracle attributes the initializer of a variable to the enclosing function, class or file.
    pub(super) variables_are_code: bool,
    /// The oracle has edges to macros.
    pub(super) macros_are_targets: bool,
}

impl Rules {
    pub(super) fn relation(self, relation: Relation) -> Relation {
        match relation {
            Relation::Instantiates if self.construction_is_call => Relation::Calls,
            other => other,
        }
    }
}

/// Source and target of an edge, and the line of the use.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) source: NodeId,
    pub(super) target: NodeId,
    pub(super) line: u32,
}

/// Mapping from an oracle's declarations to nodes.
pub(super) struct Places<'a> {
    rules: Rules,
    pub(super) project: &'a Project,
    pub(super) graph: &'a CodeGraph,
    files: FxHashMap<&'a str, FileId>,
    /// Definitions by their other declarations.
    definitions: FxHashMap<NodeId, NodeId>,
}

impl<'a> Places<'a> {
    pub(super) fn new(project: &'a Project, graph: &'a CodeGraph, rules: Rules) -> Self {
        let files = project.files().iter_enumerated().map(|(id, file)| (&*file.path, id)).collect();
        Self { rules, project, graph, files, definitions: FxHashMap::default() }
    }

    /// Represents all declarations of one thing by its definition.
    pub(super) fn unify(&mut self, facts: &[Fact]) {
        for fact in facts {
            let Fact::Same { place, definition } = fact else { continue };
            if let (Some(declaration), Some(definition)) = (self.node(place), self.node(definition)) {
                self.definitions.insert(declaration, definition);
            }
        }
    }

    /// Returns the definition of a node that only declares.
    pub(super) fn defined(&self, node: NodeId) -> NodeId {
        self.definitions.get(&node).copied().unwrap_or(node)
    }

    /// Returns the node of exactly this declaration.
    fn node(&self, place: &DeclarationLine) -> Option<NodeId> {
        let file = *self.files.get(&*place.path)?;
        Some(self.symbol(file, self.declared(file, place)?))
    }

    pub(super) fn covered(&self, place: &DeclarationLine) -> Vec<NodeId> {
        if place.name != "*" {
            return self.source(place).into_iter().collect();
        }
        let Some(file) = self.files.get(&*place.path).copied() else { return Vec::new() };
        let symbols = self.project.files()[file].facts.symbols.ids();
        let symbols = symbols.map(|symbol| self.defined(self.symbol(file, symbol)));
        std::iter::once(self.graph.id(Node::File(file))).chain(symbols).collect()
    }

    /// Returns the node that a declaration's code is attributed to: its own, or that of the enclosing declaration or
    /// file.
    pub(super) fn source(&self, place: &DeclarationLine) -> Option<NodeId> {
        let file = *self.files.get(&*place.path)?;
        if place.name.is_empty() {
            return Some(self.graph.id(Node::File(file)));
        }
        let around = || self.around(file, place.line);
        Some(match self.declared(file, place).or_else(around) {
            Some(symbol) => self.code(self.symbol(file, symbol)),
            None => self.graph.id(Node::File(file)),
        })
    }

    /// Returns the definition of a node. A function without a name, which no oracle declares, is part of the declaration or file
    /// around it.
    pub(super) fn named(&self, node: NodeId) -> NodeId {
        let node = self.defined(node);
        let Node::Symbol(symbol) = self.graph.node(node) else { return node };
        let named =
            self.project.self_and_ancestors(symbol).find(|symbol| !self.project.is_anonymous(*symbol));
        self.graph.id(named.map_or(Node::File(self.project.symbol_file(symbol)), Node::Symbol))
    }

    /// Returns the node that a node's code is attributed to.
    pub(super) fn code(&self, node: NodeId) -> NodeId {
        let node = self.named(node);
        let Node::Symbol(symbol) = self.graph.node(node) else { return node };
        if !self.rules.variables_are_code {
            return node;
        }
        let mut around = self.project.self_and_ancestors(symbol);
        let code = around.find(|symbol| {
            let kind = self.project.symbol(*symbol).kind;
            kind.is_callable() || kind.is_type() && kind != SymbolKind::TypeAlias
        });
        self.graph.id(code.map_or(Node::File(self.project.symbol_file(symbol)), Node::Symbol))
    }

    /// Returns the node of a declaration, if it has one.
    pub(super) fn target(&self, place: &DeclarationLine) -> Option<NodeId> {
        if place.name.is_empty() {
            return self.files.get(&*place.path).map(|file| self.graph.id(Node::File(*file)));
        }
        self.own(self.node(place)?)
    }

    /// Returns the node that represents a target in comparisons; `None` if the oracle has no counterpart, as for a function
    /// without a name. A constructor is represented by its class, and most compilers resolve names after the expansion of
    /// macros.
    pub(super) fn own(&self, node: NodeId) -> Option<NodeId> {
        let node = self.defined(node);
        let Node::Symbol(symbol) = self.graph.node(node) else {
            return matches!(self.graph.node(node), Node::File(_)).then_some(node);
        };
        match self.project.symbol(symbol).kind {
            _ if self.project.is_anonymous(symbol) => None,
            SymbolKind::Macro if !self.rules.macros_are_targets => None,
            SymbolKind::Constructor => {
                let class = self.project.parent(symbol).unwrap_or(symbol);
                Some(self.defined(self.graph.id(Node::Symbol(class))))
            }
            _ => Some(node),
        }
    }

    /// Returns the symbol of this name whose name's line is nearest, if the symbol contains the given line.
    fn declared(&self, file: FileId, place: &DeclarationLine) -> Option<LocalSymbol> {
        let symbols = self.project.files()[file].facts.symbols.iter_enumerated();
        let named = symbols.filter(|(_, symbol)| *symbol.name == *place.name);
        let spans = named.filter(|(_, symbol)| symbol.lines.contains(place.line));
        // Lines cannot distinguish several declarations of a name on one line; a name never means an implementation
        // block.
        let nearest = spans.min_by_key(|(_, symbol)| {
            (symbol.name_line.abs_diff(place.line), symbol.kind == SymbolKind::Impl)
        });
        nearest.map(|(id, _)| id)
    }

    /// Returns the innermost declaration around a line.
    fn around(&self, file: FileId, line: u32) -> Option<LocalSymbol> {
        let symbols = self.project.files()[file].facts.symbols.iter_enumerated();
        let around = symbols.filter(|(_, symbol)| symbol.lines.contains(line));
        around.min_by_key(|(_, symbol)| symbol.span.len()).map(|(id, _)| id)
    }

    fn symbol(&self, file: FileId, symbol: LocalSymbol) -> NodeId {
        self.graph.id(Node::Symbol(self.project.symbol_id(file, symbol)))
    }

    /// Returns the name by which uses refer to a node.
    pub(super) fn name(&self, node: NodeId) -> &'a str {
        match self.graph.node(node) {
            Node::File(file) => {
                let path = &*self.project.files()[file].path;
                path.rsplit('/').next().unwrap_or(path)
            }
            Node::Symbol(symbol) => &self.project.symbol(symbol).name,
            Node::External(_) => "",
        }
    }
}
