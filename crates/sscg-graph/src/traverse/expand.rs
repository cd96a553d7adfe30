//! Ego graphs and expansion: the neighborhood of some nodes.

use std::cmp::Ordering;

use derive_setters::Setters;
use fixedbitset::FixedBitSet;
use sscg_core::{Id, NodeId};

use super::EdgeFilter;
use crate::error::UnknownNode;
use crate::graph::{CodeGraph, Direction, Edge};

/// Limits of an expansion.
#[derive(Clone, Copy, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct ExpandOptions<'a> {
    /// Maximum number of steps from the nearest seed; 0 returns only the seeds.
    pub depth: u32,
    /// Maximum number of nodes, including seeds. Nearer nodes come first, then those of higher rank.
    pub limit: usize,
    /// Maximum number of edges of a node to continue from. A node with more is reached, but only expanded if it is a
    /// seed: sharing a logger or a base class does not make nodes neighbors.
    pub max_degree: usize,
    /// Edges to follow.
    pub edges: EdgeFilter,
    /// Filter for the nodes to enter; `None` admits all.
    pub nodes: Option<&'a dyn Fn(NodeId) -> bool>,
    /// Rank of each node of the graph, such as its PageRank; `None` for the number of its edges.
    pub rank: Option<&'a [f64]>,
}

impl Default for ExpandOptions<'_> {
    /// Returns the defaults: 2 steps, 50 nodes, all code relations, at most 1,000 edges of a node to continue from.
    fn default() -> Self {
        Self { depth: 2, limit: 50, max_degree: 1000, edges: EdgeFilter::default(), nodes: None, rank: None }
    }
}

/// Node of an expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reached {
    /// Id of the node.
    pub node: NodeId,
    /// Number of steps from the nearest seed.
    pub distance: u32,
}

/// Neighborhood of some nodes.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Expansion {
    /// Seeds in their order, then the nodes reached, by distance, rank and id.
    pub nodes: Vec<Reached>,
    /// Admitted edges among these nodes, by (source, target, relation).
    pub edges: Vec<Edge>,
    /// Number of further nodes that were seen within the depth and left out.
    pub omitted: usize,
}

/// Expands seeds breadth first. With one seed, the result is its ego graph. O(edges at the nodes that are kept), plus
/// O(nodes² log degree) at most for the edges among them.
///
/// ```
/// use sscg_core::{Manifests, Project};
/// use sscg_graph::link;
/// use sscg_graph::traverse::{ExpandOptions, expand};
///
/// let text = "def read(): pass\n\ndef parse():\n    read()\n\ndef main():\n    parse()\n";
/// let project = Project::new(sscg_parse::project_file("a.py", text).into_iter().collect(), Manifests::default());
/// let graph = link(&project);
/// let read = graph.nodes_labeled(&project, "a.py::read")[0];
/// let found = expand(&graph, &[read], &ExpandOptions::default().with_depth(1))?;
/// let found: Vec<_> = found.nodes.iter().map(|it| (graph.label(&project, it.node), it.distance)).collect();
/// assert_eq!(found, [("a.py::read".to_owned(), 0), ("a.py::parse".to_owned(), 1)]);
/// # Ok::<(), sscg_graph::UnknownNode>(())
/// ```
///
/// # Errors
/// Returns an error if one of the seeds is not in the graph.
pub fn expand(
    graph: &CodeGraph,
    seeds: &[NodeId],
    options: &ExpandOptions<'_>,
) -> Result<Expansion, UnknownNode> {
    let mut expansion = Expansion::default();
    let mut seen = FixedBitSet::with_capacity(graph.node_count());
    for &seed in seeds {
        graph.known(seed)?;
        if !seen.put(seed.index()) {
            if expansion.nodes.len() < options.limit {
                expansion.nodes.push(Reached { node: seed, distance: 0 });
            } else {
                expansion.omitted += 1;
            }
        }
    }
    let mut frontier = 0;
    for distance in 1..=options.depth {
        let mut best = Best::new(options.limit - expansion.nodes.len());
        if best.count == 0 || frontier == expansion.nodes.len() {
            break;
        }
        for reached in &expansion.nodes[frontier..] {
            if reached.distance > 0 && degree(graph, reached.node) > options.max_degree {
                continue;
            }
            for step in graph.steps(reached.node, options.edges) {
                let is_new = !seen.put(step.node.index());
                if is_new && options.nodes.is_none_or(|enters| enters(step.node)) {
                    let rank = match options.rank {
                        Some(ranks) => ranks.get(step.node.index()).copied().unwrap_or(0.0),
                        None => degree(graph, step.node) as f64,
                    };
                    best.add(rank, step.node);
                }
            }
        }
        frontier = expansion.nodes.len();
        let (kept, omitted) = best.finish();
        expansion.omitted += omitted;
        expansion.nodes.extend(kept.map(|node| Reached { node, distance }));
    }
    expansion.edges = edges_among(graph, &expansion.nodes, options.edges);
    Ok(expansion)
}

