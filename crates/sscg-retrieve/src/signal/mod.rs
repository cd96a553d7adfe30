//! The signals that chunks are ranked by.

mod definition;
mod graph;
mod lexical;
mod path;

use std::fmt;

use rustc_hash::FxHashMap;
use sscg_core::ChunkId;
use sscg_index::{LexicalIndex, Snapshot, TermEntry};

pub use definition::Definition;
pub use graph::Graph;
pub use lexical::Lexical;
pub use path::Path;

use crate::Query;

/// Names a signal, in answers and configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SignalId {
    /// The words of the chunk.
    Lexical,
    /// The chunk's declaration is named in the question.
    Definition,
    /// The words of the file's path.
    Path,
    /// The chunk is close to others that were found.
    Graph,
}

impl SignalId {
    /// Every signal, in the order they run.
    pub const ALL: [SignalId; 4] = [SignalId::Lexical, SignalId::Definition, SignalId::Path, SignalId::Graph];

    /// The wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            SignalId::Lexical => "lexical",
            SignalId::Definition => "symbol",
            SignalId::Path => "path",
            SignalId::Graph => "graph",
        }
    }
}

impl fmt::Display for SignalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One way to score chunks for a question.
pub trait Signal {
    /// Its name.
    fn id(&self) -> SignalId;

    /// Scores above zero for the chunks it has something to say about, in any order. `found` is the fused
    /// ranking of the signals before it, best first; a signal that starts from others' finds reads it.
    fn score(&self, context: &Context<'_>, found: &[(ChunkId, f64)]) -> Vec<(ChunkId, f64)>;
}

/// A question against a snapshot, with what all signals need worked out once.
pub struct Context<'a> {
    /// What is asked.
    pub query: &'a Query,
    /// What is known.
    pub snapshot: &'a Snapshot,
    /// The question's terms.
    pub terms: Vec<Term>,
    by_text: FxHashMap<String, usize>,
}

/// A term of the question.
#[derive(Clone, Debug)]
pub struct Term {
    /// As analysed.
    pub text: String,
    /// Its entry in the index, if any chunk has it.
    pub entry: Option<TermEntry>,
    /// Inverse document frequency over chunks, `ln(1 + (N - n + 0.5) / (n + 0.5))`.
    pub idf: f64,
}

impl<'a> Context<'a> {
    /// Looks the question's terms up.
    pub fn new(query: &'a Query, snapshot: &'a Snapshot, terms: &[String]) -> Self {
        let terms: Vec<Term> = terms.iter().map(|text| Term::new(snapshot.lexical(), text)).collect();
        let by_text = terms.iter().enumerate().map(|(at, term)| (term.text.clone(), at)).collect();
        Self { query, snapshot, terms, by_text }
    }

    /// The question's term of this text.
    pub fn term(&self, text: &str) -> Option<&Term> {
        self.by_text.get(text).map(|at| &self.terms[*at])
    }
}

impl Term {
    fn new(lexical: &LexicalIndex, text: &str) -> Self {
        let entry = lexical.term(text);
        let n = entry.as_ref().map_or(0, |entry| entry.document_frequency) as f64;
        let all = lexical.chunk_count() as f64;
        Self { text: text.to_owned(), entry, idf: (1.0 + (all - n + 0.5) / (n + 0.5)).ln() }
    }
}
