//! Questions about the uses of a declaration: "who calls queueJob", "what breaks if I change Session.close".
//!
//! The answers come from the graph, not from words. The declaration comes first, then each use of it: the project's own
//! code before examples and vendored copies, and these before tests.

use std::sync::LazyLock;

use regex::Regex;
use sscg_core::{ChunkId, Corpus, LineRange, Relation, SymbolId};
use sscg_graph::{Direction, Node};
use sscg_index::Snapshot;

use crate::lookup::find_symbols;
use crate::pattern::pattern;
use crate::{Hit, Query, QueryMode, RankSource, SignalId, Standing, standing};

/// Uses that a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Uses {
    /// Calls and constructions.
    Calls,
    /// All references to the declaration.
    All,
}

/// Patterns of such questions, each with the name in its only group.
static FORMS: LazyLock<[(Uses, Regex); 4]> = LazyLock::new(|| {
    let form = |before: &str, behind: &str| {
        let name = r"`?((?u-i:[A-Za-z_{other}][A-Za-z0-9_.:>/\\\-{other}]*)(?:\s*>\s*(?u-i:[A-Za-z0-9_{other}]+))*)(?:\(\))?`?";
        let rest = r"(?:,?\s+and\s+(?:why|how|where|when|from where))?";
        pattern(&format!(r"(?i-u)^\s*(?:{before})\s+{name}{behind}{rest}\s*[?.!]*\s*$"))
    };
    [
        (
            Uses::Calls,
            form(
                "(?:who|what|which \\w+)(?: does| do)? (?:calls?|invokes?|constructs?|instantiates?)\
                 |(?:all |find |list )*(?:the )?(?:callers|calls|call sites) (?:of|to)",
                "",
            ),
        ),
        (Uses::Calls, form("where (?:is|are)", "\\s+(?:called|invoked|constructed|instantiated)")),
        (
            Uses::All,
            form(
                "(?:who|what|which \\w+) (?:uses?|depends? on|references?)|uses of|usages of|references to\
                 |impact of(?: changing)?\
                 |what (?:would |will |could |might )?(?:breaks?|is affected|be affected) (?:if|when)(?: i| we| you)?\
                 (?: changed?| renamed?| removed?| deleted?| modify| modified)?\
                 |what (?:would )?happens? (?:if|when)(?: i| we| you)? (?:changed?|renamed?|removed?|deleted?|modify|modified)",
                "(?:\\s+(?:changes|is changed))?",
            ),
        ),
        (Uses::All, form("where (?:is|are)", "\\s+(?:used|referenced)")),
    ]
});

/// Returns the declarations whose uses a question asks for, and which uses. `None` for other questions, for names
/// without a declaration, and for projects without code.
fn asked(snapshot: &Snapshot, query: &Query) -> Option<(Vec<SymbolId>, Uses)> {
    let (uses, name) = named(query)?;
    if !snapshot.project.files().iter().any(|file| file.language.corpus == Corpus::Code) {
        return None;
    }
    let path: Vec<String> = name.split('>').map(|part| part.trim().to_owned()).collect();
    let symbols = find_symbols(snapshot, &path);
    (!symbols.is_empty()).then_some((symbols, uses))
}

/// Returns the name whose uses a question asks for, declared or not.
fn named(query: &Query) -> Option<(Uses, &str)> {
    let QueryMode::Words(_) = &query.mode else { return None };
    FORMS.iter().find_map(|(uses, form)| Some((*uses, form.captures(&query.prose)?.get(1)?.as_str())))
}

/// Returns the name whose uses a question asks for, to suggest similar names.
pub(crate) fn name_asked(query: &Query) -> Option<&str> {
    named(query).map(|(_, name)| name)
}

/// True if a question asks for the uses of existing declarations.
pub(crate) fn is_about_uses(snapshot: &Snapshot, query: &Query) -> bool {
    asked(snapshot, query).is_some()
}

