//! Questions about who uses a declaration: "who calls queueJob", "what breaks if I change Session.close".
//!
//! They are not answered by words: the graph knows. The declaration comes first, then each use of it, the project's own code
//! before examples and copies, and these before tests.

use std::sync::LazyLock;

use regex::Regex;
use sscg_core::{ChunkId, Corpus, LineRange, Relation, SymbolId};
use sscg_graph::{Direction, Node};
use sscg_index::Snapshot;

use crate::lookup::find_symbols;
use crate::pattern::pattern;
use crate::{Hit, Query, QueryMode, RankSource, SignalId, Standing, standing};

/// The uses that a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Uses {
    /// Calls and constructions.
    Calls,
    /// Everything that names the declaration.
    All,
}

/// Forms of such questions, each with the name in its only group.
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

/// The declarations whose uses a question asks for, and which uses. `None` for other questions, and for names that nothing
/// declares.
fn asked(snapshot: &Snapshot, query: &Query) -> Option<(Vec<SymbolId>, Uses)> {
    let (uses, name) = named(query)?;
    if !snapshot.project.files().iter().any(|file| file.language.corpus == Corpus::Code) {
        return None;
    }
    let path: Vec<String> = name.split('>').map(|part| part.trim().to_owned()).collect();
    let symbols = find_symbols(snapshot, &path);
    (!symbols.is_empty()).then_some((symbols, uses))
}

/// The name whose uses a question asks for, whether anything has it or not.
fn named(query: &Query) -> Option<(Uses, &str)> {
    let QueryMode::Words(_) = &query.mode else { return None };
    FORMS.iter().find_map(|(uses, form)| Some((*uses, form.captures(&query.prose)?.get(1)?.as_str())))
}

/// The same, for those who ask what was meant.
pub(crate) fn name_asked(query: &Query) -> Option<&str> {
    named(query).map(|(_, name)| name)
}

/// Whether a question asks for the uses of declarations that there are.
pub(crate) fn is_about_uses(snapshot: &Snapshot, query: &Query) -> bool {
    asked(snapshot, query).is_some()
}

/// The declarations that a question names and where they are used, if that is what it asks for.
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
    // Of a name that much is called, the uses are what is asked for.
    declared.truncate(MOST_DECLARATIONS);
    places.sort_by_key(|(standing, chunk, lines)| (*standing, *chunk, lines.start));
    places.dedup();
    let declared = declared.into_iter().map(|chunk| (chunk, project.chunk_lines(chunk)));
    let places = declared.chain(places.into_iter().map(|(_, chunk, lines)| (chunk, lines)));
    let hits = places.enumerate().map(|(at, (chunk, lines))| {
        let score = 1.0 / (at + 1) as f64;
        let source = RankSource { signal: SignalId::Calls, rank: 0, score, contribution: score };
        Hit { chunk, lines, focus: lines, score, sources: vec![source] }
    });
    Some(hits.collect())
}

/// Declarations of a name that stand before its uses at most.
const MOST_DECLARATIONS: usize = 5;

/// Lines of code before and behind a use.
const CONTEXT: u32 = 4;

/// The lines around a use within the declaration that it is in.
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
