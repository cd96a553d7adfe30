//! Code that a session has received before.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;

use crate::excerpt::SENT_BEFORE;
use crate::{Answer, CodeStyle, FileSnapshot, Lines};

/// Number of tokens of answers after which code counts as forgotten: in long conversations, agents drop or summarize what is
/// old. A third of a context window of 200,000 tokens, as answers are a part of a conversation.
const MEMORY_TOKENS: usize = 60_000;

/// Minimum number of consecutive lines that a mark replaces: shorter runs save little, and their code reads better whole.
const LEAST_LINES: usize = 4;

/// Maximum number of lines that are remembered; beyond it, all are forgotten.
const MOST_LINES: usize = 200_000;

/// Lines of code that a session has received, so that later answers need not repeat them.
///
/// A line is the same if its file, its number and its text are; so changed and moved code is sent again.
///
/// ```
/// use sscg_format::{Answer, FileSnapshot, Lines, SentCode};
///
/// let code = FileSnapshot::default()
///     .with_file("a.py")
///     .with_text("# a.py:1-4\ndef f(x):\n    y = x + 1\n    z = y + 1\n    return z\n")
///     .with_lines(vec![Lines { start: 1, end: 4 }]);
/// let answer = Answer::default().with_snapshots(vec![code]);
/// let mut sent = SentCode::default();
/// sent.remember("shop", &answer);
/// let mut again = answer.clone();
/// assert_eq!(sent.omit_from("shop", &mut again), 4);
/// assert_eq!(again.snapshots[0].text, "# a.py: 1-4 sent before\n");
/// assert_eq!(sent.omit_from("another project", &mut answer.clone()), 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SentCode {
    files: BTreeMap<(Box<str>, Box<str>), BTreeMap<u32, SentLine>>,
    /// Number of lines in `files`.
    count: usize,
    /// Tokens of all answers so far.
    tokens: usize,
}

/// Line as it was sent.
#[derive(Clone, Copy, Debug)]
struct SentLine {
    hash: u64,
    /// Tokens of all answers up to the one with the line.
    at: usize,
}

impl SentCode {
    /// Replaces lines that were sent before by marks such as `... 40-62 sent before`, and returns their number. The code of
    /// other styles than [`CodeStyle::Lines`] stays. O(bytes of the code).
    pub fn omit_from(&self, project: &str, answer: &mut Answer) -> usize {
        let mut omitted = 0;
        if answer.code == CodeStyle::Lines {
            for snapshot in &mut answer.snapshots {
                omitted += self.omit_from_file(project, snapshot);
            }
        }
        answer.sent_lines = omitted;
        omitted
    }

    /// Remembers the code of an answer that is sent. O(bytes of the code).
    pub fn remember(&mut self, project: &str, answer: &Answer) {
        self.tokens += answer.token_count;
        let at = self.tokens;
        for snapshot in &answer.snapshots {
            let lines = self.files.entry((project.into(), (*snapshot.file).into())).or_default();
            for (number, text) in own_lines(snapshot) {
                self.count += usize::from(lines.insert(number, SentLine { hash: hash(text), at }).is_none());
            }
        }
        if self.count > MOST_LINES {
            self.files.clear();
            self.count = 0;
        }
    }

