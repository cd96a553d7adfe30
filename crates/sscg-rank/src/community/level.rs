//! Graphs that communities are searched on: the input graph, and coarser graphs whose nodes are groups of nodes.

use super::modularity::strengths;
use crate::Csr;

/// View of an undirected graph for local moving and refinement.
///
/// Self-loops are not edges here: they move with their node, so they only count toward its strength.
pub(super) trait Level {
    /// Returns the total weight of each node's edges, self-loops counted twice.
    fn strengths(&self) -> &[f64];

    /// Returns the other nodes that `node` has edges to, each once, with the weights of these edges.
    fn others(&self, node: u32) -> impl Iterator<Item = (u32, f32)>;

    fn node_count(&self) -> usize {
        self.strengths().len()
    }

    /// Returns the number of edges, each counted at both ends.
    fn edge_count(&self) -> usize;
}

/// Input graph.
pub(super) struct Finest<'a> {
    graph: &'a Csr,
    strengths: Vec<f64>,
}

impl<'a> Finest<'a> {
    pub(super) fn new(graph: &'a Csr) -> Self {
        Self { graph, strengths: strengths(graph) }
    }
}

impl Level for Finest<'_> {
    fn strengths(&self) -> &[f64] {
        &self.strengths
    }

    fn others(&self, node: u32) -> impl Iterator<Item = (u32, f32)> {
        self.graph.row(node).filter(move |(other, _)| *other != node)
    }

    fn edge_count(&self) -> usize {
        self.graph.edge_count()
    }
}

/// Number of rows of a coarse graph per allocation. A single list of all edges would need three times its length
/// while it grows.
const ROWS_PER_PIECE: usize = 128;

/// Graph whose nodes are groups of nodes of a finer one.
pub(super) struct Coarse {
    pieces: Vec<Box<[(u32, f32)]>>,
    /// Start and end of each node's row in its piece.
    rows: Vec<(u32, u32)>,
    strengths: Vec<f64>,
}

impl Level for Coarse {
    fn strengths(&self) -> &[f64] {
        &self.strengths
    }

    fn others(&self, node: u32) -> impl Iterator<Item = (u32, f32)> {
        let node = node as usize;
        let (start, end) = self.rows[node];
        self.pieces[node / ROWS_PER_PIECE][start as usize..end as usize].iter().copied()
    }

    fn edge_count(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }
}

impl Coarse {
    /// Builds the graph from the group of each node, numbered densely. O(nodes + edges).
    pub(super) fn new(finer: &impl Level, groups: &[u32], group_count: usize) -> Self {
        let mut strengths = vec![0.0; group_count];
        for (&group, strength) in groups.iter().zip(finer.strengths()) {
            strengths[group as usize] += strength;
        }
        let members = Members::new(groups, group_count);
        let (mut pieces, mut rows) = (Vec::new(), Vec::with_capacity(group_count));
        let mut links = Links::new(group_count);
        let mut piece = Vec::new();
        for group in 0..group_count as u32 {
            for &node in members.of(group) {
                for (other, weight) in finer.others(node) {
                    links.add(groups[other as usize], weight);
                }
            }
            let start = piece.len() as u32;
            links.drain(|other, weight| {
                if other != group {
                    piece.push((other, weight.min(f64::from(f32::MAX)) as f32));
                }
            });
            rows.push((start, piece.len() as u32));
            if rows.len() % ROWS_PER_PIECE == 0 || rows.len() == group_count {
                pieces.push(piece.as_slice().into());
                piece.clear();
            }
        }
        Self { pieces, rows, strengths }
    }
}

/// Nodes of each group.
pub(super) struct Members {
    ends: Vec<u32>,
    nodes: Vec<u32>,
}

impl Members {
    /// Sorts the nodes by group (counting sort); the nodes of a group are in ascending order.
    pub(super) fn new(groups: &[u32], group_count: usize) -> Self {
        let mut ends = vec![0; group_count + 1];
        for &group in groups {
            ends[group as usize + 1] += 1;
        }
        for group in 0..group_count {
            ends[group + 1] += ends[group];
        }
        // The start of each group moves up as the group fills, until it is the start of the next one.
        let mut nodes = vec![0; groups.len()];
        for (node, &group) in (0..).zip(groups) {
            let end = &mut ends[group as usize];
            nodes[*end as usize] = node;
            *end += 1;
        }
        Self { ends, nodes }
    }

    pub(super) fn of(&self, group: u32) -> &[u32] {
        let group = group as usize;
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        &self.nodes[start as usize..self.ends[group] as usize]
    }
}

/// Sums of weights by group, for one row of edges at a time.
pub(super) struct Links {
    sums: Vec<f64>,
    /// Groups of the current row, in the first `touched_count` entries.
    touched: Vec<u32>,
    touched_count: usize,
}

impl Links {
    pub(super) fn new(group_count: usize) -> Self {
        // One extra slot, because a group that is already present is written past the last entry.
        Self { sums: vec![0.0; group_count], touched: vec![0; group_count + 1], touched_count: 0 }
    }

    /// Adds `weight`, which is greater than zero, to the sum of `group`.
    pub(super) fn add(&mut self, group: u32, weight: f32) {
        let sum = &mut self.sums[group as usize];
        // A branch on a new group would be unpredictable and cost more than the write.
        self.touched[self.touched_count] = group;
        self.touched_count += usize::from(*sum == 0.0);
        *sum += f64::from(weight);
    }

    /// Returns the sum for `group`.
    pub(super) fn get(&self, group: u32) -> f64 {
        self.sums[group as usize]
    }

    /// Passes each group with its sum to `each`, in order of appearance, and clears the sums for the next row.
    pub(super) fn drain(&mut self, mut each: impl FnMut(u32, f64)) {
        for &group in &self.touched[..std::mem::take(&mut self.touched_count)] {
            each(group, std::mem::take(&mut self.sums[group as usize]));
        }
    }
}
