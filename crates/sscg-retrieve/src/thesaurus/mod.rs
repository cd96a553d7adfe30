//! Thesaurus from everyday words to the words of code.
//!
//! People ask why a connection is "thrown away" where the code has `evict`. Term vectors are trained on code and its
//! documentation, which seldom contain such words, so `everyday.txt` is written by hand. The other lists relate
//! [spellings, irregular forms, abbreviations, codes and operators](Related) to words.

mod related;

use std::cmp::Reverse;
use std::sync::LazyLock;

pub(crate) use related::Related;
use rustc_hash::FxHashMap;
use sscg_index::stems;

/// Words of code, by everyday words and phrases of the same meaning.
#[derive(Debug)]
pub(crate) struct Thesaurus {
    /// Words of code of each word, by its stem.
    entries: FxHashMap<String, &'static str>,
    /// Phrases by the stem of their first word, longest first.
    phrases: FxHashMap<String, Vec<Entry>>,
}

/// Phrase, and the names that code uses for it.
#[derive(Debug)]
struct Entry {
    /// Stems of the phrase's words, stop words included.
    stems: Vec<String>,
    words: &'static str,
}

/// Phrase of a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Phrase {
    /// Stems of its words.
    pub(crate) stems: Vec<String>,
    /// Stems of the code words for it, strongest first.
    pub(crate) meanings: Vec<String>,
}

static BUILT_IN: LazyLock<Thesaurus> = LazyLock::new(|| Thesaurus::read(TEXT));

const TEXT: &str = include_str!("everyday.txt");

/// Maximum number of phrases of a question that count: more than people write, and a bound for pasted pages.
const MOST_PHRASES: usize = 32;

impl Thesaurus {
    pub(crate) fn built_in() -> &'static Thesaurus {
        &BUILT_IN
    }

    fn read(text: &'static str) -> Self {
        let mut entries = FxHashMap::default();
        let mut phrases: FxHashMap<String, Vec<Entry>> = FxHashMap::default();
        for (head, words) in text.lines().filter_map(|line| line.split_once(": ")) {
            match &*stems(head) {
                [] => {}
                [word] => {
                    entries.insert(word.clone(), words);
                }
                all @ [first, ..] => {
                    phrases.entry(first.clone()).or_default().push(Entry { stems: all.to_vec(), words });
                }
            }
        }
        phrases.values_mut().for_each(|same_start| same_start.sort_by_key(|it| Reverse(it.stems.len())));
        Self { entries, phrases }
    }

    /// True if a term is the stem of an everyday word. O(1).
    pub(crate) fn has(&self, term: &str) -> bool {
        self.entries.contains_key(term)
    }

    /// Returns the stems of the code words for a term, strongest first; empty for most terms of code. O(words).
    pub(crate) fn of(&self, term: &str) -> Vec<String> {
        self.entries.get(term).map_or_else(Vec::new, |words| stems(words))
    }

    /// Returns the phrases of a question, in order, each once and at most [`MOST_PHRASES`]; of those that overlap, the first
    /// and longest. O(words of the question × phrases that start alike).
    pub(crate) fn phrases(&self, question: &str) -> Vec<Phrase> {
        let asked = stems(question);
        let mut found = Vec::new();
        let mut rest = &asked[..];
        while let [first, further @ ..] = rest {
            let entries = self.phrases.get(first).into_iter().flatten();
            match entries.into_iter().find(|entry| rest.starts_with(&entry.stems)) {
                Some(Entry { stems: of_phrase, words }) => {
                    if found.iter().all(|phrase: &Phrase| phrase.stems != *of_phrase) {
                        found.push(Phrase { stems: of_phrase.clone(), meanings: stems(words) });
                    }
                    if found.len() == MOST_PHRASES {
                        break;
                    }
                    rest = &rest[of_phrase.len()..];
                }
                None => rest = further,
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

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
            assert!(
                head.replace('\'', "").split(' ').all(is_word) && words.split(' ').all(is_word),
                "{line}"
            );
            let once: FxHashSet<&str> = words.split(' ').chain([head]).collect();
            assert_eq!(once.len(), words.split(' ').count() + 1, "each word once: {line}");
            heads.push(head);
        }
        assert!(heads.is_sorted_by(|a, b| a < b), "in order, each head once");
        let mut known: FxHashMap<Vec<String>, &str> = FxHashMap::default();
        let twice = heads.iter().filter_map(|head| Some((*head, known.insert(stems(head), head)?)));
        assert_eq!(twice.collect::<Vec<_>>(), [], "with the stems of another");
    }

    #[test]
    fn forms_of_a_word_have_one_entry() {
        let [waiting, waits] = ["waiting", "waits"].map(|word| Thesaurus::built_in().of(&stems(word)[0]));
        assert_eq!(waiting, waits);
        assert!(waits.contains(&"await".to_owned()), "{waits:?}");
        assert!(Thesaurus::built_in().of("xyzzi").is_empty());
    }

    #[test]
    fn phrases_are_found_in_any_form() {
        let found = |question| {
            let phrases = Thesaurus::built_in().phrases(question);
            phrases.into_iter().map(|phrase| phrase.stems.join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(found("When does it give up?"), ["give up"]);
        assert_eq!(found("it gives up on the server"), ["give up on"]);
        assert_eq!(found("Which parser is it"), Vec::<String>::new());
        assert_eq!(
            found("The parser does nothing, and the window doesn't respond"),
            ["doe noth", "doesn t respond"]
        );
    }
}
