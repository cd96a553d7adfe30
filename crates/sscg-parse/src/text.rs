//! Small operations on source text that all frontends need.

/// Code on one line: runs of white space become one space, a line break at the inner edge of brackets goes, and
/// so does a trailing comma before a closing bracket on a line of its own.
pub(crate) fn one_line(code: &str) -> String {
    let mut before = 0;
    let is_plain = code.bytes().all(|byte| {
        let is_double = std::mem::replace(&mut before, byte) == b' ' && byte == b' ';
        matches!(byte, b' '..=b'~') && !is_double
    });
    if is_plain {
        return code.trim_ascii().to_owned();
    }
    let mut joined = String::with_capacity(code.len());
    for line in code.lines().map(str::trim_ascii).filter(|line| !line.is_empty()) {
        let closes = line.starts_with([')', ']', '>']);
        if closes && joined.ends_with(',') {
            joined.pop();
        }
        let mut at_edge = joined.is_empty() || closes || joined.ends_with(['(', '[', '<']);
        for word in line.split_ascii_whitespace() {
            if !std::mem::take(&mut at_edge) {
                joined.push(' ');
            }
            joined.push_str(word);
        }
    }
    joined
}

/// The first words of a statement, for its chunk's name: at most 40 characters of its first line.
pub(crate) fn headline(code: &str) -> String {
    let line = code.lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(40) {
        Some((cut, _)) => line[..cut].trim_end().to_owned(),
        None => line.to_owned(),
    }
}

/// A documentation comment without its markers, from the raw text of one or more adjacent comments:
/// `///`, `//!`, `//`, `#`, `/** */`, `/*! */` and the stars that lead the lines of a block.
pub(crate) fn comment_text(raw: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut in_block = false;
    for line in raw.lines() {
        let mut line = line.trim();
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
        lines.push(line.strip_prefix(' ').unwrap_or(line).trim_end());
    }
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_fit_on_one_line() {
        assert_eq!(one_line("fn f(\n    a: u8,\n    b: &str,\n) -> u8"), "fn f(a: u8, b: &str) -> u8");
        assert_eq!(one_line("fn f<\n  T,\n>()"), "fn f<T>()");
        assert_eq!(one_line("BIT = 1 <<  3"), "BIT = 1 << 3");
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
