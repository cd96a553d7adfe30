//! Who calls whom, as a tree.

use std::collections::VecDeque;

use sscg_core::{Confidence, LocalSymbol, NodeId, Project, RelationSet, SymbolKind};

use super::{EdgeFilter, UnknownNode};
use crate::graph::{CodeGraph, Direction, Edge, Node};

/// How large a call tree may be.
#[derive(Clone, Copy, Debug)]
pub struct CallTreeOptions {
    /// [`Direction::Outgoing`]: what the root calls. [`Direction::Incoming`]: what calls it.
    pub direction: Direction,
    /// At most this many calls from the root; `None` for no limit but the one on nodes.
    pub depth: Option<u32>,
    /// At most this many nodes below the root. A tree repeats what is called from several places, so its size may
    /// be exponential in its depth.
    pub limit: usize,
    /// Calls less sure than this are left out.
    pub min_confidence: Confidence,
}

impl Default for CallTreeOptions {
    /// What the root calls itself, at most 200 nodes.
    fn default() -> Self {
        Self {
            direction: Direction::Outgoing,
            depth: Some(1),
            limit: 200,
            min_confidence: Confidence::Ambiguous,
        }
    }
}

/// A declaration in a call tree, and the calls below it.
#[derive(Clone, Debug, PartialEq)]
pub struct CallTree {
    /// The declaration.
    pub node: NodeId,
    /// The call that leads here; `None` for the root.
    pub call: Option<Edge>,
    /// Why not all calls of the declaration are below it.
    pub mark: Option<Mark>,
    /// The calls below, in the order of the first line of each, those against the edges by caller.
    pub children: Vec<CallTree>,
}

/// Why not all calls of a node are below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The node is above itself: recursion.
    Cycle,
    /// The depth is used up.
    DepthLimit,
    /// The number of nodes is used up.
    SizeLimit,
}

/// A node of the tree in the making.
struct Entry {
    node: NodeId,
    call: Option<Edge>,
    mark: Option<Mark>,
    above: Option<usize>,
    depth: u32,
}

/// The tree of calls within the project, breadth first, so that a limit on its size keeps what is nearest. Calling
/// a class runs its constructor: the constructor's calls are those of its class. O(edges at the nodes of the tree,
/// times its depth).
///
/// # Errors
/// If the graph has no such node as the root.
pub fn call_tree(
    project: &Project,
    graph: &CodeGraph,
    root: NodeId,
    options: &CallTreeOptions,
) -> Result<CallTree, UnknownNode> {
    graph.known(root)?;
    let calls = Calls { project, graph, options };
    let mut entries = vec![Entry { node: root, call: None, mark: None, above: None, depth: 0 }];
    let mut queue: VecDeque<usize> = VecDeque::from([0]);
    while let Some(at) = queue.pop_front() {
        let Entry { node, depth, .. } = entries[at];
        let next = calls.at(node);
        if next.is_empty() {
            continue;
        }
        let mut around = std::iter::successors(entries[at].above, |above| entries[*above].above);
        if around.any(|above| entries[above].node == node) {
            entries[at].mark = Some(Mark::Cycle);
        } else if options.depth.is_some_and(|limit| depth >= limit) {
            entries[at].mark = Some(Mark::DepthLimit);
        } else {
            let free = options.limit.saturating_sub(entries.len() - 1);
            if next.len() > free {
                entries[at].mark = Some(Mark::SizeLimit);
            }
            for (callee, call) in next.into_iter().take(free) {
                queue.push_back(entries.len());
                entries.push(Entry {
                    node: callee,
                    call: Some(call),
                    mark: None,
                    above: Some(at),
                    depth: depth + 1,
                });
            }
        }
    }
    // Entries come after what is above them, so the trees are put together from the last to the first.
    let mut children: Vec<Vec<CallTree>> = entries.iter().map(|_| Vec::new()).collect();
    for at in (0..entries.len()).rev() {
        let Entry { node, call, mark, above, .. } = entries[at];
        let mut below = std::mem::take(&mut children[at]);
        below.reverse();
        let tree = CallTree { node, call, mark, children: below };
        match above {
            Some(above) => children[above].push(tree),
            None => return Ok(tree),
        }
    }
    unreachable!("the first entry is the root, which nothing is above")
}

struct Calls<'s> {
    project: &'s Project,
    graph: &'s CodeGraph,
    options: &'s CallTreeOptions,
}

