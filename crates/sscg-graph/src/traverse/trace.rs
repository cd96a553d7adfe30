//! Shortest paths between two nodes.

use std::cmp::Reverse;

use derive_setters::Setters;
use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::NodeId;

use super::EdgeFilter;
use crate::error::UnknownNode;
use crate::graph::{CodeGraph, Direction, Edge};

/// Limits of a path search.
#[derive(Clone, Copy, Debug, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct TraceOptions {
    /// Maximum number of edges in a path.
    pub max_depth: u32,
    /// Maximum number of paths.
    pub max_paths: usize,
    /// Edges to follow, as seen from the start.
    pub edges: EdgeFilter,
}

impl Default for TraceOptions {
    /// Returns the defaults: 5 edges, 10 paths, outgoing edges of code relations.
    fn default() -> Self {
        let edges = EdgeFilter { direction: Some(Direction::Outgoing), ..EdgeFilter::default() };
        Self { max_depth: 5, max_paths: 10, edges }
    }
}

/// Path from one node to another.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Path {
    /// Nodes of the path, including both ends.
    pub nodes: Vec<NodeId>,
    /// Edge between each node and the next: among several, the one with the highest confidence, then the first by
    /// relation.
    pub edges: Vec<Edge>,
}

/// Side of the search, with the distance of each node from its end.
struct Side {
    distances: FxHashMap<NodeId, u32>,
    frontier: Vec<NodeId>,
    depth: u32,
    filter: EdgeFilter,
}

impl Side {
    fn new(start: NodeId, filter: EdgeFilter) -> Self {
        Self { distances: [(start, 0)].into_iter().collect(), frontier: vec![start], depth: 0, filter }
    }

    /// Advances by one step from its end.
    fn advance(&mut self, graph: &CodeGraph) {
        self.depth += 1;
        let mut next = Vec::new();
        for node in std::mem::take(&mut self.frontier) {
            for step in graph.steps(node, self.filter) {
                self.distances.entry(step.node).or_insert_with(|| {
                    next.push(step.node);
                    self.depth
                });
            }
        }
        self.frontier = next;
    }
}

/// Returns every shortest path from one node to another, up to `max_paths`, ordered by node ids; empty if there is none
/// within the depth. Two searches meet in the middle; the one with the smaller frontier advances first.
///
/// ```
/// use sscg_core::{Manifests, Project};
/// use sscg_graph::link;
/// use sscg_graph::traverse::{TraceOptions, trace};
///
/// let text = "def read(): pass\n\ndef parse():\n    read()\n\ndef main():\n    parse()\n";
/// let project = Project::new(sscg_parse::project_file("a.py", text).into_iter().collect(), Manifests::default());
/// let graph = link(&project);
/// let node = |label: &str| graph.nodes_labeled(&project, label)[0];
/// let paths = trace(&graph, node("a.py::main"), node("a.py::read"), &TraceOptions::default())?;
/// assert_eq!(paths.len(), 1);
/// assert_eq!(paths[0].nodes, ["a.py::main", "a.py::parse", "a.py::read"].map(node));
/// assert_eq!(paths[0].edges[0].line, 7);
/// // `read` calls nothing.
/// assert!(trace(&graph, node("a.py::read"), node("a.py::main"), &TraceOptions::default())?.is_empty());
/// # Ok::<(), sscg_graph::UnknownNode>(())
/// ```
///
/// # Errors
/// Returns an error if one of the ends is not in the graph.
pub fn trace(
    graph: &CodeGraph,
    from: NodeId,
    to: NodeId,
    options: &TraceOptions,
) -> Result<Vec<Path>, UnknownNode> {
    graph.known(from)?;
    graph.known(to)?;
    let against = match options.edges.direction {
        Some(Direction::Outgoing) => Some(Direction::Incoming),
        Some(Direction::Incoming) => Some(Direction::Outgoing),
        None => None,
    };
    let mut start = Side::new(from, options.edges);
    let mut end = Side::new(to, EdgeFilter { direction: against, ..options.edges });
    let mut meets = from == to;
    while !meets && start.depth + end.depth < options.max_depth {
        let (near, far) =
            if start.frontier.len() <= end.frontier.len() { (&mut start, &end) } else { (&mut end, &start) };
        near.advance(graph);
        if near.frontier.is_empty() {
            return Ok(Vec::new());
        }
        meets = near.frontier.iter().any(|node| far.distances.contains_key(node));
    }
    if !meets || options.max_paths == 0 {
        return Ok(Vec::new());
    }
    let on_the_way = nodes_to_the_middle(graph, &start, &end);
    let length = start.depth + end.depth;
    let steps = Steps { graph, start, end, on_the_way, length };
    Ok(steps.paths(from, options.max_paths))
}

