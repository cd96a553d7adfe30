//! What chunks are about.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, FileId, Id};
use sscg_embed::{Query as Question, TermTable};

use super::{Context, Evidence, Signal, SignalId, decayed_sum};

/// Scores chunks by the cosine of their vector with the question's, so that other words for the same thing are found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Semantic {
    /// What the words of a file's path count beside those of a chunk.
    #[schemars(range(min = 0.0))]
    pub path: f64,
    /// What a term of the question counts is its idf to this power.
    #[schemars(range(min = 0.0))]
    pub idf: f64,
    /// What each further chunk adds to its file's score, relative to the one before it.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub chunk_decay: f64,
    /// How many chunks of a file its score is made of.
    #[schemars(range(min = 1))]
    pub chunks_per_file: usize,
}

impl Default for Semantic {
    /// The values that measured best on the development set; they lie on a plateau.
    fn default() -> Self {
        Self { path: 0.3, idf: 0.5, chunk_decay: 0.5, chunks_per_file: 12 }
    }
}

impl Signal for Semantic {
    fn id(&self) -> SignalId {
        SignalId::Semantic
    }

    /// A file counts by how far it is above the average file: unlike words, vectors say something of every file.
    fn score(&self, context: &Context<'_>, _found: &[(ChunkId, f64)]) -> Evidence {
        let vectors = context.snapshot.vectors();
        let Some(question) = self.question(context) else { return Evidence::default() };
        let (chunks, paths) = (vectors.chunks().cosines(&question), vectors.paths().cosines(&question));
        let project = &context.snapshot.project;
        let chunks_of = |file: FileId| {
            let chunks = project.chunks_of(file);
            chunks.start.index()..chunks.end.index()
        };
        let mut best_first: Vec<f32> = Vec::new();
        let scores: Vec<f64> = project
            .files()
            .ids()
            .zip(&paths)
            .map(|(file, path)| {
                let path = self.path as f32 * path;
                best_first.clear();
                best_first.extend(
                    chunks[chunks_of(file)].iter().map(|chunk| chunk + path).filter(|score| *score > 0.0),
                );
                decayed_sum(&mut best_first, self.chunks_per_file, self.chunk_decay)
            })
            .collect();
        let average = scores.iter().sum::<f64>() / scores.len().max(1) as f64;
        let mut evidence = Evidence::default();
        for (file, score) in project.files().ids().zip(scores).filter(|(_, score)| *score > average) {
            evidence.files.push((file, score - average));
            let found = chunks_of(file).map(|chunk| (ChunkId::new(chunk), f64::from(chunks[chunk])));
            evidence.chunks.extend(found.filter(|(_, score)| *score > 0.0));
        }
        evidence.normalize();
        evidence
    }
}

impl Semantic {
    /// The question's vector by the model of the chunks, if there is one.
    pub(crate) fn question(&self, context: &Context<'_>) -> Option<Question> {
        let vectors = context.snapshot.vectors();
        if !vectors.is_built_in() {
            let vector = context.query.vector.as_deref();
            return vector.filter(|it| it.len() == vectors.chunks().dimension()).map(Question::new);
        }
        let table = TermTable::built_in();
        let mut sum = vec![0.0; table.dimension()];
        for term in &context.terms {
            if let Some(row) = table.row(&term.text) {
                table.add(row, term.idf.powf(self.idf) as f32, &mut sum);
            }
        }
        Some(Question::new(&sum))
    }
}
