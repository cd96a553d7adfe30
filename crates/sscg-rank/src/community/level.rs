//! The graphs that communities are sought on: the given one, and those of groups of its nodes.

use super::modularity::strengths;
use crate::Csr;

/// What local moving and refinement see of an undirected graph.
///
/// Loops are no edges here: wherever a node goes its loops go with it, so that only its strength tells of them.
pub(super) trait Level {
    /// For each node the weight of its edges, loops twice.
    fn strengths(&self) -> &[f64];

    /// The other nodes that `node` has edges to, each once, with the weights of these edges.
    fn others(&self, node: u32) -> impl Iterator<Item = (u32, f32)>;

    fn node_count(&self) -> usize {
        self.strengths().len()
    }

    /// The number of edges, each counted at both its ends.
    fn edge_count(&self) -> usize;
}

/// The given graph.
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

/// How many rows of a coarse graph lie in one piece of memory: a list of all edges would need room for three
/// times its length while it grows.
const ROWS_PER_PIECE: usize = 128;

/// A graph whose nodes are groups of nodes of a finer one.
pub(super) struct Coarse {
    pieces: Vec<Box<[(u32, f32)]>>,
    /// For each node where its row starts and ends in its piece.
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
    /// From the group of each node, numbered densely. O(nodes + edges).
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

/// The nodes of each group.
pub(super) struct Members {
    ends: Vec<u32>,
    nodes: Vec<u32>,
}

impl Members {
    /// A counting sort by group; the nodes of a group are in ascending order.
    pub(super) fn new(groups: &[u32], group_count: usize) -> Self {
        let mut ends = vec![0; group_count + 1];
        for &group in groups {
            ends[group as usize + 1] += 1;
        }
        for group in 0..group_count {
            ends[group + 1] += ends[group];
        }
        // The start of each group moves up as it fills, until it is the start of the next one.
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

/// Sums of weights by group, for one row of edges after the other.
pub(super) struct Links {
    sums: Vec<f64>,
    /// The groups of the row come first.
    touched: Vec<u32>,
    touched_count: usize,
}

impl Links {
    pub(super) fn new(group_count: usize) -> Self {
        // One place more, because a group that is there already is written behind the last.
        Self { sums: vec![0.0; group_count], touched: vec![0; group_count + 1], touched_count: 0 }
    }

    /// `weight` is greater than zero.
    pub(super) fn add(&mut self, group: u32, weight: f32) {
        let sum = &mut self.sums[group as usize];
        // Whether a group is new is as good as random: a branch on it would cost more than the write.
        self.touched[self.touched_count] = group;
        self.touched_count += usize::from(*sum == 0.0);
        *sum += f64::from(weight);
    }

    /// The sum for `group`.
    pub(super) fn get(&self, group: u32) -> f64 {
        self.sums[group as usize]
    }

    /// Gives each group with its sum, in order of appearance, and makes way for the next row.
    pub(super) fn drain(&mut self, mut each: impl FnMut(u32, f64)) {
        for &group in &self.touched[..std::mem::take(&mut self.touched_count)] {
            each(group, std::mem::take(&mut self.sums[group as usize]));
        }
    }
}
