//! Languages with a dictionary.

use std::sync::OnceLock;

use rust_stemmers::Algorithm;
use rustc_hash::FxHashSet;

use super::dictionary::{Dictionary, stop_words};

/// Language with a dictionary.
pub(super) struct Language {
    pub(super) text: &'static str,
    algorithm: Option<Algorithm>,
    dictionary: OnceLock<Dictionary>,
    stop_words: OnceLock<FxHashSet<&'static str>>,
}

impl Language {
    const fn new(text: &'static str, algorithm: Option<Algorithm>) -> Self {
        Self { text, algorithm, dictionary: OnceLock::new(), stop_words: OnceLock::new() }
    }

    /// True if words are joined to longer ones.
    pub(super) fn has_compounds(&self) -> bool {
        matches!(self.algorithm, Some(Algorithm::German))
    }

    pub(super) fn dictionary(&self) -> &Dictionary {
        self.dictionary.get_or_init(|| Dictionary::read(self.text, self.algorithm))
    }

    /// True if a lower-case word carries no meaning.
    pub(super) fn is_stop_word(&self, word: &str) -> bool {
        self.stop_words.get_or_init(|| stop_words(self.text)).contains(word)
    }
}

static GERMAN: Language = Language::new(include_str!("de.txt"), Some(Algorithm::German));
static SPANISH: Language = Language::new(include_str!("es.txt"), Some(Algorithm::Spanish));
static FRENCH: Language = Language::new(include_str!("fr.txt"), Some(Algorithm::French));
static PORTUGUESE: Language = Language::new(include_str!("pt.txt"), Some(Algorithm::Portuguese));
pub(super) static RUSSIAN: Language = Language::new(include_str!("ru.txt"), Some(Algorithm::Russian));
pub(super) static CHINESE: Language = Language::new(include_str!("zh.txt"), None);
pub(super) static JAPANESE: Language = Language::new(include_str!("ja.txt"), None);
pub(super) static KOREAN: Language = Language::new(include_str!("ko.txt"), None);

/// Languages in Latin letters.
pub(super) static LATIN: [&Language; 4] = [&GERMAN, &SPANISH, &FRENCH, &PORTUGUESE];

#[cfg(test)]
mod tests {
    use sscg_core::is_cjk;

    use super::super::dictionary::entries;
    use super::*;

    #[test]
    fn dictionaries_are_well_formed() {
        let languages = LATIN.iter().copied().chain([&RUSSIAN, &CHINESE, &JAPANESE, &KOREAN]);
        for language in languages {
            let lines: Vec<(&str, &str)> = entries(language.text).collect();
            assert_eq!(lines.len(), language.text.lines().count() - 2);
            assert!(lines.is_sorted_by(|a, b| a.0.split(", ").next() < b.0.split(", ").next()));
            let mut heads: Vec<&str> = lines.iter().flat_map(|(heads, _)| heads.split(", ")).collect();
            for head in &heads {
                let is_known = |c: char| c.is_alphabetic() || " -'".contains(c) || is_cjk(c);
                assert!(!head.is_empty() && head.chars().all(is_known) && head.trim() == *head, "{head}");
                assert_eq!(head.to_lowercase(), *head);
                assert!(!language.is_stop_word(head), "{head} is a stop word");
            }
            heads.sort_unstable();
            assert!(heads.is_sorted_by(|a, b| a < b), "each head once");
            for (heads, english) in lines {
                let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
                let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_letter);
                assert!(english.split(' ').all(is_word), "{heads}: {english}");
            }
        }
    }
}
