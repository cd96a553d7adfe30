//! Windows of lines, by BM25 with soft matches.
//!
//! A window is two neighboring [blocks](sscg_index::Block): twenty lines, in steps of ten. Documents of equal size need
//! little length normalization, and the lines that answer a question are close together, however long their declaration
//! is. Each term of the question also matches terms of nearly the same meaning, by their cosine in the built-in table:
//! late interaction (Khattab, Zaharia: *ColBERT*, SIGIR 2020) over words instead of contexts.

use derive_setters::Setters;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::FileId;
use sscg_embed::{TermNeighbors, TermTable};
use sscg_index::Block;

use super::occurrences::{FileOccurrences, Occurrences};
use super::{SignalContext, Term};
use crate::thesaurus::{Related, Thesaurus};

/// Options of window scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct WindowSignal {
    /// BM25 term-frequency saturation.
    #[schemars(range(min = 0.0))]
    pub k1: f64,
    /// BM25 length normalization: 0 none, 1 proportional.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub length: f64,
    /// Weight of a word of similar meaning, times its squared cosine; 0 counts only the question's words.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub similar: f64,
    /// Weight of the thesaurus words for an everyday word of the question, at maximum rarity; 0 disables the thesaurus.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub thesaurus: f64,
    /// Weight of the question's words in the file's path.
    #[schemars(range(min = 0.0))]
    pub path: f64,
}

impl Default for WindowSignal {
    /// Measured on the development questions; neighboring values differ by less than the noise.
    fn default() -> Self {
        Self { k1: 1.2, length: 0.75, similar: 1.0, thesaurus: 0.7, path: 0.5 }
    }
}

/// Scores of all windows with a word of the question.
#[derive(Debug, Default)]
pub(crate) struct WindowScores {
    pub(crate) files: Vec<FileWindows>,
    /// Best score of a window.
    pub(crate) best: f64,
}

/// Windows of a file.
#[derive(Debug)]
pub(crate) struct FileWindows {
    pub(crate) file: FileId,
    /// Score of the window that starts at each block; 0 without a word.
    pub(crate) windows: Vec<f32>,
}

/// Terms that are looked up for terms of the question.
pub(crate) struct Probes {
    pub(crate) terms: Vec<Term>,
    /// Role of each probe.
    pub(crate) stands_for: Vec<StandsFor>,
}

/// Role of a probe.
pub(crate) enum StandsFor {
    /// Occurrence of the question's term with this number, counted as this fraction.
    Term(usize, f32),
    /// Meaning of the question's term with this number. This weight counts if the term's own score is lower.
    Meaning(usize, f32),
}

/// Occurrences of each term of the question in the blocks of one file.
#[derive(Default)]
struct Rows {
    rows: Vec<Row>,
    is_found: Vec<bool>,
    blocks: usize,
}

/// Occurrences of a term in the blocks of one file.
#[derive(Default)]
struct Row {
    /// Occurrences in each block; similar words count in part.
    counts: Vec<f32>,
    /// Best score of a word with the term's meaning in the window that starts at each block.
    meanings: Vec<f32>,
}

impl Rows {
    /// Resets the rows for another file.
    fn start(&mut self, terms: usize, blocks: usize) {
        self.rows.resize_with(terms, Row::default);
        self.is_found.clear();
        self.is_found.resize(terms, false);
        self.blocks = blocks;
    }

    /// Returns the row of a term that the file has.
    fn of(&mut self, term: usize) -> &mut Row {
        let row = &mut self.rows[term];
        if !std::mem::replace(&mut self.is_found[term], true) {
            for numbers in [&mut row.counts, &mut row.meanings] {
                numbers.clear();
                numbers.resize(self.blocks, 0.0);
            }
        }
        row
    }

    /// Returns the rows of the terms that the file has, with their numbers.
    fn found(&self) -> impl Iterator<Item = (usize, &Row)> {
        self.rows.iter().enumerate().filter(|(term, _)| self.is_found[*term])
    }
}

/// Share of the weight that each further word of a thesaurus entry loses.
pub(super) const PLACE_LOSS: f64 = 0.03;

/// Minimum idf of a word that stands for another: a word in every seventh chunk is no evidence, and takes longest to
/// read.
pub(super) const LEAST_IDF: f64 = 2.0;

impl WindowSignal {
    /// Scores the windows of all files. O(occurrences + terms × blocks of the files that have one).
    pub(crate) fn score(&self, context: &SignalContext<'_>) -> WindowScores {
        let lexical = context.snapshot.lexical();
        let probes = self.probes(context);
        let occurrences = Occurrences::new(lexical, &probes.terms);
        let blocks = occurrences.in_blocks(|files| {
            let mut rows = Rows::default();
            let scored =
                files.iter().map(|file| self.score_file(context, &occurrences, &probes, file, &mut rows));
            scored.collect::<Vec<FileWindows>>()
        });
        let files: Vec<FileWindows> = blocks.into_par_iter().flatten().collect();
        let windows = files.iter().flat_map(|file| &file.windows);
        let best = f64::from(windows.copied().fold(0.0, f32::max));
        WindowScores { files, best }
    }

