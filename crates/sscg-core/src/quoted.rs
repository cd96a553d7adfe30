//! How messages repeat what was asked.

/// So many characters of what was asked say which it was.
const MOST: usize = 100;

/// What was asked, for a message: in quotation marks, with control characters escaped; of a text of more than 100
/// characters the start, followed by `…`. A message that repeated all of it would be as long as a request may be.
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
