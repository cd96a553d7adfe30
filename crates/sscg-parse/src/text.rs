//! Operations on source text shared by the frontends.

use std::borrow::Cow;
use std::iter;

use memchr::{memchr, memchr_iter, memrchr};

/// True for white space and the byte order mark.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// Returns the lines of a text with their line breaks.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let ends = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
    ends.chain([text.len()])
        .map(move |end| &text[std::mem::replace(&mut start, end)..end])
        .filter(|line| !line.is_empty())
}

/// Returns the lines of more than `length` bytes, each with its offset. Of other lines it reads few bytes.
pub(crate) fn long_lines(text: &str, length: usize) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut start = 0;
    iter::from_fn(move || {
        // No line before the last line break of the window is longer than the window.
        while let Some(last) = memrchr(b'\n', bytes.get(start..start + length)?) {
            start += last + 1;
        }
        let line = start;
        start += memchr(b'\n', &bytes[start..]).map_or(bytes.len() - start, |at| at + 1);
        (start - line > length).then(|| (line, &text[line..start]))
    })
}

/// Joins code into one line. Runs of white space become one space. Line breaks at the inner edge of brackets are
/// removed, and so is a trailing comma before a closing bracket on its own line.
pub(crate) fn one_line(code: &str) -> String {
    let code = code.trim();
    if is_one_line(code) {
        return code.to_owned();
    }
    let mut joined = String::with_capacity(code.len());
    for line in code.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let closes = line.starts_with([')', ']', '>']);
        if closes && joined.ends_with(',') {
            joined.pop();
        }
        let at_edge = joined.is_empty() || closes || joined.ends_with(['(', '[', '<']);
        if !at_edge {
            joined.push(' ');
        }
        if is_one_line(line) {
            joined.push_str(line);
            continue;
        }
        for (index, word) in line.split_whitespace().enumerate() {
            if index > 0 {
                joined.push(' ');
            }
            joined.push_str(word);
        }
    }
    joined
}

/// True if trimmed text is on one line already, with single spaces. Most text is, and this check costs less than
/// rebuilding it.
fn is_one_line(code: &str) -> bool {
    // No early exits, so that the compiler can vectorize the loops.
    let bytes = code.as_bytes();
    let is_plain = bytes.iter().fold(true, |plain, byte| plain & (b' '..0x7f).contains(byte));
    let has_gap =
        bytes.iter().zip(bytes.iter().skip(1)).fold(false, |gap, (a, b)| gap | (*a == b' ' && *b == b' '));
    is_plain && !has_gap
}

/// Removes the `//` comments from code on several lines. Joined into one line, they would hide the code after them.
/// `quotes` are the delimiters of strings.
pub(crate) fn without_line_comments<'c>(code: &'c str, quotes: &[u8]) -> Cow<'c, str> {
    if !code.contains("//") || !code.contains('\n') {
        return Cow::Borrowed(code);
    }
    let kept = code.split_inclusive('\n').map(|line| match line_comment(line, quotes) {
        Some(at) => &line[..at],
        None => line,
    });
    Cow::Owned(kept.flat_map(|line| [line.trim_end(), "\n"]).collect())
}

/// Returns the offset of the comment at the end of a line.
fn line_comment(line: &str, quotes: &[u8]) -> Option<usize> {
    let bytes = line.as_bytes();
    // Most lines have none.
    let mut at = if line.contains("//") { 0 } else { bytes.len() };
    while at < bytes.len() {
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => return Some(at),
            quote if quotes.contains(&quote) => {
                let rest = &bytes[at + 1..];
                let is_end = |end: &usize| rest[*end] == quote && (*end == 0 || rest[end - 1] != b'\\');
                at += (0..rest.len()).find(is_end).map_or(1, |end| end + 2);
            }
            _ => at += 1,
        }
    }
    None
}

/// Returns the first words of a statement, as the name of its chunk: at most 40 characters of its first line.
pub(crate) fn headline(code: &str) -> String {
    let line = code.lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(40) {
        Some((cut, _)) => line[..cut].trim_end().to_owned(),
        None => line.to_owned(),
    }
}

