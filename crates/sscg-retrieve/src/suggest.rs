//! Queries for similar names.

use sscg_core::SymbolKind;
use sscg_index::{Snapshot, query_terms, words};

use crate::{Hit, Query, QueryMode, callers};

/// Maximum number of suggestions.
const SUGGESTIONS: usize = 3;

/// Number of letters of a name per allowed misspelling.
const LETTERS_PER_ERROR: usize = 3;

/// Returns queries for declarations with a similar name or with the same name elsewhere, most similar first. Empty for
/// a question of several words that does not ask for the uses of a name; if there are hits, also for a declared name or
/// a plain word. O(symbols).
pub fn suggest(snapshot: &Snapshot, query: &Query, found: &[Hit]) -> Vec<String> {
    let project = &snapshot.project;
    let used = callers::name_asked(query);
    let asked: Vec<&str> = match &query.mode {
        QueryMode::Symbol(path) => path.iter().flat_map(|part| words(part)).collect(),
        QueryMode::Words(_) => words(used.unwrap_or(&query.prose)).collect(),
    };
    let looks_up = matches!(query.mode, QueryMode::Symbol(_)) || used.is_some();
    let Some(name) = asked.last().filter(|_| looks_up || asked.len() == 1) else { return Vec::new() };
    // A single word may be prose unless it is a compound.
    let is_name = looks_up || query_terms(name).len() > 1;
    if !found.is_empty() && (!is_name || project.definitions_named(name).next().is_some()) {
        return Vec::new();
    }
    let name = name.to_lowercase();
    let whole = asked.join(" > ").to_lowercase();
    let most = (name.chars().count() / LETTERS_PER_ERROR).max(1);
    let symbols = project.files().ids().flat_map(|file| project.symbols_of(file));
    let similar = symbols.filter_map(|symbol| {
        let other = project.symbol_name(symbol);
        if project.symbol_kind(symbol) == SymbolKind::Impl
            || project.is_anonymous(symbol)
            || other.chars().count().abs_diff(name.chars().count()) > most
        {
            return None;
        }
        let errors = strsim::osa_distance(&other.to_lowercase(), &name);
        (errors <= most && query.filters.admits_chunk(project, project.chunk_of_symbol(symbol)))
            .then_some((errors, symbol))
    });
    let mut similar: Vec<(usize, usize, String)> = similar
        .filter_map(|(errors, symbol)| {
            let mut names: Vec<&str> =
                project.self_and_ancestors(symbol).map(|symbol| project.symbol_name(symbol)).collect();
            names.reverse();
            // Headings of documents may contain the separator and cannot be queried.
            let is_path = names.iter().all(|name| !name.contains('>'));
            let path = names.join(" > ");
            is_path.then(|| (errors, strsim::osa_distance(&path.to_lowercase(), &whole), path))
        })
        .collect();
    similar.sort();
    similar.dedup_by(|a, b| a.2 == b.2);
    similar.into_iter().take(SUGGESTIONS).map(|(.., path)| format!("symbol = {path}")).collect()
}
