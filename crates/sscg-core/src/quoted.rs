//! Quoting of user input in messages.

/// Maximum number of characters quoted; enough to identify the input.
const MOST: usize = 100;

/// Quotes user input for a message: in quotation marks, with control characters escaped. Input of more than 100
/// characters is truncated and followed by `…`; otherwise the message could be as long as the request.
pub fn quoted(asked: &str) -> String {
    match asked.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}", format!("{}…", &asked[..end])),
        None => format!("{asked:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_told_by_its_start() {
        assert_eq!(quoted("a \"b\"\n"), r#""a \"b\"\n""#);
        assert_eq!(quoted(&"ü".repeat(100)), format!("\"{}\"", "ü".repeat(100)));
        assert_eq!(quoted(&"ü".repeat(101)), format!("\"{}…\"", "ü".repeat(100)));
        assert!(quoted(&"\u{1}".repeat(10_000)).len() < 1_000);
    }
}