    /// Returns the terms that are looked up for the question.
    pub(crate) fn probes(&self, context: &SignalContext<'_>) -> Probes {
        let (table, lexical) = (TermTable::built_in(), context.snapshot.lexical());
        let mut probes = Probes { terms: Vec::new(), stands_for: Vec::new() };
        for (at, term) in context.terms.iter().enumerate() {
            if term.entry.is_some() {
                probes.terms.push(term.clone());
                probes.stands_for.push(StandsFor::Term(at, 1.0));
            }
            // A guess is already in the words of the code.
            if term.is_guess {
                continue;
            }
            self.add_meanings(context, at, &Thesaurus::built_in().of(&term.text), &mut probes);
            self.add_meanings(context, at, Related::built_in().of(&term.text), &mut probes);
            let Some(row) = table.row(&term.text).filter(|_| self.similar > 0.0) else { continue };
            for (near, cosine) in TermNeighbors::built_in().of(row) {
                let near = Term::new(lexical, table.term(near));
                if near.entry.is_some() {
                    probes.terms.push(near);
                    let count = self.similar as f32 * cosine * cosine;
                    probes.stands_for.push(StandsFor::Term(at, count));
                }
            }
        }
        for (phrase, meanings) in Related::built_in().phrases(&context.prose) {
            let rarest = |a: &usize, b: &usize| context.terms[*a].weight.total_cmp(&context.terms[*b].weight);
            if let Some(at) = context.numbers_of(&phrase.join(" ")).max_by(rarest) {
                self.add_meanings(context, at, meanings, &mut probes);
            }
        }
        probes
    }

    /// Adds the code words for a term of the question, strongest first. Their weight grows with their own rarity: `drop` is
    /// everywhere in code about which somebody asks how to forget a password.
    fn add_meanings(&self, context: &SignalContext<'_>, at: usize, meanings: &[String], probes: &mut Probes) {
        if self.thesaurus <= 0.0 {
            return;
        }
        let lexical = context.snapshot.lexical();
        let term = &context.terms[at];
        let rarest = context.greatest_weight();
        for (place, stem) in meanings.iter().enumerate() {
            let meaning = Term::new(lexical, stem);
            let is_asked = context.term(stem).is_some();
            if is_asked || meaning.entry.is_none() || meaning.weight < LEAST_IDF {
                continue;
            }
            let idf = meaning.weight.min(term.weight);
            let weight = self.thesaurus * (1.0 - PLACE_LOSS * place as f64) * idf * idf / rarest;
            probes.terms.push(meaning);
            probes.stands_for.push(StandsFor::Meaning(at, weight as f32));
        }
    }

    fn score_file(
        &self,
        context: &SignalContext<'_>,
        occurrences: &Occurrences<'_>,
        probes: &Probes,
        file: &FileOccurrences,
        rows: &mut Rows,
    ) -> FileWindows {
        let lexical = context.snapshot.lexical();
        let lengths: Vec<f32> =
            lexical.blocks(file.file).map(|Block { terms, .. }| f32::from(terms)).collect();
        let average = 2.0 * lexical.average_block_terms().max(1.0);
        let (k1, length) = (self.k1 as f32, self.length as f32);
        let both = |row: &[f32], at: usize| row[at] + row.get(at + 1).unwrap_or(&0.0);
        let norms: Vec<f32> = (0..lengths.len())
            .map(|at| k1 * (1.0 - length + length * both(&lengths, at) / average))
            .collect();
        let saturated = |count: f32, norm: f32| (k1 + 1.0) * count / (count + norm);
        rows.start(context.terms.len(), lengths.len());
        for (probe, in_file) in occurrences.of(file) {
            match probes.stands_for[probe] {
                StandsFor::Term(term, weight) => {
                    let row = &mut rows.of(term).counts;
                    for (block, count) in in_file.blocks() {
                        if let Some(sum) = row.get_mut(block as usize) {
                            *sum += weight * f32::from(count);
                        }
                    }
                }
                StandsFor::Meaning(term, weight) => {
                    let row = &mut rows.of(term).meanings;
                    let mut add = |window: usize, count: f32| {
                        if let Some(best) = row.get_mut(window) {
                            *best = best.max(weight * saturated(count, norms[window]));
                        }
                    };
                    // Previous block, if it has the term too.
                    let mut before = (u32::MAX, 0.0);
                    for (block, count) in in_file.blocks() {
                        let count = f32::from(count);
                        let joined = if before.0.wrapping_add(1) == block { before.1 } else { 0.0 };
                        if let Some(first) = block.checked_sub(1) {
                            add(first as usize, count + joined);
                        }
                        add(block as usize, count);
                        before = (block, count);
                    }
                }
            }
        }
        let mut windows = vec![0.0_f32; lengths.len()];
        for (term, Row { counts, meanings }) in rows.found() {
            let Term { weight, count, .. } = context.terms[term];
            // A repeated word matters more, but not twice as much.
            let weight = (weight * (1.0 + (count as f64).ln())) as f32;
            for (at, (window, norm)) in windows.iter_mut().zip(&norms).enumerate() {
                let count = both(counts, at);
                let meaning = meanings[at];
                if count > 0.0 || meaning > 0.0 {
                    *window += (weight * saturated(count, *norm)).max(meaning);
                }
            }
        }
        let in_path = (self.path * self.weight_in_path(context, file.file)) as f32;
        windows.iter_mut().filter(|window| **window > 0.0).for_each(|window| *window += in_path);
        FileWindows { file: file.file, windows }
    }

    /// Returns the weight of the question's terms in a file's path.
    fn weight_in_path(&self, context: &SignalContext<'_>, file: FileId) -> f64 {
        let mut mentioned: Vec<u32> = context
            .paths
            .uses(file)
            .iter()
            .flat_map(|used| context.mentions.of(*used))
            .filter(|(_, similarity)| *similarity == 1.0)
            .map(|(term, _)| *term)
            .collect();
        mentioned.sort_unstable();
        mentioned.dedup();
        mentioned.iter().map(|term| context.terms[*term as usize].weight).sum()
    }
}
