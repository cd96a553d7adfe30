//! Names that a project uses instead of the caller's guesses that it lacks.

use rustc_hash::FxHashSet;
use sscg_core::{ChunkId, Corpus, Relation};
use sscg_embed::TermTable;
use sscg_graph::{Direction, Node};
use sscg_index::{LexicalIndex, Snapshot, is_stop_word, stems, whole_term, words};

use crate::{Hit, Query, is_product};

/// The caller's guesses, and names similar to the question.
#[derive(Clone, Debug, Default)]
pub struct WordsBack {
    /// Guesses, each with the number of chunks that have its rarest word; 0 if it occurs nowhere.
    pub guesses: Vec<(String, usize)>,
    /// Names of declarations around the hits, most similar to the question first.
    names: Vec<Name>,
    /// Stems of the words of the question and the guesses.
    asked: Vec<String>,
}

/// Name of a declaration.
#[derive(Clone, Debug)]
struct Name {
    chunk: ChunkId,
    text: String,
    words: Vec<String>,
}

/// Number of best hits whose callers and callees are considered.
const CALL_SEEDS: usize = 10;

/// Maximum number of calls of one hit that are considered in each direction.
const MOST_CALLS: usize = 50;

/// Number of hits whose names are considered.
const MOST_HITS: usize = 60;

/// Maximum number of similar names.
const MOST_NEAR: usize = 6;

impl WordsBack {
    /// Counts the chunks of each guess. If the project lacks one, collects names to ask for next: those of hits, and of
    /// callers and callees of the best, by their similarity to the question in the built-in table. O(hits + calls of
    /// the best).
    pub fn new(snapshot: &Snapshot, query: &Query, hits: &[Hit]) -> Self {
        let lexical = snapshot.lexical();
        let count = |guess: &String| (guess.clone(), chunks_with(lexical, guess));
        let guesses: Vec<(String, usize)> = query.terms.iter().map(count).collect();
        if guesses.iter().all(|(_, chunks)| *chunks > 0) {
            return Self { guesses, ..Self::default() };
        }
        let texts = std::iter::once(&query.prose).chain(&query.terms);
        let asked: Vec<String> = texts.flat_map(|text| stems(text)).collect();
        let names = names_around(snapshot, query, hits, &asked);
        Self { guesses, names, asked }
    }

    /// Returns names of declarations that are not `shown`, most similar first, each with a word that the question, the
    /// shown names and the names before it lack.
    pub fn near(&self, shown: &[ChunkId]) -> Vec<String> {
        let is_shown = |name: &Name| shown.contains(&name.chunk);
        let of_shown = self.names.iter().filter(|name| is_shown(name)).flat_map(|name| &name.words);
        let mut known: FxHashSet<&String> = self.asked.iter().chain(of_shown).collect();
        let mut near = Vec::new();
        for name in self.names.iter().filter(|name| !is_shown(name)) {
            let is_new = name.words.iter().any(|word| !known.contains(word));
            known.extend(&name.words);
            if is_new && near.len() < MOST_NEAR {
                near.push(name.text.clone());
            }
        }
        near
    }
}

/// Returns the number of chunks with the rarest word of a guess, stop words excluded.
fn chunks_with(lexical: &LexicalIndex, guess: &str) -> usize {
    let counts =
        whole_terms(guess).map(|term| lexical.term(&term).map_or(0, |entry| entry.document_frequency));
    counts.min().unwrap_or(0)
}

/// Returns the whole words of a guess, without the parts of compounds and without stop words.
pub(crate) fn whole_terms(guess: &str) -> impl Iterator<Item = String> {
    let words = words(guess).filter(|word| !is_stop_word(&word.to_lowercase()));
    // The last of a word's terms is the word as a whole.
    words.filter_map(whole_term)
}

/// Returns names of code around the best hits, most similar to the question first.
fn names_around(snapshot: &Snapshot, query: &Query, hits: &[Hit], asked: &[String]) -> Vec<Name> {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let mut chunks: Vec<ChunkId> = hits.iter().take(MOST_HITS).map(|hit| hit.chunk).collect();
    for hit in hits.iter().take(CALL_SEEDS) {
        let Some(symbol) = project.symbol_of_chunk(hit.chunk) else { continue };
        for direction in [Direction::Outgoing, Direction::Incoming] {
            let calls = graph
                .edges_at(graph.id(Node::Symbol(symbol)), direction)
                .filter(|edge| matches!(edge.relation, Relation::Calls | Relation::Instantiates));
            let ends = calls
                .take(MOST_CALLS)
                .map(|edge| if direction == Direction::Outgoing { edge.target } else { edge.source });
            chunks.extend(ends.filter_map(|end| match graph.node(end) {
                Node::Symbol(symbol) => Some(project.chunk_of_symbol(symbol)),
                _ => None,
            }));
        }
    }
    let question = vector(asked);
    let (mut known, mut texts) = (FxHashSet::default(), FxHashSet::default());
    let mut names: Vec<(f32, Name)> = Vec::new();
    for chunk in chunks.into_iter().filter(|chunk| known.insert(*chunk)) {
        let file = &project.files()[project.chunk_file(chunk)];
        let Some(symbol) = project.symbol_of_chunk(chunk) else { continue };
        let text = project.symbol_name(symbol);
        if file.language.corpus == Corpus::Code
            && query.filters.admits_chunk(project, chunk)
            && is_product(snapshot, chunk)
            && texts.insert(text)
        {
            let words = stems(text);
            let similarity = cosine(&question, &vector(&words));
            names.push((similarity, Name { chunk, text: text.to_owned(), words }));
        }
    }
    names.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.text.cmp(&b.1.text)));
    names.into_iter().map(|(_, name)| name).collect()
}

/// Returns the sum of the vectors of some stems.
fn vector(stems: &[String]) -> Vec<f32> {
    let table = TermTable::built_in();
    let mut sum = vec![0.0; table.dimension()];
    for row in stems.iter().filter_map(|stem| table.row(stem)) {
        table.add(row, 1.0, &mut sum);
    }
    sum
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let norm = (dot(a, a) * dot(b, b)).sqrt();
    if norm > 0.0 { dot(a, b) / norm } else { 0.0 }
}
