//! The signals that chunks are ranked by.

mod definition;
mod graph;
mod lexical;
mod location;
mod occurrences;
mod path;
mod path_words;
mod semantic;
mod thesaurus;
mod windows;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sscg_core::{ChunkId, FileId};
use sscg_index::{LexicalIndex, Snapshot, TermEntry, query_terms, term_counts, words};

pub use definition::Definition;
pub use graph::{Graph, Walk};
pub use lexical::{FieldWeight, Lexical};
pub use location::Location;
pub use path::Path;
pub use semantic::Semantic;
pub(crate) use windows::WindowScores;
pub use windows::Windows;

use crate::Query;
use crate::own_name::OwnNames;
use crate::prior::{MinifiedFiles, TestFiles, Wanted};
use occurrences::Occurrences;
pub(crate) use occurrences::add_to_windows;
use path_words::{Mentions, PathWords};

/// Names a signal, in answers and configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SignalId {
    /// The words of the chunk.
    Lexical,
    /// The chunk's declaration is named in the question.
    Definition,
    /// The words of the file's path.
    Path,
    /// The question names the place.
    Location,
    /// What the chunk is about, in whatever words.
    Semantic,
    /// The chunk is close to others that were found.
    Graph,
    /// The words of some lines of the chunk. No [`Signal`]: it scores lines, not files.
    Window,
    /// Calls from and to the best spans. No [`Signal`] either.
    Calls,
    /// What a [reranker](crate::rerank) says of the chunk itself. No [`Signal`]: it is heard after all of them.
    Rerank,
    /// How near the chunk is to an [anchor](crate::anchor). No [`Signal`] either.
    Anchor,
}

impl SignalId {
    /// What has a weight, in the order of evaluation.
    pub const ALL: [SignalId; 8] = [
        SignalId::Lexical,
        SignalId::Definition,
        SignalId::Path,
        SignalId::Location,
        SignalId::Semantic,
        SignalId::Graph,
        SignalId::Window,
        SignalId::Calls,
    ];

    /// The wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            SignalId::Lexical => "lexical",
            SignalId::Definition => "symbol",
            SignalId::Path => "path",
            SignalId::Location => "location",
            SignalId::Semantic => "semantic",
            SignalId::Graph => "graph",
            SignalId::Window => "window",
            SignalId::Calls => "calls",
            SignalId::Rerank => "rerank",
            SignalId::Anchor => "anchor",
        }
    }
}

impl fmt::Display for SignalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a signal has to say about a question, in scores above zero. Before its weight, 1 is about as much as a signal
/// says of what answers the question best.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// How well files answer it, each file once.
    pub files: Vec<(FileId, f64)>,
    /// How well chunks do, beside the others of their file, by chunk.
    pub chunks: Vec<(ChunkId, f64)>,
    /// Lines that the scores of some chunks are about; those of all others are about the whole chunk.
    pub lines: Vec<(ChunkId, u32)>,
}

impl Evidence {
    /// Divides the scores of files, and those of chunks, by the best of them.
    pub fn normalize(&mut self) {
        fn normalize<T>(scores: &mut [(T, f64)]) {
            let best = scores.iter().map(|(_, score)| *score).fold(0.0, f64::max);
            if best > 0.0 {
                scores.iter_mut().for_each(|(_, score)| *score /= best);
            }
        }
        normalize(&mut self.files);
        normalize(&mut self.chunks);
    }
}

/// The sum of the best of some scores, each further one counting less by `decay`: what a file's chunks say of it
/// together.
fn decayed_sum(scores: &mut Vec<f32>, count: usize, decay: f64) -> f64 {
    if scores.len() > count {
        scores.select_nth_unstable_by(count, |a, b| b.total_cmp(a));
        scores.truncate(count);
    }
    scores.sort_unstable_by(|a, b| b.total_cmp(a));
    scores.iter().rev().fold(0.0, |sum, score| sum * decay + f64::from(*score))
}

/// What a function makes of some items, in their order: of so many at a time, by all threads of the current pool.
fn in_blocks<T: Sync, R: Send>(items: &[T], function: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    if items.len() <= BLOCK {
        return vec![function(items)];
    }
    items.par_chunks(BLOCK).map(&function).collect()
}

/// How many files are worth another thread.
const BLOCK: usize = 128;

/// One way to score files and their chunks for a question.
pub trait Signal {
    /// Its name.
    fn id(&self) -> SignalId;

    /// How many chunks it wants to see of the ranking by the signals before it.
    fn starts_from(&self, _snapshot: &Snapshot) -> usize {
        0
    }

    /// Scores what it has something to say about, files in any order. `found` is the head of the ranking by the signals
    /// before it, best first, as far as it [asked for it](Self::starts_from).
    fn score(&self, context: &Context<'_>, found: &[(ChunkId, f64)]) -> Evidence;
}

/// A question against a snapshot, with what all signals need worked out once.
pub struct Context<'a> {
    /// What is asked.
    pub query: &'a Query,
    /// What is known.
    pub snapshot: &'a Snapshot,
    /// The question's words without the project's own name.
    pub(crate) prose: Cow<'a, str>,
    /// The question's terms that count.
    pub terms: Vec<Term>,
    pub(crate) wanted: Wanted,
    test_files: Arc<TestFiles>,
    pub(crate) minified: Arc<MinifiedFiles>,
    pub(crate) paths: Arc<PathWords>,
    pub(crate) mentions: Mentions,
    /// Filled when a signal first asks.
    occurrences: OnceLock<Occurrences<'a>>,
}