/// Returns the nodes on the start's side from which a shortest path continues to the end. Every shortest path passes
/// the last level of both sides at once.
fn nodes_to_the_middle(graph: &CodeGraph, start: &Side, end: &Side) -> FxHashSet<NodeId> {
    let back = EdgeFilter { direction: end.filter.direction, ..start.filter };
    let is_middle = |node: &&NodeId| {
        start.distances.get(*node) == Some(&start.depth) && end.distances.get(*node) == Some(&end.depth)
    };
    let smaller =
        if start.distances.len() <= end.distances.len() { &start.distances } else { &end.distances };
    let mut level: Vec<NodeId> = smaller.keys().filter(is_middle).copied().collect();
    let mut nodes: FxHashSet<NodeId> = level.iter().copied().collect();
    for depth in (0..start.depth).rev() {
        let mut before = Vec::new();
        for node in level {
            for step in graph.steps(node, back) {
                if start.distances.get(&step.node) == Some(&depth) && nodes.insert(step.node) {
                    before.push(step.node);
                }
            }
        }
        level = before;
    }
    nodes
}

/// Steps that shortest paths consist of.
struct Steps<'g> {
    graph: &'g CodeGraph,
    start: Side,
    end: Side,
    on_the_way: FxHashSet<NodeId>,
    length: u32,
}

