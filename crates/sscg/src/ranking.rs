//! Ranking for a question.

use std::collections::BTreeMap;

use sscg_core::{ChunkId, Corpus, parts_of};
use sscg_format::Match;
use sscg_index::{Snapshot, query_terms, words};
use sscg_retrieve::{Hit, Pasted, Query, QueryMode, SignalId, find_symbols};

use crate::SearchRequest;
use crate::answer::elsewhere::{self, TextBlock};
use crate::structure::Centrality;

/// Ranking for a question.
#[derive(Default)]
pub(crate) struct Ranking {
    pub(crate) hits: Vec<Hit>,
    /// Score of each hit blended with its centrality, if that decides the order.
    pub(crate) blended: BTreeMap<ChunkId, f64>,
    /// True if even the best hit has little to do with the question.
    pub(crate) is_weak: bool,
    /// Relevance of the best hit; see [`Response::relevance`](crate::Response::relevance).
    pub(crate) relevance: f64,
    /// Text of the question in files that are not indexed, if the index lacks it.
    pub(crate) elsewhere: Vec<TextBlock>,
    /// Declarations that are only named: of tests, examples and copies, if ids also name the project's own.
    pub(crate) named: Vec<Match>,
    /// Warnings about what the ranking lacks.
    pub(crate) warnings: Vec<String>,
}

impl Ranking {
    /// Searches all other files for pasted text that the index lacks.
    pub(crate) fn look_elsewhere(&mut self, snapshot: &Snapshot, query: &Query, request: &SearchRequest) {
        let is_filtered =
            !(request.languages.is_empty() && request.paths.is_empty() && request.kinds.is_empty());
        let name = query.prose.trim().trim_end_matches("()");
        let is_declared = !find_symbols(snapshot, &[name.to_owned()]).is_empty();
        let is_named = |hit: &Hit| hit.sources.iter().any(|source| source.signal == SignalId::LOCATION);
        if request.corpus != Corpus::Code
            || is_filtered
            || !matches!(query.mode, QueryMode::Words(_))
            || self.hits.iter().any(is_named)
            || is_declared
        {
            return;
        }
        let Some(pasted) = Pasted::of(&query.prose) else { return };
        self.elsewhere = elsewhere::find(snapshot, &pasted);
        if self.elsewhere.is_empty()
            && (pasted.is_sure() || pasted.has_signs() && (self.is_weak || has_unknown_name(snapshot, query)))
        {
            self.warnings.push("the text of the question stands nowhere in this tree as it is".to_owned());
        }
        self.is_weak &= self.elsewhere.is_empty();
    }

    /// Sorts the hits by their scores blended with their centrality.
    pub(crate) fn rerank_by_centrality(&mut self, centrality: &Centrality, alpha: f64) {
        let scores: Vec<(ChunkId, f64)> = self.hits.iter().map(|hit| (hit.chunk, hit.score)).collect();
        let ranked = sscg_rank::rerank(&scores, |chunk| centrality.get(chunk), alpha);
        // Several parts of a chunk may be hits; the best one counts.
        for it in &ranked {
            let blended = self.blended.entry(it.item).or_insert(it.blended);
            *blended = blended.max(it.blended);
        }
        self.hits.sort_by(|a, b| {
            self.blended[&b.chunk].total_cmp(&self.blended[&a.chunk]).then(a.chunk.cmp(&b.chunk))
        });
    }
}

/// Returns true if a question has a compound that is nowhere in the index: a description rarely contains a made-up
/// one. Words such as `16px` do not count.
fn has_unknown_name(snapshot: &Snapshot, query: &Query) -> bool {
    let is_unknown = |word: &str| match &query_terms(word)[..] {
        _ if word.starts_with(char::is_numeric) || parts_of(word).nth(1).is_none() => false,
        [_, .., compound] => snapshot.lexical().term(compound).is_none(),
        _ => false,
    };
    words(&query.prose).any(is_unknown)
}
