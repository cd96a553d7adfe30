//! Supertypes and subtypes of a type.

use std::cmp::Reverse;

use rustc_hash::FxHashSet;
use sscg_core::{Confidence, Modifiers, NodeId, Project, Relation, TypeParameter};

use super::members::{blocks_of, type_of};
use crate::error::UnknownNode;
use crate::graph::{CodeGraph, Direction, Edge, Node};

/// Types directly above and below a type.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TypeHierarchy<'p> {
    /// Extended types, by line.
    pub extends: Vec<RelatedType>,
    /// Implemented interfaces and traits, by line.
    pub implements: Vec<RelatedType>,
    /// Types of the project that extend or implement it, by id.
    pub subtypes: Vec<RelatedType>,
    /// Set when the type is abstract.
    pub is_abstract: bool,
    /// Type parameters, in order.
    pub type_parameters: &'p [TypeParameter],
}

/// Direct supertype or subtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RelatedType {
    /// Id of the type.
    pub node: NodeId,
    /// Set when the type is abstract.
    pub is_abstract: bool,
    /// Confidence of the relation.
    pub confidence: Confidence,
}

/// Returns the direct supertypes and subtypes of a type. A trait of one of its implementation blocks counts as
/// implemented by the type. All lists are empty for a node that is not a type. O(edges at the node and its
/// implementation blocks).
///
/// # Errors
/// Returns an error if the node is not in the graph.
pub fn type_hierarchy<'p>(
    project: &'p Project,
    graph: &CodeGraph,
    node: NodeId,
) -> Result<TypeHierarchy<'p>, UnknownNode> {
    graph.known(node)?;
    let related = |node: NodeId, edge: &Edge| RelatedType {
        node,
        is_abstract: is_abstract(project, graph, node),
        confidence: edge.confidence,
    };
    let blocks = blocks_of(project, graph, node);
    let above = |relation: Relation| {
        let mut known = FxHashSet::default();
        let mut above = Vec::new();
        for node in std::iter::once(node).chain(blocks.iter().copied()) {
            let edges = graph.edges_at(node, Direction::Outgoing);
            let mut edges: Vec<&Edge> = edges.filter(|edge| edge.relation == relation).collect();
            edges.sort_by_key(|edge| (edge.line, edge.target));
            edges.retain(|edge| known.insert(edge.target));
            above.extend(edges.into_iter().map(|edge| related(edge.target, edge)));
        }
        above
    };
    let below = graph
        .edges_at(node, Direction::Incoming)
        .filter(|edge| matches!(edge.relation, Relation::Inherits | Relation::Implements));
    let mut subtypes: Vec<RelatedType> = below
        .map(|edge| related(type_of(project, graph, edge.source).unwrap_or(edge.source), edge))
        .collect();
    subtypes.sort_by_key(|subtype| (subtype.node, Reverse(subtype.confidence)));
    subtypes.dedup_by_key(|subtype| subtype.node);
    Ok(TypeHierarchy {
        extends: above(Relation::Inherits),
        implements: above(Relation::Implements),
        subtypes,
        is_abstract: is_abstract(project, graph, node),
        type_parameters: match graph.node(node) {
            Node::Symbol(symbol) => &project.symbol(symbol).type_parameters,
            Node::File(_) | Node::External(_) => &[],
        },
    })
}

/// Returns true if a node is an abstract class.
fn is_abstract(project: &Project, graph: &CodeGraph, node: NodeId) -> bool {
    match graph.node(node) {
        Node::Symbol(symbol) => project.symbol_modifiers(symbol).contains(Modifiers::ABSTRACT),
        Node::File(_) | Node::External(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use sscg_core::Id;

    use super::*;
    use crate::graph::Node;
    use crate::link;
    use crate::testing::project;

    #[test]
    fn types_know_what_is_above_and_below_them() {
        let text = "\
interface Entity {}
interface Named {}
abstract class Base implements Entity {}
class User extends Base implements Named, Entity {}
class Admin extends User {}
class Alone {}
class Box<T extends Entity> {}
function noType() {}
";
        let project = project(&[("a.ts", text)]);
        let graph = link(&project);
        let shown = |name: &str| {
            let symbol = project.symbol_ids().find(|symbol| project.qualified_name(*symbol) == name);
            let node = graph.id(Node::Symbol(symbol.expect("a declaration of this name")));
            let hierarchy = type_hierarchy(&project, &graph, node).expect("a known node");
            let names = |types: &[RelatedType]| {
                let label = |ty: &RelatedType| {
                    let name = graph.label(&project, ty.node).replace("a.ts::", "");
                    if ty.is_abstract { format!("{name}*") } else { name }
                };
                let labels = types.iter().map(label);
                labels.collect::<Vec<_>>().join(" ")
            };
            [names(&hierarchy.extends), names(&hierarchy.implements), names(&hierarchy.subtypes)].join(" | ")
        };
        assert_eq!(shown("User"), "Base* | Entity Named | Admin");
        assert_eq!(shown("Entity"), " |  | Base* User");
        assert_eq!(shown("Alone"), " |  | ");
        let of = |name: &str| {
            let node = graph.nodes_named(&project, name).next().expect("a declaration of this name");
            type_hierarchy(&project, &graph, node).expect("a known node")
        };
        let generic: Vec<_> =
            of("Box").type_parameters.iter().map(|it| (&*it.name, it.constraint.as_deref())).collect();
        assert_eq!(generic, [("T", Some("Entity"))]);
        assert!(of("Base").is_abstract && !of("Box").is_abstract);
        assert_eq!(of("noType"), TypeHierarchy::default());
        let stranger = NodeId::new(99);
        assert_eq!(type_hierarchy(&project, &graph, stranger), Err(UnknownNode(stranger)));
    }
}
