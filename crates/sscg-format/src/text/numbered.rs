//! Line numbers.

use crate::FileSnapshot;
use crate::excerpt::SENT_BEFORE;

/// Line of a text with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NumberedLine<'t> {
    /// Line number in the file and a tab; empty for a line that is not the file's own.
    pub number: String,
    /// Line, or the mark of a gap.
    pub text: &'t str,
}

/// Returns the lines of a text that shows a file's own, with their numbers. Leaves out blank lines, and ranges in marks
/// of gaps that follow from the numbers around them, but not those of lines that were sent before. `None` for other texts. O(bytes of the text).
pub fn numbered_lines(snapshot: &FileSnapshot) -> Option<Vec<NumberedLine<'_>>> {
    if snapshot.lines.is_empty() {
        return None;
    }
    let unnumbered = |text| NumberedLine { number: String::new(), text };
    let mut lines = snapshot.text.lines();
    let mut numbered: Vec<NumberedLine<'_>> = lines.next().map(unnumbered).into_iter().collect();
    for (at, range) in snapshot.lines.iter().enumerate() {
        if at > 0
            && let Some(mark) = lines.next()
        {
            numbered.push(unnumbered(if mark.ends_with(SENT_BEFORE) { mark } else { "..." }));
        }
        let own = (range.start..=range.end).zip(lines.by_ref().take((range.end + 1 - range.start) as usize));
        let own = own.filter(|(_, text)| !text.trim().is_empty());
        numbered.extend(own.map(|(line, text)| NumberedLine { number: format!("{line}\t"), text }));
    }
    // The mark of a gap at the end keeps its range.
    numbered.extend(lines.next().map(unnumbered));
    Some(numbered)
}

#[cfg(test)]
mod tests {
    use sscg_core::{LineIndex, LineRange};

    use super::*;
    use crate::{Lines, excerpt};

    fn text(ranges: &[(u32, u32)], end: u32) -> String {
        let source = "a\n\nb\n... 1-2\nd\ne\n";
        let ranges: Vec<LineRange> =
            ranges.iter().map(|(start, end)| LineRange { start: *start, end: *end }).collect();
        let index = LineIndex::new(source);
        let snapshot = FileSnapshot {
            text: excerpt("x/y.rs", "//", &ranges, end, |line| index.line_span(line).text(source).into()),
            lines: ranges.iter().map(|range| Lines { start: range.start, end: range.end }).collect(),
            ..FileSnapshot::default()
        };
        let lines = numbered_lines(&snapshot).unwrap();
        lines.iter().map(|line| format!("{}{}\n", line.number, line.text)).collect()
    }

    #[test]
    fn own_lines_have_their_numbers() {
        assert_eq!(text(&[(1, 4)], 0), "// x/y.rs:1-4\n1\ta\n3\tb\n4\t... 1-2\n");
        assert_eq!(text(&[(1, 1), (4, 5)], 6), "// x/y.rs:1-1\n1\ta\n...\n4\t... 1-2\n5\td\n... 6-6\n");
        assert_eq!(numbered_lines(&FileSnapshot { text: "x".to_owned(), ..FileSnapshot::default() }), None);
    }
}
