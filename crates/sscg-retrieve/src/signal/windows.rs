//! Windows of lines, by BM25 with soft words.
//!
//! A window is two neighboring [blocks](sscg_index::Block): twenty lines, ten further with each. Documents of equal
//! size need little length normalization, and what answers a question stands close together, whatever the length of the
//! declarations around it. Each term of the question also counts the terms that mean nearly the same, by their cosine in
//! the built-in table: late interaction (Khattab, Zaharia: *ColBERT*, SIGIR 2020) over words instead of contexts.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::FileId;
use sscg_embed::{Neighbors, TermTable};
use sscg_index::Block;

use super::occurrences::{FileOccurrences, Occurrences};
use super::{Context, Term};

/// How windows of lines are scored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Windows {
    /// BM25 term-frequency saturation.
    #[schemars(range(min = 0.0))]
    pub k1: f64,
    /// BM25 length normalization: 0 for none, 1 in proportion.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub length: f64,
    /// Weight of a word of similar meaning, times the square of its cosine; 0 to count the question's words alone.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub similar: f64,
    /// Weight of the question's words in the path of the file.
    #[schemars(range(min = 0.0))]
    pub path: f64,
}

impl Default for Windows {
    /// Measured on the development questions, where neighboring values differ by less than the noise.
    fn default() -> Self {
        Self { k1: 1.2, length: 0.75, similar: 1.0, path: 0.5 }
    }
}

/// The scores of all windows that have a word of the question.
#[derive(Debug, Default)]
pub(crate) struct WindowScores {
    pub(crate) files: Vec<FileWindows>,
    /// The best score of a window.
    pub(crate) best: f64,
}

/// The windows of a file.
#[derive(Debug)]
pub(crate) struct FileWindows {
    pub(crate) file: FileId,
    /// Of the window that starts with each block; 0 where no word is.
    pub(crate) windows: Vec<f32>,
}

/// A term that is looked for in place of a term of the question.
struct Probes {
    terms: Vec<Term>,
    /// The term of the question by its number, and the weight of the probe for it.
    stands_for: Vec<(usize, f32)>,
}

impl Windows {
    /// Scores the windows of all files. O(occurrences + terms × blocks of the files that have one).
    pub(crate) fn score(&self, context: &Context<'_>) -> WindowScores {
        let lexical = context.snapshot.lexical();
        let probes = self.probes(context);
        let occurrences = Occurrences::new(lexical, &probes.terms);
        let blocks = occurrences.in_blocks(|files| {
            let mut counts = Vec::new();
            let scored = files.iter().map(|file| {
                counts.clear();
                self.score_file(context, &occurrences, &probes, file, &mut counts)
            });
            scored.collect::<Vec<FileWindows>>()
        });
        let files: Vec<FileWindows> = blocks.into_par_iter().flatten().collect();
        let windows = files.iter().flat_map(|file| &file.windows);
        let best = f64::from(windows.copied().fold(0.0, f32::max));
        WindowScores { files, best }
    }

    fn probes(&self, context: &Context<'_>) -> Probes {
        let (table, lexical) = (TermTable::built_in(), context.snapshot.lexical());
        let mut probes = Probes { terms: Vec::new(), stands_for: Vec::new() };
        for (at, term) in context.terms.iter().enumerate() {
            if term.entry.is_some() {
                probes.terms.push(term.clone());
                probes.stands_for.push((at, 1.0));
            }
            let Some(row) = table.row(&term.text).filter(|_| self.similar > 0.0) else { continue };
            for (near, cosine) in Neighbors::built_in().of(row) {
                let near = Term::new(lexical, table.term(near));
                if near.entry.is_some() {
                    probes.terms.push(near);
                    probes.stands_for.push((at, self.similar as f32 * cosine * cosine));
                }
            }
        }
        probes
    }

    fn score_file(
        &self,
        context: &Context<'_>,
        occurrences: &Occurrences<'_>,
        probes: &Probes,
        file: &FileOccurrences,
        counts: &mut Vec<f32>,
    ) -> FileWindows {
        let lexical = context.snapshot.lexical();
        let lengths: Vec<f32> =
            lexical.blocks(file.file).map(|Block { terms, .. }| f32::from(terms)).collect();
        // A row of blocks for each term of the question.
        counts.resize(context.terms.len() * lengths.len(), 0.0);
        let mut is_found = vec![false; context.terms.len()];
        for (probe, in_file) in occurrences.of(file) {
            let (term, weight) = probes.stands_for[probe];
            is_found[term] = true;
            let row = &mut counts[term * lengths.len()..][..lengths.len()];
            for (block, count) in in_file.blocks() {
                if let Some(sum) = row.get_mut(block as usize) {
                    *sum += weight * f32::from(count);
                }
            }
        }
        let average = 2.0 * lexical.average_block_terms().max(1.0);
        let (k1, length) = (self.k1 as f32, self.length as f32);
        let both = |row: &[f32], at: usize| row[at] + row.get(at + 1).unwrap_or(&0.0);
        let norms: Vec<f32> = (0..lengths.len())
            .map(|at| k1 * (1.0 - length + length * both(&lengths, at) / average))
            .collect();
        let mut windows = vec![0.0_f32; lengths.len()];
        for term in (0..context.terms.len()).filter(|term| is_found[*term]) {
            let row = &counts[term * lengths.len()..][..lengths.len()];
            let Term { idf, count, .. } = context.terms[term];
            // What is said twice matters more, not twice as much.
            let weight = (idf * (1.0 + (count as f64).ln())) as f32 * (k1 + 1.0);
            for (at, (window, norm)) in windows.iter_mut().zip(&norms).enumerate() {
                let count = both(row, at);
                if count > 0.0 {
                    *window += weight * count / (count + norm);
                }
            }
        }
        let in_path = (self.path * self.idf_in_path(context, file.file)) as f32;
        windows.iter_mut().filter(|window| **window > 0.0).for_each(|window| *window += in_path);
        FileWindows { file: file.file, windows }
    }

    /// The idf of the question's terms that stand in a file's path.
    fn idf_in_path(&self, context: &Context<'_>, file: FileId) -> f64 {
        let mut mentioned: Vec<u32> = context
            .paths
            .uses(file)
            .iter()
            .flat_map(|used| context.mentions.of(*used))
            .filter(|(_, likeness)| *likeness == 1.0)
            .map(|(term, _)| *term)
            .collect();
        mentioned.sort_unstable();
        mentioned.dedup();
        mentioned.iter().map(|term| context.terms[*term as usize].idf).sum()
    }
}