/// Returns the first words of adjacent comments, as the name of their chunk, without markers and rulers: `Section` of
/// `# ---- Section ----`. A first line for the system (`#!/bin/sh`), or a comment without words, stays as it is.
pub(crate) fn comment_headline(raw: &str) -> String {
    let is_ruler = |c: char| c.is_whitespace() || "-=*#:/~_!+|".contains(c);
    let text = comment_text(raw);
    let words = text.trim_start_matches(is_ruler);
    headline(if raw.starts_with("#!/") || words.is_empty() { raw } else { words })
}

/// Returns the text of one or more adjacent comments without their markers: `///`, `//!`, `//`, `#`, `/** */`, `/*! */`
/// and the stars at the starts of the lines of a block.
pub(crate) fn comment_text(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut in_block = false;
    for line in raw.lines() {
        let mut line = line.trim_ascii();
        if !in_block {
            if let Some(rest) = line.strip_prefix("/*") {
                in_block = true;
                line = rest.trim_start_matches(['*', '!']);
            } else if let Some(rest) = line.strip_prefix("//") {
                line = rest.strip_prefix(['/', '!']).unwrap_or(rest);
            } else {
                line = line.strip_prefix('#').unwrap_or(line);
            }
        } else if !line.starts_with("*/") {
            line = line.strip_prefix('*').unwrap_or(line);
        }
        if in_block && let Some(rest) = line.strip_suffix("*/") {
            in_block = false;
            line = rest.trim_end_matches('*');
        }
        let line = line.strip_prefix(' ').unwrap_or(line).trim_ascii_end();
        if text.is_empty() {
            text.push_str(line.trim_ascii_start());
        } else {
            text.push('\n');
            text.push_str(line);
        }
    }
    text.truncate(text.trim_ascii_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_standard_library() {
        let text = "\n\nab\nabc\r\n\nabcde\nabcdef";
        for end in 0..=text.len() {
            let text = &text[..end];
            let expected: Vec<&str> = text.split_inclusive('\n').collect();
            assert_eq!(lines(text).collect::<Vec<_>>(), expected);
            for length in 1..8 {
                let expected: Vec<&str> =
                    expected.iter().copied().filter(|line| line.len() > length).collect();
                let long: Vec<&str> = long_lines(text, length).map(|(_, line)| line).collect();
                assert_eq!(long, expected, "{text:?} {length}");
                assert!(long_lines(text, length).all(|(start, line)| text[start..].starts_with(line)));
            }
        }
    }

    #[test]
    fn signatures_fit_on_one_line() {
        assert_eq!(one_line("fn f(\n    a: u8,\n    b: &str,\n) -> u8"), "fn f(a: u8, b: &str) -> u8");
        assert_eq!(one_line("fn f<\n  T,\n>()"), "fn f<T>()");
        assert_eq!(one_line("BIT = 1 <<  3"), "BIT = 1 << 3");
    }

    #[test]
    fn comments_at_the_ends_of_lines_go() {
        let code = "f(\n  a: u8, // the first\n  b = \"http://x\",\n  c: &'a str, // it's\n)";
        let expected = "f(\n  a: u8,\n  b = \"http://x\",\n  c: &'a str,\n)\n";
        assert_eq!(without_line_comments(code, b"\""), expected);
        assert_eq!(without_line_comments("a // b", b"\""), "a // b");
        assert_eq!(without_line_comments("a = '//', // b\nc", b"\"'"), "a = '//',\nc\n");
    }

    #[test]
    fn doc_comments_lose_their_markers() {
        assert_eq!(comment_text("/// One.\n///\n///  Two."), "One.\n\n Two.");
        assert_eq!(comment_text("/** One. */"), "One.");
        assert_eq!(comment_text("/**\n * One.\n *\n * Two.\n */"), "One.\n\nTwo.");
        assert_eq!(comment_text("# One.\n# Two."), "One.\nTwo.");
        assert_eq!(comment_text("//! One."), "One.");
    }
}
