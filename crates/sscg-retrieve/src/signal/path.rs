//! Files that the question names.

use sscg_core::{ChunkId, FileId, Id};

use super::{Context, Signal, SignalId};

/// Scores the chunks of files whose path the question mentions: how much of the file's name stands in the
/// question, and how much of the question stands in the path. Among the chunks of one file the order of what
/// was found before is kept.
#[derive(Clone, Debug)]
pub struct Path {
    /// Weight of the share of the file name's words that the question mentions.
    pub stem_cover: f64,
    /// Weight of the share of the question, by idf, that stands in the file's name.
    pub stem_recall: f64,
    /// Weight of the share of the question, by idf, that stands in the innermost directory's name.
    pub directory_recall: f64,
}

impl Default for Path {
    /// `stem_cover` is about half of what fits the development set best: real questions name the file less
    /// often than a benchmark's.
    fn default() -> Self {
        Self { stem_cover: 0.17, stem_recall: 0.175, directory_recall: 0.1 }
    }
}

/// File names that stand for their directory.
const DIRECTORY_FILES: &[&str] = &["__init__", "index", "init", "lib", "main", "mod"];

/// How many chunks of a file the path speaks for.
const CHUNKS_PER_FILE: usize = 3;

impl Signal for Path {
    fn id(&self) -> SignalId {
        SignalId::Path
    }

    fn score(&self, context: &Context<'_>, found: &[(ChunkId, f64)]) -> Vec<(ChunkId, f64)> {
        let project = &context.snapshot.project;
        let mut seen = vec![0_usize; project.files().len()];
        let mut scores = Vec::new();
        for (rank, (chunk, _)) in found.iter().enumerate() {
            let file = project.chunk_file(*chunk);
            let count = &mut seen[file.index()];
            *count += 1;
            if *count > CHUNKS_PER_FILE {
                continue;
            }
            let score = self.file_score(context, file);
            if score > 0.0 {
                // Chunks of one file stay in the order of what was found before.
                scores.push((*chunk, score * (1.0 - 1e-6 * rank as f64) * 0.9_f64.powi(*count as i32 - 1)));
            }
        }
        scores
    }
}

impl Path {
    fn file_score(&self, context: &Context<'_>, file: FileId) -> f64 {
        let path = context.snapshot.lexical().path_terms(file);
        let name = &context.snapshot.project.files()[file].path;
        let name = name.rsplit('/').next().unwrap_or(name);
        let stem = name.split('.').next().unwrap_or(name);
        let stands_for_directory = DIRECTORY_FILES.binary_search(&stem).is_ok();
        let innermost: Vec<&str> = path.directories().next().into_iter().flatten().collect();
        let stem: Vec<&str> = if stands_for_directory { innermost.clone() } else { path.stem().collect() };
        let total: f64 = context.terms.iter().map(|term| term.idf).sum();
        if total <= 0.0 || stem.is_empty() {
            return 0.0;
        }
        let recall = |words: &[&str]| -> f64 {
            let found = context.terms.iter().filter(|term| words.contains(&&*term.text));
            found.map(|term| term.idf).sum::<f64>() / total
        };
        let parts = stem.len().saturating_sub(usize::from(stem.len() > 1)).max(1);
        let covered = stem.iter().filter(|word| context.term(word).is_some()).count();
        let cover = (covered as f64 / parts as f64).min(1.0);
        self.stem_cover * cover
            + self.stem_recall * recall(&stem)
            + self.directory_recall * recall(&innermost)
    }
}
