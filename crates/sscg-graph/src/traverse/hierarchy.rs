//! What a type extends and implements, and what extends and implements it.

use sscg_core::{NodeId, Relation};

use super::UnknownNode;
use crate::graph::{CodeGraph, Direction};

/// The types around a type. What a type is by itself (abstract, generic) stands in its declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeHierarchy {
    /// What it extends, by the line that says so.
    pub extends: Vec<NodeId>,
    /// The interfaces and traits it implements, by the line that says so.
    pub implements: Vec<NodeId>,
    /// What extends or implements it in the project, by id.
    pub subtypes: Vec<NodeId>,
}

/// One step up and one step down from a type. O(edges at the node).
///
/// # Errors
/// If the graph has no such node.
pub fn type_hierarchy(graph: &CodeGraph, node: NodeId) -> Result<TypeHierarchy, UnknownNode> {
    graph.known(node)?;
    let above = |relation: Relation| {
        let mut edges: Vec<_> =
            graph.edges_at(node, Direction::Outgoing).filter(|edge| edge.relation == relation).collect();
        edges.sort_by_key(|edge| (edge.line, edge.target));
        edges.into_iter().map(|edge| edge.target).collect()
    };
    let mut subtypes: Vec<NodeId> = graph
        .edges_at(node, Direction::Incoming)
        .filter(|edge| matches!(edge.relation, Relation::Inherits | Relation::Implements))
        .map(|edge| edge.source)
        .collect();
    subtypes.dedup();
    Ok(TypeHierarchy {
        extends: above(Relation::Inherits),
        implements: above(Relation::Implements),
        subtypes,
    })
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
";
        let project = project(&[("a.ts", text)]);
        let graph = link(&project);
        let shown = |name: &str| {
            let symbol = project.symbol_ids().find(|symbol| project.qualified_name(*symbol) == name);
            let node = graph.id(Node::Symbol(symbol.expect("a declaration of this name")));
            let hierarchy = type_hierarchy(&graph, node).expect("a known node");
            let names = |nodes: &[NodeId]| {
                let labels = nodes.iter().map(|node| graph.label(&project, *node).replace("a.ts::", ""));
                labels.collect::<Vec<_>>().join(" ")
            };
            [names(&hierarchy.extends), names(&hierarchy.implements), names(&hierarchy.subtypes)].join(" | ")
        };
        assert_eq!(shown("User"), "Base | Entity Named | Admin");
        assert_eq!(shown("Entity"), " |  | Base User");
        assert_eq!(shown("Alone"), " |  | ");
        let stranger = NodeId::new(99);
        assert_eq!(type_hierarchy(&graph, stranger), Err(UnknownNode(stranger)));
    }
}