/// Returns the declarations that a question names and their uses, if it asks for uses.
pub(crate) fn uses(snapshot: &Snapshot, query: &Query) -> Option<Vec<Hit>> {
    let (symbols, uses) = asked(snapshot, query)?;
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let mut places: Vec<(Standing, ChunkId, LineRange)> = Vec::new();
    let mut declared: Vec<ChunkId> = Vec::new();
    for symbol in symbols {
        declared.push(project.chunk_of_symbol(symbol));
        for edge in graph.edges_at(graph.id(Node::Symbol(symbol)), Direction::Incoming) {
            let is_wanted = match uses {
                Uses::Calls => matches!(edge.relation, Relation::Calls | Relation::Instantiates),
                Uses::All => !edge.relation.is_containment() && edge.relation != Relation::Imports,
            };
            let Node::Symbol(user) = graph.node(edge.source) else { continue };
            let chunk = project.chunk_of_symbol(user);
            if is_wanted && query.filters.admits_chunk(project, chunk) {
                let lines = around(project.chunk_lines(chunk), edge.line);
                places.push((standing(snapshot, chunk), chunk, lines));
            }
        }
    }
    declared.sort_by_cached_key(|chunk| (standing(snapshot, *chunk), *chunk));
    declared.dedup();
    declared.retain(|chunk| query.filters.admits_chunk(project, *chunk));
    // If many declarations share the name, their uses matter more than the declarations.
    declared.truncate(MOST_DECLARATIONS);
    places.sort_by_key(|(standing, chunk, lines)| (*standing, *chunk, lines.start));
    places.dedup();
    let declared = declared.into_iter().map(|chunk| (chunk, project.chunk_lines(chunk)));
    let places = declared.chain(places.into_iter().map(|(_, chunk, lines)| (chunk, lines)));
    let hits = places.enumerate().map(|(at, (chunk, lines))| {
        let score = 1.0 / (at + 1) as f64;
        let source = RankSource { signal: SignalId::CALLS, rank: 0, score, contribution: score };
        Hit { chunk, lines, focus: lines, score, sources: vec![source] }
    });
    Some(hits.collect())
}

/// Maximum number of declarations of a name that are listed before its uses.
const MOST_DECLARATIONS: usize = 5;

/// Lines of context before and after a use.
const CONTEXT: u32 = 4;

/// Returns the lines around a use, clipped to its declaration; the whole declaration if the line is outside of it.
fn around(whole: LineRange, line: u32) -> LineRange {
    if !whole.contains(line) {
        return whole;
    }
    let start = line.saturating_sub(CONTEXT).max(whole.start);
    LineRange { start, end: (line + CONTEXT).min(whole.end) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Filters;

    #[test]
    fn questions_about_uses_are_told_by_their_form() {
        let name = |text: &str| {
            let query = Query::parse(text, Filters::default()).expect("it asks something");
            named(&query).map(|(uses, name)| (uses, name.to_owned()))
        };
        let calls = |name: &str| Some((Uses::Calls, name.to_owned()));
        let all = |name: &str| Some((Uses::All, name.to_owned()));
        assert_eq!(name("who calls queueJob"), calls("queueJob"));
        assert_eq!(name("Who calls `queueJob()`?"), calls("queueJob"));
        assert_eq!(name("which functions call Session.close?"), calls("Session.close"));
        assert_eq!(name("callers of Session > close"), calls("Session > close"));
        assert_eq!(name("find all callers of parse_date"), calls("parse_date"));
        assert_eq!(name("who calls größe.zählen"), calls("größe.zählen"));
        assert_eq!(name("what breaks if I change parse_date?"), all("parse_date"));
        assert_eq!(name("what uses src/a.rs::Outer.inner"), all("src/a.rs::Outer.inner"));
        assert_eq!(name("impact of changing Config"), all("Config"));
        assert_eq!(name("what breaks when Config changes"), all("Config"));
        assert_eq!(name("where is Config.read used"), all("Config.read"));
        assert_eq!(name("where is parse_date called?"), calls("parse_date"));
        assert_eq!(name("what would break if I changed Config?"), all("Config"));
        assert_eq!(name("what happens if I remove Config.read"), all("Config.read"));
        assert_eq!(name("what calls queueJob and why?"), calls("queueJob"));
        assert_eq!(name("what happens when the pool is full"), None);
        assert_eq!(name("where is Config"), None);
        assert_eq!(name("how are the callers of a function found"), None);
        assert_eq!(name("who calls the function that parses dates"), None);
    }
}
