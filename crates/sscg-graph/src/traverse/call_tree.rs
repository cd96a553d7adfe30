//! Trees of callers and callees.

use std::fmt;
use std::ops::Range;

use derive_setters::Setters;
use sscg_core::{Confidence, NodeId, Project, RelationSet, SymbolKind};

use super::EdgeFilter;
use super::construction::Construction;
use crate::error::UnknownNode;
use crate::graph::{CodeGraph, Direction, Edge, Node};
use crate::shown::collapse_anonymous;

/// Limits of a call tree.
#[derive(Clone, Copy, Debug, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct CallTreeOptions {
    /// [`Direction::Outgoing`] for the callees of the root, [`Direction::Incoming`] for its callers.
    pub direction: Direction,
    /// Maximum number of calls from the root; `None` for no limit other than that on nodes.
    #[setters(strip_option = false)]
    pub depth: Option<u32>,
    /// Maximum number of nodes below the root. A tree repeats declarations that are called from several places, so its
    /// size may be exponential in its depth.
    pub limit: usize,
    /// Minimum confidence of calls to include.
    pub min_confidence: Confidence,
}

impl Default for CallTreeOptions {
    /// Returns the defaults: direct callees of the root, at most 200 nodes.
    fn default() -> Self {
        Self {
            direction: Direction::Outgoing,
            depth: Some(1),
            limit: 200,
            min_confidence: Confidence::Ambiguous,
        }
    }
}

/// Declaration in a call tree.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TreeNode {
    /// Id of the declaration.
    pub node: NodeId,
    /// Number of calls from the root.
    pub depth: u32,
    /// Call that leads to the node; `None` for the root.
    pub call: Option<Edge>,
    /// Reason why not all calls of the declaration are below it.
    pub mark: Option<Mark>,
}

/// Reason why not all calls of a node are below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Recursion: the node is its own ancestor.
    Cycle,
    /// Depth limit reached.
    DepthLimit,
    /// Limit on nodes reached.
    SizeLimit,
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Mark::Cycle => "cycle",
            Mark::DepthLimit => "depth limit",
            Mark::SizeLimit => "size limit",
        })
    }
}

/// Returns the tree of calls within the project in pre-order. It is filled breadth first, so that a limit on its size
/// keeps the nearest nodes. Callees are ordered by the first line of their call, callers by id. Calling a class runs
/// its constructor, which may be inherited: the constructor's calls count as calls of the class. O(edges at the nodes
/// of the tree, times its depth).
///
/// ```
/// use sscg_core::{Manifests, Project};
/// use sscg_graph::link;
/// use sscg_graph::traverse::{CallTreeOptions, Mark, call_tree};
///
/// let text = "def read(): pass\n\ndef parse():\n    read()\n\ndef main():\n    parse()\n";
/// let project = Project::new(sscg_parse::project_file("a.py", text).into_iter().collect(), Manifests::default());
/// let graph = link(&project);
/// let main = graph.nodes_labeled(&project, "a.py::main")[0];
/// let tree = call_tree(&project, &graph, main, &CallTreeOptions::default().with_depth(None))?;
/// let rows: Vec<_> = tree.iter().map(|it| (it.depth, graph.label(&project, it.node))).collect();
/// assert_eq!(rows, [(0, "a.py::main"), (1, "a.py::parse"), (2, "a.py::read")].map(|it| (it.0, it.1.to_owned())));
///
/// let direct = call_tree(&project, &graph, main, &CallTreeOptions::default())?;
/// assert_eq!(direct[1].mark, Some(Mark::DepthLimit));
/// # Ok::<(), sscg_graph::UnknownNode>(())
/// ```
///
/// # Errors
/// Returns an error if the root is not in the graph.
pub fn call_tree(
    project: &Project,
    graph: &CodeGraph,
    root: NodeId,
    options: &CallTreeOptions,
) -> Result<Vec<TreeNode>, UnknownNode> {
    graph.known(root)?;
    let calls = Calls { project, graph, options };
    let mut entries = vec![Entry {
        shown: TreeNode { node: root, depth: 0, call: None, mark: None },
        above: None,
        below: 0..0,
    }];
    // Entries are in the order in which they are processed.
    let mut at = 0;
    while at < entries.len() {
        let TreeNode { node, depth, .. } = entries[at].shown;
        let next = calls.at(node);
        let mut around = std::iter::successors(entries[at].above, |above| entries[*above].above);
        if next.is_empty() {
            // Nothing is left out.
        } else if around.any(|above| entries[above].shown.node == node) {
            entries[at].shown.mark = Some(Mark::Cycle);
        } else if options.depth.is_some_and(|limit| depth >= limit) {
            entries[at].shown.mark = Some(Mark::DepthLimit);
        } else {
            let free = options.limit.saturating_sub(entries.len() - 1);
            if next.len() > free {
                entries[at].shown.mark = Some(Mark::SizeLimit);
            }
            let first = entries.len();
            entries.extend(next.into_iter().take(free).map(|(node, call)| Entry {
                shown: TreeNode { node, depth: depth + 1, call: Some(call), mark: None },
                above: Some(at),
                below: 0..0,
            }));
            entries[at].below = first..entries.len();
        }
        at += 1;
    }
    let mut tree = Vec::with_capacity(entries.len());
    let mut rest = vec![0];
    while let Some(at) = rest.pop() {
        tree.push(entries[at].shown);
        rest.extend(entries[at].below.clone().rev());
    }
    Ok(tree)
}

