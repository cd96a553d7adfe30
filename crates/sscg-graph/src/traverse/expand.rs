//! Ego graphs and expansion: what is near some nodes.

use rustc_hash::FxHashMap;
use sscg_core::{Id, NodeId};

use super::{EdgeFilter, UnknownNode};
use crate::graph::{CodeGraph, Direction, Edge};

/// How far an expansion goes.
#[derive(Clone, Copy)]
pub struct ExpandOptions<'a> {
    /// At most this many steps from the nearest seed; 0 gives the seeds alone.
    pub depth: u32,
    /// At most this many nodes, seeds included. Nearer nodes come first, then those of higher rank.
    pub limit: usize,
    /// The edges that are followed.
    pub edges: EdgeFilter,
    /// The nodes that are entered; `None` for all.
    pub nodes: Option<&'a dyn Fn(NodeId) -> bool>,
    /// A rank for each node of the graph, such as its PageRank; `None` for the number of its edges.
    pub rank: Option<&'a [f64]>,
}

impl Default for ExpandOptions<'_> {
    /// Two steps, 50 nodes, all edges of what code does.
    fn default() -> Self {
        Self { depth: 2, limit: 50, edges: EdgeFilter::default(), nodes: None, rank: None }
    }
}

/// A node of an expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The node.
    pub node: NodeId,
    /// Steps from the nearest seed.
    pub distance: u32,
}

/// What is near some nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expansion {
    /// The seeds in their order, then the nodes reached, by distance, rank and id.
    pub nodes: Vec<Reached>,
    /// The admitted edges among these nodes, by (source, target, relation).
    pub edges: Vec<Edge>,
    /// How many further nodes were seen within the depth and left out.
    pub omitted: usize,
}

/// Expands seeds breadth first. With one seed this is its ego graph. O(edges at the nodes that are kept, and for
/// the edges among them O(nodes² log degree) at most).
///
/// # Errors
/// If the graph has no such node as one of the seeds.
pub fn expand(
    graph: &CodeGraph,
    seeds: &[NodeId],
    options: &ExpandOptions<'_>,
) -> Result<Expansion, UnknownNode> {
    let mut expansion = Expansion::default();
    let mut distances: FxHashMap<NodeId, u32> = FxHashMap::default();
    for &seed in seeds {
        graph.known(seed)?;
        if distances.contains_key(&seed) {
            continue;
        }
        if expansion.nodes.len() == options.limit {
            expansion.omitted += 1;
            continue;
        }
        distances.insert(seed, 0);
        expansion.nodes.push(Reached { node: seed, distance: 0 });
    }
    let mut frontier = 0;
    for distance in 1..=options.depth {
        let free = options.limit - expansion.nodes.len();
        if free == 0 {
            break;
        }
        let mut found: Vec<NodeId> = Vec::new();
        for reached in &expansion.nodes[frontier..] {
            for step in graph.steps(reached.node, options.edges) {
                let is_new = !distances.contains_key(&step.node);
                if is_new && options.nodes.is_none_or(|enters| enters(step.node)) {
                    distances.insert(step.node, distance);
                    found.push(step.node);
                }
            }
        }
        frontier = expansion.nodes.len();
        let dropped = keep_best(graph, &mut found, free, options.rank);
        expansion.omitted += dropped.len();
        for node in dropped {
            distances.remove(&node);
        }
        expansion.nodes.extend(found.into_iter().map(|node| Reached { node, distance }));
        if frontier == expansion.nodes.len() {
            break;
        }
    }
    expansion.edges = edges_among(graph, &expansion.nodes, options.edges);
    Ok(expansion)
}

/// Keeps the `count` nodes of the highest rank in order of rank; returns the others.
fn keep_best(graph: &CodeGraph, nodes: &mut Vec<NodeId>, count: usize, rank: Option<&[f64]>) -> Vec<NodeId> {
    let degree = |node| {
        graph.edges_at(node, Direction::Outgoing).len() + graph.edges_at(node, Direction::Incoming).len()
    };
    let rank = |node: NodeId| match rank {
        Some(ranks) => ranks.get(node.index()).copied().unwrap_or(0.0),
        None => degree(node) as f64,
    };
    let mut ranked: Vec<(f64, NodeId)> = nodes.iter().map(|node| (rank(*node), *node)).collect();
    let order = |a: &(f64, NodeId), b: &(f64, NodeId)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let dropped = if ranked.len() > count {
        // A hub may have more neighbours than is worth sorting.
        ranked.select_nth_unstable_by(count, order);
        ranked.split_off(count)
    } else {
        Vec::new()
    };
    ranked.sort_unstable_by(order);
    nodes.clear();
    nodes.extend(ranked.into_iter().map(|(_, node)| node));
    dropped.into_iter().map(|(_, node)| node).collect()
}

/// The admitted edges among some nodes.
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
            // A hub: asking for each node of the set is cheaper than looking at every edge.
            for &target in &sorted {
                edges.extend(graph.edges_between(source, target).iter().filter(admitted).copied());
            }
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use sscg_core::Relation;

    use super::*;
    use crate::graph::Node;
    use crate::link;
    use crate::testing::functions;

    /// Functions that call each other, and their nodes.
    fn calls(count: usize, calls: &[(usize, usize)]) -> (CodeGraph, Vec<NodeId>) {
        let project = functions(count, calls);
        let graph = link(&project);
        let nodes = project.symbol_ids().map(|symbol| graph.id(Node::Symbol(symbol))).collect();
        (graph, nodes)
    }

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
        let spokes: Vec<(usize, usize)> = (1..3000).map(|at| (at, 0)).collect();
        let (graph, nodes) = calls(3000, &spokes);
        let expansion = expand(&graph, &[nodes[0]], &ExpandOptions::default()).expect("a known node");
        assert_eq!((expansion.nodes.len(), expansion.edges.len()), (50, 49));
        assert_eq!(expansion.omitted, 2999 - 49);
    }
}
