//! Members of a type: the declarations inside it, and those inside its implementation blocks in any file.

use sscg_core::{Modifiers, NodeId, OutlineSymbol, Project, Relation, SymbolKind};

use crate::error::UnknownNode;
use crate::graph::{CodeGraph, Direction, Node};

/// Returns the declarations directly inside a node, in source order, then those inside its implementation blocks. Functions
/// without a name are left out. O(edges into the node + declarations of the files).
///
/// # Errors
/// Returns an error if the node is not in the graph.
pub fn members(project: &Project, graph: &CodeGraph, node: NodeId) -> Result<Vec<NodeId>, UnknownNode> {
    graph.known(node)?;
    let mut members = inside(project, graph, node);
    for block in blocks_of(project, graph, node) {
        members.extend(inside(project, graph, block));
    }
    Ok(members)
}

fn inside(project: &Project, graph: &CodeGraph, node: NodeId) -> Vec<NodeId> {
    let (file, parent) = match graph.node(node) {
        Node::File(file) => (file, None),
        Node::Symbol(symbol) => {
            let (file, local) = project.local_symbol(symbol);
            (file, Some(local))
        }
        Node::External(_) => return Vec::new(),
    };
    let symbols = project.files()[file].facts.outline().symbols().iter_enumerated();
    let is_member =
        |symbol: &OutlineSymbol| symbol.parent == parent && !symbol.modifiers.contains(Modifiers::ANONYMOUS);
    let children = symbols.filter(|(_, symbol)| is_member(symbol));
    children.map(|(local, _)| graph.id(Node::Symbol(project.symbol_id(file, local)))).collect()
}

/// Returns the type of an implementation block, if it is part of the project; `None` for other nodes. O(edges of the
/// block).
pub fn type_of(project: &Project, graph: &CodeGraph, block: NodeId) -> Option<NodeId> {
    let kind = |node: NodeId| match graph.node(node) {
        Node::Symbol(symbol) => Some(project.symbol_kind(symbol)),
        Node::File(_) | Node::External(_) => None,
    };
    if kind(block) != Some(SymbolKind::Impl) {
        return None;
    }
    // A block may also refer to a trait that it declares as not implemented: `impl !Send for Store`.
    let is_type = |node: &NodeId| kind(*node).is_some_and(|kind| kind.is_type() && kind != SymbolKind::Trait);
    let named = graph.edges_at(block, Direction::Outgoing);
    named.filter(|edge| edge.relation == Relation::References).map(|edge| edge.target).find(is_type)
}

/// Returns the implementation blocks of a type, in the order of the project.
pub(super) fn blocks_of(project: &Project, graph: &CodeGraph, ty: NodeId) -> Vec<NodeId> {
    let naming = graph.edges_at(ty, Direction::Incoming).map(|edge| edge.source);
    let mut blocks: Vec<NodeId> =
        naming.filter(|source| type_of(project, graph, *source) == Some(ty)).collect();
    blocks.dedup();
    blocks
}

#[cfg(test)]
mod tests {
    use sscg_core::Id;

    use super::*;
    use crate::link;
    use crate::testing::project;

    #[test]
    fn members_stand_inside_a_type_and_its_blocks() {
        let text = "\
struct Store { size: u32 }
impl Store { fn save(&self) {} }
mod more { impl super::Store { fn load(&self) {} } }
impl Clone for Store { fn clone(&self) -> Self { Store { size: 0 } } }
impl !Send for Store {}
struct Other;
";
        let project = project(&[("a.rs", text)]);
        let graph = link(&project);
        let shown = |label: &str| {
            let node = graph.nodes_labeled(&project, label)[0];
            let found = members(&project, &graph, node).expect("a known node");
            found.iter().map(|node| graph.label(&project, *node).replace("a.rs::", "")).collect::<Vec<_>>()
        };
        assert_eq!(shown("a.rs::Store"), ["Store.size", "Store.save", "more.Store.load", "Store.clone"]);
        assert_eq!(shown("a.rs::Other"), Vec::<String>::new());
        assert_eq!(shown("a.rs"), ["Store", "Store", "more", "Store", "Store", "Other"]);
        assert_eq!(shown("std::clone::Clone"), Vec::<String>::new());
        let stranger = NodeId::new(99);
        assert_eq!(members(&project, &graph, stranger), Err(UnknownNode(stranger)));
    }
}
