//! Answers with the code that ids name.

use sscg_core::ChunkId;
use sscg_format::{Answer, Details};

use super::{Composer, SUMMARY_TOKENS, elsewhere};
use crate::ranking::Ranking;

impl Composer<'_> {
    /// Composes an answer with the code of a ranking, in its order, and nothing about it that an earlier answer may have
    /// told.
    pub(super) fn compose_asked(&mut self, found: &Ranking, budget: usize) -> (Answer, bool) {
        let (elsewhere, taken) = elsewhere::shown(&found.elsewhere, budget, &self.long_lines);
        let left_out = found.elsewhere.len() - elsewhere.len();
        let left = budget.saturating_sub(SUMMARY_TOKENS + taken);
        let pick = self.pick(&found.hits, usize::MAX, left);
        let mut answer = self.frame_of(found).with_omitted_results(pick.omitted.len() + left_out);
        answer.snapshots = self.excerpts(&pick);
        answer.results =
            pick.chunks.iter().map(|picked| self.result_of_lines(&pick, picked, found)).collect();
        for result in &mut answer.results {
            result.details = Details::default();
            result.signature.clear();
            result.modifiers.clear();
            result.graph.clear();
        }
        let left = left.saturating_sub(pick.tokens);
        self.add_also_matched(&mut answer, &pick, left);
        answer.also_matched.extend(found.named.iter().cloned());
        let chunks: Vec<ChunkId> = pick.chunks.iter().map(|picked| picked.hit.chunk).collect();
        answer.index = self.index_state(&chunks);
        for (item, snapshot) in elsewhere {
            answer.results.push(item);
            answer.snapshots.push(snapshot);
        }
        (answer, pick.is_cut || left_out > 0)
    }
}