/// Returns the number of edges at a node.
fn degree(graph: &CodeGraph, node: NodeId) -> usize {
    graph.edges_at(node, Direction::Outgoing).len() + graph.edges_at(node, Direction::Incoming).len()
}

/// Collector of the nodes with the highest rank; among equal ranks, the smaller ids. A hub has more neighbors than are
/// worth keeping, so it holds at most twice `count`.
struct Best {
    count: usize,
    ranked: Vec<(f64, NodeId)>,
    added: usize,
}

impl Best {
    fn new(count: usize) -> Self {
        Self { count, ranked: Vec::new(), added: 0 }
    }

    fn order(a: &(f64, NodeId), b: &(f64, NodeId)) -> Ordering {
        b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
    }

    fn add(&mut self, rank: f64, node: NodeId) {
        self.added += 1;
        self.ranked.push((rank, node));
        if self.ranked.len() >= self.count.saturating_mul(2) {
            self.ranked.select_nth_unstable_by(self.count - 1, Self::order);
            self.ranked.truncate(self.count);
        }
    }

    /// Returns the best nodes in order, and the number of the others.
    fn finish(mut self) -> (impl Iterator<Item = NodeId>, usize) {
        self.ranked.sort_unstable_by(Self::order);
        self.ranked.truncate(self.count);
        let omitted = self.added - self.ranked.len();
        (self.ranked.into_iter().map(|(_, node)| node), omitted)
    }
}

