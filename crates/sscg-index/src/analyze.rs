//! Conversion of text to terms, for code and for queries.
//!
//! An identifier yields its parts (`parseHttpRequest` → `pars`, `http`, `request`) and the joined whole
//! (`parsehttprequest`), so that a query may use either. Parts are stemmed with the English Snowball stemmer (Porter
//! 2). A run of Chinese, Japanese or Korean characters, which has no blanks between words or joins words with particles,
//! yields its bigrams too.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;
use sscg_core::{is_cjk, parts_of};

/// Words that carry no meaning in a query about code: question words, articles, auxiliaries, pronouns, prepositions and
/// common verbs such as `find`. Intended to exclude words that name a programming concept.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "also", "an", "and", "another", "any", "are", "as", "at", "be", "been", "before",
    "being", "but", "by", "can", "code", "could", "did", "do", "does", "during", "each", "even", "exactly",
    "find", "for", "from", "get", "gets", "got", "had", "has", "have", "how", "i", "if", "in", "inside",
    "into", "is", "it", "its", "itself", "just", "let", "like", "made", "make", "makes", "me", "my", "no",
    "not", "of", "on", "one", "only", "onto", "or", "other", "our", "out", "over", "same", "shall", "should",
    "show", "so", "some", "still", "such", "than", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "those", "through", "to", "under", "up", "upon", "us", "use", "used", "uses", "using",
    "via", "was", "we", "were", "what", "when", "where", "whether", "which", "while", "who", "whose", "why",
    "will", "with", "within", "without", "would", "you", "your",
];

/// True if a lower-case word is a stop word.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Returns the runs of letters, digits and underscores in a text: words and identifiers, verbatim.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[run(rest, |is_word| !is_word)..];
        let (word, tail) = rest.split_at(run(rest, |is_word| is_word));
        rest = tail;
        (!word.is_empty()).then_some(word)
    })
}

/// ASCII bytes that are part of a word.
const WORD_BYTES: [bool; 128] = {
    let mut table = [false; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

/// Returns the length in bytes of the longest prefix of `text` whose characters satisfy `belongs`, which is passed true
/// for word characters. ASCII bytes use a lookup table, since nearly all code is ASCII.
#[inline]
fn run(text: &str, belongs: impl Fn(bool) -> bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match WORD_BYTES.get(usize::from(byte)) {
            Some(&is_word) if belongs(is_word) => at += 1,
            Some(_) => break,
            None => match text[at..].chars().next() {
                Some(c) if belongs(c.is_alphanumeric()) => at += c.len_utf8(),
                _ => break,
            },
        }
    }
    at
}

/// Returns the distinct terms of a query, in order. Stop words are dropped, so a query of only stop words has no terms.
pub fn query_terms(question: &str) -> Vec<String> {
    term_counts(question).into_iter().map(|(term, _)| term).collect()
}

/// Returns the terms of a query as [`query_terms`] does, each with its number of occurrences.
pub fn term_counts(question: &str) -> Vec<(String, usize)> {
    let mut terms: Vec<(String, usize)> = Vec::new();
    let mut known: FxHashMap<String, usize> = FxHashMap::default();
    let analyzer = Analyzer::new();
    for word in words(question).filter(|word| !is_stop_word(&word.to_lowercase())) {
        analyzer.terms(word, |term, _| {
            let at = *known.entry(term.to_owned()).or_insert_with(|| {
                terms.push((term.to_owned(), 0));
                terms.len() - 1
            });
            terms[at].1 += 1;
        });
    }
    terms
}

/// Returns the whole-word term of a text's last word, stop word or not: `retryafter` for `retry_after`, `find` for
/// `find`.
pub fn whole_term(text: &str) -> Option<String> {
    let mut whole = None;
    Analyzer::new().terms(words(text).last()?, |term, _| whole = Some(term.to_owned()));
    whole
}

/// Returns the stems of all word parts in order, with repetitions: the terms of a text without the compounds.
pub fn stems(text: &str) -> Vec<String> {
    let mut stems = Vec::new();
    let analyzer = Analyzer::new();
    for word in words(text) {
        analyzer.terms(word, |term, is_compound| {
            if !is_compound {
                stems.push(term.to_owned());
            }
        });
    }
    stems
}

/// Converts words to terms.
pub(crate) struct Analyzer {
    stemmer: Stemmer,
}

impl Analyzer {
    pub(crate) fn new() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English) }
    }

    /// Calls `emit` for each term of one word. A word of one part yields its stem. A compound yields the stems of its
    /// parts of at least two bytes, then the whole, joined and lower-case, for which the flag is `true`, as it is for
    /// bigrams.
    pub(crate) fn terms(&self, word: &str, mut emit: impl FnMut(&str, bool)) {
        let mut parts = 0;
        let mut joined = String::new();
        for part in parts_of(word) {
            let lower = lowercase(part);
            parts += 1;
            if part.len() < word.len() {
                joined.push_str(&lower);
            }
            if !part.is_ascii() && part.starts_with(is_cjk) {
                bigrams(part).for_each(|bigram| emit(bigram, true));
            }
            if lower.len() > 1 || part.len() == word.len() {
                emit(&self.stem(&lower), false);
            }
        }
        if parts > 1 {
            emit(&joined, true);
        }
    }

    fn stem<'w>(&self, lower: &'w str) -> Cow<'w, str> {
        // The stemmer supports English letters only; other scripts and numbers stay unchanged.
        if lower.len() > 2 && lower.bytes().all(|byte| byte.is_ascii_lowercase()) {
            self.stemmer.stem(lower)
        } else {
            Cow::Borrowed(lower)
        }
    }
}

/// Returns the pairs of neighboring characters; none for a text of at most two characters, which is its own pair.
pub fn bigrams(text: &str) -> impl Iterator<Item = &str> {
    let third = text.char_indices().nth(2);
    let starts = text.char_indices().map(|(at, _)| at);
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8()).skip(1);
    starts.zip(ends).map(|(start, end)| &text[start..end]).take_while(move |_| third.is_some())
}

fn lowercase(word: &str) -> Cow<'_, str> {
    let is_lower = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if is_lower { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_digits_and_underscores() {
        let found = |text| words(text).collect::<Vec<_>>();
        assert_eq!(found("fn a_b2(x: größe) -> 日本・x"), ["fn", "a_b2", "x", "größe", "日本", "x"]);
        assert!(found(" -(){}… ").is_empty());
    }

    #[test]
    fn a_question_keeps_its_meaningful_words_once() {
        assert_eq!(query_terms("How does the scheduler schedule tasks?"), ["schedul", "task"]);
        assert_eq!(query_terms("what is it"), Vec::<String>::new());
        assert_eq!(query_terms("block_on"), ["block", "on", "blockon"]);
    }

    #[test]
    fn runs_without_blanks_yield_bigrams() {
        assert_eq!(query_terms("日本語処理"), ["日本", "本語", "語処", "処理", "日本語処理"]);
        assert_eq!(query_terms("连接 HTTP请求"), ["连接", "http", "请求", "http请求"]);
        assert_eq!(stems("日本語"), ["日本語"]);
        assert_eq!(whole_term("日本語").as_deref(), Some("日本語"));
    }

    #[test]
    fn stems_leave_out_compounds() {
        assert_eq!(stems("parseHttpRequest parses"), ["pars", "http", "request", "pars"]);
    }

    #[test]
    fn stop_words_are_sorted_for_the_search() {
        assert!(STOP_WORDS.is_sorted());
    }
}
