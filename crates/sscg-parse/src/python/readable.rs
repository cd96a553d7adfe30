//! Rewriting of texts that the grammar cannot parse, or not in linear time.
//!
//! At each token, the grammar's scanner saves the indentation of all enclosing blocks, two bytes each, and the open
//! quotes, one byte each, up to 255. tree-sitter aborts the process if that takes more than 1,024 bytes. The number
//! of blocks around any place is at most the number of distinct indentation widths in the text.
//!
//! At each comment and line break, the scanner reads ahead to the next line of code to find its indentation.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::{iter, mem};

use sscg_core::Span;

use crate::nesting::{TOO_DEEP, blank};
use crate::text::{lines, long_lines};

/// Maximum number of distinct indentation widths in a text: 2 * 200 + 255 bytes, below 1,024. At the end of each block
/// the scanner reads past the blank lines after it, so a long run of them is read up to this many times. 2,030 files of
/// real code have at most 33 widths each.
const MAX_WIDTHS: usize = 200;

/// Maximum number of comments and continued lines between two lines of code.
const MAX_RUN: usize = 500;

/// Maximum number of targets or values on one line, outside brackets.
const MAX_TARGETS: usize = 20_000;

/// Diagnostic for a line with more than [`MAX_TARGETS`].
const TOO_MANY: &str = "more targets or values in one line than people write; the others were left out";

/// Maximum number of changes from one operator to another on one line without an operand between them.
const MAX_OPERATORS: usize = 200;

/// Diagnostic for a line with more than [`MAX_OPERATORS`].
const NO_OPERANDS: &str = "more operators without operands than people write; the others were left out";

/// Returns a text of the same length that the grammar can parse, with the offset and reason of each omission.
pub(super) fn readable(source: &str) -> (Cow<'_, str>, Vec<(u32, &'static str)>) {
    let mut text = joined(source).map_or(Cow::Borrowed(source), Cow::Owned);
    let mut left_out = Vec::new();
    if let Some((cut, at)) = unindented(&text) {
        text = Cow::Owned(cut);
        left_out.push((at, TOO_DEEP));
    }
    if let Some((cut, at)) = untargeted(&text) {
        text = Cow::Owned(cut);
        left_out.push((at, TOO_MANY));
    }
    if let Some((cut, at)) = without_long_operators(&text) {
        text = Cow::Owned(cut);
        left_out.push((at, NO_OPERANDS));
    }
    (text, left_out)
}

/// Returns the text with each run of more than [`MAX_RUN`] comments and continued lines joined into one line; `None`
/// if there is no such run. O(bytes).
fn joined(source: &str) -> Option<String> {
    let mut joined: Option<String> = None;
    let mut join = |run: Span, parts: usize| {
        if parts > MAX_RUN {
            let range = run.start as usize..run.end as usize;
            let line = on_one_line(&source[range.clone()]);
            joined.get_or_insert_with(|| source.to_owned()).replace_range(range, &line);
        }
    };
    let (mut run, mut parts) = (Span::new(0, 0), 0);
    for line in lines(source) {
        run.end += line.len() as u32;
        let content = line.trim_start_matches([' ', '\t', '\r', '\n', '\x0c']);
        if content.starts_with('#') || is_continued(content) && content.len() <= "\\\r\n".len() {
            parts += 1;
        } else if !content.is_empty() {
            let code = run.end - line.len() as u32;
            join(Span::new(run.start, code), mem::take(&mut parts));
            run.start = run.end;
        }
    }
    join(run, parts);
    joined
}

/// Joins the lines of a run into one of the same length.
fn on_one_line(run: &str) -> String {
    // A comment ends at the end of its line.
    let (lines, end) = match run.strip_suffix('\n') {
        Some(lines) if run.contains('#') || !is_continued(run) => (lines, "\n"),
        _ => (run, ""),
    };
    lines.replace("\\\r\n", "   ").replace("\\\n", "  ").replace(['\r', '\n'], " ") + end
}

fn is_continued(line: &str) -> bool {
    line.ends_with("\\\n") || line.ends_with("\\\r\n")
}

/// Returns the text without the parts of lines after [`MAX_TARGETS`] commas, and the offset of the first of these
/// parts; `None` if no line has as many. Lines with brackets or quotes, which may close something, stay as they are.
/// O(bytes).
fn untargeted(source: &str) -> Option<(String, u32)> {
    let mut cut: Option<(String, u32)> = None;
    for (start, line) in long_lines(source, MAX_TARGETS) {
        if let Some((at, _)) = line.match_indices(',').nth(MAX_TARGETS)
            && !line.contains(['"', '\'', '(', ')', '[', ']', '{', '}'])
        {
            let rest = Span::new((start + at) as u32, (start + line.trim_end().len()) as u32);
            blank(&mut cut.get_or_insert_with(|| (source.to_owned(), rest.start)).0, rest);
        }
    }
    cut
}

