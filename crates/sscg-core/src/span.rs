//! Positions in a source file.

use serde::{Deserialize, Serialize};

/// Half-open byte range in a file. Files are at most 4 GiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Creates the span `start..end`.
    pub fn new(start: u32, end: u32) -> Self {
        debug_assert!(start <= end, "a span does not run backwards");
        Self { start, end }
    }

    /// Returns true if `other` lies inside this span (equal spans contain each other).
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the length in bytes.
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// Returns true if the span is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the text of the span.
    ///
    /// # Panics
    /// If the span does not lie on character boundaries of `source`.
    pub fn text(self, source: &str) -> &str {
        &source[self.start as usize..self.end as usize]
    }
}

/// Range of 1-based lines, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LineRange {
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
}

impl LineRange {
    /// Returns the number of lines.
    pub fn count(self) -> u32 {
        self.end - self.start + 1
    }

    /// Returns true if `line` lies in the range.
    pub fn contains(self, line: u32) -> bool {
        self.start <= line && line <= self.end
    }
}

/// Maps byte offsets of one text to line numbers. Lines end at `\n`; a `\r` before it belongs to the line.
#[derive(Clone, Debug)]
pub struct LineIndex {
    /// Byte offset of each line's first byte.
    starts: Vec<u32>,
    len: u32,
}

impl LineIndex {
    /// Scans `source` once. O(bytes).
    ///
    /// # Panics
    /// If `source` is longer than 4 GiB.
    pub fn new(source: &str) -> Self {
        let len = u32::try_from(source.len()).expect("source files are at most 4 GiB");
        let breaks = memchr::memchr_iter(b'\n', source.as_bytes());
        let starts = std::iter::once(0).chain(breaks.map(|at| at as u32 + 1)).collect();
        Self { starts, len }
    }

    /// Returns the 1-based line of a byte offset. O(log lines).
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset) as u32
    }

    /// Returns the 1-based line of a byte offset that is probably on line `near` or shortly below it. O(1) in that
    /// case, O(log lines) otherwise.
    pub fn line_near(&self, offset: u32, near: u32) -> u32 {
        const LOOK_AHEAD: usize = 8;
        let from = near.max(1) as usize;
        if self.starts.get(from - 1).is_some_and(|start| *start <= offset) {
            let below = &self.starts[from..self.starts.len().min(from + LOOK_AHEAD)];
            if let Some(passed) = below.iter().position(|start| *start > offset) {
                return (from + passed) as u32;
            }
        }
        self.line(offset)
    }

    /// Returns the lines a span touches. A newline at the end of the span does not count as the next line.
    pub fn lines(&self, span: Span) -> LineRange {
        let last = if span.is_empty() { span.start } else { span.end - 1 };
        LineRange { start: self.line(span.start), end: self.line(last) }
    }

    /// Returns the span of a line without its newline; an empty span at the end of the text for a line past the last.
    pub fn line_span(&self, line: u32) -> Span {
        let start = self.starts.get(line as usize - 1).copied().unwrap_or(self.len);
        let end = self.starts.get(line as usize).map_or(self.len, |next| next - 1);
        Span::new(start, end.max(start))
    }

    /// Returns the number of lines. A final newline does not start another line.
    pub fn line_count(&self) -> u32 {
        let lines = self.starts.len() as u32;
        if self.starts.last() == Some(&self.len) { lines - 1 } else { lines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_map_to_the_line_they_stand_on() {
        let index = LineIndex::new("ab\ncd\n\ne");
        let lines: Vec<u32> = (0..8).map(|at| index.line(at)).collect();
        assert_eq!(lines, [1, 1, 1, 2, 2, 2, 3, 4]);
        for near in 0..6 {
            let lines_near: Vec<u32> = (0..8).map(|at| index.line_near(at, near)).collect();
            assert_eq!(lines_near, lines, "near {near}");
        }
        assert_eq!(index.line_count(), 4);
        assert_eq!(LineIndex::new("a\n").line_count(), 1);
        assert_eq!(LineIndex::new("").line_count(), 0);
    }

    #[test]
    fn a_span_that_ends_with_its_newline_stays_on_its_lines() {
        let index = LineIndex::new("ab\ncd\nef");
        assert_eq!(index.lines(Span::new(0, 3)), LineRange { start: 1, end: 1 });
        assert_eq!(index.lines(Span::new(1, 5)), LineRange { start: 1, end: 2 });
        assert_eq!(index.line_span(2), Span::new(3, 5));
        assert_eq!(index.line_span(3), Span::new(6, 8));
        assert_eq!(index.line_span(4), Span::new(8, 8));
    }
}
