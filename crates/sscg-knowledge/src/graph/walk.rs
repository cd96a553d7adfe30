//! Graph walks.

use std::collections::VecDeque;

use super::{Edge, KnowledgeGraph, NodeIndex};

/// Direction in which a walk follows edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Along {
    Outgoing,
    Incoming,
    Both,
}

impl Along {
    pub(crate) fn of(undirected: bool) -> Self {
        if undirected { Self::Both } else { Self::Outgoing }
    }
}

impl KnowledgeGraph {
    /// Returns the nodes within `radius` edges of a node with their distances, nearest first, starting with the node
    /// itself. Edges are followed in both directions if `undirected`, else from source to target.
    pub fn ego_subgraph(&self, center: NodeIndex, radius: u32, undirected: bool) -> Vec<(NodeIndex, u32)> {
        self.reach(center, radius, Along::of(undirected), |_| true)
    }

    /// Returns the nodes reachable from a node in at most `max_depth` steps, nearest first, without the node itself.
    pub fn descendants(&self, node: NodeIndex, max_depth: u32) -> Vec<(NodeIndex, u32)> {
        self.reach(node, max_depth, Along::Outgoing, |_| true).split_off(1)
    }

    /// Returns the nodes that reach a node in at most `max_depth` steps, nearest first, without the node itself.
    pub fn ancestors(&self, node: NodeIndex, max_depth: u32) -> Vec<(NodeIndex, u32)> {
        self.reach(node, max_depth, Along::Incoming, |_| true).split_off(1)
    }

    /// Returns a path with the fewest edges from one node to another, both included; `None` if there is none. Edges are
    /// followed from source to target, or in both directions if `undirected`. The same graph gives the same path.
    pub fn shortest_path(&self, from: NodeIndex, to: NodeIndex, undirected: bool) -> Option<Vec<NodeIndex>> {
        let mut before: Vec<Option<NodeIndex>> = vec![None; self.nodes.len()];
        before[from.index()] = Some(from);
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            if node == to {
                let mut path = vec![to];
                while *path.last().expect("it has its end") != from {
                    path.extend(before[path[path.len() - 1].index()]);
                }
                path.reverse();
                return Some(path);
            }
            self.for_each_neighbor(
                node,
                Along::of(undirected),
                |_| true,
                |next| {
                    if before[next.index()].is_none() {
                        before[next.index()] = Some(node);
                        queue.push_back(next);
                    }
                },
            );
        }
        None
    }

    /// Returns the distance in edges from a node to each node, by index; edges are followed in both directions. `None`
    /// if unreachable.
    pub fn distances(&self, from: NodeIndex) -> Vec<Option<u32>> {
        let mut distances = vec![None; self.nodes.len()];
        for (node, distance) in self.reach(from, u32::MAX, Along::Both, |_| true) {
            distances[node.index()] = Some(distance);
        }
        distances
    }

    /// Returns the nodes within `max_depth` admitted edges of a node with their distances, nearest first, starting with
    /// the node itself.
    pub(crate) fn reach(
        &self,
        start: NodeIndex,
        max_depth: u32,
        along: Along,
        admits: impl Fn(&Edge) -> bool,
    ) -> Vec<(NodeIndex, u32)> {
        let mut seen = vec![false; self.nodes.len()];
        seen[start.index()] = true;
        let mut reached = vec![(start, 0)];
        let mut at = 0;
        while let Some(&(node, depth)) = reached.get(at) {
            at += 1;
            if depth == max_depth {
                break;
            }
            self.for_each_neighbor(node, along, &admits, |next| {
                if !std::mem::replace(&mut seen[next.index()], true) {
                    reached.push((next, depth + 1));
                }
            });
        }
        reached
    }

    fn for_each_neighbor(
        &self,
        node: NodeIndex,
        along: Along,
        admits: impl Fn(&Edge) -> bool,
        mut visit: impl FnMut(NodeIndex),
    ) {
        if along != Along::Incoming {
            self.edges_out(node).filter(|edge| admits(edge)).for_each(|edge| visit(edge.target));
        }
        if along != Along::Outgoing {
            self.edges_in(node).filter(|edge| admits(edge)).for_each(|edge| visit(edge.source));
        }
    }
}
