//! The words of a chunk, by BM25F.
//!
//! Robertson, Zaragoza, Taylor: *Simple BM25 extension to multiple weighted fields* (CIKM 2004): the weighted,
//! length-normalised counts of all fields are added before they saturate. A chunk's score is then its own
//! plus that of its file, since many chunks that match a little say as much as one that matches well.

use rustc_hash::FxHashMap;
use sscg_core::{ChunkId, FileId};
use sscg_index::Field;

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
        let mut scores = self.bm25f(context);
        let best_chunk = scores.values().copied().fold(0.0, f64::max);
        let project = &context.snapshot.project;
        let mut by_file: FxHashMap<FileId, Vec<f64>> = FxHashMap::default();
        for (chunk, score) in &scores {
            by_file.entry(project.chunk_file(*chunk)).or_default().push(*score);
        }
        let files: FxHashMap<FileId, f64> = by_file
            .into_iter()
            .map(|(file, mut scores)| {
                scores.sort_by(|a, b| b.total_cmp(a));
                let decayed = scores.iter().take(CHUNKS_PER_FILE).enumerate();
                (file, decayed.map(|(rank, score)| score * self.chunk_decay.powi(rank as i32)).sum())
            })
            .collect();
        let best_file = files.values().copied().fold(0.0, f64::max);
        if best_chunk <= 0.0 || best_file <= 0.0 {
            return Vec::new();
        }
        for (chunk, score) in &mut scores {
            let file = files[&project.chunk_file(*chunk)] / best_file;
            *score = (1.0 - self.file_share) * *score / best_chunk + self.file_share * file;
        }
        scores.into_iter().collect()
    }
}

impl Lexical {
    fn bm25f(&self, context: &Context<'_>) -> FxHashMap<ChunkId, f64> {
        let lexical = context.snapshot.lexical();
        let project = &context.snapshot.project;
        let mut scores: FxHashMap<ChunkId, f64> = FxHashMap::default();
        let path_counts = self.path_counts(context);
        for (at, term) in context.terms.iter().enumerate() {
            let Some(id) = term.id else { continue };
            for run in lexical.postings(id).chunk_by(|a, b| a.chunk == b.chunk) {
                let chunk = run[0].chunk;
                let mut count = path_counts.get(&project.chunk_file(chunk)).map_or(0.0, |counts| counts[at]);
                for posting in run {
                    let (_, weight, b) = self.fields[posting.field as usize];
                    let length = f64::from(lexical.relative_length(chunk, posting.field));
                    count += weight * f64::from(posting.count) / (1.0 - b + b * length);
                }
                *scores.entry(chunk).or_default() += term.idf * count / (self.k1 + count);
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
            path.stem.iter().for_each(|term| add(term, self.stem_weight));
            let mut weight = self.directory_weight;
            for directory in &path.directories {
                directory.iter().for_each(|term| add(term, weight));
                weight *= self.directory_decay;
            }
        }
        counts
    }
}
