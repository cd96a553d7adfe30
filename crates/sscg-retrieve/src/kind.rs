//! Classification of questions.

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use sscg_index::{Snapshot, words};

use crate::callers::is_about_uses;
use crate::location::Location;
use crate::pattern::pattern;
use crate::query::is_code;
use crate::{Hit, Query, QueryMode, SignalId};

/// Kind of a question, from its form and its hits: the way in which it was answered, and how its words were
/// interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuestionKind {
    /// Declaration, by its name.
    Symbol,
    /// Uses of a declaration, by its name.
    Uses,
    /// Code of a stack trace or compiler message, by file and line.
    Trace,
    /// Code that contains a pasted text.
    Text,
    /// Place to change or extend something.
    Change,
    /// Cause of a failure, asked for or reported without a question.
    Bug,
    /// Place of something.
    Where,
    /// Workings of something: all other questions.
    How,
}

/// Minimum number of words of a bug report.
const LEAST_REPORT: usize = 6;

/// Patterns that distinguish the kinds of questions in words.
struct Forms {
    change: Regex,
    why: Regex,
    asks: Regex,
    report: Regex,
    place: Regex,
}

/// Patterns of this crate. Of 122 labeled questions about 17 projects, they classify 32 of 36 changes and 42 of 44 bugs
/// correctly, and take one change for a bug.
static FORMS: LazyLock<Forms> = LazyLock::new(|| {
    let form = |text: &str| pattern(&format!("(?i-u){text}"));
    let ask = r"(?:how|what|which|who|whose|when|where)\b";
    let verbs = "add|support|extend|implement|remove|rename|replace|introduce|make|allow|let|accept|refuse|teach|keep|customi[sz]e";
    let clause = "(?u-i:[^.?!]*)";
    let obliged = r"(?:would|do|should|can|could|must)\s+(?:i|we|one)";
    Forms {
        change: form(&format!(
            r"(?:^|[.:;,]\s+)(?:please\s+)?(?:{verbs})\s|\b(?:i|we)(?:'d|\s+would)\s+like\b|\b(?:i|we)\s+want\b|\b{ask}{clause}\b{obliged}\b{clause}\b(?:have\s+to|change|{verbs})\b|^(?u-i:[^?]*)\bshould\b(?u-i:[^?]*)$"
        )),
        why: form(r"(?:^|[.;]\s+)why\b|\b(?:\w*exception|\w*error|panic\w*|traceback)\b(?u-i:[^.?!]{0,40}):"),
        asks: form(&format!(
            r"^(?u-i:[^A-Za-z0-9_{{other}}]*)(?:(?:in|to|by|from)\s+)?(?:{ask}|find|list|show|explain|locate)"
        )),
        report: form(
            r"\b(?:i|my|we|our|me|bug|crash\w*|panic\w*|fail(?:s|ed)?|broken|wrong|ignored?|reports?|hangs?|leaks?|regression|unexpected\w*|no\s+effect|instead\s+of|never|still|but|yet|not)\b|n(?:'|’)t\b",
        ),
        place: form(
            r"^(?u-i:[^A-Za-z0-9_{other}]*)(?:where|which\s+(?:file|function|class|module|method|type)s?|find|locate|show)\b",
        ),
    }
});

impl QuestionKind {
    /// Returns the kind of a query that these hits answer. O(length of the question).
    pub fn of(snapshot: &Snapshot, query: &Query, hits: &[Hit]) -> Self {
        // A word that may be prose is a name if the first hit declares it.
        let is_name = |name: &str| {
            let first = hits.first().and_then(|hit| snapshot.project.symbol_of_chunk(hit.chunk));
            is_code(name) || first.is_some_and(|first| snapshot.project.symbol_name(first) == name)
        };
        if matches!(query.mode, QueryMode::Symbol(_)) || query.bare_name().is_some_and(is_name) {
            return Self::Symbol;
        }
        if is_about_uses(snapshot, query) {
            return Self::Uses;
        }
        let locations = Location::all_in(&query.prose);
        if locations.iter().any(|location| location.line.is_some()) {
            return Self::Trace;
        }
        // A named file is a location, not text of the code.
        if !locations.is_empty() {
            return Self::of_words(&query.prose);
        }
        let is_there = |hit: &Hit| hit.sources.iter().any(|source| source.signal == SignalId::LOCATION);
        if hits.first().is_some_and(is_there) { Self::Text } else { Self::of_words(&query.prose) }
    }

    /// Returns the kind of a question without locations or text of the project.
    fn of_words(text: &str) -> Self {
        let Forms { change, why, asks, report, place } = &*FORMS;
        let reports = || {
            !text.contains('?')
                && !asks.is_match(text)
                && report.is_match(text)
                && words(text).count() >= LEAST_REPORT
        };
        match text {
            _ if change.is_match(text) => Self::Change,
            _ if why.is_match(text) || reports() => Self::Bug,
            _ if place.is_match(text) => Self::Where,
            _ => Self::How,
        }
    }

    /// Returns the wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Symbol => "symbol",
            Self::Uses => "uses",
            Self::Trace => "trace",
            Self::Text => "text",
            Self::Change => "change",
            Self::Bug => "bug",
            Self::Where => "where",
            Self::How => "how",
        }
    }
}

impl fmt::Display for QuestionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_a_question_tells_its_kind() {
        for (text, kind) in [
            ("how are dropped parcels found again", QuestionKind::How),
            ("what happens to a parcel whose label cannot be read, and who is told?", QuestionKind::How),
            ("retry backoff parcel", QuestionKind::How),
            ("where is the weight limit of a bag", QuestionKind::Where),
            ("Which function weighs a bag?", QuestionKind::Where),
            ("Where would I add another kind of stamp?", QuestionKind::Change),
            ("Bags should be weighed twice when they are wet", QuestionKind::Change),
            ("Sorting takes all night. Make it stop at midnight.", QuestionKind::Change),
            ("Why does the sorter weigh empty bags?", QuestionKind::Bug),
            ("After a pause the belt starts again, but the first parcel is skipped", QuestionKind::Bug),
            ("WeightError: bag 7 is heavier than the scale", QuestionKind::Bug),
            (
                "I pass a wet bag. What does the scale do with the water, and where is it noted?",
                QuestionKind::How,
            ),
        ] {
            assert_eq!(QuestionKind::of_words(text), kind, "{text}");
        }
    }
}