/// Returns the text without the rest of each run of operators after [`MAX_OPERATORS`] changes, and the offset of the
/// first of these; `None` if there is none. Fuzzing found 7 KB of such a run that took two seconds and 1.2 GB, in one
/// step. O(bytes).
fn without_long_operators(source: &str) -> Option<(String, u32)> {
    let mut cut: Option<(String, u32)> = None;
    for (start, line) in long_lines(source, MAX_OPERATORS) {
        let (mut changes, mut last, mut run) = (0, None, None);
        // The end of the text ends a run, too.
        for (at, byte) in line.bytes().chain([b'\n']).enumerate() {
            if b"+-*/%@&|^~<>=!".contains(&byte) {
                changes += usize::from(last.is_some_and(|last| last != byte));
                last = Some(byte);
                if changes > MAX_OPERATORS {
                    run = run.or(Some(at));
                }
            } else if byte != b' ' {
                if let Some(from) = run.take() {
                    let rest = Span::new((start + from) as u32, (start + at) as u32);
                    blank(&mut cut.get_or_insert_with(|| (source.to_owned(), rest.start)).0, rest);
                }
                (changes, last) = (0, None);
            }
        }
    }
    cut
}

/// Returns the text without the lines that are indented further than the [`MAX_WIDTHS`] smallest widths, and the
/// offset of the first of them; `None` if the text has no more widths than that. Brackets and quotes that such a line
/// opens or closes for other lines are kept, at its start. O(bytes).
pub(super) fn unindented(source: &str) -> Option<(String, u32)> {
    let widest = widest(source)?;
    let mut text = source.to_owned();
    let mut first = None;
    for (line, _) in widths(source).filter(|(_, width)| *width > widest) {
        first = first.or(Some(line.start));
        let kept = unmatched(line.text(source));
        blank(&mut text, line);
        text.replace_range(line.start as usize..line.start as usize + kept.len(), &kept);
    }
    first.map(|first| (text, first))
}

/// Returns the brackets and triple quotes of a line that have no counterpart in it.
fn unmatched(line: &str) -> String {
    let mut open: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
        let token =
            ["\"\"\"", "'''", "(", ")", "[", "]", "{", "}"].into_iter().find(|token| rest.starts_with(token));
        let opening = match token {
            Some(")") => Some("("),
            Some("]") => Some("["),
            Some("}") => Some("{"),
            quotes => quotes.filter(|token| token.len() > 1),
        };
        match token {
            Some(_) if opening.is_some() && open.last().copied() == opening => _ = open.pop(),
            Some(token) => open.push(token),
            None => {}
        }
        at += token.map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), str::len);
    }
    open.concat()
}

/// Returns the largest width that may stay; `None` if all may.
fn widest(source: &str) -> Option<u16> {
    let mut seen: BTreeSet<u16> = BTreeSet::new();
    let mut last = None;
    for (_, width) in widths(source) {
        if last != Some(width) {
            seen.insert(width);
            last = Some(width);
        }
    }
    (seen.len() > MAX_WIDTHS).then(|| seen.iter().nth(MAX_WIDTHS - 1).copied()).flatten()
}

