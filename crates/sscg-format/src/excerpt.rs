//! Excerpts: lines of a file with a mark at each gap.

use std::borrow::Cow;

use sscg_core::LineRange;

/// End of the mark of a gap whose lines were sent before.
pub(crate) const SENT_BEFORE: &str = " sent before";

/// Formats lines of a file, after a comment with the file and the first range. Each gap is marked with
/// `... FIRST-LAST`, the omitted range. A gap after the last lines is marked up to `end`, the last line of a
/// declaration that is shown in part.
///
/// `ranges` are sorted and do not touch each other; `line` returns the text of a line. O(lines shown).
///
/// ```
/// # use sscg_core::{LineIndex, LineRange};
/// let source = "def f():\n    a = 1\n    b = 2\n    return a\n";
/// let index = LineIndex::new(source);
/// let ranges = [LineRange { start: 1, end: 1 }, LineRange { start: 4, end: 4 }];
/// let text = sscg_format::excerpt("m.py", "#", &ranges, 4, |line| index.line_span(line).text(source).into());
/// assert_eq!(text, "# m.py:1-1\ndef f():\n... 2-3\n    return a\n");
/// ```
pub fn excerpt<'t>(
    path: &str,
    comment: &str,
    ranges: &[LineRange],
    end: u32,
    line: impl Fn(u32) -> Cow<'t, str>,
) -> String {
    let Some(first) = ranges.first() else { return String::new() };
    let mut out = format!("{comment} {path}:{}-{}\n", first.start, first.end);
    let mut next = first.start;
    for range in ranges {
        push_cut(&mut out, next, range.start);
        for number in range.start..=range.end {
            out.push_str(line(number).trim_end_matches('\r'));
            out.push('\n');
        }
        next = range.end + 1;
    }
    push_cut(&mut out, next, end + 1);
    out
}

/// Marks the lines from `start` up to, not including, `end` as omitted, if there are any.
fn push_cut(out: &mut String, start: u32, end: u32) {
    if start < end {
        out.push_str(&format!("... {start}-{}\n", end - 1));
    }
}

#[cfg(test)]
mod tests {
    use sscg_core::LineIndex;

    use super::*;

    #[test]
    fn every_cut_is_marked_with_its_range() {
        let source = "a\r\nb\r\nc\nd\ne\nf";
        let index = LineIndex::new(source);
        let shown = |ranges: &[(u32, u32)], end| {
            let ranges: Vec<LineRange> =
                ranges.iter().map(|(start, end)| LineRange { start: *start, end: *end }).collect();
            excerpt("x/y.rs", "//", &ranges, end, |line| index.line_span(line).text(source).into())
        };
        assert_eq!(shown(&[(1, 2)], 0), "// x/y.rs:1-2\na\nb\n");
        assert_eq!(shown(&[(1, 1), (3, 3)], 6), "// x/y.rs:1-1\na\n... 2-2\nc\n... 4-6\n");
        assert_eq!(shown(&[(5, 6)], 6), "// x/y.rs:5-6\ne\nf\n");
        assert_eq!(shown(&[], 6), "");
    }
}
