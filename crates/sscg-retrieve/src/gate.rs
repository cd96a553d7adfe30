//! Relevance of the best hit, and its thresholds.

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{FileId, Id};
use sscg_index::Snapshot;

use crate::signal::{SemanticSignal, SignalContext, Term, add_to_windows};
use crate::{Hit, SignalId};

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

impl Gate {
    /// Returns how much the best hit has to do with some terms of the question, minus the least that is not
    /// weak.
    pub(crate) fn relevance(
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
