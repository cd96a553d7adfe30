//! Translation of questions in eight other languages to English words, which code uses.
//!
//! Dictionaries of developers' words (`de.txt` and so on) translate word by word. The original words count where the
//! project has them, as in comments in that language.

mod detect;
mod dictionary;
mod language;
mod segment;

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_index::{LexicalIndex, query_terms};

use language::Language;

/// Question in another language, with the English words for its own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Translation {
    words: Vec<Word>,
}

/// Word of a question in another language.
#[derive(Clone, Debug, PartialEq)]
enum Word {
    /// Word that stays: a name, an English word, or one that the dictionary lacks.
    Kept(String),
    /// Word that counts only if the project has it.
    Original(String),
    /// English words for a word, a phrase or a compound.
    English {
        /// Original text.
        original: String,
        /// English words, best first, between blanks.
        words: &'static str,
    },
}

/// Share of the weight that each further English word for the same word has of the one before it.
const NEXT_WORD: f64 = 0.5;

impl Translation {
    /// Translates a question; `None` if it is English or none of its words is known. O(words).
    pub(crate) fn of(question: &str) -> Option<Self> {
        let words = segment::words_of(question, Language::of(question)?);
        words.iter().any(|word| matches!(word, Word::English { .. })).then_some(Self { words })
    }

    /// Returns the terms of all words, foreign and English.
    pub(crate) fn terms(&self) -> Vec<String> {
        let texts = self.words.iter().map(|word| match word {
            Word::Kept(text) | Word::Original(text) => text,
            Word::English { words, .. } => *words,
        });
        query_terms(&texts.collect::<Vec<_>>().join(" "))
    }

    /// Returns the question in words of the project, and the share of its weight that each term keeps, if not all of
    /// it. Of English words for the same word, those that the project lacks are left out, unless it lacks all of them.
    pub(crate) fn in_words_of(&self, lexical: &LexicalIndex) -> (String, FxHashMap<String, f64>) {
        let is_known = |text: &str| query_terms(text).iter().all(|term| lexical.term(term).is_some());
        let mut prose: Vec<&str> = Vec::new();
        let mut english: FxHashSet<&str> = FxHashSet::default();
        let mut shares: FxHashMap<String, f64> = FxHashMap::default();
        for word in &self.words {
            let words = match word {
                Word::Kept(text) => {
                    prose.push(text);
                    continue;
                }
                Word::Original(text) => {
                    prose.extend(Some(text.as_str()).filter(|text| is_known(text)));
                    continue;
                }
                Word::English { words, .. } => *words,
            };
            let mut known: Vec<&str> = words.split(' ').filter(|word| is_known(word)).collect();
            if known.is_empty() {
                known.extend(words.split(' ').next());
            }
            let mut share: f64 = 1.0;
            for word in known {
                if english.insert(word) {
                    prose.push(word);
                }
                for term in query_terms(word) {
                    let best = shares.entry(term).or_default();
                    *best = share.max(*best);
                }
                share *= NEXT_WORD;
            }
        }
        for text in self.words.iter().filter_map(|word| match word {
            Word::Kept(text) | Word::Original(text) => Some(text),
            Word::English { .. } => None,
        }) {
            query_terms(text).iter().for_each(|term| _ = shares.remove(term));
        }
        (prose.join(" "), shares)
    }

    /// Returns the words of the question that a term stands for; those with the term itself have priority. O(words).
    pub(crate) fn original_of(&self, term: &str) -> Option<&str> {
        let has = |text: &str| query_terms(text).iter().any(|known| known == term);
        let same = self.words.iter().find_map(|word| match word {
            Word::Kept(text) | Word::Original(text) => Some(text.as_str()).filter(|text| has(text)),
            Word::English { .. } => None,
        });
        same.or_else(|| {
            self.words.iter().find_map(|word| match word {
                Word::English { original, words } => Some(original.as_str()).filter(|_| has(words)),
                Word::Kept(_) | Word::Original(_) => None,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First English word for each word, other words as they are.
    fn english(question: &str) -> Vec<String> {
        let words = Translation::of(question).map(|translation| translation.words).unwrap_or_default();
        let words = words.into_iter().filter_map(|word| match word {
            Word::Kept(text) => Some(text),
            Word::Original(_) => None,
            Word::English { words, .. } => words.split(' ').next().map(str::to_owned),
        });
        words.collect()
    }

    #[test]
    fn words_phrases_and_compounds_are_translated() {
        for (question, words) in [
            ("wie werden abgebrochene Verbindungen wiederholt", "abort connect retry"),
            ("Was passiert, wenn die Dateigröße überschritten wird?", "file size exceed"),
            (
                "wo wird die Socketverbindung mit `Session.close()` geschlossen",
                "socket connect `Session.close()` close",
            ),
            ("wie wird eine Umgebungsvariable gelesen", "environment read"),
            ("¿cómo se reintentan las conexiones perdidas?", "retry connect lose"),
            ("dónde se valida el tamaño del archivo", "validate size file"),
            ("como conexao recusada e tratada no servidor", "connect reject handle server"),
            ("où est vérifiée la somme de contrôle", "check checksum"),
            ("comment l'erreur de délai d'attente est levée", "error timeout raise"),
            ("quais cabeçalhos são enviados no pedido", "header send request"),
            ("где проверяется контрольная сумма файла", "check checksum file"),
            ("连接超时后如何重试", "connect timeout retry"),
            ("HTTP请求头在哪里解析", "HTTP request parse"),
            ("環境変数を使って色を変える", "environment use color change"),
            ("연결이 끊어지면 어떻게 다시 연결합니까", "connect disconnect reconnect"),
            ("파일 크기 제한은 어디에서 확인합니까", "file size check"),
        ] {
            assert_eq!(english(question).join(" "), words, "{question}");
        }
    }

    #[test]
    fn terms_are_those_of_both_languages() {
        let translation = Translation::of("wie werden Verbindungen geschlossen").expect("German");
        let terms = translation.terms();
        for term in ["verbindungen", "connect", "geschlossen", "close"] {
            let term = query_terms(term).remove(0);
            assert!(terms.contains(&term), "{term}: {terms:?}");
        }
        assert_eq!(Translation::of("wo wird Xyzzi gefrobbelt"), None);
    }

    #[test]
    fn a_term_leads_back_to_the_word_asked() {
        for (question, english, original) in [
            ("wie werden abgebrochene Verbindungen geschlossen", "connect", "Verbindungen"),
            ("Was passiert, wenn die Dateigröße überschritten wird?", "size", "Dateigröße"),
            ("où est vérifiée la somme de contrôle", "checksum", "somme de contrôle"),
            ("连接超时后如何重试", "timeout", "超时"),
        ] {
            let translation = Translation::of(question).expect("another language");
            let term = &query_terms(english)[0];
            assert_eq!(translation.original_of(term), Some(original), "{question}");
        }
    }
}
