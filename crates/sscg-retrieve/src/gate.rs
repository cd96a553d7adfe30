//! Which hits are worth reading.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::Id;
use sscg_index::Snapshot;

use crate::signal::{Context, Semantic, Term};
use crate::{Hit, Query, QueryMode, RankOptions, SignalId};

/// When a hit is too far from the best to be shown, and when the best is too far from the question.
///
/// How much a file has to do with a question is told in shares of the question, which mean the same in every project: how
/// much of it, by idf, stands in the file, and, where the built-in model speaks, the cosine of the file's best chunk
/// besides. Cosines of other models are on scales of their own and are left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Gate {
    /// The share of the best hit's score that others need; if the question is a word in lower case, of 1 at most.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub share: f64,
    /// A best hit whose file has less of the question is weak.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub coverage: f64,
    /// The same of coverage and cosine together.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub coverage_and_cosine: f64,
    /// How many hits are shown if the best is weak.
    #[schemars(range(min = 1))]
    pub weak_hits: usize,
}

impl Default for Gate {
    /// On the development set, a quarter of the best score keeps all files that answer and stand among the first ten, and
    /// drops 20 % of the other hits there. Each threshold of weakness calls 1 in 100 of its questions weak; of those
    /// asked of another project, which often answers them too, 26 % by coverage and 52 % with the cosine.
    fn default() -> Self {
        Self { share: 0.25, coverage: 0.17, coverage_and_cosine: 0.56, weak_hits: 3 }
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
    let gate = &options.gate;
    // `retry` may be meant as the name that the best hit has, or as any word; `Retry` is a name.
    let is_word = query.text.chars().all(char::is_lowercase);
    let most = if is_word { best.score.min(1.0) } else { best.score };
    let near = hits.partition_point(|hit| hit.score >= gate.share * most);
    let context = Context::new(query, snapshot, terms, options.terms);
    let is_weak = gate.is_weak(&context, best, &options.semantic, options.weights.semantic > 0.0);
    let shown = if is_weak { near.min(gate.weak_hits) } else { near };
    Relevant { hits: &hits[..shown], is_weak }
}

impl Gate {
    fn is_weak(&self, context: &Context<'_>, best: &Hit, semantic: &Semantic, with_vectors: bool) -> bool {
        // Where the question names the place, words do not matter.
        if best.sources.iter().any(|source| source.signal == SignalId::Location) {
            return false;
        }
        let (snapshot, total) = (context.snapshot, context.total_idf());
        let file = snapshot.project.chunk_file(best.chunk);
        let lexical = snapshot.lexical();
        let stands_there = |term: &&Term| {
            term.entry.as_ref().is_some_and(|entry| lexical.postings(entry).any(|found| found.file == file))
        };
        let coverage = context.terms.iter().filter(stands_there).map(|term| term.idf).sum::<f64>() / total;
        let vectors = snapshot.vectors();
        if !(with_vectors && vectors.is_built_in()) {
            return coverage < self.coverage;
        }
        let Some(question) = semantic.question(context) else { return coverage < self.coverage };
        let chunks = snapshot.project.chunks_of(file);
        let cosines =
            (chunks.start.index()..chunks.end.index()).map(|row| vectors.chunks().cosine(row, &question));
        coverage + f64::from(cosines.fold(0.0, f32::max)) < self.coverage_and_cosine
    }
}
