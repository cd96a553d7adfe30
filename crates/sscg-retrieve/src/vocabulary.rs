//! Names of a project's concepts.
//!
//! Callers who guess names before they see code guess better with the project's own words: the names of its types and
//! of its most used functions, by the place of their declarations. Names are chosen greedily. The worth of a name grows
//! with its uses, and with the number of its words that no chosen name of the same place has.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{FileId, SymbolId, SymbolKind, TokenCounter};
use sscg_graph::{Direction, Node};
use sscg_index::{Snapshot, stems};

use crate::{Filters, is_product};

/// Names of a project's declarations, by place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Vocabulary {
    /// Directories or files with names, sorted by path.
    pub places: Vec<NamesAt>,
    /// Number of candidate names.
    pub candidates: usize,
}

/// Names that a directory or a file declares.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamesAt {
    /// Path relative to the project's root; empty for the root.
    pub path: String,
    /// Names, most informative first.
    pub names: Vec<String>,
}

/// Maximum share of the budget for paths if names are listed by file; otherwise they are listed by directory.
const PATHS_SHARE: f64 = 0.3;

/// Worth of a word that chosen names of the same place already have, relative to a new one.
const KNOWN_WORD: f64 = 0.2;

/// Number of names of a place that halves the worth of further ones, so that no place takes all.
const HALF_FULL: f64 = 8.0;

/// Maximum number of names that do not fit before the budget counts as spent.
const MOST_MISFITS: usize = 8;

/// Name in a place.
struct Candidate<'p> {
    place: usize,
    name: &'p str,
    words: Vec<String>,
    /// Worth before any name is chosen.
    worth: f64,
}

/// Candidate with its worth when it was last evaluated.
struct Ranked {
    worth: f64,
    candidate: usize,
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.worth.total_cmp(&other.worth).then(other.candidate.cmp(&self.candidate))
    }
}

/// Returns the names of a project's own code, without tests and examples, that fit `budget` tokens. O(symbols + edges +
/// names × log names).
pub fn vocabulary(
    snapshot: &Snapshot,
    filters: &Filters,
    budget: usize,
    counter: &dyn TokenCounter,
) -> Vocabulary {
    let project = &snapshot.project;
    let symbols: Vec<SymbolId> = project
        .symbol_ids()
        .filter(|symbol| worth_of_kind(project.symbol_kind(*symbol)) > 0.0 && !project.is_anonymous(*symbol))
        // The language defines the meaning of `__init__` and the like.
        .filter(|symbol| {
            let name = project.symbol_name(*symbol);
            !(name.starts_with("__") && name.ends_with("__"))
        })
        .filter(|symbol| {
            let chunk = project.chunk_of_symbol(*symbol);
            filters.admits_chunk(project, chunk) && is_product(snapshot, chunk)
        })
        .collect();
    let files: FxHashSet<FileId> = symbols.iter().map(|symbol| project.symbol_file(*symbol)).collect();
    let path_tokens: usize = files.iter().map(|file| counter.count(&project.files()[*file].path) + 2).sum();
    let by_file = path_tokens as f64 <= PATHS_SHARE * budget as f64;
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut known: FxHashMap<(usize, &str), usize> = FxHashMap::default();
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    for symbol in symbols {
        let path = &*project.files()[project.symbol_file(symbol)].path;
        let place = if by_file { path } else { path.rsplit_once('/').map_or("", |(directory, _)| directory) };
        let next = places.len();
        let place = *places.entry(place).or_insert(next);
        let name = project.symbol_name(symbol);
        let worth =
            worth_of_kind(project.symbol_kind(symbol)) * (1.0 + uses(snapshot, symbol) as f64).ln_1p();
        let at = *known.entry((place, name)).or_insert_with(|| {
            candidates.push(Candidate { place, name, words: stems(name), worth: 0.0 });
            candidates.len() - 1
        });
        // Of declarations with the same name, the most used one counts.
        candidates[at].worth = candidates[at].worth.max(worth);
    }
    let paths: Vec<&str> = {
        let mut paths: Vec<(&str, usize)> = places.into_iter().collect();
        paths.sort_by_key(|(_, place)| *place);
        paths.into_iter().map(|(path, _)| path).collect()
    };
    let chosen = choose(&candidates, &paths, budget, counter);
    let mut found: Vec<NamesAt> = (paths.iter().zip(chosen))
        .filter(|(_, names)| !names.is_empty())
        .map(|(path, names)| NamesAt { path: (*path).to_owned(), names })
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Vocabulary { places: found, candidates: candidates.len() }
}

/// Chooses the candidate of the highest worth, repeatedly, while the budget lasts. Returns the names by place.
fn choose(
    candidates: &[Candidate<'_>],
    paths: &[&str],
    budget: usize,
    counter: &dyn TokenCounter,
) -> Vec<Vec<String>> {
    let mut chosen: Vec<Vec<String>> = vec![Vec::new(); paths.len()];
    let mut told: Vec<FxHashSet<&str>> = vec![FxHashSet::default(); paths.len()];
    let (mut left, mut misfits) = (budget, 0);
    let start = candidates.iter().enumerate();
    let mut heap: BinaryHeap<Ranked> =
        start.map(|(candidate, it)| Ranked { worth: it.worth, candidate }).collect();
    // Worth only falls, so a candidate that is still best when evaluated again is the best.
    while let Some(best) = heap.pop() {
        let Candidate { place, name, words, worth } = &candidates[best.candidate];
        let of_words = words.iter().map(|word| if told[*place].contains(&**word) { KNOWN_WORD } else { 1.0 });
        let share = of_words.sum::<f64>() / words.len().max(1) as f64;
        let now = worth * share / (1.0 + chosen[*place].len() as f64 / HALF_FULL);
        if now < best.worth {
            heap.push(Ranked { worth: now, ..best });
            continue;
        }
        let path = if chosen[*place].is_empty() { counter.count(paths[*place]) + 2 } else { 0 };
        let cost = path + counter.count(&format!(" {name}"));
        if cost > left {
            misfits += 1;
            if misfits > MOST_MISFITS {
                break;
            }
            continue;
        }
        left -= cost;
        told[*place].extend(words.iter().map(String::as_str));
        chosen[*place].push((*name).to_owned());
    }
    chosen
}

/// Returns the weight of a kind of declaration for a project's concepts; 0 for kinds without a name of their own.
fn worth_of_kind(kind: SymbolKind) -> f64 {
    match kind {
        SymbolKind::Impl | SymbolKind::Section => 0.0,
        kind if kind.is_type() => 2.0,
        kind if kind.is_callable() => 1.0,
        SymbolKind::Constant => 0.6,
        _ => 0.3,
    }
}

/// Returns the number of edges by which other code refers to a declaration.
fn uses(snapshot: &Snapshot, symbol: SymbolId) -> usize {
    let graph = &snapshot.graph;
    let edges = graph.edges_at(graph.id(Node::Symbol(symbol)), Direction::Incoming);
    edges.filter(|edge| !edge.relation.is_containment()).count()
}
