//! What a project says instead of the caller's guesses that it does not have.

use rustc_hash::FxHashSet;
use sscg_core::{ChunkId, ChunkKind};
use sscg_embed::TermTable;
use sscg_graph::{Direction, Node};
use sscg_index::{LexicalIndex, Snapshot, is_stop_word, query_terms, stems, words};

use crate::{Hit, Query, is_product};

/// The caller's guesses, and names that are near to what is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordsBack {
    /// Each guess with the number of chunks that have all its words, at most; 0 if it is nowhere.
    pub guesses: Vec<(String, usize)>,
    /// Names of declarations around what was found, with words that nobody asked for, likest first.
    pub near: Vec<String>,
}

/// Number of best hits whose callers and callees may be near.
const CALL_SEEDS: usize = 10;

/// Number of hits whose names may be near.
const MOST_HITS: usize = 60;

/// Maximum number of near names.
const MOST_NEAR: usize = 6;

/// Tells which guesses the project has, and, if one is missing, names that could be asked for next: of hits that are not
/// `shown`, and of callers and callees of the best, the likest to the question by the built-in table, each with a word of its
/// own. O(hits + calls of the best).
pub fn words_back(snapshot: &Snapshot, query: &Query, hits: &[Hit], shown: &[ChunkId]) -> WordsBack {
    let lexical = snapshot.lexical();
    let count = |guess: &String| (guess.clone(), chunks_with(lexical, guess));
    let guesses: Vec<(String, usize)> = query.terms.iter().map(count).collect();
    let mut near = Vec::new();
    if guesses.iter().any(|(_, chunks)| *chunks == 0) {
        near = near_names(snapshot, query, hits, shown);
    }
    WordsBack { guesses, near }
}

/// Number of chunks that have the rarest word of a guess; all chunks if it has only stop words.
fn chunks_with(lexical: &LexicalIndex, guess: &str) -> usize {
    let words = words(guess).filter(|word| !is_stop_word(&word.to_lowercase()));
    // The last of a word's terms is the word as a whole.
    let wholes = words.filter_map(|word| query_terms(word).pop());
    let counts = wholes.map(|term| lexical.term(&term).map_or(0, |entry| entry.document_frequency));
    counts.min().unwrap_or(lexical.chunk_count())
}

fn near_names(snapshot: &Snapshot, query: &Query, hits: &[Hit], shown: &[ChunkId]) -> Vec<String> {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let mut chunks: Vec<ChunkId> = hits.iter().take(MOST_HITS).map(|hit| hit.chunk).collect();
    for hit in hits.iter().take(CALL_SEEDS) {
        let Some(symbol) = project.symbol_of_chunk(hit.chunk) else { continue };
        for direction in [Direction::Outgoing, Direction::Incoming] {
            let edges = graph.edges_at(graph.id(Node::Symbol(symbol)), direction);
            let ends =
                edges.map(|edge| if direction == Direction::Outgoing { edge.target } else { edge.source });
            chunks.extend(ends.filter_map(|end| match graph.node(end) {
                Node::Symbol(symbol) => Some(project.chunk_of_symbol(symbol)),
                _ => None,
            }));
        }
    }
    let shown: FxHashSet<ChunkId> = shown.iter().copied().collect();
    let asked: Vec<String> =
        std::iter::once(&query.prose).chain(&query.terms).flat_map(|it| stems(it)).collect();
    let question = vector(&asked);
    let mut told: FxHashSet<String> = asked.into_iter().collect();
    let symbols_shown = shown.iter().filter_map(|chunk| project.symbol_of_chunk(*chunk));
    let mut known: FxHashSet<&str> = symbols_shown.map(|symbol| project.symbol_name(symbol)).collect();
    let mut names: Vec<(f32, Vec<String>, &str)> = Vec::new();
    for chunk in chunks {
        if shown.contains(&chunk)
            || !matches!(project.chunk_kind(chunk), ChunkKind::Symbol(_))
            || !query.filters.admits_chunk(project, chunk)
            || !is_product(snapshot, chunk)
        {
            continue;
        }
        let Some(symbol) = project.symbol_of_chunk(chunk) else { continue };
        let name = project.symbol_name(symbol);
        if known.insert(name) {
            let words = stems(name);
            names.push((cosine(&question, &vector(&words)), words, name));
        }
    }
    names.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(b.2)));
    let mut near = Vec::new();
    for (_, words, name) in names {
        let is_new = words.iter().any(|word| !told.contains(word));
        told.extend(words);
        if is_new {
            near.push(name.to_owned());
            if near.len() == MOST_NEAR {
                break;
            }
        }
    }
    near
}

/// The sum of the vectors of some stems.
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
