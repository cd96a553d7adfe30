//! Signals that rank chunks.

mod graph;
mod lexical;
mod location;
mod meaning;
mod occurrences;
mod path;
mod path_words;
mod semantic;
mod symbol;
mod windows;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use derive_setters::Setters;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{ChunkId, Corpus, FileId, parts_of};
use sscg_index::{LexicalIndex, Snapshot, TermEntry, query_terms, term_counts, words};

pub use graph::GraphSignal;
pub use lexical::{FieldWeight, LexicalSignal};
pub use location::LocationSignal;
pub use meaning::MeaningSignal;
pub use path::PathSignal;
pub use semantic::SemanticSignal;
pub use symbol::SymbolSignal;
pub use windows::WindowSignal;
pub(crate) use windows::{StandsFor, WindowScores};

use crate::Query;
use crate::own_name::OwnNames;
use crate::prior::{MinifiedFiles, TestFiles, Wanted};
use occurrences::Occurrences;
pub(crate) use occurrences::add_to_windows;
use path_words::{Mentions, PathWords};

/// Name of a signal in answers and configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignalId(&'static str);

impl SignalId {
    /// Words of the chunk.
    pub const LEXICAL: Self = Self("lexical");
    /// Declaration named in the question.
    pub const SYMBOL: Self = Self("symbol");
    /// Words of the file's path.
    pub const PATH: Self = Self("path");
    /// Location named in the question.
    pub const LOCATION: Self = Self("location");
    /// Words of the same meaning in what the chunk is called.
    pub const MEANING: Self = Self("meaning");
    /// Meaning of the chunk, in whatever words.
    pub const SEMANTIC: Self = Self("semantic");
    /// Proximity of the chunk to other results in the graph.
    pub const GRAPH: Self = Self("graph");
    /// Words of some lines of the chunk. Not a [`Signal`]: it scores lines, not files.
    pub const WINDOW: Self = Self("window");
    /// Calls from and to the best spans. Not a [`Signal`].
    pub const CALLS: Self = Self("calls");
    /// Score of the chunk by a [reranker](crate::rerank). Not a [`Signal`]: it is applied after all of them.
    pub const RERANK: Self = Self("rerank");
    /// Proximity of the chunk to an [anchor](crate::anchor). Not a [`Signal`].
    pub const ANCHOR: Self = Self("anchor");

    /// All built-in signals with a weight.
    pub const ALL: [SignalId; 9] = [
        SignalId::LEXICAL,
        SignalId::SYMBOL,
        SignalId::PATH,
        SignalId::LOCATION,
        SignalId::MEANING,
        SignalId::SEMANTIC,
        SignalId::GRAPH,
        SignalId::WINDOW,
        SignalId::CALLS,
    ];

    /// Creates the name of a custom signal. The names of the built-in signals are taken.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Returns true if a custom signal cannot have the name.
    pub fn is_built_in(self) -> bool {
        Self::ALL.contains(&self) || [Self::RERANK, Self::ANCHOR].contains(&self)
    }
}

impl fmt::Display for SignalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Scores of a signal for a question, all above 0. Before the signal's weight, 1 is about the score of the best answer.
#[derive(Clone, Debug, Default, PartialEq, Setters)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct SignalScores {
    /// Scores of files, each file once.
    pub files: Vec<(FileId, f64)>,
    /// Scores of chunks relative to the others of their file, sorted by chunk.
    pub chunks: Vec<(ChunkId, f64)>,
    /// Lines that the scores of some chunks are about; all other scores are about the whole chunk.
    pub lines: Vec<(ChunkId, u32)>,
}