impl Calls<'_> {
    /// The calls out of a node (or into it), one for each declaration at their other end.
    fn at(&self, node: NodeId) -> Vec<(NodeId, Edge)> {
        let CallTreeOptions { direction, min_confidence, .. } = *self.options;
        let filter = EdgeFilter { direction: Some(direction), relations: RelationSet::CALLS, min_confidence };
        let twins = self.run_together(node);
        let mut calls: Vec<(NodeId, Edge)> = std::iter::once(node)
            .chain(twins)
            .flat_map(|node| self.graph.steps(node, filter))
            .filter(|step| !matches!(self.graph.node(step.node), Node::Boundary(_)))
            .map(|step| (step.node, *step.edge))
            .collect();
        calls.sort_by_key(|(other, edge)| (*other, edge.line));
        calls.dedup_by_key(|(other, _)| *other);
        if direction == Direction::Outgoing {
            calls.sort_by_key(|(other, edge)| (edge.line, *other));
        }
        calls
    }

    /// What runs when a node is called: the constructor of a class; and the class, if a constructor is asked who
    /// calls it.
    fn run_together(&self, node: NodeId) -> Vec<NodeId> {
        let Node::Symbol(symbol) = self.graph.node(node) else { return Vec::new() };
        let (file, local) = self.project.local_symbol(symbol);
        let facts = &self.project.files()[file].facts;
        let id = |local: LocalSymbol| self.graph.id(Node::Symbol(self.project.symbol_id(file, local)));
        let declaration = &facts.symbols[local];
        if declaration.kind == SymbolKind::Constructor {
            return match self.options.direction {
                Direction::Incoming => declaration.parent.map(id).into_iter().collect(),
                Direction::Outgoing => Vec::new(),
            };
        }
        let is_class = declaration.kind.is_type() && self.options.direction == Direction::Outgoing;
        let constructors =
            facts.children(local).filter(|child| facts.symbols[*child].kind == SymbolKind::Constructor);
        if is_class { constructors.map(id).collect() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::link;
    use crate::testing::{functions, project};

    fn node(project: &Project, graph: &CodeGraph, name: &str) -> NodeId {
        let symbol = project.symbol_ids().find(|symbol| project.qualified_name(*symbol) == name);
        graph.id(Node::Symbol(symbol.expect("a declaration of this name")))
    }

    fn shown(project: &Project, name: &str, options: &CallTreeOptions) -> String {
        fn write(project: &Project, graph: &CodeGraph, tree: &CallTree, depth: usize, out: &mut String) {
            let label = graph.label(project, tree.node);
            let name = label.rsplit("::").next().unwrap_or_default();
            let mark = tree.mark.map_or(String::new(), |mark| format!(" {mark:?}"));
            writeln!(out, "{}{name}{mark}", "  ".repeat(depth)).expect("a string can be written to");
            for child in &tree.children {
                write(project, graph, child, depth + 1, out);
            }
        }
        let graph = link(project);
        let root = node(project, &graph, name);
        let tree = call_tree(project, &graph, root, options).expect("a known node");
        let mut out = String::new();
        write(project, &graph, &tree, 0, &mut out);
        out
    }

    #[test]
    fn recursion_and_depth_are_marked() {
        let project = functions(5, &[(0, 2), (0, 1), (1, 0), (2, 2), (2, 3), (3, 4)]);
        let two = CallTreeOptions { depth: Some(2), ..CallTreeOptions::default() };
        let expected = "f0\n  f2\n    f2 Cycle\n    f3 DepthLimit\n  f1\n    f0 Cycle\n";
        assert_eq!(shown(&project, "f0", &two), expected);
        let one = CallTreeOptions::default();
        assert_eq!(shown(&project, "f3", &one), "f3\n  f4\n");
        let none = CallTreeOptions { depth: Some(0), ..one };
        assert_eq!(shown(&project, "f0", &none), "f0 DepthLimit\n");
        let callers = CallTreeOptions { direction: Direction::Incoming, depth: None, ..one };
        let expected = "f4\n  f3\n    f2\n      f0\n        f1\n          f0 Cycle\n      f2 Cycle\n";
        assert_eq!(shown(&project, "f4", &callers), expected);
    }

    #[test]
    fn a_tree_that_doubles_with_each_step_stays_within_its_limit() {
        let calls: Vec<(usize, usize)> = (0..40)
            .flat_map(|at| [(2 * at, 2 * at + 2), (2 * at, 2 * at + 1), (2 * at + 1, 2 * at + 2)])
            .collect();
        let project = functions(82, &calls);
        let options = CallTreeOptions { depth: None, limit: 30, ..CallTreeOptions::default() };
        let tree = shown(&project, "f0", &options);
        assert_eq!(tree.lines().count(), 31, "{tree}");
        assert!(tree.contains("SizeLimit"), "{tree}");
        let project = functions(4, &[(0, 1), (0, 2), (0, 3)]);
        let two = CallTreeOptions { limit: 2, ..CallTreeOptions::default() };
        assert_eq!(shown(&project, "f0", &two), "f0 SizeLimit\n  f1\n  f2\n");
        let all = CallTreeOptions { limit: usize::MAX, ..two };
        assert_eq!(shown(&project, "f0", &all), "f0\n  f1\n  f2\n  f3\n");
    }

    #[test]
    fn constructing_a_class_runs_its_constructor() {
        let text = "\
def setup():
    pass


class Store:
    def __init__(self):
        setup()


def run():
    Store()
";
        let project = project(&[("a.py", text)]);
        let options = CallTreeOptions { depth: Some(3), ..CallTreeOptions::default() };
        assert_eq!(shown(&project, "run", &options), "run\n  Store\n    setup\n");
        let callers = CallTreeOptions { direction: Direction::Incoming, ..options };
        assert_eq!(shown(&project, "setup", &callers), "setup\n  Store.__init__\n    run\n");
    }
}