/// Returns the admitted edges among some nodes.
fn edges_among(graph: &CodeGraph, nodes: &[Reached], filter: EdgeFilter) -> Vec<Edge> {
    let mut sorted: Vec<NodeId> = nodes.iter().map(|reached| reached.node).collect();
    sorted.sort_unstable();
    let mut edges = Vec::new();
    for &source in &sorted {
        let outgoing = graph.edges_at(source, Direction::Outgoing);
        let admitted = |edge: &&Edge| filter.admits(edge);
        if outgoing.len() <= 4 * sorted.len() {
            let inside = outgoing.filter(|edge| sorted.binary_search(&edge.target).is_ok());
            edges.extend(inside.filter(admitted).copied());
        } else {
            // A hub: a lookup per node of the set is cheaper than a scan of every edge.
            for &target in &sorted {
                edges.extend(graph.edges_between(source, target).iter().filter(admitted).copied());
            }
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sscg_core::Relation;

    use super::*;
    use crate::testing::{calls, large};

    fn reached(expansion: &Expansion, nodes: &[NodeId]) -> Vec<(usize, u32)> {
        let place = |node| nodes.iter().position(|known| *known == node).expect("a function");
        expansion.nodes.iter().map(|reached| (place(reached.node), reached.distance)).collect()
    }

    #[test]
    fn an_ego_graph_is_ordered_by_distance_then_rank() {
        let (graph, nodes) = calls(6, &[(0, 1), (0, 2), (2, 3), (4, 2), (3, 5)]);
        let seeds = [nodes[0]];
        let expansion = expand(&graph, &seeds, &ExpandOptions::default()).expect("a known node");
        // 2 has three edges, 1 has one; 3 has two, 4 has one; 5 is too far away.
        assert_eq!(reached(&expansion, &nodes), [(0, 0), (2, 1), (1, 1), (3, 2), (4, 2)]);
        assert_eq!(expansion.edges.len(), 4);
        let mut rank = vec![0.0; graph.node_count()];
        rank[nodes[1].index()] = 1.0;
        let options = ExpandOptions { rank: Some(&rank), limit: 2, ..ExpandOptions::default() };
        let expansion = expand(&graph, &seeds, &options).expect("a known node");
        assert_eq!(reached(&expansion, &nodes), [(0, 0), (1, 1)]);
        assert_eq!(expansion.omitted, 1);
    }

    #[test]
    fn filters_and_limits_give_little_and_never_fail() {
        let (graph, nodes) = calls(3, &[(0, 1), (1, 2)]);
        let seeds = [nodes[0], nodes[0], nodes[2]];
        let expand = |options: &ExpandOptions<'_>| expand(&graph, &seeds, options).expect("known nodes");
        let default = ExpandOptions::default();
        assert_eq!(reached(&expand(&ExpandOptions { depth: 0, ..default }), &nodes), [(0, 0), (2, 0)]);
        assert_eq!(reached(&expand(&ExpandOptions { limit: 1, ..default }), &nodes), [(0, 0)]);
        assert_eq!(expand(&ExpandOptions { limit: 0, ..default }).nodes, []);
        let only = ExpandOptions { nodes: Some(&|_| false), ..default };
        assert_eq!(reached(&expand(&only), &nodes), [(0, 0), (2, 0)]);
        let raises = [Relation::Raises].into_iter().collect();
        let edges = EdgeFilter { relations: raises, ..EdgeFilter::default() };
        assert_eq!(reached(&expand(&ExpandOptions { edges, ..default }), &nodes), [(0, 0), (2, 0)]);
        let incoming = EdgeFilter { direction: Some(Direction::Incoming), ..EdgeFilter::default() };
        let expansion = expand(&ExpandOptions { edges: incoming, ..default });
        assert_eq!(reached(&expansion, &nodes), [(0, 0), (2, 0), (1, 1)]);
    }

    #[test]
    fn nothing_is_near_nothing_and_unknown_nodes_are_named() {
        let (graph, _) = calls(1, &[]);
        assert_eq!(expand(&graph, &[], &ExpandOptions::default()), Ok(Expansion::default()));
        let stranger = NodeId::new(99);
        assert_eq!(expand(&graph, &[stranger], &ExpandOptions::default()), Err(UnknownNode(stranger)));
    }

    #[test]
    fn a_hub_stays_within_the_limit() {
        let count = 100_000;
        let (graph, nodes) = large(count, (1..count).map(|at| (at, 0)));
        let expansion = expand(&graph, &[nodes[0]], &ExpandOptions::default()).expect("a known node");
        assert_eq!((expansion.nodes.len(), expansion.edges.len()), (50, 49));
        assert_eq!(expansion.omitted, count - 50);
        // From a spoke, the hub is reached but not expanded.
        let expansion = expand(&graph, &[nodes[7]], &ExpandOptions::default()).expect("a known node");
        assert_eq!(reached(&expansion, &nodes), [(7, 0), (0, 1)]);
    }

    /// Returns the distance of each node from the nearest seed, by relaxing all edges `count` times.
    fn distances(count: usize, calls: &[(usize, usize)], seeds: &[usize], direction: Direction) -> Vec<u32> {
        let mut distances = vec![u32::MAX; count];
        seeds.iter().for_each(|seed| distances[*seed] = 0);
        for _ in 0..count {
            for &(caller, callee) in calls {
                let (from, to) =
                    if direction == Direction::Outgoing { (caller, callee) } else { (callee, caller) };
                distances[to] = distances[to].min(distances[from].saturating_add(1));
            }
        }
        distances
    }

    proptest! {
        #[test]
        fn all_within_the_depth_is_reached_at_its_distance(
            edges in prop::collection::vec((0..8_usize, 0..8_usize), 0..16),
            seeds in prop::collection::vec(0..8_usize, 0..4),
            depth in 0..4_u32,
            outgoing in any::<bool>(),
            limit in 0..10_usize,
        ) {
            let (graph, nodes) = large(8, edges.iter().copied());
            let direction = if outgoing { Direction::Outgoing } else { Direction::Incoming };
            let filter = EdgeFilter { direction: Some(direction), ..EdgeFilter::default() };
            let options = ExpandOptions { depth, edges: filter, ..ExpandOptions::default() };
            let starts: Vec<NodeId> = seeds.iter().map(|seed| nodes[*seed]).collect();
            let all = expand(&graph, &starts, &options).expect("known nodes");
            let distances = distances(8, &edges, &seeds, direction);
            let mut found = reached(&all, &nodes);
            prop_assert!(found.is_sorted_by_key(|(_, distance)| *distance));
            found.sort_unstable();
            let expected: Vec<(usize, u32)> =
                distances.iter().copied().enumerate().filter(|(_, distance)| *distance <= depth).collect();
            prop_assert_eq!(&found, &expected);
            let inside = |node: NodeId| all.nodes.iter().any(|reached| reached.node == node);
            let among: Vec<Edge> =
                graph.edges().iter().filter(|edge| inside(edge.source) && inside(edge.target)).copied().collect();
            prop_assert_eq!(&all.edges, &among);
            // A limit keeps the first nodes, and counts those that were seen and left out.
            let few = expand(&graph, &starts, &ExpandOptions { limit, ..options }).expect("known nodes");
            prop_assert_eq!(&few.nodes[..], &all.nodes[..all.nodes.len().min(limit)]);
            prop_assert!(few.nodes.len() + few.omitted <= all.nodes.len());
        }
    }
}
