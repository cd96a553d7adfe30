//! Hits of a ranking.

use std::cmp::Ordering;

use sscg_core::{ChunkId, LineRange};

use crate::SignalId;

/// Ranked span: lines of a chunk.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// Chunk of the span. Several parts of a long chunk may be separate hits.
    pub chunk: ChunkId,
    /// Lines of the answer: the whole chunk, or a part of a long one.
    pub lines: LineRange,
    /// Subrange with the most evidence, about twenty lines; shown where not all lines fit.
    pub focus: LineRange,
    /// Fused score; comparable within one ranking only.
    pub score: f64,
    /// Score of each signal with evidence for the file, largest contribution first.
    pub sources: Vec<RankSource>,
}

impl Hit {
    /// Creates a hit whose evidence is on all of its lines, without sources.
    pub fn new(chunk: ChunkId, lines: LineRange, score: f64) -> Self {
        Self { chunk, lines, focus: lines, score, sources: Vec::new() }
    }
}

/// Score of one signal for a hit's file, and its contribution to the hit's score.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RankSource {
    /// Signal that gave the score.
    pub signal: SignalId,
    /// 1-based rank of the file in the signal's list; 0 for signals that rank no files.
    pub rank: usize,
    /// Score by the signal itself.
    pub score: f64,
    /// Contribution to the fused score, which is the sum of all contributions.
    pub contribution: f64,
}

/// Scales all scores so that the best becomes `share`.
pub(crate) fn scale(hits: &mut [Hit], share: f64) {
    let best = hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
    let own = if best > 0.0 { share / best } else { 0.0 };
    for hit in hits {
        hit.score *= own;
        hit.sources.iter_mut().for_each(|source| source.contribution *= own);
    }
}

/// Adds the contribution of one more source to a hit.
pub(crate) fn add(hit: &mut Hit, source: RankSource) {
    hit.score += source.contribution;
    let behind = hit.sources.partition_point(|other| other.contribution >= source.contribution);
    hit.sources.insert(behind, source);
}

/// Keeps the first `count` items of an order, sorted.
pub(crate) fn keep_best<T>(items: &mut Vec<T>, count: usize, order: impl Fn(&T, &T) -> Ordering) {
    if items.len() > count {
        items.select_nth_unstable_by(count, &order);
        items.truncate(count);
    }
    items.sort_unstable_by(order);
}
