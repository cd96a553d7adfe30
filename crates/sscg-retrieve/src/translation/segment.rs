//! Words and phrases of a question that a dictionary has.

use sscg_core::is_cjk;
use sscg_index::{bigrams, words};

use super::Word;
use super::language::Language;
use crate::query::{is_code, uncapitalized};

/// Word of a question, or a text that looks like code and is not translated.
struct Token<'q> {
    text: &'q str,
    is_code: bool,
}

/// Returns the words of a question in a language: names and unknown words as they are, stop words left out. O(words).
pub(super) fn words_of(question: &str, language: &Language) -> Vec<Word> {
    let tokens = tokens(question);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Token { text, is_code } = tokens[at];
        if text.contains(is_cjk) {
            split_run(text, language, &mut found);
        } else if is_code {
            found.push(Word::Kept(text.to_owned()));
        } else if let Some((count, english)) = longest_phrase(&tokens[at..], language) {
            let phrase = tokens[at..at + count].iter();
            found.extend(phrase.map(|token| Word::Original(token.text.to_owned())));
            let original = texts(&tokens[at..at + count]);
            found.push(Word::English { original, words: english });
            at += count;
            continue;
        } else if !language.is_stop_word(&text.to_lowercase()) {
            match compound(text, language) {
                Some(parts) => {
                    found.push(Word::Original(text.to_owned()));
                    found.extend(parts);
                }
                None => found.push(Word::Kept(text.to_owned())),
            }
        }
        at += 1;
    }
    found
}

/// True if a dictionary has a word or all parts of a compound: `pagecache` is no German word because of `Cache`.
pub(super) fn is_known(word: &str, language: &Language) -> bool {
    language.dictionary().get(word).is_some()
        || language.has_compounds()
            && word.len() <= COMPOUND_BYTES
            && compound_of_heads(word, language, COMPOUND_PARTS).is_some()
}

/// Returns the words of a question that are not code: names, paths, and what stands between backticks or double quotes.
pub(super) fn prose_words(question: &str) -> Vec<&str> {
    let outside = |text| str::split(text, ['`', '"']).step_by(2);
    let tokens = outside(question).flat_map(tokens);
    tokens.filter(|token| !token.is_code).map(|token| token.text).collect()
}

/// Splits a question into words, texts like `src/main.rs` and `Session.close()`, and runs of Chinese, Japanese or Korean
/// characters with the blanks between them.
fn tokens(question: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = question;
    while let Some(first) = rest.chars().next() {
        let (part, tail) = rest.split_at(part_length(rest, is_cjk(first)));
        rest = tail;
        if is_cjk(first) {
            tokens.push(Token { text: part, is_code: true });
            continue;
        }
        for text in part.split_whitespace() {
            let bare = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
            let is_marked = text.contains(['`', '_', '/', '\\', '(', '<']) || is_code(uncapitalized(bare));
            if is_marked || bare.contains(|c: char| c.is_ascii_digit()) {
                tokens.push(Token { text, is_code: true });
            } else {
                tokens.extend(words(text).map(|text| Token { text, is_code: false }));
            }
        }
    }
    tokens
}

/// Returns the length of the run at the start of a text, or of the text before the next run.
fn part_length(text: &str, is_run: bool) -> usize {
    if !is_run {
        return text.find(is_cjk).unwrap_or(text.len());
    }
    let is_end = |(at, c): (usize, char)| {
        let is_between = c == ' ' && text[at + 1..].starts_with(is_cjk);
        (!is_cjk(c) && !is_between).then_some(at)
    };
    text.char_indices().find_map(is_end).unwrap_or(text.len())
}

