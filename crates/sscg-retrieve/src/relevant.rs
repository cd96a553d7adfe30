//! Hits that are worth reading.

use sscg_index::Snapshot;

use crate::callers::is_about_uses;
use crate::signal::SignalContext;
use crate::{Hit, Query, QueryMode, RankOptions, SignalId};

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
