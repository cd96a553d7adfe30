//! What chunks are about.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, FileId, Id};
use sscg_embed::{Query as Question, Sketches, TermTable};
use sscg_index::Snapshot;

use super::{Context, Evidence, Signal, SignalId, Term, decayed_sum, in_blocks};

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
    /// Up to how many chunks the project may have to be compared with the question as a whole: 100,000 take about a
    /// millisecond. In a larger one only those files are compared that are likely near or that other signals found.
    pub exact_chunks: usize,
    /// How many chunks of a larger project are taken for near, by the signs of their numbers.
    #[schemars(range(min = 1))]
    pub nearest: usize,
    /// From how many chunks that other signals found files are taken in a larger project.
    #[schemars(range(min = 1))]
    pub found: usize,
}

impl Default for Semantic {
    /// The values that measured best on the development set; they lie on a plateau.
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

impl Signal for Semantic {
    fn id(&self) -> SignalId {
        SignalId::Semantic
    }

    fn starts_from(&self, snapshot: &Snapshot) -> usize {
        if self.is_exact(snapshot) { 0 } else { self.found }
    }

    /// A file counts by how far it is above the average file: unlike words, vectors say something of every file.
    ///
    /// In a large project, files count of which some chunk is among the nearest by its sketch, or that the other
    /// signals found, as exactly as in a small one; what is average is told by some of all files.
    fn score(&self, context: &Context<'_>, found: &[(ChunkId, f64)]) -> Evidence {
        let (snapshot, project) = (context.snapshot, &context.snapshot.project);
        let Some(question) = self.question(context, &context.terms) else { return Evidence::default() };
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
        let mut evidence = Evidence::default();
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

/// Of so many files one tells what is average, where not all are compared.
const SAMPLE: usize = 16;

/// A file beside the question.
struct Compared {
    file: FileId,
    score: f64,
    /// Of its chunks.
    cosines: Vec<f32>,
}

impl Semantic {
    /// Whether all files are compared with the question.
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

    /// The vector of the question by the model of the chunks, if there is one; the built-in model's, of some of its terms.
    pub(crate) fn question<'t>(
        &self,
        context: &Context<'_>,
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
            if let Some(row) = table.row(&term.text) {
                table.add(row, term.weight.powf(self.idf) as f32, &mut sum);
            }
        }
        Some(Question::new(&sum))
    }
}