impl SignalScores {
    /// Divides the scores of files, and those of chunks, by their maximum.
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

/// Returns the sum of the `count` best scores, each further one multiplied by `decay` once more: the combined score of
/// a file's chunks.
fn decayed_sum(scores: &mut Vec<f32>, count: usize, decay: f64) -> f64 {
    if scores.len() > count {
        scores.select_nth_unstable_by(count, |a, b| b.total_cmp(a));
        scores.truncate(count);
    }
    scores.sort_unstable_by(|a, b| b.total_cmp(a));
    scores.iter().rev().fold(0.0, |sum, score| sum * decay + f64::from(*score))
}

/// Applies a function to blocks of items, on all threads of the current pool. Returns the results in order.
fn in_blocks<T: Sync, R: Send>(items: &[T], function: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    if items.len() <= BLOCK {
        return vec![function(items)];
    }
    items.par_chunks(BLOCK).map(&function).collect()
}

/// Number of files that justify another thread.
const BLOCK: usize = 128;

/// Method to score files and their chunks for a question.
///
/// `conformance::check_signal` (feature `conformance`) checks an implementation.
///
/// ```
/// use std::sync::Arc;
///
/// use sscg_core::ChunkId;
/// # use sscg_index::{Index, IndexOptions, Storage};
/// use sscg_retrieve::{SignalScores, Filters, Query, RankOptions, Signal, SignalContext, SignalId, rank_with};
///
/// /// Location of the file: the directory `src` comes first.
/// struct Sources;
///
/// impl Signal for Sources {
///     fn id(&self) -> SignalId {
///         SignalId::new("sources")
///     }
///
///     fn score(&self, context: &SignalContext<'_>, _found: &[(ChunkId, f64)]) -> SignalScores {
///         let files = context.snapshot.project.files().iter_enumerated();
///         let scored = files.filter(|(_, file)| file.path.starts_with("src/")).map(|(id, _)| (id, 1.0));
///         SignalScores::default().with_files(scored.collect())
///     }
/// }
///
/// # let tree = tempfile::tempdir()?;
/// # for directory in ["lib", "src"] {
/// #     std::fs::create_dir(tree.path().join(directory))?;
/// #     std::fs::write(tree.path().join(directory).join("a.py"), "def read_line(file): pass\n")?;
/// # }
/// # let options = IndexOptions::default().with_storage(Storage::Ephemeral);
/// # let (snapshot, _) = Index::open(tree.path(), &options)?.refresh()?;
/// let query = Query::parse("where is a line read", Filters::default())?;
/// let best = |custom: &[Arc<dyn Signal>]| {
///     let hits = rank_with(&snapshot, &query, &RankOptions::default(), custom);
///     snapshot.project.files()[snapshot.project.chunk_file(hits[0].chunk)].path.to_string()
/// };
/// assert_eq!(best(&[]), "lib/a.py");
/// assert_eq!(best(&[Arc::new(Sources)]), "src/a.py");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Signal: Send + Sync {
    /// Returns the name of the signal.
    fn id(&self) -> SignalId;

    /// Returns the weight of a custom signal (default 1, at least 0; it is not run with 0). Built-in signals have
    /// those of [`Weights`](crate::Weights).
    fn weight(&self) -> f64 {
        1.0
    }

    /// Returns the number of chunks it needs from the ranking of the signals before it.
    fn starts_from(&self, _snapshot: &Snapshot) -> usize {
        0
    }

    /// Scores files and chunks with evidence, files in any order. `found` is the head of the ranking of the signals
    /// before it, best first, up to the [requested length](Self::starts_from).
    fn score(&self, context: &SignalContext<'_>, found: &[(ChunkId, f64)]) -> SignalScores;
}

/// Question against a snapshot, with the data that all signals share.
#[non_exhaustive]
pub struct SignalContext<'a> {
    /// Query to answer.
    pub query: &'a Query,
    /// Snapshot to search.
    pub snapshot: &'a Snapshot,
    /// Question without the project's own name, in English as far as it was translated.
    pub(crate) prose: Cow<'a, str>,
    /// Terms of the question that count.
    pub terms: Vec<Term>,
    pub(crate) wanted: Wanted,
    test_files: Arc<TestFiles>,
    pub(crate) minified: Arc<MinifiedFiles>,
    pub(crate) paths: Arc<PathWords>,
    pub(crate) mentions: Mentions,
    /// True if the question names or quotes lines of the project; known after the signal for locations.
    pub(crate) has_lines: bool,
    /// Filled on first use.
    occurrences: OnceLock<Occurrences<'a>>,
}

/// Term of the question.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Term {
    /// Text as analyzed.
    pub text: String,
    /// Number of occurrences in the question; 0 if it stands for another term.
    pub count: usize,
    /// Index entry, if any chunk has the term.
    pub entry: Option<TermEntry>,
    /// Inverse document frequency over chunks, `ln(1 + (N - n + 0.5) / (n + 0.5))`; for a guess, times its
    /// [trust](trust); for a further English word for a foreign one, times its share.
    pub weight: f64,
    /// True if the term is only in the caller's guesses.
    pub is_guess: bool,
}

/// Trust in a guess of one word that is no compound: most words occur in most projects.
const TRUST_IN_WORD: f64 = 0.6;

/// Trust in the parts of a compound that the project lacks: the caller did not mean them as separate words.
const TRUST_IN_PARTS: f64 = 0.3;

