//! Types in the signatures of functions, with their origin.

use sscg_core::{Confidence, FileId, NodeId, SymbolId, SymbolKind};
use sscg_format::SignatureType;
use sscg_graph::traverse::type_of;
use sscg_graph::{Direction, Edge, Node};
use sscg_parse::{SignatureTypes, TypedParameter, signature_types};

use super::details::{Facts, MOST_VALUE_CHARACTERS};
use super::inferred::MAX_VALUES;

/// Names of types without values, and of those that only wrap others.
const NOTHING: [&str; 10] =
    ["None", "NoReturn", "Never", "Promise", "Task", "ValueTask", "never", "null", "undefined", "void"];

/// Names of the type that contains a function.
const OWN_TYPE: [&str; 2] = ["Self", "this"];

impl Facts<'_> {
    /// Returns the types of a function's parameters and of its result.
    pub(super) fn types(&self, symbol: SymbolId) -> (Vec<SignatureType>, Vec<SignatureType>) {
        let declaration = self.project.symbol(symbol);
        if !declaration.kind.is_callable() {
            return Default::default();
        }
        let file = self.project.symbol_file(symbol);
        let language = self.project.files()[file].language;
        let names = DeclaredNames::new(self, symbol);
        let types = signature_types(language, &declaration.name, &declaration.signature);
        let of_parameter = |it: &TypedParameter<'_>| self.declared_or_written(&names, it.name, it.ty);
        let types_in = types.parameters.iter().flat_map(of_parameter).collect();
        let returns_nothing = SignatureTypes::names(types.result).all(|name| NOTHING.contains(&name));
        let mut left = MAX_VALUES;
        let types_out = match types.result {
            "" => self.inferred_result(&names, &mut left),
            _ if returns_nothing => Vec::new(),
            written => self.declared_or_written(&names, "", written),
        };
        (types_in, types_out)
    }

    /// Returns the declared types in a type, or else the type as written.
    fn declared_or_written(
        &self,
        names: &DeclaredNames<'_>,
        parameter: &str,
        ty: &str,
    ) -> Vec<SignatureType> {
        let mut types: Vec<SignatureType> = Vec::new();
        for (node, confidence) in SignatureTypes::names(ty).filter_map(|name| names.find(name)) {
            let ty = self.signature_type(node, confidence).with_parameter(parameter);
            if !types.contains(&ty) {
                types.push(ty);
            }
        }
        if types.is_empty() {
            let written = match ty.char_indices().nth(MOST_VALUE_CHARACTERS) {
                Some((end, _)) => format!("{}…", &ty[..end]),
                None => ty.to_owned(),
            };
            let mut ty = SignatureType::default().with_parameter(parameter);
            ty.ty.name = written;
            types.push(ty);
        }
        types
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
