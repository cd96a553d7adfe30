//! Files named in the question.

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::ChunkId;

use super::{Signal, SignalContext, SignalId, SignalScores};

/// Scores files by the share of their name that the question mentions, and by the share of the question that their path
/// has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct PathSignal {
    /// Weight of the share of the file name's words that the question mentions.
    #[schemars(range(min = 0.0))]
    pub name_cover: f64,
    /// Weight of the share of the question, by idf, in the file's name.
    #[schemars(range(min = 0.0))]
    pub name_recall: f64,
    /// Weight of the share of the question, by idf, in the innermost directory's name.
    #[schemars(range(min = 0.0))]
    pub directory_recall: f64,
}

impl Default for PathSignal {
    /// `name_cover` is about half of the best value on the development set: real questions name the file less often
    /// than those of a benchmark.
    fn default() -> Self {
        Self { name_cover: 0.17, name_recall: 0.175, directory_recall: 0.2 }
    }
}

impl Signal for PathSignal {
    fn id(&self) -> SignalId {
        SignalId::PATH
    }

    fn score(&self, context: &SignalContext<'_>, _found: &[(ChunkId, f64)]) -> SignalScores {
        let total = context.total_weight();
        if total <= 0.0 {
            return SignalScores::default();
        }
        let mut files = Vec::new();
        // Highest similarity of a word to each term of the question, for the file's name and for its directory.
        let mut best_similarity = [(); 2].map(|()| vec![0.0_f64; context.terms.len()]);
        for file in context.snapshot.project.files().ids() {
            let uses = context.paths.uses(file);
            if uses.iter().all(|used| context.mentions.of(*used).is_empty()) {
                continue;
            }
            best_similarity.iter_mut().for_each(|terms| terms.fill(0.0));
            let (mut covered, mut parts) = (0.0, 0.0);
            for used in uses {
                let mentions = context.mentions.of(*used);
                if let Some(best_similarity) = best_similarity.get_mut(usize::from(used.level)) {
                    for (term, similarity) in mentions {
                        best_similarity[*term as usize] = best_similarity[*term as usize].max(*similarity);
                    }
                }
                if used.names_file {
                    parts += 1.0;
                    covered += mentions.iter().map(|(_, similarity)| *similarity).fold(0.0, f64::max);
                }
            }
            let recall = |best_similarity: &[f64]| -> f64 {
                let found = context
                    .terms
                    .iter()
                    .zip(best_similarity)
                    .map(|(term, similarity)| term.weight * similarity);
                found.sum::<f64>() / total
            };
            let cover = if parts > 0.0 { covered / parts } else { 0.0 };
            let score = self.name_cover * cover
                + self.name_recall * recall(&best_similarity[0])
                + self.directory_recall * recall(&best_similarity[1]);
            if score > 0.0 {
                files.push((file, score));
            }
        }
        SignalScores { files, ..SignalScores::default() }
    }
}