/// Returns the terms of guesses, each with the share of its weight that it keeps. A compound that the project has
/// hardly matches by chance and counts in full, with its parts. Guesses about another project lose most of their
/// effect.
fn trust(lexical: &LexicalIndex, guesses: &[String]) -> FxHashMap<String, f64> {
    let mut trusted: FxHashMap<String, f64> = FxHashMap::default();
    for word in guesses.iter().flat_map(|guess| words(guess)) {
        let parts = query_terms(word);
        let trust = match &parts[..] {
            _ if parts_of(word).nth(1).is_none() => TRUST_IN_WORD,
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

impl<'a> SignalContext<'a> {
    /// Looks up the question's terms. If there are more than `most`, only those with the highest weights count.
    pub fn new(query: &'a Query, snapshot: &'a Snapshot, terms: &[String], most: usize) -> Self {
        let lexical = snapshot.lexical();
        let mut terms: Vec<Term> = terms.iter().map(|text| Term::new(lexical, text)).collect();
        let own_names = snapshot.derived(OwnNames::new);
        let translated = query.translation.as_ref().map(|translation| translation.in_words_of(lexical));
        let (prose, shares) = match translated {
            Some((english, shares)) => (Cow::Owned(own_names.left_out(&english).into_owned()), shares),
            None => (own_names.left_out(&query.prose), FxHashMap::default()),
        };
        let asked: FxHashSet<String> = query_terms(&prose).into_iter().collect();
        let trusted = trust(lexical, &query.terms);
        terms.retain(|term| asked.contains(&term.text) || trusted.contains_key(&term.text));
        for term in terms.iter_mut().filter(|term| !asked.contains(&term.text)) {
            term.is_guess = true;
            term.weight *= trusted.get(&term.text).unwrap_or(&1.0);
        }
        for term in &mut terms {
            term.weight *= shares.get(&term.text).unwrap_or(&1.0);
        }
        if terms.len() > most {
            terms.retain(|term| term.entry.is_some());
            terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
            terms.truncate(most);
        }
        let counts: FxHashMap<String, usize> =
            term_counts(&format!("{prose} {}", query.terms.join(" "))).into_iter().collect();
        for term in &mut terms {
            term.count = counts.get(&term.text).copied().unwrap_or(1);
        }
        let paths = snapshot.derived(PathWords::new);
        let mentions = paths.mentions(&terms);
        let wanted = Wanted::new(if query.translation.is_some() { &prose } else { &query.prose });
        let test_files = snapshot.derived(TestFiles::new);
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
            has_lines: false,
            occurrences: OnceLock::new(),
        }
    }

    /// Returns the occurrences of the terms.
    pub(crate) fn occurrences(&self) -> &Occurrences<'a> {
        self.occurrences.get_or_init(|| Occurrences::new(self.snapshot.lexical(), &self.terms))
    }

    /// True if a chunk is test code and the question does not ask for tests.
    pub(crate) fn is_unwanted_test(&self, chunk: ChunkId) -> bool {
        !self.wanted.tests && self.test_files.has(&self.snapshot.project, chunk)
    }

    /// True if the question may be in other words than the code's: it has no guesses of the caller, which are in the words
    /// of the code, and names or quotes no line.
    pub(crate) fn is_in_other_words(&self) -> bool {
        !self.has_lines && !self.terms.iter().any(|term| term.is_guess)
    }

    /// True if the snapshot has code.
    pub(crate) fn has_code(&self) -> bool {
        self.snapshot.project.files().iter().any(|file| file.language.corpus == Corpus::Code)
    }

    /// Returns the question's term with this text.
    pub fn term(&self, text: &str) -> Option<&Term> {
        self.terms.iter().find(|term| term.text == text)
    }

    /// Returns the numbers of the terms that a text has.
    pub(crate) fn numbers_of(&self, text: &str) -> impl Iterator<Item = usize> {
        let asked = query_terms(text);
        asked.into_iter().filter_map(|text| self.terms.iter().position(|term| term.text == text))
    }

    /// Returns the terms of a part of the question; if it has more terms than count, only those that do.
    pub(crate) fn terms_of(&self, text: &str) -> Vec<Term> {
        let asked = query_terms(text);
        if asked.len() > self.terms.len() {
            return self.terms.iter().filter(|term| asked.contains(&term.text)).cloned().collect();
        }
        let known = |text: &String| self.term(text).cloned();
        asked.iter().map(|it| known(it).unwrap_or_else(|| Term::new(self.snapshot.lexical(), it))).collect()
    }

    /// Returns the weight of a term that occurs in a single chunk.
    pub(crate) fn greatest_weight(&self) -> f64 {
        Term::idf(self.snapshot.lexical(), 1)
    }

    /// Returns the sum of the terms' weights.
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

    /// Returns the inverse document frequency of a term that occurs in `n` chunks.
    fn idf(lexical: &LexicalIndex, n: usize) -> f64 {
        let (all, n) = (lexical.chunk_count() as f64, n as f64);
        (1.0 + (all - n + 0.5) / (n + 0.5)).ln()
    }
}
