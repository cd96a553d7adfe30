//! Limits for texts that the grammar cannot parse in linear time.

use std::borrow::Cow;

use sscg_core::Span;

use crate::nesting::{TOO_DEEP, blank, unchained};

/// Maximum number of unclosed raw strings: after each, the grammar's scanner reads on to the end.
const MAX_OPEN: usize = 100;

const NOT_CLOSED: &str = "too many raw strings that are not closed; what is behind them was left out";

/// Returns a text of the same length that the grammar can parse, and the offset and reason of each omission.
pub(super) fn readable(source: &str) -> (Cow<'_, str>, Vec<(u32, &'static str)>) {
    let (mut text, mut left_out) = (Cow::Borrowed(source), Vec::new());
    if let Some(at) = unclosed(source) {
        blank(text.to_mut(), Span::new(at, source.len() as u32));
        left_out.push((at, NOT_CLOSED));
    }
    if let Some((cut, at)) = unchained(&text) {
        text = Cow::Owned(cut);
        left_out.push((at, TOO_DEEP));
    }
    (text, left_out)
}

/// Returns the offset of the first unclosed raw string beyond [`MAX_OPEN`]. O(bytes).
fn unclosed(source: &str) -> Option<u32> {
    let bytes = source.as_bytes();
    let quotes = || source.match_indices('"').map(|(at, _)| at);
    let is_sign = |byte: &&u8| **byte == b'#';
    let before = |quote: usize| bytes[..quote].iter().rev().take_while(is_sign).count();
    let is_raw = |quote: usize| {
        let prefix = bytes[..quote - before(quote)].strip_suffix(b"r");
        let outside = prefix.map(|it| it.strip_suffix(b"b").or_else(|| it.strip_suffix(b"c")).unwrap_or(it));
        outside.is_some_and(|it| !it.ends_with(b"_") && !it.last().is_some_and(u8::is_ascii_alphanumeric))
    };
    quotes().filter(|quote| is_raw(*quote)).nth(MAX_OPEN)?;
    let last_closing = last_closing(bytes, quotes());
    let end_of = |from: usize, closing: &str| {
        source.get(from..)?.find(closing).map(|found| from + found + closing.len())
    };
    let (mut at, mut open) = (0, 0);
    // Comments, character literals and other strings may contain the start of a raw string.
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        at = match rest {
            [b'/', b'/', ..] => end_of(at, "\n")?,
            [b'/', b'*', ..] => end_of(at, "*/").unwrap_or(at + 2),
            [b'\'', b'"', b'\'', ..] => at + 3,
            [b'\'', b'\\', b'"', b'\'', ..] => at + 4,
            [b'"', ..] if is_raw(at) => {
                let signs = before(at) % 256;
                if last_closing[signs] > at {
                    end_of(at + 1, &format!("\"{}", "#".repeat(signs)))?
                } else if open == MAX_OPEN {
                    return Some(at as u32);
                } else {
                    open += 1;
                    at + 1
                }
            }
            [b'"', ..] => end_of_string(bytes, at + 1)?,
            _ => at + 1,
        };
    }
    None
}

/// Returns for each number the offset of the last quote with at least that many signs after it. The scanner's counter
/// wraps around after 255.
fn last_closing(bytes: &[u8], quotes: impl Iterator<Item = usize>) -> [usize; 256] {
    let mut last = [0; 256];
    for quote in quotes {
        let signs = bytes[quote + 1..].iter().take_while(|byte| **byte == b'#').count();
        last[signs.min(255)] = quote;
    }
    for signs in (0..255).rev() {
        last[signs] = last[signs].max(last[signs + 1]);
    }
    last
}

/// Returns the end of the string that begins just before `at`.
fn end_of_string(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => 2,
            _ => 1,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_strings_that_nothing_closes_are_left_out() {
        for open in ["r#\"", "br##\""] {
            let text = format!("fn x() {{}}\n{}", open.repeat(1_000));
            let (cut, left_out) = readable(&text);
            let [(at, NOT_CLOSED)] = left_out[..] else { panic!("{open}: {left_out:?}") };
            assert_eq!((cut.len(), cut[at as usize..].trim()), (text.len(), ""), "{open}");
        }
        let closed = "const X: &str = r#\"a \"b\" \"#;\nconst Y: &[u8] = br\"c\";\n\
                      const Z: &str = \"/r#\"; // r#\"\n"
            .repeat(1_000);
        assert!(matches!(readable(&closed), (Cow::Borrowed(_), ref left_out) if left_out.is_empty()));
    }
}
