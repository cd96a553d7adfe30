//! Meaning of chunks, by vectors.

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, FileId, Id};
use sscg_embed::{QueryVector as Question, Sketches, TermTable};
use sscg_index::Snapshot;

use super::{Signal, SignalContext, SignalId, SignalScores, Term, decayed_sum, in_blocks};

/// Scores chunks by the cosine of their vector with the question's, which finds other words for the same thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct SemanticSignal {
    /// Weight of the words of a file's path relative to a chunk's.
    #[schemars(range(min = 0.0))]
    pub path: f64,
    /// Exponent of a term's idf in its weight.
    #[schemars(range(min = 0.0))]
    pub idf: f64,
    /// Weight of each further chunk of a file relative to the one before it.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub chunk_decay: f64,
    /// Number of chunks in a file's score.
    #[schemars(range(min = 1))]
    pub chunks_per_file: usize,
    /// Maximum number of chunks for an exhaustive comparison: 100,000 take about a millisecond. In a larger project,
    /// only files that are probably close or that other signals found are compared.
    pub exact_chunks: usize,
    /// Number of nearest chunks in a larger project, by the signs of their components.
    #[schemars(range(min = 1))]
    pub nearest: usize,
    /// Number of chunks of other signals whose files are compared in a larger project.
    #[schemars(range(min = 1))]
    pub found: usize,
}

impl Default for SemanticSignal {
    /// Best values on the development set; they lie on a plateau.
    fn default() -> Self {
        Self {
            path: 0.3,
            idf: 0.5,
            chunk_decay: 0.5,
            chunks_per_file: 12,
            exact_chunks: 100_000,
            nearest: 2_000,
            found: 500,
        }
    }
}

impl Signal for SemanticSignal {
    fn id(&self) -> SignalId {
        SignalId::SEMANTIC
    }

    fn starts_from(&self, snapshot: &Snapshot) -> usize {
        if self.is_exact(snapshot) { 0 } else { self.found }
    }

    /// Scores a file by how far it is above the average file: unlike words, vectors match every file to some degree.
    ///
    /// In a large project, only files with a chunk among the nearest by sketch, or found by other signals, are scored,
    /// as exactly as in a small one. The average comes from a sample of all files.
    fn score(&self, context: &SignalContext<'_>, found: &[(ChunkId, f64)]) -> SignalScores {
        let (snapshot, project) = (context.snapshot, &context.snapshot.project);
        let Some(question) = self.question(context, &context.terms) else { return SignalScores::default() };
        let every = if self.is_exact(snapshot) { 1 } else { SAMPLE };
        let mut files: Vec<FileId> = project.files().ids().step_by(every).collect();
        if every > 1 {
            let sketches = snapshot.derived(|snapshot| Sketches::new(snapshot.vectors().chunks()));
            let nearest = sketches.nearest(&question, self.nearest).into_iter().map(ChunkId::new);
            let chunks = nearest.chain(found.iter().map(|(chunk, _)| *chunk));
            files.extend(chunks.map(|chunk| project.chunk_file(chunk)));
            files.sort_unstable();
            files.dedup();
        }
        let paths = snapshot.vectors().paths().cosines(&question);
        let compared = in_blocks(&files, |files| self.compare(snapshot, &question, &paths, files));
        let compared = || compared.iter().flatten();
        let sample = || compared().filter(|file| file.file.index() % every == 0);
        let average = sample().map(|file| file.score).sum::<f64>() / sample().count().max(1) as f64;
        let mut evidence = SignalScores::default();
        for Compared { file, score, cosines } in compared().filter(|file| file.score > average) {
            evidence.files.push((*file, score - average));
            let chunks = (project.chunks_of(*file).start.index()..).map(ChunkId::new).zip(cosines);
            let found = chunks.map(|(chunk, cosine)| (chunk, f64::from(*cosine)));
            evidence.chunks.extend(found.filter(|(_, score)| *score > 0.0));
        }
        evidence.normalize();
        evidence
    }
}

/// Sampling interval of the files for the average, where not all are compared.
const SAMPLE: usize = 16;

/// File compared with the question.
struct Compared {
    file: FileId,
    score: f64,
    /// Cosines of the file's chunks.
    cosines: Vec<f32>,
}

impl SemanticSignal {
    /// True if all files are compared with the question.
    fn is_exact(&self, snapshot: &Snapshot) -> bool {
        snapshot.vectors().chunks().len() <= self.exact_chunks
    }

    fn compare(
        &self,
        snapshot: &Snapshot,
        question: &Question,
        paths: &[f32],
        files: &[FileId],
    ) -> Vec<Compared> {
        let mut best_first = Vec::new();
        let compare = |file: &FileId| {
            let chunks = snapshot.project.chunks_of(*file);
            let rows = chunks.start.index()..chunks.end.index();
            let cosines: Vec<f32> =
                rows.map(|row| snapshot.vectors().chunks().cosine(row, question)).collect();
            let path = self.path as f32 * paths[file.index()];
            best_first.clear();
            best_first.extend(cosines.iter().map(|chunk| chunk + path).filter(|score| *score > 0.0));
            let score = decayed_sum(&mut best_first, self.chunks_per_file, self.chunk_decay);
            Compared { file: *file, score, cosines }
        };
        files.iter().map(compare).collect()
    }

    /// Returns the question's vector by the model of the chunks, if there is one. The built-in model uses only the
    /// given terms.
    pub(crate) fn question<'t>(
        &self,
        context: &SignalContext<'_>,
        terms: impl IntoIterator<Item = &'t Term>,
    ) -> Option<Question> {
        let vectors = context.snapshot.vectors();
        if !vectors.is_built_in() {
            let vector = context.query.vector.as_deref();
            return vector.filter(|it| it.len() == vectors.chunks().dimension()).map(Question::new);
        }
        let table = TermTable::built_in();
        let mut sum = vec![0.0; table.dimension()];
        for term in terms {
            if let Some(row) = table.question_row(&term.text) {
                table.add(row, term.weight.powf(self.idf) as f32, &mut sum);
            }
        }
        Some(Question::new(&sum))
    }
}
