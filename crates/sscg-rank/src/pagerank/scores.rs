//! Scores of nodes.

/// Scores of the nodes of a graph: of all, or of some where all others are 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Scores {
    /// Scores of all nodes, by node.
    All(Vec<f64>),
    /// Nodes in ascending order, each with its score.
    Near(Vec<(u32, f64)>),
}

impl Scores {
    /// Returns the score of a node; 0 if the graph has no such node. O(1), or O(log n) for n nodes of `Near`.
    pub fn get(&self, node: u32) -> f64 {
        match self {
            Self::All(scores) => scores.get(node as usize).copied().unwrap_or(0.0),
            Self::Near(scores) => {
                let at = scores.binary_search_by_key(&node, |(node, _)| *node);
                at.map_or(0.0, |at| scores[at].1)
            }
        }
    }

    /// Returns the nodes with a score above 0, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f64)> {
        let (all, near) = match self {
            Self::All(scores) => (&scores[..], &[][..]),
            Self::Near(scores) => (&[][..], &scores[..]),
        };
        let scores = (0..).zip(all.iter().copied()).chain(near.iter().copied());
        scores.filter(|(_, score)| *score > 0.0)
    }

    /// Returns the `count` nodes with the highest scores above 0, best first, ties by ascending node. O(n + count log
    /// count).
    pub fn top(&self, count: usize) -> Vec<(u32, f64)> {
        let better = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        let mut scores: Vec<(u32, f64)> = self.iter().collect();
        if count < scores.len() {
            scores.select_nth_unstable_by(count, better);
            scores.truncate(count);
        }
        scores.sort_unstable_by(better);
        scores
    }
}
