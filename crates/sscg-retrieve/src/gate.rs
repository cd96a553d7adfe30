//! Relevance thresholds of hits.

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{FileId, Id};
use sscg_index::Snapshot;

use crate::callers::is_about_uses;
use crate::signal::{SemanticSignal, SignalContext, Term, add_to_windows};
use crate::{Hit, Query, QueryMode, RankOptions, SignalId};

/// Thresholds for hits too far from the best one to be shown and for a best hit that is weak.
///
/// Relevance is measured in shares of the question, which are comparable across projects: the share, by weight, that
/// occurs in the best window of the file. With the built-in model, the cosine of the file's best chunk is added.
/// Cosines of other models have scales of their own and are ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct Gate {
    /// Minimum share of the best score, which counts as at most 1 if the question is one lowercase word.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub share: f64,
    /// Coverage below which the best hit is weak, without vectors of the built-in model.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub coverage: f64,
    /// Sum of coverage and cosine below which the best hit is weak, whatever the length.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub weak: f64,
    /// Addition to `weak` in short questions, divided by the number of terms, at least 3.
    #[schemars(range(min = 0.0))]
    pub weak_if_short: f64,
    /// Maximum number of hits if the best is weak; the number of the question's terms if larger.
    #[schemars(range(min = 1))]
    pub weak_hits: usize,
}

impl Default for Gate {
    /// On the development questions, coverage and cosine separate questions about the project from those about another
    /// with an area under the ROC curve of .89 (long questions) and .92 (short ones). The thresholds classify 4 of 170
    /// of the former as weak and 102 of 240 of the latter.
    fn default() -> Self {
        Self { share: 0.25, coverage: 0.17, weak: 0.28, weak_if_short: 1.2, weak_hits: 3 }
    }
}

/// Hits that are worth reading.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Relevant<'h> {
    /// Hits, best first.
    pub hits: &'h [Hit],
    /// True if even the best hit has little to do with the question.
    pub is_weak: bool,
    /// Relevance of the best hit, minus the least that is not weak: negative if and only if `is_weak`. Comparable between
    /// projects. [`f64::MAX`] for symbol lookups, questions about uses and named locations, [`f64::MIN`] without hits.
    pub relevance: f64,
}

/// Returns the hits of a [ranking](crate::rank) that are worth reading: all of them for symbol lookups and questions
/// about uses. O(postings).
pub fn relevant<'h>(
    snapshot: &Snapshot,
    query: &Query,
    hits: &'h [Hit],
    options: &RankOptions,
) -> Relevant<'h> {
    let relevance = if hits.is_empty() { f64::MIN } else { f64::MAX };
    let (QueryMode::Words(terms), Some(best)) = (&query.mode, hits.first()) else {
        return Relevant { hits, is_weak: false, relevance };
    };
    if is_about_uses(snapshot, query) {
        return Relevant { hits, is_weak: false, relevance };
    }
    let gate = &options.gate;
    // `retry` may be the name of the best hit or any word; `Retry` is a name.
    let is_word = query.text.chars().all(char::is_lowercase);
    // A named location scores far above everything else, so it is no measure for other hits.
    let named = |hit: &Hit| {
        let sources = hit.sources.iter().filter(|source| source.signal == SignalId::LOCATION);
        sources.map(|source| source.contribution).sum::<f64>()
    };
    let most = hits.iter().map(|hit| hit.score - named(hit)).fold(0.0, f64::max);
    let most = if is_word { most.min(1.0) } else { most };
    let near = hits.partition_point(|hit| hit.score >= gate.share * most);
    let context = SignalContext::new(query, snapshot, terms, options.terms);
    // The best evidence decides: wrong guesses are no evidence against the question.
    let asked = std::iter::once(&*context.prose).chain(query.terms.iter().map(String::as_str));
    let relevance = asked
        .map(|text| context.terms_of(text))
        .filter(|terms| !terms.is_empty())
        .map(|terms| {
            gate.relevance(&context, &terms, best, &options.semantic, options.weights.semantic > 0.0)
        })
        .fold(f64::MIN, f64::max);
    let is_weak = relevance < 0.0;
    // A long question covers several topics, some of which may be in the project.
    let shown = if is_weak { near.min(gate.weak_hits.max(context.terms.len())) } else { near };
    Relevant { hits: &hits[..shown], is_weak, relevance }
}

impl Gate {
    /// Returns how much the best hit has to do with some terms of the question, minus the least that is not
    /// weak.
    fn relevance(
        &self,
        context: &SignalContext<'_>,
        terms: &[Term],
        best: &Hit,
        semantic: &SemanticSignal,
        with_vectors: bool,
    ) -> f64 {
        // If the question names the location, words do not matter.
        if best.sources.iter().any(|source| source.signal == SignalId::LOCATION) {
            return f64::MAX;
        }
        let snapshot = context.snapshot;
        let file = snapshot.project.chunk_file(best.chunk);
        let coverage = coverage(snapshot, terms, file);
        let vectors = snapshot.vectors();
        if !(with_vectors && vectors.is_built_in()) {
            return coverage - self.coverage;
        }
        let Some(question) = semantic.question(context, terms) else {
            return coverage - self.coverage;
        };
        let chunks = snapshot.project.chunks_of(file);
        let cosines =
            (chunks.start.index()..chunks.end.index()).map(|row| vectors.chunks().cosine(row, &question));
        let least = self.weak + self.weak_if_short / terms.len().max(3) as f64;
        coverage + f64::from(cosines.fold(0.0, f32::max)) - least
    }
}

/// Returns the share of some terms, by weight, in the best window of a file.
fn coverage(snapshot: &Snapshot, terms: &[Term], file: FileId) -> f64 {
    let lexical = snapshot.lexical();
    let mut windows = vec![0.0; lexical.blocks(file).len()];
    for term in terms {
        let Some(entry) = &term.entry else { continue };
        for in_file in lexical.postings(entry).filter(|found| found.file == file) {
            add_to_windows(&in_file, term.weight, &mut windows);
        }
    }
    windows.into_iter().fold(0.0, f64::max) / terms.iter().map(|term| term.weight).sum::<f64>()
}
