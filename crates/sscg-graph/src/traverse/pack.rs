//! Selection of the most informative nodes.

use sscg_core::{NodeId, Project, SymbolKind};

use crate::error::UnknownNode;
use crate::graph::{CodeGraph, Direction, Node};

/// Selected node with its score.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Packed {
    /// Id of the node.
    pub node: NodeId,
    /// Score of the node; comparable within one result only.
    pub score: f64,
    /// Explanation of the score.
    pub reason: String,
}

/// Selects `count` nodes, the best first. The score of a node is the sum of
/// - *connectivity*: log2(1 + edges into it) + ½ log2(1 + edges out of it), without containment: much depends on it, or
///   it combines much;
/// - *kind*: 3 for types and traits, 2 for functions and modules, 1.5 for methods, 1 for the rest: types show what the
///   project is about, and methods are part of one;
/// - *size*: ¼ log2(1 + lines);
/// - *position*: 1 at the root of its file, where it is visible to others.
///
/// If `nodes` is `None`, all declarations of the project are candidates. Files and external symbols have no source to
/// show and are skipped. Ties go to the smaller id. O(nodes + edges at them).
///
/// # Errors
/// Returns an error if one of `nodes` is not in the graph.
pub fn pack(
    project: &Project,
    graph: &CodeGraph,
    nodes: Option<&[NodeId]>,
    count: usize,
) -> Result<Vec<Packed>, UnknownNode> {
    let mut candidates: Vec<NodeId> = match nodes {
        Some(nodes) => nodes.to_vec(),
        None => project.symbol_ids().map(|symbol| graph.id(Node::Symbol(symbol))).collect(),
    };
    candidates.sort_unstable();
    candidates.dedup();
    let mut scored = Vec::new();
    for node in candidates {
        graph.known(node)?;
        scored.extend(Traits::of(project, graph, node).map(|traits| (traits.score(), node, traits)));
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(count);
    let packed =
        |(score, node, traits): (f64, NodeId, Traits)| Packed { node, score, reason: traits.reason() };
    Ok(scored.into_iter().map(packed).collect())
}

/// Inputs of a node's score.
struct Traits {
    incoming: usize,
    outgoing: usize,
    kind: SymbolKind,
    lines: u32,
    is_root: bool,
}

impl Traits {
    fn of(project: &Project, graph: &CodeGraph, node: NodeId) -> Option<Self> {
        let Node::Symbol(symbol) = graph.node(node) else { return None };
        let declaration = project.symbol(symbol);
        let count = |direction| {
            graph.edges_at(node, direction).filter(|edge| !edge.relation.is_containment()).count()
        };
        Some(Self {
            incoming: count(Direction::Incoming),
            outgoing: count(Direction::Outgoing),
            kind: declaration.kind,
            lines: declaration.lines.count(),
            is_root: declaration.parent.is_none(),
        })
    }

    fn score(&self) -> f64 {
        let log = |count: usize| (1.0 + count as f64).log2();
        let kind = match self.kind {
            kind if kind.is_type() => 3.0,
            SymbolKind::Method | SymbolKind::Constructor => 1.5,
            kind if kind.is_callable() || kind == SymbolKind::Module => 2.0,
            _ => 1.0,
        };
        let position = if self.is_root { 1.0 } else { 0.0 };
        log(self.incoming) + 0.5 * log(self.outgoing) + kind + 0.25 * log(self.lines as usize) + position
    }

    fn reason(&self) -> String {
        let Self { incoming, outgoing, kind, lines, is_root } = self;
        let place = if *is_root { "at the root of its file" } else { "inside another declaration" };
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        format!(
            "{kind} {place}, {lines} line{}, used {incoming} time{}, uses {outgoing}",
            plural(*lines as usize),
            plural(*incoming)
        )
    }
}

#[cfg(test)]
mod tests {
    use sscg_core::Id;

    use super::*;
    use crate::link;
    use crate::testing::project;

    #[test]
    fn types_come_before_functions_and_these_before_methods() {
        let score = |kind| Traits { incoming: 1, outgoing: 1, kind, lines: 5, is_root: false }.score();
        let kinds = [SymbolKind::Class, SymbolKind::Function, SymbolKind::Method, SymbolKind::Constant];
        assert!(kinds.is_sorted_by(|a, b| score(*a) > score(*b)));
    }

    #[test]
    fn what_much_depends_on_comes_first_and_says_why() {
        let text = "\
class Store:
    def save(self):
        pass


def a():
    Store().save()


def b():
    Store().save()


LIMIT = 3
";
        let project = project(&[("a.py", text)]);
        let graph = link(&project);
        let packed = pack(&project, &graph, None, 3).expect("its own nodes");
        let labels: Vec<String> = packed.iter().map(|packed| graph.label(&project, packed.node)).collect();
        assert_eq!(labels, ["a.py::Store", "a.py::a", "a.py::b"]);
        assert_eq!(packed[0].reason, "class at the root of its file, 3 lines, used 2 times, uses 0");
        assert!(packed.is_sorted_by(|a, b| a.score >= b.score));
        assert_eq!(pack(&project, &graph, Some(&[]), 3), Ok(Vec::new()));
        let file = graph.id(Node::File(sscg_core::FileId::new(0)));
        assert_eq!(pack(&project, &graph, Some(&[file]), 3), Ok(Vec::new()));
        let stranger = NodeId::new(999);
        assert_eq!(pack(&project, &graph, Some(&[stranger]), 3), Err(UnknownNode(stranger)));
    }
}
