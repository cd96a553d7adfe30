//! Facts of the graph about a declaration.

use std::collections::{BTreeMap, BTreeSet};

use sscg_core::{FileId, NodeId, RelationSet, SymbolId, SymbolKind};
use sscg_format::{CallMark, CallTreeNode, Details, SymbolRef, TypeParameter};
use sscg_graph::traverse::{
    CallTreeOptions, Mark, RelatedType, TreeNode, call_tree, members, type_hierarchy,
};
use sscg_graph::{Direction, Edge, Node};
use sscg_retrieve::{only_declares, standing};

use super::facts::{Facts, MOST_VALUE_CHARACTERS};
use crate::explore::names::{standing_of, unresolved_uses};

/// Maximum number of names per relation in a result's `graph`.
pub(super) const MOST_OF_A_RELATION: usize = 5;

/// Maximum number of places of unresolved uses that a result names.
const MOST_UNRESOLVED: usize = 3;

/// Maximum number of listed calls of a declaration.
const MOST_CALLS: usize = 20;

/// Maximum number of listed calls if deeper calls, or all callers, are requested.
const MOST_DEEP_CALLS: usize = 100;

impl Facts<'_> {
    /// Returns everything that an answer shows about a declaration.
    pub(super) fn details(&self, symbol: SymbolId) -> Details {
        let Self { snapshot, project, graph, .. } = *self;
        let node = graph.id(Node::Symbol(symbol));
        let declaration = project.symbol(symbol);
        let hierarchy = type_hierarchy(project, graph, node).expect("a symbol has a node");
        let is_sure = |ty: &&RelatedType| ty.confidence >= self.min_confidence;
        let types = |types: &[RelatedType]| types.iter().filter(is_sure).map(|ty| self.related(ty)).collect();
        let references = self.references(node);
        let (types_in, types_out) = self.types(symbol);
        let (value_type, value) = value_of(declaration.kind, &declaration.signature);
        // An overload without a body is never called itself; its implementation is.
        let is_uncalled = declaration.kind.is_callable() && declaration.body.is_some() && references == 0;
        let unresolved = is_uncalled.then(|| unresolved_uses(snapshot, &[node]));
        Details::default()
            .with_references(references)
            .with_extends(types(&hierarchy.extends))
            .with_implements(types(&hierarchy.implements))
            .with_subtypes(types(&hierarchy.subtypes))
            .with_calls(self.calls(node, Direction::Outgoing))
            .with_unresolved_uses(unresolved.as_ref().map(Vec::len))
            .with_unresolved_at(unresolved.into_iter().flatten().take(MOST_UNRESOLVED).collect())
            .with_called_by(self.callers(node))
            .with_declared_in(self.declared_in(symbol))
            .with_type_parameters(hierarchy.type_parameters.iter().map(type_parameter).collect())
            .with_types_in(types_in)
            .with_types_out(types_out)
            .with_members(if declaration.kind.is_type() { self.members(node) } else { Vec::new() })
            .with_value_type(value_type)
            .with_value(value)
    }

    /// Returns the names that a declaration is related to, by relation as seen from it. Each list is sorted by
    /// descending confidence, then the project's own code first, then by line.
    pub(super) fn relations(&self, symbol: SymbolId) -> BTreeMap<String, Vec<String>> {
        let Self { snapshot, project, graph, .. } = *self;
        let node = graph.id(Node::Symbol(symbol));
        let mut relations: BTreeMap<&str, Vec<(&Edge, NodeId)>> = BTreeMap::new();
        for direction in [Direction::Outgoing, Direction::Incoming] {
            for edge in self.edges_at(node, direction).filter(|edge| !edge.relation.is_containment()) {
                let (name, other) = match direction {
                    Direction::Outgoing => (edge.relation.as_str(), edge.target),
                    Direction::Incoming => (edge.relation.reverse_name(), edge.source),
                };
                if other != node && !graph.is_standard(other) {
                    relations.entry(name).or_default().push((edge, other));
                }
            }
        }
        let named = |mut edges: Vec<(&Edge, NodeId)>| -> Vec<String> {
            edges.sort_by_cached_key(|(edge, other)| (standing_of(snapshot, *other), edge.line));
            edges.sort_by(|(a, _), (b, _)| b.confidence_weight().total_cmp(&a.confidence_weight()));
            edges.dedup_by_key(|(_, other)| *other);
            edges.truncate(MOST_OF_A_RELATION);
            edges.iter().map(|(_, other)| graph.label(project, *other)).collect()
        };
        relations.into_iter().map(|(name, edges)| (name.to_owned(), named(edges))).collect()
    }

    fn related(&self, ty: &RelatedType) -> SymbolRef {
        self.symbol(ty.node, ty.confidence).with_is_abstract(ty.is_abstract)
    }

    /// Returns the number of files that refer to a node.
    fn references(&self, node: NodeId) -> usize {
        let named = self.edges_at(node, Direction::Incoming);
        let files = named
            .filter(|edge| !edge.relation.is_containment() && edge.source != node)
            .filter_map(|edge| self.graph.node(edge.source).file(self.project));
        files.collect::<BTreeSet<FileId>>().len()
    }

    /// Returns the call tree of a node; for outgoing calls with calls to external code.
    fn calls(&self, node: NodeId, direction: Direction) -> Vec<CallTreeNode> {
        let Self { project, graph, call_depth, min_confidence, .. } = *self;
        let lists_all = self.is_lookup && direction == Direction::Incoming;
        let limit = if call_depth == Some(1) && !lists_all { MOST_CALLS } else { MOST_DEEP_CALLS };
        let options = CallTreeOptions::default()
            .with_direction(direction)
            .with_depth(call_depth)
            .with_limit(limit)
            .with_min_confidence(min_confidence);
        let tree = call_tree(project, graph, node, &options).expect("a symbol has a node");
        let mut calls = self.below(&tree[1..], 1);
        if direction == Direction::Outgoing {
            let outside = self.edges_at(node, direction).filter(|edge| {
                RelationSet::CALLS.contains(edge.relation)
                    && matches!(graph.node(edge.target), Node::External(_))
                    && !graph.is_standard(edge.target)
            });
            let mut outside: Vec<&Edge> = outside.collect();
            outside.sort_by_key(|edge| (edge.line, edge.target));
            outside.dedup_by_key(|edge| edge.target);
            calls.extend(outside.into_iter().take(limit.saturating_sub(calls.len())).map(|edge| {
                CallTreeNode::default()
                    .with_symbol(self.symbol(edge.target, edge.confidence))
                    .with_line(edge.line as usize)
            }));
        }
        calls
    }

    /// Returns the tree of callers, the project's own code first, tests last.
    fn callers(&self, node: NodeId) -> Vec<CallTreeNode> {
        let Self { snapshot, project, .. } = *self;
        let mut callers = self.calls(node, Direction::Incoming);
        callers.sort_by_cached_key(|call| {
            project.chunk_with_key(&call.symbol.id).map(|chunk| standing(snapshot, chunk))
        });
        callers
    }

    /// Converts the nodes of a call tree at `depth` to calls, each with its subtree.
    fn below(&self, tree: &[TreeNode], depth: u32) -> Vec<CallTreeNode> {
        let starts: Vec<usize> =
            tree.iter().enumerate().filter(|(_, node)| node.depth == depth).map(|(at, _)| at).collect();
        let ends = starts.iter().copied().skip(1).chain([tree.len()]);
        let call = |(start, end): (usize, usize)| {
            let TreeNode { node, call, mark, .. } = tree[start];
            let edge = call.expect("only the root is not called");
            // With a call depth of 1 no deeper calls were requested, so that they are omitted is no news.
            let mark = mark.filter(|_| self.call_depth != Some(1)).map(|mark| match mark {
                Mark::Cycle => CallMark::Cycle,
                Mark::DepthLimit => CallMark::DepthLimit,
                Mark::SizeLimit => CallMark::SizeLimit,
            });
            CallTreeNode::default()
                .with_symbol(self.symbol(node, edge.confidence))
                .with_line(edge.line as usize)
                .with_mark(mark)
                .with_calls(self.below(&tree[start + 1..end], depth + 1))
        };
        starts.iter().copied().zip(ends).map(call).collect()
    }

    /// Returns the places of declarations without code of what a declaration implements.
    fn declared_in(&self, symbol: SymbolId) -> Vec<String> {
        let project = self.project;
        if only_declares(project, symbol) {
            return Vec::new();
        }
        let name = project.qualified_name(symbol);
        let family = |symbol: SymbolId| project.files()[project.symbol_file(symbol)].language.family;
        let declared = project.definitions_named(project.symbol_name(symbol)).filter(|other| {
            family(*other) == family(symbol)
                && only_declares(project, *other)
                && project.qualified_name(*other) == name
        });
        let place = |other: SymbolId| {
            format!("{}:{}", self.path(project.symbol_file(other)), project.symbol(other).name_line)
        };
        declared.map(place).collect()
    }

    fn members(&self, node: NodeId) -> Vec<String> {
        let Self { project, graph, .. } = *self;
        let members = members(project, graph, node).expect("a symbol has a node");
        let name = |node: NodeId| match graph.node(node) {
            Node::Symbol(symbol) => {
                let call = if project.symbol_kind(symbol).is_callable() { "()" } else { "" };
                Some(format!("{}{call}", project.symbol_name(symbol)))
            }
            Node::File(_) | Node::External(_) => None,
        };
        members.into_iter().filter_map(name).collect()
    }
}

