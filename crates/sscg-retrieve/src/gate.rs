//! Which hits are worth reading.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{FileId, Id};
use sscg_index::Snapshot;

use crate::callers::is_about_uses;
use crate::signal::{Context, Semantic, Term, add_to_windows};
use crate::{Hit, Query, QueryMode, RankOptions, SignalId};

/// When a hit is too far from the best to be shown, and when the best is too far from the question.
///
/// Relevance is measured in shares of the question, which mean the same in every project: the share, by weight, that stands
/// in the best window of the file, and, with the built-in model, the cosine of the file's best chunk besides. Cosines of
/// other models are on scales of their own and are left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Gate {
    /// The share of the best hit's score that others need; if the question is a word in lower case, of 1 at most.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub share: f64,
    /// A best hit whose file has no window with this share of the question is weak, if vectors are of another model.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub coverage: f64,
    /// A best hit with a lower sum of coverage and cosine is weak, however long the question.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub weak: f64,
    /// The same in short questions: divided by the number of terms, but by three at least, and added.
    #[schemars(range(min = 0.0))]
    pub weak_if_short: f64,
    /// Maximum number of hits if the best is weak; as many as the question has terms if these are more.
    #[schemars(range(min = 1))]
    pub weak_hits: usize,
}

impl Default for Gate {
    /// On the development questions, coverage and cosine tell questions about the project from those about another with an
    /// area under the curve of .89 (long questions) and .92 (short ones). The thresholds call 4 of 170 of
    /// the former weak and 102 of 240 of the latter.
    fn default() -> Self {
        Self { share: 0.25, coverage: 0.17, weak: 0.28, weak_if_short: 1.2, weak_hits: 3 }
    }
}

/// The hits that are worth reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relevant<'h> {
    /// Best first.
    pub hits: &'h [Hit],
    /// Whether even the best has little to do with the question.
    pub is_weak: bool,
}

/// The hits of a [ranking](crate::rank) that are worth reading. Declarations that were looked up all are. O(postings).
pub fn relevant<'h>(
    snapshot: &Snapshot,
    query: &Query,
    hits: &'h [Hit],
    options: &RankOptions,
) -> Relevant<'h> {
    let (QueryMode::Words(terms), Some(best)) = (&query.mode, hits.first()) else {
        return Relevant { hits, is_weak: false };
    };
    if is_about_uses(snapshot, query) {
        return Relevant { hits, is_weak: false };
    }
    let gate = &options.gate;
    // `retry` may be meant as the name that the best hit has, or as any word; `Retry` is a name.
    let is_word = query.text.chars().all(char::is_lowercase);
    // What is named outright is far ahead of everything, and says nothing of what else is near.
    let named = |hit: &Hit| {
        let sources = hit.sources.iter().filter(|source| source.signal == SignalId::Location);
        sources.map(|source| source.contribution).sum::<f64>()
    };
    let most = hits.iter().map(|hit| hit.score - named(hit)).fold(0.0, f64::max);
    let most = if is_word { most.min(1.0) } else { most };
    let near = hits.partition_point(|hit| hit.score >= gate.share * most);
    let context = Context::new(query, snapshot, terms, options.terms);
    // The best evidence decides: guesses that are wrong say nothing of the question.
    let asked = std::iter::once(&*context.prose).chain(query.terms.iter().map(String::as_str));
    let is_weak = asked
        .map(|text| context.terms_of(text))
        .filter(|terms| !terms.is_empty())
        .all(|terms| gate.is_weak(&context, &terms, best, &options.semantic, options.weights.semantic > 0.0));
    // A long question is one about several things, of which some may be here.
    let shown = if is_weak { near.min(gate.weak_hits.max(context.terms.len())) } else { near };
    Relevant { hits: &hits[..shown], is_weak }
}

impl Gate {
    /// Whether the best hit has little to do with some terms of the question.
    fn is_weak(
        &self,
        context: &Context<'_>,
        terms: &[Term],
        best: &Hit,
        semantic: &Semantic,
        with_vectors: bool,
    ) -> bool {
        // Where the question names the place, words do not matter.
        if best.sources.iter().any(|source| source.signal == SignalId::Location) {
            return false;
        }
        let snapshot = context.snapshot;
        let file = snapshot.project.chunk_file(best.chunk);
        let coverage = coverage(snapshot, terms, file);
        let vectors = snapshot.vectors();
        if !(with_vectors && vectors.is_built_in()) {
            return coverage < self.coverage;
        }
        let Some(question) = semantic.question(context, terms) else {
            return coverage < self.coverage;
        };
        let chunks = snapshot.project.chunks_of(file);
        let cosines =
            (chunks.start.index()..chunks.end.index()).map(|row| vectors.chunks().cosine(row, &question));
        let least = self.weak + self.weak_if_short / terms.len().max(3) as f64;
        coverage + f64::from(cosines.fold(0.0, f32::max)) < least
    }
}

/// The share of some terms, by weight, in the window of a file that has most of them.
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