impl Steps<'_> {
    /// Returns the first paths, depth first. Every step is on a path, so there are no dead ends.
    fn paths(&self, from: NodeId, limit: usize) -> Vec<Path> {
        let mut found = Vec::new();
        let mut path = Path { nodes: vec![from], edges: Vec::new() };
        // Stack of untried steps, one iterator per step of the path.
        let mut untried: Vec<std::vec::IntoIter<(NodeId, Edge)>> = Vec::new();
        loop {
            if path.edges.len() == self.length as usize {
                found.push(path.clone());
                if found.len() >= limit {
                    return found;
                }
            } else {
                untried.push(self.after(&path));
            }
            let (node, edge) = loop {
                let Some(steps) = untried.last_mut() else { return found };
                match steps.next() {
                    Some(step) => break step,
                    None => untried.pop(),
                };
            };
            path.edges.truncate(untried.len() - 1);
            path.nodes.truncate(untried.len());
            path.edges.push(edge);
            path.nodes.push(node);
        }
    }

    /// Returns the steps that continue a path, one per node.
    fn after(&self, path: &Path) -> std::vec::IntoIter<(NodeId, Edge)> {
        let last = *path.nodes.last().expect("a path has a start");
        let taken = path.edges.len() as u32 + 1;
        let mut steps: Vec<(NodeId, Edge)> = self
            .graph
            .steps(last, self.start.filter)
            .filter(|step| self.leads(step.node, taken))
            .map(|step| (step.node, *step.edge))
            .collect();
        steps.sort_by_key(|(node, edge)| (*node, Reverse(edge.confidence), edge.relation));
        steps.dedup_by_key(|(node, _)| *node);
        steps.into_iter()
    }

    /// Returns true if a node that is `taken` steps from the start is on a shortest path.
    fn leads(&self, node: NodeId, taken: u32) -> bool {
        if taken <= self.start.depth {
            self.start.distances.get(&node) == Some(&taken) && self.on_the_way.contains(&node)
        } else {
            self.end.distances.get(&node) == Some(&(self.length - taken))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sscg_core::{Id, Relation};

    use super::*;
    use crate::testing::{calls, large};

    /// Returns every shortest path, by trying all walks of each length in turn.
    fn all_shortest(
        count: usize,
        calls: &[(usize, usize)],
        from: usize,
        to: usize,
        depth: u32,
    ) -> Vec<Vec<usize>> {
        let mut walks = vec![vec![from]];
        for _ in 0..=depth {
            let mut there: Vec<_> = walks.iter().filter(|walk| walk.last() == Some(&to)).cloned().collect();
            if !there.is_empty() {
                there.sort();
                there.dedup();
                return there;
            }
            let longer = |walk: &Vec<usize>| {
                let last = *walk.last().expect("a walk has a start");
                let nexts = (0..count).filter(move |next| calls.contains(&(last, *next)));
                let walk = walk.clone();
                nexts.map(move |next| [walk.clone(), vec![next]].concat()).collect::<Vec<_>>()
            };
            walks = walks.iter().flat_map(longer).collect();
        }
        Vec::new()
    }

    proptest! {
        #[test]
        fn paths_are_all_the_shortest_ones(
            edges in proptest::collection::vec((0..6_usize, 0..6_usize), 0..14),
            from in 0..6_usize,
            to in 0..6_usize,
            max_depth in 0..5_u32,
        ) {
            let (graph, nodes) = calls(6, &edges);
            let options = TraceOptions { max_depth, max_paths: usize::MAX, ..TraceOptions::default() };
            let paths = trace(&graph, nodes[from], nodes[to], &options).expect("known nodes");
            let place = |node: &NodeId| nodes.iter().position(|known| known == node).expect("a function");
            let found: Vec<Vec<usize>> =
                paths.iter().map(|path| path.nodes.iter().map(place).collect()).collect();
            prop_assert_eq!(found, all_shortest(6, &edges, from, to, max_depth));
            for path in &paths {
                for (at, edge) in path.edges.iter().enumerate() {
                    prop_assert_eq!((edge.source, edge.target), (path.nodes[at], path.nodes[at + 1]));
                    prop_assert_eq!(edge.relation, Relation::Calls);
                }
            }
        }
    }

    #[test]
    fn paths_against_the_edges_and_both_ways() {
        let (graph, nodes) = calls(3, &[(0, 1), (2, 1)]);
        let traced = |from: usize, to: usize, direction| {
            let edges = EdgeFilter { direction, ..EdgeFilter::default() };
            let options = TraceOptions { edges, ..TraceOptions::default() };
            trace(&graph, nodes[from], nodes[to], &options).expect("known nodes").len()
        };
        assert_eq!(traced(1, 0, Some(Direction::Incoming)), 1);
        assert_eq!(traced(1, 0, Some(Direction::Outgoing)), 0);
        assert_eq!(traced(0, 2, Some(Direction::Outgoing)), 0);
        assert_eq!(traced(0, 2, None), 1);
    }

    #[test]
    fn a_long_path_takes_no_stack() {
        let count = 100_000;
        let (graph, nodes) = large(count, (1..count).map(|at| (at - 1, at)));
        let options = TraceOptions { max_depth: u32::MAX, max_paths: usize::MAX, ..TraceOptions::default() };
        let paths = trace(&graph, nodes[0], nodes[count - 1], &options).expect("known nodes");
        assert_eq!((paths.len(), &paths[0].nodes[..]), (1, &nodes[..]));
    }

    #[test]
    fn as_many_paths_as_asked_for_and_unknown_ends_are_named() {
        let diamond: Vec<(usize, usize)> = (1..9).flat_map(|middle| [(0, middle), (middle, 9)]).collect();
        let (graph, nodes) = calls(10, &diamond);
        let options = TraceOptions { max_paths: 3, ..TraceOptions::default() };
        assert_eq!(trace(&graph, nodes[0], nodes[9], &options).expect("known nodes").len(), 3);
        let none = TraceOptions { max_paths: 0, ..options };
        assert_eq!(trace(&graph, nodes[0], nodes[9], &none), Ok(Vec::new()));
        let nowhere = TraceOptions { max_depth: 0, ..options };
        assert_eq!(trace(&graph, nodes[0], nodes[9], &nowhere), Ok(Vec::new()));
        let itself = trace(&graph, nodes[0], nodes[0], &nowhere).expect("known nodes");
        assert_eq!(itself, [Path { nodes: vec![nodes[0]], edges: Vec::new() }]);
        let stranger = NodeId::new(999);
        assert_eq!(trace(&graph, nodes[0], stranger, &options), Err(UnknownNode(stranger)));
    }
}