/// Returns the English words for the longest phrase at the start of some tokens, with its number of tokens. A stop word
/// alone is none.
fn longest_phrase(tokens: &[Token<'_>], language: &Language) -> Option<(usize, &'static str)> {
    let dictionary = language.dictionary();
    let plain = tokens.iter().take(dictionary.longest).take_while(|token| !token.is_code).count();
    (1..=plain).rev().find_map(|count| {
        if let [word] = &tokens[..count]
            && language.is_stop_word(&word.text.to_lowercase())
        {
            return None;
        }
        Some((count, dictionary.get(&texts(&tokens[..count]))?))
    })
}

fn texts(tokens: &[Token<'_>]) -> String {
    tokens.iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
}

/// Minimum number of bytes of a part of a compound.
const PART_BYTES: usize = 4;

/// Maximum length of a compound in bytes, and maximum number of its parts: more than words have, and a bound for texts
/// that are none.
const COMPOUND_BYTES: usize = 64;
const COMPOUND_PARTS: usize = 4;

/// Letters between the parts of a compound.
const JOINTS: [&str; 5] = ["", "s", "n", "en", "es"];

/// Returns the English words for the parts of a compound, the first part as long as possible: `Datei`, `Größe`. A first
/// or last part in English, like `Socket`, stays.
fn compound(word: &str, language: &Language) -> Option<Vec<Word>> {
    if !language.has_compounds() || word.len() > COMPOUND_BYTES {
        return None;
    }
    let english = |words| Word::English { original: word.to_owned(), words };
    let parts = compound_of_heads(word, language, COMPOUND_PARTS);
    let parts = parts.map(|parts| parts.into_iter().map(english).collect());
    parts.or_else(|| {
        let cuts = (PART_BYTES..=word.len().checked_sub(PART_BYTES)?).filter(|at| word.is_char_boundary(*at));
        cuts.map(|at| word.split_at(at)).filter(|(name, _)| name.is_ascii()).find_map(|(name, rest)| {
            let words = language.dictionary().get(rest)?;
            Some(vec![Word::Kept(name.to_lowercase()), english(words)])
        })
    })
}

/// Returns the English words for the parts of a compound of at most `parts` words of the dictionary.
fn compound_of_heads(word: &str, language: &Language, parts: usize) -> Option<Vec<&'static str>> {
    if parts < 2 || word.len() < 2 * PART_BYTES {
        return None;
    }
    let dictionary = language.dictionary();
    let cuts = || (PART_BYTES..=word.len() - PART_BYTES).rev().filter(|at| word.is_char_boundary(*at));
    let first = |text: &str| JOINTS.iter().find_map(|joint| dictionary.get(text.strip_suffix(joint)?));
    for (first_part, rest) in cuts().map(|at| word.split_at(at)) {
        let Some(english) = first(first_part) else { continue };
        let tail = dictionary.get(rest).map(|english| vec![english]);
        if let Some(tail) = tail.or_else(|| compound_of_heads(rest, language, parts - 1)) {
            return Some(std::iter::once(english).chain(tail).collect());
        }
    }
    None
}

/// Splits a run of Chinese, Japanese or Korean characters at the longest words that the dictionary has. Other
/// characters, such as particles, are no words.
fn split_run(run: &str, language: &Language, found: &mut Vec<Word>) {
    for word in run.split(' ') {
        let own = Some(word).filter(|word| word.chars().nth(2).is_none());
        found.extend(own.into_iter().chain(bigrams(word)).map(|text| Word::Original(text.to_owned())));
    }
    let mut at = 0;
    while at < run.len() {
        let (length, english) = longest_word(run, at, language);
        let original = &run[at..at + length];
        found.extend(english.map(|words| Word::English { original: original.to_owned(), words }));
        at += length;
    }
}

/// Returns the length of the longest word of the dictionary at an offset of a run, with its English words; otherwise that
/// of one character.
fn longest_word(run: &str, at: usize, language: &Language) -> (usize, Option<&'static str>) {
    let (before, rest) = run.split_at(at);
    let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
    let ends: Vec<usize> = ends.take(language.dictionary().longest).collect();
    // A Korean syllable is a word only at the start of one.
    let is_inside = before.ends_with(is_cjk) && rest.starts_with(|c| ('\u{ac00}'..='\u{d7af}').contains(&c));
    let least = if is_inside { 1 } else { 0 };
    let word = ends.iter().skip(least).rev().find_map(|end| {
        let text = &rest[..*end];
        let english = language.dictionary().get_characters(text);
        (english.is_some() || language.is_stop_word(text)).then_some((*end, english))
    });
    word.unwrap_or((ends.first().copied().unwrap_or(rest.len()), None))
}
