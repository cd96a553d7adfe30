//! Regular expressions for questions.
//!
//! A process that answers a single question compiles them for it. Unicode character classes would make that four to ten
//! times as slow, and a whole search of flask 33 ms instead of 25 ms. So the patterns are ASCII (`(?-u)`), and a single
//! class matches all other letters.

use regex::Regex;

/// Nested character class of the letters beyond ASCII: everything but punctuation, symbols and spaces.
const OTHER_LETTERS: &str = r"[^\x00-\x7F\u{A0}-\u{BF}\u{2000}-\u{2BFF}\u{3000}-\u{303F}]";

/// Compiles a pattern of this crate, in which `{other}` stands for [`OTHER_LETTERS`].
pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(&text.replace("{other}", OTHER_LETTERS)).expect("the patterns are valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_all_scripts_are_told_from_signs() {
        let letters = pattern("^(?u:[{other}]+)$");
        for word in ["ééñ", "имя", "名前", "भाषा"] {
            assert!(letters.is_match(word), "{word}");
        }
        for sign in ["“", "”", "…", "–", "→", "\u{a0}", "«", "。"] {
            assert!(!letters.is_match(sign), "{sign}");
        }
    }
}
