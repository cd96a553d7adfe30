//! The words of a chunk, by BM25F.
//!
//! Robertson, Zaragoza, Taylor: *Simple BM25 extension to multiple weighted fields* (CIKM 2004): the weighted,
//! length-normalised counts of all fields are added before they saturate. A chunk's score is then its own
//! plus that of its file, since many chunks that match a little say as much as one that matches well.

use rustc_hash::FxHashMap;
use sscg_core::{ChunkId, FileId, Id};
use sscg_index::{Field, Posting};

use super::{Context, Signal, SignalId};

/// Scores chunks by the question's words.
#[derive(Clone, Debug)]
pub struct Lexical {
    /// How fast repetition saturates.
    pub k1: f64,
    /// Weight and length normalisation (0 none, 1 full) of each field.
    pub fields: [(Field, f64, f64); 6],
    /// What the words of the file's name count, without length normalisation.
    pub stem_weight: f64,
    /// What the words of the innermost directory count; each further one `directory_decay` of that.
    pub directory_weight: f64,
    /// See `directory_weight`.
    pub directory_decay: f64,
    /// What each further chunk adds to its file's score, relative to the one before it.
    pub chunk_decay: f64,
    /// The share of the file's score in the chunk's.
    pub file_share: f64,
}

impl Default for Lexical {
    /// The values that measured best on the development set; they lie on a plateau.
    fn default() -> Self {
        Self {
            k1: 1.2,
            fields: [
                (Field::Name, 3.0, 0.3),
                (Field::Qualifier, 1.0, 0.3),
                (Field::Signature, 1.5, 0.5),
                (Field::Doc, 2.0, 0.5),
                (Field::Body, 1.0, 0.75),
                (Field::Members, 1.0, 0.5),
            ],
            stem_weight: 3.0,
            directory_weight: 1.0,
            directory_decay: 0.6,
            chunk_decay: 0.8,
            file_share: 0.5,
        }
    }
}

/// How many chunks of a file its score is made of.
const CHUNKS_PER_FILE: usize = 12;

impl Signal for Lexical {
    fn id(&self) -> SignalId {
        SignalId::Lexical
    }

    fn score(&self, context: &Context<'_>, _found: &[(ChunkId, f64)]) -> Vec<(ChunkId, f64)> {
        let scores = self.bm25f(context);
        let best_chunk = scores.iter().copied().fold(0.0, f64::max);
        let project = &context.snapshot.project;
        let scores_of = |file: FileId| {
            let chunks = project.chunks_of(file);
            let first = chunks.start.index();
            let found =
                scores[first..chunks.end.index()].iter().enumerate().filter(|(_, score)| **score > 0.0);
            found.map(move |(at, score)| (ChunkId::new(first + at), *score))
        };
        let mut files: Vec<(FileId, f64)> = Vec::new();
        let mut best_first: Vec<f64> = Vec::new();
        for file in project.files().ids() {
            best_first.clear();
            best_first.extend(scores_of(file).map(|(_, score)| score));
            if !best_first.is_empty() {
                best_first.sort_by(|a, b| b.total_cmp(a));
                let decayed = best_first.iter().take(CHUNKS_PER_FILE).enumerate();
                let sum = decayed.map(|(rank, score)| score * self.chunk_decay.powi(rank as i32)).sum();
                files.push((file, sum));
            }
        }
        let best_file = files.iter().map(|(_, score)| *score).fold(0.0, f64::max);
        if best_chunk <= 0.0 || best_file <= 0.0 {
            return Vec::new();
        }
        let chunks = files.into_iter().flat_map(|(file, file_score)| {
            let of_file = self.file_share * (file_score / best_file);
            scores_of(file)
                .map(move |(chunk, score)| (chunk, (1.0 - self.file_share) * score / best_chunk + of_file))
        });
        chunks.collect()
    }
}

impl Lexical {
    /// The score of each chunk of the project, 0 where no term of the question is.
    fn bm25f(&self, context: &Context<'_>) -> Vec<f64> {
        let lexical = context.snapshot.lexical();
        let mut scores = vec![0.0; lexical.chunk_count()];
        let path_counts = self.path_counts(context);
        let mut postings: Vec<Posting> = Vec::new();
        for (at, term) in context.terms.iter().enumerate() {
            let Some(entry) = &term.entry else { continue };
            for in_file in lexical.postings(entry) {
                let in_path = path_counts.get(&in_file.file).map_or(0.0, |counts| counts[at]);
                postings.clear();
                postings.extend(in_file.iter());
                for run in postings.chunk_by(|a, b| a.chunk == b.chunk) {
                    let mut count = in_path;
                    for posting in run {
                        let (_, weight, b) = self.fields[posting.field as usize];
                        let length = f64::from(posting.relative_length);
                        count += weight * f64::from(posting.count) / (1.0 - b + b * length);
                    }
                    scores[run[0].chunk.index()] += term.idf * count / (self.k1 + count);
                }
            }
        }
        scores
    }

    /// For each file whose path has a word of the question, the weighted count of each term.
    fn path_counts(&self, context: &Context<'_>) -> FxHashMap<FileId, Vec<f64>> {
        let mut counts: FxHashMap<FileId, Vec<f64>> = FxHashMap::default();
        for file in context.snapshot.project.files().ids() {
            let path = context.snapshot.lexical().path_terms(file);
            let mut add = |text: &str, weight: f64| {
                if let Some(at) = context.terms.iter().position(|term| term.text == text) {
                    counts.entry(file).or_insert_with(|| vec![0.0; context.terms.len()])[at] += weight;
                }
            };
            path.stem().for_each(|term| add(term, self.stem_weight));
            let mut weight = self.directory_weight;
            for directory in path.directories() {
                directory.for_each(|term| add(term, weight));
                weight *= self.directory_decay;
            }
        }
        counts
    }
}