/// Node of a tree under construction.
struct Entry {
    shown: TreeNode,
    above: Option<usize>,
    below: Range<usize>,
}

struct Calls<'s> {
    project: &'s Project,
    graph: &'s CodeGraph,
    options: &'s CallTreeOptions,
}

impl Calls<'_> {
    /// Returns the calls out of a node (or into it), one per declaration at their other end. The file stands for many callers
    /// without a name.
    fn at(&self, node: NodeId) -> Vec<(NodeId, Edge)> {
        let CallTreeOptions { direction, min_confidence, .. } = *self.options;
        let filter = EdgeFilter {
            direction: Some(direction),
            relations: RelationSet::CALLS,
            min_confidence,
            ..EdgeFilter::default()
        };
        let twins = self.run_together(node);
        let mut calls: Vec<(NodeId, Edge)> = std::iter::once(node)
            .chain(twins)
            .flat_map(|node| self.graph.steps(node, filter))
            .filter(|step| !matches!(self.graph.node(step.node), Node::External(_)))
            .map(|step| (step.node, *step.edge))
            .collect();
        if direction == Direction::Incoming {
            let callers: Vec<NodeId> = calls.iter().map(|(other, _)| *other).collect();
            let shown = collapse_anonymous(self.project, self.graph, &callers);
            calls.iter_mut().for_each(|(other, _)| *other = shown(*other));
        }
        calls.sort_by_key(|(other, edge)| (*other, edge.line));
        calls.dedup_by_key(|(other, _)| *other);
        if direction == Direction::Outgoing {
            calls.sort_by_key(|(other, edge)| (edge.line, *other));
        }
        calls
    }

    /// Returns the nodes that run together with a node: for callees of a class, its constructors; for callers of a
    /// constructor, the classes whose construction runs it.
    fn run_together(&self, node: NodeId) -> Vec<NodeId> {
        let Node::Symbol(symbol) = self.graph.node(node) else { return Vec::new() };
        let kind = self.project.symbol_kind(symbol);
        let min_confidence = self.options.min_confidence;
        let construction = Construction { project: self.project, graph: self.graph, min_confidence };
        match self.options.direction {
            Direction::Outgoing if kind.is_type() => construction.constructors(node),
            Direction::Incoming if kind == SymbolKind::Constructor => construction.constructed(symbol),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use proptest::prelude::*;
    use sscg_core::{Id, SymbolId};

    use super::*;
    use crate::link;
    use crate::testing::{functions, project};

    fn node(project: &Project, graph: &CodeGraph, name: &str) -> NodeId {
        let symbol = project.symbol_ids().find(|symbol| project.qualified_name(*symbol) == name);
        graph.id(Node::Symbol(symbol.expect("a declaration of this name")))
    }

    fn shown(project: &Project, name: &str, options: &CallTreeOptions) -> String {
        let graph = link(project);
        let root = node(project, &graph, name);
        let mut out = String::new();
        for TreeNode { node, depth, mark, .. } in
            call_tree(project, &graph, root, options).expect("a known node")
        {
            let label = graph.label(project, node);
            let name = label.rsplit("::").next().unwrap_or_default();
            let mark = mark.map_or(String::new(), |mark| format!(" [{mark}]"));
            writeln!(out, "{}{name}{mark}", "  ".repeat(depth as usize)).expect("a string can be written to");
        }
        out
    }

    #[test]
    fn recursion_and_depth_are_marked() {
        let project = functions(5, &[(0, 2), (0, 1), (1, 0), (2, 2), (2, 3), (3, 4)]);
        let two = CallTreeOptions { depth: Some(2), ..CallTreeOptions::default() };
        let expected = "f0\n  f2\n    f2 [cycle]\n    f3 [depth limit]\n  f1\n    f0 [cycle]\n";
        assert_eq!(shown(&project, "f0", &two), expected);
        let one = CallTreeOptions::default();
        assert_eq!(shown(&project, "f3", &one), "f3\n  f4\n");
        let none = CallTreeOptions { depth: Some(0), ..one };
        assert_eq!(shown(&project, "f0", &none), "f0 [depth limit]\n");
        let callers = CallTreeOptions { direction: Direction::Incoming, depth: None, ..one };
        let expected = "f4\n  f3\n    f2\n      f0\n        f1\n          f0 [cycle]\n      f2 [cycle]\n";
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
        assert!(tree.contains("[size limit]"), "{tree}");
        let project = functions(4, &[(0, 1), (0, 2), (0, 3)]);
        let two = CallTreeOptions { limit: 2, ..CallTreeOptions::default() };
        assert_eq!(shown(&project, "f0", &two), "f0 [size limit]\n  f1\n  f2\n");
        let all = CallTreeOptions { limit: usize::MAX, ..two };
        assert_eq!(shown(&project, "f0", &all), "f0\n  f1\n  f2\n  f3\n");
    }

    #[test]
    fn a_long_chain_is_no_deeper_than_the_stack_allows() {
        let calls: Vec<(usize, usize)> = (0..2999).map(|at| (at, at + 1)).collect();
        let project = functions(3000, &calls);
        let graph = link(&project);
        let options = CallTreeOptions { depth: None, limit: usize::MAX, ..CallTreeOptions::default() };
        let tree = call_tree(&project, &graph, node(&project, &graph, "f0"), &options).expect("a known node");
        assert_eq!(tree.last().map(|last| last.depth), Some(2999));
        let stranger = NodeId::new(9999);
        assert_eq!(call_tree(&project, &graph, stranger, &options), Err(UnknownNode(stranger)));
        let file = graph.id(Node::File(sscg_core::FileId::new(0)));
        assert_eq!(call_tree(&project, &graph, file, &options).expect("a known node").len(), 1);
    }

    /// Builds the tree by recursion, following its definition.
    fn by_definition(
        calls: &[(usize, usize)],
        node: usize,
        above: &mut Vec<usize>,
        limit: u32,
        tree: &mut Vec<(usize, u32, Option<Mark>)>,
    ) {
        let mut callees: Vec<usize> =
            calls.iter().filter(|(caller, _)| *caller == node).map(|it| it.1).collect();
        let mut known = Vec::new();
        callees.retain(|callee| {
            !known.contains(callee) && {
                known.push(*callee);
                true
            }
        });
        let depth = above.len() as u32;
        let mark = match () {
            () if callees.is_empty() => None,
            () if above.contains(&node) => Some(Mark::Cycle),
            () if depth >= limit => Some(Mark::DepthLimit),
            () => None,
        };
        tree.push((node, depth, mark));
        if mark.is_none() {
            above.push(node);
            for callee in callees {
                by_definition(calls, callee, above, limit, tree);
            }
            above.pop();
        }
    }

    proptest! {
        #[test]
        fn a_tree_is_what_its_definition_says(
            calls in prop::collection::vec((0..5_usize, 0..5_usize), 0..9),
            limit in 0..5_u32,
        ) {
            let project = functions(5, &calls);
            let graph = link(&project);
            let options =
                CallTreeOptions { depth: Some(limit), limit: usize::MAX, ..CallTreeOptions::default() };
            let root = graph.id(Node::Symbol(SymbolId::new(0)));
            let tree = call_tree(&project, &graph, root, &options).expect("a known node");
            let shown = |it: &TreeNode| {
                let Node::Symbol(symbol) = graph.node(it.node) else { unreachable!("functions are symbols") };
                (symbol.index(), it.depth, it.mark)
            };
            let mut expected = Vec::new();
            by_definition(&calls, 0, &mut Vec::new(), limit, &mut expected);
            prop_assert_eq!(tree.iter().map(shown).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn constructing_a_class_runs_its_constructor() {
        let text = "\
def setup():
    pass


class Store:
    def __init__(self):
        setup()


class Cached(Store):
    pass


class Logged(Store):
    def __init__(self):
        pass


def run():
    Store()


def derived():
    Cached()
    Logged()
";
        let project = project(&[("a.py", text)]);
        let options = CallTreeOptions { depth: Some(3), ..CallTreeOptions::default() };
        assert_eq!(shown(&project, "run", &options), "run\n  Store\n    setup\n");
        assert_eq!(shown(&project, "derived", &options), "derived\n  Cached\n    setup\n  Logged\n");
        let callers = CallTreeOptions { direction: Direction::Incoming, ..options };
        assert_eq!(shown(&project, "setup", &callers), "setup\n  Store.__init__\n    run\n    derived\n");
    }
}
