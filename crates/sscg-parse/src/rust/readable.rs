//! Texts that the grammar does not take in linear time.

use std::borrow::Cow;

use sscg_core::Span;

use crate::nesting::{TOO_DEEP, blank, unchained};

/// Maximum number of raw strings that nothing closes: behind each the grammar's scanner reads on to the end.
const MAX_OPEN: usize = 100;

const NOT_CLOSED: &str = "too many raw strings that are not closed; what is behind them was left out";

/// A text of the same length that the grammar can take, and where what was left out of it.
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

/// Whether the grammar takes too long for a text as it is.
pub(super) fn is_unreadable(source: &str) -> bool {
    matches!(readable(source), (Cow::Owned(_), _))
}

/// Where the first raw string beyond [`MAX_OPEN`] is that is not closed. O(bytes).
fn unclosed(source: &str) -> Option<u32> {
    let bytes = source.as_bytes();
    let quotes = || source.match_indices('"').map(|(at, _)| at);
    let is_sign = |byte: &&u8| **byte == b'#';
    let before = |quote: usize| bytes[..quote].iter().rev().take_while(is_sign).count();
    let is_raw = |quote: usize| bytes[..quote - before(quote)].ends_with(b"r");
    quotes().filter(|quote| is_raw(*quote)).nth(MAX_OPEN)?;
    // Where the last quote with that many signs behind it is; the scanner counts to 255 and starts again.
    let mut last_closing = [0; 256];
    for quote in quotes() {
        let signs = bytes[quote + 1..].iter().take_while(is_sign).count();
        last_closing[signs.min(255)] = quote;
    }
    for signs in (0..255).rev() {
        last_closing[signs] = last_closing[signs].max(last_closing[signs + 1]);
    }
    let is_open = |quote: &usize| is_raw(*quote) && last_closing[before(*quote) % 256] <= *quote;
    quotes().filter(is_open).nth(MAX_OPEN).map(|quote| quote as u32)
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
            assert!(is_unreadable(&text));
        }
        let closed = "const X: &str = r#\"a \"b\" \"#;\nconst Y: &[u8] = br\"c\";\n".repeat(1_000);
        assert!(matches!(readable(&closed), (Cow::Borrowed(_), ref left_out) if left_out.is_empty()));
    }
}
