//! Dictionaries: words and phrases of a language with English words of the same meaning.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::{FxHashMap, FxHashSet};
use sscg_index::words;

/// Dictionary of one language.
pub(super) struct Dictionary {
    stemmer: Option<Stemmer>,
    /// English words by head, without accents, and by its stem. A phrase has one blank between its words.
    entries: FxHashMap<String, &'static str>,
    /// Maximum length of a head: in words, or in characters for languages without a stemmer.
    pub(super) longest: usize,
}

/// Marker of the line of stop words.
const STOP_WORDS: &str = "stop words: ";

impl Dictionary {
    /// Reads a dictionary. Without an algorithm, words are found by their characters.
    pub(super) fn read(text: &'static str, algorithm: Option<Algorithm>) -> Self {
        let stemmer = algorithm.map(Stemmer::create);
        let mut dictionary = Self { stemmer, entries: FxHashMap::default(), longest: 1 };
        let lines: Vec<(&str, &str)> = entries(text).collect();
        let heads =
            || lines.iter().flat_map(|(heads, english)| heads.split(", ").map(move |it| (it, *english)));
        // A head as it is wins over one with the same stem.
        for (head, english) in heads() {
            let key = dictionary.plain(head);
            dictionary.longest = dictionary.longest.max(dictionary.length(&key));
            dictionary.entries.entry(key).or_insert(english);
        }
        for (head, english) in heads() {
            for key in dictionary.stems(head) {
                dictionary.entries.entry(key).or_insert(english);
            }
        }
        dictionary
    }

    /// Returns the English words for a word or a phrase.
    pub(super) fn get(&self, text: &str) -> Option<&'static str> {
        let exact = self.entries.get(&self.plain(text));
        exact.or_else(|| self.stems(text).iter().find_map(|key| self.entries.get(key))).copied()
    }

    /// Returns the English words for exactly these characters.
    pub(super) fn get_characters(&self, text: &str) -> Option<&'static str> {
        self.entries.get(text).copied()
    }

    fn plain(&self, text: &str) -> String {
        match self.stemmer {
            Some(_) => words(text).map(|word| fold(&word.to_lowercase())).collect::<Vec<_>>().join(" "),
            None => text.to_owned(),
        }
    }

    fn length(&self, key: &str) -> usize {
        if self.stemmer.is_some() { key.split(' ').count() } else { key.chars().count() }
    }

    /// Returns the stems of a text with accents and of the text without: people leave them out.
    fn stems(&self, text: &str) -> Vec<String> {
        let Some(stemmer) = &self.stemmer else {
            return verb_stem(text).map(str::to_owned).into_iter().collect();
        };
        let stem = |word: &str| fold(&stemmer.stem(&word.to_lowercase()));
        let bare = |word: &str| stemmer.stem(&fold(&word.to_lowercase())).into_owned();
        let keys = [words(text).map(stem).collect::<Vec<_>>(), words(text).map(bare).collect()];
        keys.map(|words| words.join(" ")).into()
    }
}

/// Returns a Japanese verb without its last character, which is inflected: `使` for `使う`.
fn verb_stem(text: &str) -> Option<&str> {
    let is_hiragana = |c: char| ('\u{3041}'..='\u{3096}').contains(&c);
    let stem = text.strip_suffix(is_hiragana)?;
    stem.contains(|c| !is_hiragana(c)).then_some(stem)
}

/// Returns the entries of a dictionary: heads and English words.
pub(super) fn entries(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.lines()
        .filter(|line| !line.starts_with(['#']) && !line.starts_with(STOP_WORDS))
        .filter_map(|line| line.split_once(": "))
}

/// Returns the stop words of a dictionary.
pub(super) fn stop_words(text: &'static str) -> FxHashSet<&'static str> {
    let line = text.lines().find_map(|line| line.strip_prefix(STOP_WORDS));
    line.into_iter().flat_map(|line| line.split(' ')).collect()
}

/// Returns a lower-case text without accents.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        let base: Cow<'_, str> = match c {
            'à'..='å' => "a".into(),
            'ç' => "c".into(),
            'è'..='ë' => "e".into(),
            'ì'..='ï' => "i".into(),
            'ñ' => "n".into(),
            'ò'..='ö' => "o".into(),
            'ù'..='ü' => "u".into(),
            'ý' | 'ÿ' => "y".into(),
            'œ' => "oe".into(),
            'æ' => "ae".into(),
            'ß' => "ss".into(),
            'ё' => "е".into(),
            // Combining accents.
            '\u{300}'..='\u{36f}' => continue,
            _ => String::from(c).into(),
        };
        folded.push_str(&base);
    }
    folded
}
