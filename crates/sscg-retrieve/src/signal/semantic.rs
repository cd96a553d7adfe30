//! What chunks are about.

use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, Id};
use sscg_embed::{Query as Question, TermTable};

use super::{Context, Evidence, Signal, SignalId};

/// Scores chunks by the cosine of their vector with the question's, so that other words for the same thing are found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Semantic {
    /// What the words of a file's path count beside those of a chunk.
    pub path: f64,
    /// What a term of the question counts is its idf to this power.
    pub idf: f64,
    /// What each further chunk adds to its file's score, relative to the one before it.
    pub chunk_decay: f64,
    /// How many chunks of a file its score is made of.
    pub chunks_per_file: usize,
    /// How far above the average file, relative to the best, a file must be to be spoken of at all.
    pub floor: f64,
}

impl Default for Semantic {
    fn default() -> Self {
        Self { path: 0.3, idf: 0.25, chunk_decay: 0.0, chunks_per_file: 1, floor: 0.0 }
    }
}

impl Signal for Semantic {
    fn id(&self) -> SignalId {
        SignalId::Semantic
    }

    fn score(&self, context: &Context<'_>, _found: &[(ChunkId, f64)]) -> Evidence {
        let question = self.question(context);
        let vectors = context.snapshot.vectors();
        let chunks = vectors.chunks().cosines(&question);
        let paths = vectors.paths().cosines(&question);
        let project = &context.snapshot.project;
        let mut evidence = Evidence::default();
        let mut best_first: Vec<f64> = Vec::new();
        let mut total = 0.0;
        let mut scores = Vec::with_capacity(paths.len());
        for (file, path) in project.files().ids().zip(&paths) {
            let of_file = project.chunks_of(file);
            best_first.clear();
            best_first.extend(
                chunks[of_file.start.index()..of_file.end.index()]
                    .iter()
                    .map(|score| f64::from(*score) + self.path * f64::from(*path))
                    .filter(|score| *score > 0.0),
            );
            best_first.sort_unstable_by(|a, b| b.total_cmp(a));
            best_first.truncate(self.chunks_per_file);
            let score = best_first.iter().rev().fold(0.0, |sum, score| sum * self.chunk_decay + score);
            total += score;
            scores.push((file, score));
        }
        let average = total / scores.len().max(1) as f64;
        let best = scores.iter().map(|(_, score)| *score).fold(0.0, f64::max);
        for (file, score) in scores {
            let above = (score - average) / (best - average);
            if best > average && above > self.floor {
                evidence.files.push((file, above));
                let of_file = project.chunks_of(file);
                for chunk in of_file.start.index()..of_file.end.index() {
                    let score = f64::from(chunks[chunk]) / best;
                    if score > 0.0 {
                        evidence.chunks.push((ChunkId::new(chunk), score));
                    }
                }
            }
        }
        evidence
    }
}

impl Semantic {
    fn question(&self, context: &Context<'_>) -> Question {
        let table = TermTable::built_in();
        let mut sum = vec![0.0; table.dimension()];
        for term in &context.terms {
            if let Some(row) = table.row(&term.text) {
                table.add(row, term.idf.powf(self.idf) as f32, &mut sum);
            }
        }
        Question::new(&sum)
    }
}
