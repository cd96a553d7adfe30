//! Language of a question.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use sscg_core::is_cjk;
use sscg_embed::TermTable;
use sscg_index::{is_stop_word, stems};

use super::dictionary::stop_words;
use super::language::{CHINESE, JAPANESE, KOREAN, LATIN, Language, RUSSIAN};
use super::segment;
use crate::thesaurus::Thesaurus;

/// Languages in Latin letters that have a stop word, one bit each. Words that are English too are left out.
static LATIN_STOP_WORDS: LazyLock<FxHashMap<&str, u8>> = LazyLock::new(|| {
    let mut languages: FxHashMap<&str, u8> = FxHashMap::default();
    for (at, language) in LATIN.iter().enumerate() {
        let is_foreign = |word: &&str| word.len() > 1 && !is_stop_word(word) && !ENGLISH.contains(word);
        for word in stop_words(language.text).into_iter().filter(is_foreign) {
            *languages.entry(word).or_default() |= 1 << at;
        }
    }
    languages
});

/// Stop words of these languages that are English words or names of code.
const ENGLISH: &[&str] = &[
    "ai", "am", "an", "as", "auto", "but", "car", "com", "come", "comment", "con", "das", "de", "den", "des",
    "die", "dies", "dit", "do", "dos", "em", "era", "es", "for", "foi", "gar", "hat", "he", "her", "hin",
    "in", "ins", "is", "la", "las", "le", "lo", "los", "ma", "man", "mas", "me", "mes", "mir", "no", "nos",
    "num", "ob", "on", "or", "par", "per", "plus", "pour", "sans", "se", "sea", "sem", "sera", "ser", "si",
    "sin", "so", "sol", "solo", "son", "sur", "tan", "te", "tes", "ton", "tu", "um", "un", "use", "vis",
    "war", "was", "will",
];

/// Words of a question that decide for or against a language.
struct Evidence {
    language: &'static Language,
    /// Number of stop words of the language, and if they are too few, of words of its dictionary that are not English.
    own: usize,
    /// Number of stop words that are English only.
    english: usize,
}

/// Number of words that decide for a language.
const ENOUGH: usize = 2;

impl Language {
    /// Returns the language of a question by its script, or in Latin letters by its stop words and the words that are in
    /// a dictionary and not English; `None` for English and all other languages. O(words).
    pub(super) fn of(question: &str) -> Option<&'static Language> {
        if !question.is_ascii()
            && let Some(language) = Self::of_script(question)
        {
            return Some(language);
        }
        let mut asked: Vec<String> =
            segment::prose_words(question).into_iter().map(str::to_lowercase).collect();
        asked.sort_unstable();
        asked.dedup();
        let evidence = LATIN.iter().enumerate().map(|(at, language)| {
            let is_english = |word: &&String| is_stop_word(word) && !language.is_stop_word(word);
            let is_own = |word: &&String| {
                LATIN_STOP_WORDS.get(word.as_str()).is_some_and(|languages| languages & (1 << at) != 0)
            };
            let count = |is_counted: &dyn Fn(&&String) -> bool| asked.iter().filter(is_counted).count();
            Evidence { language, own: count(&is_own), english: count(&is_english) }
        });
        let mut evidence: Vec<Evidence> = evidence.filter(|it| it.english <= it.own).collect();
        let best = evidence.iter().rev().max_by_key(|it| it.own)?;
        if best.own >= ENOUGH && best.own > best.english {
            return Some(best.language);
        }
        evidence.retain(|it| it.english == 0);
        let foreign: Vec<&String> = asked.iter().filter(|word| !is_english(word)).collect();
        if foreign.is_empty() {
            return None;
        }
        for it in &mut evidence {
            let is_known = |word: &&&String| segment::is_known(word, it.language);
            it.own += foreign.iter().filter(is_known).count();
        }
        let best = evidence.iter().rev().max_by_key(|it| it.own)?;
        (best.own >= ENOUGH.min(asked.len())).then_some(best.language)
    }

    fn of_script(question: &str) -> Option<&'static Language> {
        let has = |script: fn(char) -> bool| question.contains(script);
        if has(|c| matches!(c, '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}')) {
            Some(&KOREAN)
        } else if has(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9d}')) {
            Some(&JAPANESE)
        } else if has(is_cjk) {
            Some(&CHINESE)
        } else if has(|c| matches!(c, '\u{400}'..='\u{4ff}')) {
            Some(&RUSSIAN)
        } else {
            None
        }
    }
}

/// True if a lower-case word is English or a word of code.
fn is_english(word: &str) -> bool {
    let is_known =
        |stem: &String| Thesaurus::built_in().has(stem) || TermTable::built_in().row(stem).is_some();
    word.is_ascii() && (is_stop_word(word) || stems(word).iter().all(is_known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(question: &str) -> Option<&'static str> {
        Language::of(question).map(|language| &language.text[2..language.text.find(':').expect("a title")])
    }

    #[test]
    fn a_language_is_known_by_its_script_or_its_stop_words() {
        for (question, name) in [
            ("wie werden abgebrochene Verbindungen wiederholt", "German"),
            ("Verbindungsabbruch", "German"),
            ("Größe der Warteschlange", "German"),
            ("¿dónde se cierran las conexiones inactivas?", "Spanish"),
            ("reintentar conexión", "Spanish"),
            ("où sont fermées les connexions inactives", "French"),
            ("délai d'attente dépassé", "French"),
            ("onde são fechadas as conexões ociosas", "Portuguese"),
            ("где закрываются неактивные соединения", "Russian"),
            ("连接超时后如何重试", "Chinese"),
            ("接続がタイムアウトしたときの再試行", "Japanese"),
            ("연결이 끊어지면 어떻게 다시 연결합니까", "Korean"),
        ] {
            assert_eq!(language(question), Some(name), "{question}");
        }
    }

    #[test]
    fn english_questions_have_no_other_language() {
        for question in [
            "where are idle connections closed",
            "retry connection",
            "what does main do with data on the error path",
            "why is a Session in limbo after die() was called",
            "como la de facto error",
            "tcp keepalive",
            "frobnicate",
            "parse_error Session.close src/main.rs",
            "how is \u{201c}quoted\u{201d} text \u{2014} with dashes \u{2014} parsed",
        ] {
            assert_eq!(language(question), None, "{question}");
        }
    }
}
