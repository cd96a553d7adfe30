//! Thesaurus from everyday words to the words of code.
//!
//! People ask why a connection is "thrown away" where the code has `evict`. Term vectors are trained on code and its
//! documentation, which seldom contain such words, so `everyday.txt` is written by hand. The other lists relate
//! [spellings, irregular forms, abbreviations, codes and operators](Related) to words.

mod related;

use std::sync::LazyLock;

pub(crate) use related::Related;
use rustc_hash::FxHashMap;
use sscg_index::stems;

/// Words of code, by everyday words of the same meaning.
#[derive(Debug)]
pub(crate) struct Thesaurus {
    /// Words of code of each entry, by the stem of its head.
    entries: FxHashMap<String, &'static str>,
}

static BUILT_IN: LazyLock<Thesaurus> = LazyLock::new(|| Thesaurus::read(TEXT));

const TEXT: &str = include_str!("everyday.txt");

impl Thesaurus {
    pub(crate) fn built_in() -> &'static Thesaurus {
        &BUILT_IN
    }

    fn read(text: &'static str) -> Self {
        let lines = text.lines().filter_map(|line| line.split_once(": "));
        let entries = lines.filter_map(|(head, words)| Some((stems(head).pop()?, words)));
        Self { entries: entries.collect() }
    }

    /// True if a term is the stem of an everyday word. O(1).
    pub(crate) fn has(&self, term: &str) -> bool {
        self.entries.contains_key(term)
    }

    /// Returns the stems of the code words for a term, strongest first; empty for most terms of code. O(words).
    pub(crate) fn of(&self, term: &str) -> Vec<String> {
        self.entries.get(term).map_or_else(Vec::new, |words| stems(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thesaurus_is_well_formed() {
        let mut heads: Vec<&str> = Vec::new();
        for line in TEXT.lines().skip(1) {
            let (head, words) = line.split_once(": ").expect("a head and its words");
            let is_word = |word: &str| {
                !word.is_empty()
                    && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            };
            assert!(is_word(head) && words.split(' ').all(is_word), "{line}");
            assert!(words.split(' ').all(|word| word != head), "{line}");
            heads.push(head);
        }
        assert!(heads.is_sorted_by(|a, b| a < b), "in order, each head once");
        let mut by_stem: FxHashMap<String, &str> = FxHashMap::default();
        for head in heads {
            let other = by_stem.insert(stems(head).remove(0), head);
            assert_eq!(other, None, "has the stem of {head}");
        }
    }

    #[test]
    fn forms_of_a_word_have_one_entry() {
        let [waiting, waits] = ["waiting", "waits"].map(|word| Thesaurus::built_in().of(&stems(word)[0]));
        assert_eq!(waiting, waits);
        assert!(waits.contains(&"await".to_owned()), "{waits:?}");
        assert!(Thesaurus::built_in().of("xyzzi").is_empty());
    }
}
