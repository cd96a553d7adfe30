//! Lines that are too long to be shown whole: minified code, data, tables.

use std::borrow::Cow;

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use sscg_retrieve::{Query, QueryMode};

/// Maximum number of characters of a line in an answer.
const MOST_CHARS: usize = 400;

/// Returns a line, truncated to `most` characters around the byte `at`, with a mark at each truncated end. O(bytes of
/// the line).
pub(crate) fn around(line: &str, at: usize, most: usize) -> Cow<'_, str> {
    if line.len() <= most || line.chars().nth(most).is_none() {
        return Cow::Borrowed(line);
    }
    let before = line.get(..at).map_or(0, |before| before.chars().count());
    let skipped = before.saturating_sub(most / 4);
    let mut rest = line.chars().skip(skipped);
    let shown: String = rest.by_ref().take(most).collect();
    let start = if skipped > 0 { "…" } else { "" };
    let end = if rest.next().is_some() { "…" } else { "" };
    Cow::Owned(format!("{start}{shown}{end}"))
}

/// Truncates long lines around the words of a question.
#[derive(Default)]
pub(crate) struct LongLines(Option<RegexMatcher>);

impl LongLines {
    pub(crate) fn new(query: &Query) -> Self {
        let (QueryMode::Words(words) | QueryMode::Symbol(words)) = &query.mode;
        // Stems match the beginning of their words.
        Self(RegexMatcherBuilder::new().case_insensitive(true).build_literals(words).ok())
    }

    /// Returns a line as an answer shows it: of a long one the [`MOST_CHARS`] with the most words. O(bytes of a long
    /// line).
    pub(crate) fn shown<'t>(&self, line: &'t str) -> Cow<'t, str> {
        if line.len() <= MOST_CHARS {
            return Cow::Borrowed(line);
        }
        around(line, self.densest(line), MOST_CHARS)
    }

    /// Returns the byte offset where the words are closest together.
    fn densest(&self, line: &str) -> usize {
        let mut found: Vec<usize> = Vec::new();
        if let Some(matcher) = &self.0 {
            // Matching in memory does not fail.
            let _ = matcher.find_iter(line.as_bytes(), |it| {
                found.push(it.start());
                true
            });
        }
        let reach = MOST_CHARS * 3 / 4;
        let (mut best, mut first) = ((0, 0), 0);
        for (last, at) in found.iter().enumerate() {
            while found[first] + reach < *at {
                first += 1;
            }
            if last + 1 - first > best.0 {
                best = (last + 1 - first, found[first]);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use sscg_retrieve::Filters;

    use super::*;

    #[test]
    fn a_long_line_is_cut_around_the_words_of_the_question() {
        let query = Query::parse("where are sockets closed", Filters::default()).expect("valid");
        let lines = LongLines::new(&query);
        let filler = "é = é; ".repeat(1_000);
        let line = format!("socket = 1; {filler}Socket.close(); {filler}");
        let shown = lines.shown(&line);
        assert!(shown.contains("Socket.close()"), "{shown}");
        assert!(shown.starts_with('…') && shown.ends_with('…'));
        assert_eq!(shown.chars().count(), MOST_CHARS + 2);
        assert_eq!(lines.shown("close(socket)"), "close(socket)");
        let without = lines.shown(&filler);
        assert!(without.starts_with('é') && without.ends_with('…'));
    }
}