fn type_parameter(written: &sscg_core::TypeParameter) -> TypeParameter {
    let text = |text: &Option<Box<str>>| text.as_deref().unwrap_or_default().to_owned();
    TypeParameter::default()
        .with_name(&*written.name)
        .with_constraint(text(&written.constraint))
        .with_default(text(&written.default))
}

/// Returns the type and the value of a constant, variable or field, as in its signature: `const RETRIES: u32 = 3`.
fn value_of(kind: SymbolKind, signature: &str) -> (String, String) {
    if !matches!(kind, SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field) {
        return (String::new(), String::new());
    }
    let (declared, value) = signature.split_once(" = ").unwrap_or((signature, ""));
    let ty = declared.split_once(": ").map_or("", |(_, ty)| ty);
    let short = |text: &str| match text.chars().count() {
        0..=MOST_VALUE_CHARACTERS => text.trim().to_owned(),
        _ => String::new(),
    };
    (short(ty), short(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_their_types_are_what_the_signature_says() {
        let of = |kind, signature| {
            let (ty, value) = value_of(kind, signature);
            format!("{ty} | {value}")
        };
        assert_eq!(of(SymbolKind::Constant, "pub const RETRIES: u32 = 3"), "u32 | 3");
        assert_eq!(of(SymbolKind::Constant, "export const URL = \"http://a\""), " | \"http://a\"");
        assert_eq!(of(SymbolKind::Field, "private secret: string"), "string | ");
        assert_eq!(of(SymbolKind::Variable, "x: std::path::PathBuf = a == b"), "std::path::PathBuf | a == b");
        assert_eq!(of(SymbolKind::Function, "fn f(a: u32)"), " | ");
    }
}