/// A term of the question.
#[derive(Clone, Debug)]
pub struct Term {
    /// As analysed.
    pub text: String,
    /// Number of occurrences in the question; 0 if it stands for another term.
    pub count: usize,
    /// Its entry in the index, if any chunk has it.
    pub entry: Option<TermEntry>,
    /// What it says: the inverse document frequency over chunks, `ln(1 + (N - n + 0.5) / (n + 0.5))`; of a guess that part
    /// which it is [trusted](trust).
    pub weight: f64,
    /// Whether it stands in the caller's guesses alone.
    pub is_guess: bool,
}

/// Trust in a guess of one word that is no compound: most words are somewhere in most projects.
const TRUST_IN_WORD: f64 = 0.6;

/// Trust in the parts of a compound that is nowhere in the project: words that whoever guessed it did not mean as such.
const TRUST_IN_PARTS: f64 = 0.3;

/// The terms of guesses, each with the share of its weight that it keeps. A compound that the project has is hardly there by
/// chance and counts in full with its parts. Guesses about another project lose most of what they would spoil by it.
fn trust(lexical: &LexicalIndex, guesses: &[String]) -> FxHashMap<String, f64> {
    let mut trusted: FxHashMap<String, f64> = FxHashMap::default();
    for word in guesses.iter().flat_map(|guess| words(guess)) {
        let parts = query_terms(word);
        let trust = match &parts[..] {
            [_] => TRUST_IN_WORD,
            [.., compound] if lexical.term(compound).is_some() => 1.0,
            _ => TRUST_IN_PARTS,
        };
        for part in parts {
            let known = trusted.entry(part).or_default();
            *known = trust.max(*known);
        }
    }
    trusted
}

/// Whether a term is of a word that people use for something else than a project.
pub(crate) fn is_everyday(term: &str) -> bool {
    thesaurus::Thesaurus::built_in().has(term)
}

impl<'a> Context<'a> {
    /// Looks the question's terms up. Of more than `most`, those count that weigh most.
    pub fn new(query: &'a Query, snapshot: &'a Snapshot, terms: &[String], most: usize) -> Self {
        let lexical = snapshot.lexical();
        let mut terms: Vec<Term> = terms.iter().map(|text| Term::new(lexical, text)).collect();
        let prose = snapshot.derived(OwnNames::new).left_out(&query.prose);
        let asked = query_terms(&prose);
        let trusted = trust(lexical, &query.terms);
        terms.retain(|term| asked.contains(&term.text) || trusted.contains_key(&term.text));
        for term in terms.iter_mut().filter(|term| !asked.contains(&term.text)) {
            term.is_guess = true;
            term.weight *= trusted.get(&term.text).unwrap_or(&1.0);
        }
        if terms.len() > most {
            terms.retain(|term| term.entry.is_some());
            terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
            terms.truncate(most);
        }
        let counts = term_counts(&format!("{prose} {}", query.terms.join(" ")));
        for term in &mut terms {
            term.count = counts.iter().find(|(text, _)| *text == term.text).map_or(1, |(_, count)| *count);
        }
        let paths = snapshot.derived(PathWords::new);
        let mentions = paths.mentions(&terms);
        let (wanted, test_files) = (Wanted::new(&query.prose), snapshot.derived(TestFiles::new));
        let minified = snapshot.derived(MinifiedFiles::new);
        Self {
            query,
            snapshot,
            prose,
            terms,
            wanted,
            test_files,
            minified,
            paths,
            mentions,
            occurrences: OnceLock::new(),
        }
    }

    /// Where the terms stand.
    pub(crate) fn occurrences(&self) -> &Occurrences<'a> {
        self.occurrences.get_or_init(|| Occurrences::new(self.snapshot.lexical(), &self.terms))
    }

    /// Whether a chunk is test code that is not asked for.
    pub(crate) fn is_unwanted_test(&self, chunk: ChunkId) -> bool {
        !self.wanted.tests && self.test_files.has(&self.snapshot.project, chunk)
    }

    /// The question's term of this text.
    pub fn term(&self, text: &str) -> Option<&Term> {
        self.terms.iter().find(|term| term.text == text)
    }

    /// The terms of a part of the question; of one with more terms than count, those that do.
    pub(crate) fn terms_of(&self, text: &str) -> Vec<Term> {
        let asked = query_terms(text);
        if asked.len() > self.terms.len() {
            return self.terms.iter().filter(|term| asked.contains(&term.text)).cloned().collect();
        }
        let known = |text: &String| self.term(text).cloned();
        asked.iter().map(|it| known(it).unwrap_or_else(|| Term::new(self.snapshot.lexical(), it))).collect()
    }

    /// The weight that a term of a single chunk would have.
    pub(crate) fn greatest_weight(&self) -> f64 {
        Term::idf(self.snapshot.lexical(), 1)
    }

    /// The sum of the terms' weights.
    pub fn total_weight(&self) -> f64 {
        self.terms.iter().map(|term| term.weight).sum()
    }
}

impl Term {
    fn new(lexical: &LexicalIndex, text: &str) -> Self {
        let entry = lexical.term(text);
        let n = entry.as_ref().map_or(0, |entry| entry.document_frequency);
        let weight = Self::idf(lexical, n);
        Self { text: text.to_owned(), count: 0, entry, weight, is_guess: false }
    }

    /// The inverse document frequency of a term that `n` chunks have.
    fn idf(lexical: &LexicalIndex, n: usize) -> f64 {
        let (all, n) = (lexical.chunk_count() as f64, n as f64);
        (1.0 + (all - n + 0.5) / (n + 0.5)).ln()
    }
}