/// Returns the non-blank lines, each with its width as the scanner counts it. A tab counts 8. The width before a lone
/// line-continuation backslash is added to that of the next line.
fn widths(source: &str) -> impl Iterator<Item = (Span, u16)> {
    let (mut start, mut carried) = (0, 0_u16);
    let mut lines = lines(source);
    iter::from_fn(move || {
        loop {
            let line = lines.next()?;
            let span = Span::new(start, start + line.len() as u32);
            start = span.end;
            let mut width = carried;
            let mut content = line.as_bytes();
            while let [first @ (b' ' | b'\t' | b'\r' | b'\x0c'), rest @ ..] = content {
                width = match first {
                    b' ' => width.wrapping_add(1),
                    b'\t' => width.wrapping_add(8),
                    _ => 0,
                };
                content = rest;
            }
            carried = 0;
            match content {
                [] | [b'\n'] => {}
                [b'\\', b'\n'] | [b'\\', b'\r', b'\n'] => carried = width,
                _ => return Some((span, width)),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nesting::TOO_DEEP;

    /// Returns nested blocks, each indented one step further, with a quoted text in the innermost.
    fn nested(levels: usize, indent: &str) -> String {
        let blocks = (0..levels).map(|level| format!("{}if x:\n", indent.repeat(level)));
        let inside = format!("{}y = f'{{z}}a{{f\"{{q}}\"}}'\n", indent.repeat(levels));
        blocks.collect::<String>() + &inside + "def last(): pass\n"
    }

    #[test]
    fn blocks_that_the_grammar_cannot_note_are_left_out() {
        for indent in [" ", "\t", " \\\n"] {
            assert_eq!(unindented(&nested(150, indent)), None);
            let deep = nested(250, indent);
            let (text, at) = unindented(&deep).expect("it has too many widths");
            assert_eq!(text.len(), deep.len());
            assert!(at > 0, "{indent:?}");
            assert_eq!(unindented(&text), None);
        }
        let deep = nested(600, " ");
        let facts = crate::extract("a.py", &deep).expect("it is read");
        assert!(facts.symbols.iter().any(|symbol| &*symbol.name == "last"));
        assert!(facts.diagnostics.iter().any(|it| &*it.message == TOO_DEEP));
        crate::FileType::of_path("a.py").expect("it is read").highlights(&deep);
    }

    #[test]
    fn long_runs_of_comments_and_continued_lines_are_one_line() {
        for (line, before, after) in [
            ("# c\n", "x = 1\n", "y = 2\n"),
            ("    # c\r\n\r\n", "if x:\r\n    z\r\n", "    y = 2\r\n"),
            (" \\\n", "x = 1 \\\n", "+ 3\ny = 2\n"),
            ("\\\r\n", "x = 1 \\\r\n", "+ 3\r\ny = 2\r\n"),
            ("# c\n\\\n", "x = 1\n", "y = 2\n"),
            ("# c\n", "", ""),
        ] {
            let text = |lines: usize| [before, &line.repeat(lines), after].concat();
            assert!(
                matches!(readable(&text(200)), (Cow::Borrowed(_), ref left_out) if left_out.is_empty()),
                "{line:?}"
            );
            let long = text(600);
            let (one, at) = readable(&long);
            assert_eq!((one.len(), at), (long.len(), Vec::new()), "{line:?}");
            assert!(one.starts_with(before) && one.ends_with(after), "{line:?}");
            assert!(one.lines().count() <= text(0).lines().count() + 1, "{line:?}");
            let facts = crate::extract("a.py", &long).expect("it is read");
            assert!(facts.diagnostics.is_empty(), "{line:?} {:?}", facts.diagnostics);
            let has_last = facts.symbols.iter().any(|symbol| &*symbol.name == "y");
            assert_eq!(has_last, !after.is_empty(), "{line:?}");
        }
    }

    #[test]
    fn what_left_out_lines_close_is_closed() {
        for (open, line, close) in [("x = (1,\n", "1,\n", ")\n"), ("x = \"\"\"\n", "a\n", "b\"\"\"\n")] {
            let lines: String = (0..450).map(|width| " ".repeat(width) + line).collect();
            let text = [open, &lines, &" ".repeat(450), close, "def last(): pass\n"].concat();
            let (cut, _) = unindented(&text).expect("it has too many widths");
            assert_eq!(cut.len(), text.len());
            let facts = crate::extract("a.py", &text).expect("it is read");
            assert!(facts.symbols.iter().any(|symbol| &*symbol.name == "last"), "{open:?}");
            assert_eq!(facts.diagnostics.len(), 1, "{:?}", facts.diagnostics);
        }
        assert_eq!(unmatched("f(a)[b] = {'x': ("), "{(");
        assert_eq!(unmatched(") + \"\"\"a\"\"\" + ["), ")[");
    }

    #[test]
    fn very_many_targets_are_left_out() {
        let text = |targets: usize| format!("{}= b\ny = 1\n", "x, ".repeat(targets));
        assert_eq!(untargeted(&text(10_000)), None);
        assert_eq!(untargeted(&format!("x = [{}]\n", "1, ".repeat(30_000))), None);
        assert_eq!(untargeted(&format!("x = '{}'\n", "1, ".repeat(30_000))), None);
        let (cut, at) = untargeted(&text(30_000)).expect("it has too many");
        assert_eq!((cut.len(), at), (text(30_000).len(), 3 * 20_000 + 1));
        assert!(cut.ends_with(" \ny = 1\n"));
    }

    #[test]
    fn long_runs_of_operators_are_left_out() {
        let text = |times: usize| {
            format!("x = 1\n{}**{} y\ndef last(): pass\n", "/*".repeat(times), "* /".repeat(times))
        };
        assert_eq!(without_long_operators(&text(40)), None);
        assert_eq!(without_long_operators(&format!("# {}\n", "-".repeat(5_000))), None);
        assert_eq!(without_long_operators(&"a + -b * ".repeat(1_000)), None);
        let long = text(3_500);
        let (cut, at) = without_long_operators(&long).expect("it is too long");
        assert_eq!((cut.len(), at), (long.len(), 6 + 201));
        assert!(cut.ends_with(" y\ndef last(): pass\n"));
        let facts = crate::extract("a.py", &long).expect("it is read");
        assert!(facts.symbols.iter().any(|symbol| &*symbol.name == "last"), "{:?}", facts.diagnostics);
        assert!(facts.diagnostics.iter().any(|it| &*it.message == NO_OPERANDS));
        let end = "/*".repeat(500);
        assert_eq!(without_long_operators(&end).map(|(cut, _)| cut.trim_end().len()), Some(201));
    }

    #[test]
    fn widths_are_those_of_the_scanner() {
        let all = |source: &str| widths(source).map(|(_, width)| width).collect::<Vec<_>>();
        assert_eq!(all("a\n  b\n\n \tc\n\x0c d\n   \r\ne"), [0, 2, 9, 1, 0]);
        assert_eq!(all(" \\\n  a\n\\\nb\n"), [3, 0]);
    }
}
