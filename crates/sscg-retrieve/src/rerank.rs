//! Scores of a model that reads the question together with the best chunks.

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_rank::min_max;

use crate::hit::{add, scale};
use crate::{Hit, RankSource, SignalId};

/// Number of reranked chunks and weight of the reranker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct RerankOptions {
    /// Number of best chunks that are read.
    #[schemars(range(min = 1, max = 1_000), extend("x-trusted" = true))]
    pub candidates: usize,
    /// Weight of the reranker's score; the rest is the score of the signals.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub blend: f64,
}

impl Default for RerankOptions {
    /// A page of candidates. The reranker dominates, but agreement between the signals still counts.
    fn default() -> Self {
        Self { candidates: 50, blend: 0.65 }
    }
}

/// Blends a reranker's scores of the first hits, in their order, into the scores of all hits and sorts again; ties keep
/// their order.
///
/// A score becomes `blend` times the reranker's, mapped onto 0 to 1 over the scored hits, plus `1 - blend` times the
/// hit's own score divided by the best. Unscored hits count like the lowest of the scored ones. Each score stays the
/// sum of the contributions of its sources. O(n log n).
///
/// # Panics
/// Panics if there are more scores than hits.
pub fn rerank(hits: &mut [Hit], scores: &[f32], blend: f64) {
    assert!(scores.len() <= hits.len(), "each score is of a hit");
    scale(hits, 1.0 - blend);
    let raw: Vec<f64> = scores.iter().map(|score| f64::from(*score)).collect();
    let mut normalized = raw.clone();
    min_max(&mut normalized);
    let mut places: Vec<usize> = (0..raw.len()).collect();
    places.sort_by(|a, b| raw[*b].total_cmp(&raw[*a]));
    for (place, at) in places.into_iter().enumerate() {
        let contribution = blend * normalized[at];
        let source = RankSource { signal: SignalId::RERANK, rank: place + 1, score: raw[at], contribution };
        add(&mut hits[at], source);
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
}

#[cfg(test)]
mod tests {
    use super::*;
    use sscg_core::{ChunkId, Id, LineRange};

    fn hits(scores: &[f64]) -> Vec<Hit> {
        let hit = |(at, score): (usize, &f64)| {
            let source =
                |share: f64, signal| RankSource { signal, rank: 1, score: 1.0, contribution: share * score };
            let sources = vec![source(0.75, SignalId::LEXICAL), source(0.25, SignalId::PATH)];
            let lines = LineRange { start: 1, end: 1 };
            Hit { chunk: ChunkId::new(at), lines, focus: lines, score: *score, sources }
        };
        scores.iter().enumerate().map(hit).collect()
    }

    fn order(hits: &[Hit]) -> Vec<usize> {
        hits.iter().map(|hit| hit.chunk.index()).collect()
    }

    #[test]
    fn the_reranker_leads_and_scores_stay_sums() {
        let mut found = hits(&[2.0, 1.8, 1.0, 0.9]);
        // Raw scores of a model may be any number; the last hit is not scored.
        rerank(&mut found, &[-4.0, 1.0, -1.0], 0.65);
        assert_eq!(order(&found), [1, 2, 0, 3]);
        for hit in &found {
            let sum: f64 = hit.sources.iter().map(|source| source.contribution).sum();
            assert!((sum - hit.score).abs() < 1e-12, "{hit:?}");
            assert!(hit.sources.is_sorted_by(|a, b| a.contribution >= b.contribution), "{hit:?}");
        }
        assert!((found[0].score - (0.65 + 0.35 * 0.9)).abs() < 1e-12);
        assert_eq!(found[1].sources[0].signal, SignalId::RERANK);
        assert_eq!((found[1].sources[0].rank, found[1].sources[0].score), (2, -1.0));
    }

    #[test]
    fn a_reranker_that_counts_nothing_or_knows_no_difference_changes_no_order() {
        for (scores, blend) in [([0.1, 0.9, 0.5], 0.0), ([0.5; 3], 0.65), ([0.0; 3], 1.0)] {
            let mut found = hits(&[2.0, 1.8, 1.0, 0.9]);
            rerank(&mut found, &scores, blend);
            assert_eq!(order(&found), [0, 1, 2, 3]);
        }
    }
}
