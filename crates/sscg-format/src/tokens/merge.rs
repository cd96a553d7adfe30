//! Number of tokens of a piece of text.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::vocabulary::{Rank, Vocabulary};

/// Byte-pair encoding (Sennrich, Haddow and Birch, 2016) as tiktoken defines it: it starts with single bytes and
/// repeatedly joins the neighbors that form the token of the lowest rank, the first of several first. Reuses its memory
/// between pieces.
#[derive(Default)]
pub(super) struct Merger {
    /// End of each part, by its start.
    ends: Vec<usize>,
    /// Start of each part, by its end.
    starts: Vec<usize>,
    pairs: BinaryHeap<Reverse<Pair>>,
}

/// Two neighbors that form a token. Stale if one of them has been joined to another part first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    rank: Rank,
    start: usize,
    middle: usize,
    end: usize,
}

impl Merger {
    pub(super) fn count(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> usize {
        if piece.is_empty() || vocabulary.rank(piece).is_some() {
            return piece.len().min(1);
        }
        let pair = |start, middle, end| {
            let rank = vocabulary.rank(&piece[start..end])?;
            Some(Reverse(Pair { rank, start, middle, end }))
        };
        let length = piece.len();
        self.ends.clear();
        self.ends.extend(1..=length);
        self.starts.clear();
        self.starts.extend((0..=length).map(|end| end.saturating_sub(1)));
        self.pairs.clear();
        self.pairs.extend((2..=length).filter_map(|end| pair(end - 2, end - 1, end)));
        let mut count = length;
        while let Some(Reverse(Pair { start, middle, end, .. })) = self.pairs.pop() {
            let is_left = self.ends[start] == middle && self.starts[middle] == start;
            if !is_left || self.ends[middle] != end {
                continue;
            }
            count -= 1;
            self.ends[start] = end;
            self.starts[end] = start;
            if start > 0 {
                self.pairs.extend(pair(self.starts[start], start, end));
            }
            if end < length {
                self.pairs.extend(pair(start, end, self.ends[end]));
            }
        }
        count
    }
}