    fn omit_from_file(&self, project: &str, snapshot: &mut FileSnapshot) -> usize {
        let Some(sent) = self.files.get(&(project.into(), (*snapshot.file).into())) else { return 0 };
        let is_known = |number: u32, text: &str| {
            let is_same = |line: &SentLine| line.hash == hash(text) && self.tokens - line.at <= MEMORY_TOKENS;
            sent.get(&number).is_some_and(is_same)
        };
        let lines: Vec<(u32, &str)> = own_lines(snapshot).collect();
        let runs = lines.chunk_by(|a, b| a.0 + 1 == b.0 && is_known(a.0, a.1) == is_known(b.0, b.1));
        let (omitted, shown): (Vec<_>, Vec<_>) =
            runs.partition(|run| run.len() >= LEAST_LINES && is_known(run[0].0, run[0].1));
        if omitted.is_empty() {
            return 0;
        }
        let omitted: Vec<RangeInclusive<u32>> =
            omitted.iter().map(|run| run[0].0..=run[run.len() - 1].0).collect();
        let (text, lines) = without(snapshot, &shown.concat(), &omitted);
        (snapshot.text, snapshot.lines) = (text, lines);
        omitted.iter().map(|range| (range.end() + 1 - range.start()) as usize).sum()
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Returns the file's own lines in a text, with their numbers.
fn own_lines(snapshot: &FileSnapshot) -> impl Iterator<Item = (u32, &str)> {
    let mut lines = snapshot.text.lines().skip(1);
    snapshot.lines.iter().enumerate().flat_map(move |(at, range)| {
        if at > 0 {
            // Between two ranges is the mark of a gap.
            lines.next();
        }
        let count = (range.end + 1 - range.start) as usize;
        (range.start..=range.end).zip(lines.by_ref().take(count)).collect::<Vec<_>>()
    })
}

/// Returns the text and the ranges with only the `shown` of the file's own lines. The `omitted` ranges appear in the marks of
/// gaps; before the first line, which no gap precedes, in the line with the path.
fn without(
    snapshot: &FileSnapshot,
    shown: &[(u32, &str)],
    omitted: &[RangeInclusive<u32>],
) -> (String, Vec<Lines>) {
    let own: usize = snapshot.lines.iter().map(|range| (range.end + 1 - range.start) as usize).sum();
    let head = snapshot.text.lines().next().unwrap_or_default();
    let place = head.rsplit_once(':').map_or(head, |(place, _)| place);
    // The mark of a gap after all lines, which shows that a declaration goes on.
    let rest = snapshot.text.lines().nth(own + snapshot.lines.len());
    let between = |start: u32, end: u32| {
        let ranges = omitted.iter().filter(|range| start <= *range.start() && *range.end() <= end);
        let ranges: Vec<String> = ranges.map(|range| format!("{}-{}", range.start(), range.end())).collect();
        (!ranges.is_empty()).then(|| format!("{}{SENT_BEFORE}", ranges.join(", ")))
    };
    let ranges: Vec<Lines> = shown
        .chunk_by(|a, b| a.0 + 1 == b.0)
        .map(|run| Lines { start: run[0].0, end: run[run.len() - 1].0 })
        .collect();
    let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else {
        return (format!("{place}: {}\n", between(0, u32::MAX).unwrap_or_default()), ranges);
    };
    let mut text = format!("{place}:{}-{}", first.start, first.end);
    if let Some(before) = between(0, first.start) {
        text += &format!(" ({before})");
    }
    text.push('\n');
    let mut shown = shown.iter();
    let mut next = first.start;
    for range in &ranges {
        if next < range.start {
            let sent = between(next, range.start).map(|sent| format!(", {sent}")).unwrap_or_default();
            text += &format!("... {next}-{}{sent}\n", range.start - 1);
        }
        for (_, line) in shown.by_ref().take((range.end + 1 - range.start) as usize) {
            text += line;
            text.push('\n');
        }
        next = range.end + 1;
    }
    match (between(last.end, u32::MAX), rest) {
        (Some(sent), Some(rest)) => text += &format!("{rest}, {sent}\n"),
        (Some(sent), None) => text += &format!("... {sent}\n"),
        (None, Some(rest)) => text += &format!("{rest}\n"),
        (None, None) => {}
    }
    (text, ranges)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sscg_core::{LineIndex, LineRange};

    use super::*;
    use crate::{excerpt, numbered_lines};

    const SOURCE: &str = "a1\nb2\nc3\nd4\ne5\nf6\ng7\nh8\ni9\nj10\nk11\nl12\nm13\nn14\no15\np16\n";

    fn answer(ranges: &[(u32, u32)], end: u32) -> Answer {
        let index = LineIndex::new(SOURCE);
        let parts: Vec<LineRange> =
            ranges.iter().map(|(start, end)| LineRange { start: *start, end: *end }).collect();
        let text = excerpt("x/y.rs", "//", &parts, end, |line| index.line_span(line).text(SOURCE).into());
        let lines = ranges.iter().map(|(start, end)| Lines { start: *start, end: *end }).collect();
        let snapshot = FileSnapshot::default().with_file("x/y.rs").with_text(text).with_lines(lines);
        Answer::default().with_snapshots(vec![snapshot]).with_token_count(1_000)
    }

    /// Returns the text of the second answer, and the number of lines that it does not repeat.
    fn second(first: &[(u32, u32)], then: &[(u32, u32)], end: u32) -> (String, usize) {
        let mut sent = SentCode::default();
        sent.remember("p", &answer(first, 0));
        let mut then = answer(then, end);
        let omitted = sent.omit_from("p", &mut then);
        assert_eq!(omitted, then.sent_lines);
        (then.snapshots.remove(0).text, omitted)
    }

    #[test]
    fn lines_that_were_sent_are_marks() {
        let text = |first: &[_], then: &[_], end| second(first, then, end).0;
        assert_eq!(text(&[(1, 4)], &[(1, 4)], 0), "// x/y.rs: 1-4 sent before\n");
        assert_eq!(text(&[(1, 4)], &[(1, 6)], 0), "// x/y.rs:5-6 (1-4 sent before)\ne5\nf6\n");
        assert_eq!(
            text(&[(5, 9)], &[(3, 11)], 0),
            "// x/y.rs:3-4\nc3\nd4\n... 5-9, 5-9 sent before\nj10\nk11\n"
        );
        assert_eq!(text(&[(5, 9)], &[(3, 9)], 0), "// x/y.rs:3-4\nc3\nd4\n... 5-9 sent before\n");
        assert_eq!(text(&[(5, 9)], &[(3, 9)], 16), "// x/y.rs:3-4\nc3\nd4\n... 10-16, 5-9 sent before\n");
        assert_eq!(
            text(&[(5, 8)], &[(1, 2), (5, 8), (12, 12)], 16),
            "// x/y.rs:1-2\na1\nb2\n... 3-11, 5-8 sent before\nl12\n... 13-16\n"
        );
        // Runs of fewer than four lines stay.
        assert_eq!(second(&[(1, 3)], &[(1, 3)], 0), ("// x/y.rs:1-3\na1\nb2\nc3\n".to_owned(), 0));
        assert_eq!(text(&[], &[(1, 2)], 0), "// x/y.rs:1-2\na1\nb2\n");
    }

    #[test]
    fn changed_and_forgotten_lines_are_sent_again() {
        let mut sent = SentCode::default();
        let known = answer(&[(1, 8)], 0);
        sent.remember("p", &known);
        let mut changed = known.clone();
        changed.snapshots[0].text = changed.snapshots[0].text.replace("d4", "d5");
        assert_eq!(sent.omit_from("p", &mut changed), 4, "{changed:?}");
        assert!(changed.snapshots[0].text.starts_with("// x/y.rs:1-4\na1\nb2\nc3\nd5\n... 5-8 sent before"));
        assert_eq!(sent.omit_from("p", &mut known.clone()), 8);
        sent.remember("p", &Answer::default().with_token_count(MEMORY_TOKENS + 1));
        assert_eq!(sent.omit_from("p", &mut known.clone()), 0);
        sent.remember("p", &known);
        assert_eq!(sent.omit_from("p", &mut known.clone()), 8);
        assert_eq!(sent.omit_from("p", &mut known.clone().with_code(CodeStyle::Snapshot)), 0);
    }

    fn ranges() -> impl Strategy<Value = Vec<(u32, u32)>> {
        prop::collection::btree_set(1..=16_u32, 0..=16).prop_map(|lines| {
            let lines: Vec<u32> = lines.into_iter().collect();
            lines.chunk_by(|a, b| a + 1 == *b).map(|run| (run[0], run[run.len() - 1])).collect()
        })
    }

    proptest! {
        /// Each line of an answer is in it, or was sent before and is in a mark; numbers of lines stay right.
        #[test]
        fn nothing_is_lost(first in ranges(), then in ranges(), end in 0..=16_u32) {
            let mut sent = SentCode::default();
            sent.remember("p", &answer(&first, 0));
            let whole = answer(&then, end);
            let mut short = whole.clone();
            let omitted = sent.omit_from("p", &mut short);
            let numbers = |answer: &Answer| own_lines(&answer.snapshots[0]).map(|(at, text)| (at, text.to_owned())).collect::<Vec<_>>();
            let (before, after) = (numbers(&whole), numbers(&short));
            prop_assert_eq!(before.len(), after.len() + omitted);
            for line in &before {
                let was_sent = first.iter().any(|(start, end)| (*start..=*end).contains(&line.0));
                prop_assert!(after.contains(line) || was_sent);
            }
            prop_assert!(after.iter().all(|line| before.contains(line)));
            if let Some(shown) = numbered_lines(&short.snapshots[0]) {
                for line in shown.iter().filter(|line| !line.number.is_empty()) {
                    let number: u32 = line.number.trim().parse().unwrap();
                    prop_assert_eq!(line.text, SOURCE.lines().nth(number as usize - 1).unwrap());
                }
            }
        }
    }
}
