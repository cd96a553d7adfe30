//! British spellings, irregular forms, abbreviations, codes and operators with their words.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_index::{stems, whole_term, words};

use super::MOST_PHRASES;

/// Terms that stand for each other: `colour` and `color`, `sent` and `send`, `auth` and `authentication`, `413` and
/// `payload_too_large`, the walrus operator and `named_expression`. The words of an entry do not stand for each other.
#[derive(Debug, Default)]
pub(crate) struct Related {
    /// Related terms by term, best first. A phrase has the term of its compound: `payloadtoolarge`.
    terms: FxHashMap<String, Vec<String>>,
    /// Maximum number of words of a phrase.
    longest: usize,
}

static BUILT_IN: LazyLock<Related> = LazyLock::new(|| Related::read(&TEXTS));

const TEXTS: [&str; 5] = [
    include_str!("spellings.txt"),
    include_str!("forms.txt"),
    include_str!("abbreviations.txt"),
    include_str!("codes.txt"),
    include_str!("operators.txt"),
];

impl Related {
    pub(crate) fn built_in() -> &'static Related {
        &BUILT_IN
    }

    fn read(texts: &[&str]) -> Self {
        let mut related = Self::default();
        for line in texts.iter().flat_map(|text| text.lines()) {
            let Some((head, others)) = line.split_once(": ") else { continue };
            for other in others.split(' ') {
                related.add(head, other);
                related.add(other, head);
            }
        }
        related
    }

    fn add(&mut self, name: &str, other: &str) {
        let (Some(term), Some(other)) = (term_of(name), term_of(other)) else { return };
        self.longest = self.longest.max(name.split('_').count());
        let others = self.terms.entry(term).or_default();
        if !others.contains(&other) {
            others.push(other);
        }
    }

    /// Returns the terms that stand for a term; none for most terms. O(1).
    pub(crate) fn of(&self, term: &str) -> &[String] {
        self.terms.get(term).map_or(&[], Vec::as_slice)
    }

    /// Returns the phrases of a question, each once and at most [`MOST_PHRASES`], with the terms that stand for it.
    /// O(words).
    pub(crate) fn phrases<'q>(&self, question: &'q str) -> Vec<(Vec<&'q str>, &[String])> {
        let all: Vec<&str> = words(question).collect();
        let mut found: Vec<(Vec<&str>, &[String])> = Vec::new();
        let mut known: FxHashSet<String> = FxHashSet::default();
        for start in 0..all.len() {
            let mut joined = all[start].to_lowercase();
            for (end, word) in all.iter().enumerate().take(start + self.longest).skip(start + 1) {
                joined.push_str(&word.to_lowercase());
                if let Some(terms) = self.terms.get(&joined)
                    && known.insert(joined.clone())
                {
                    found.push((all[start..=end].to_vec(), terms.as_slice()));
                    if found.len() == MOST_PHRASES {
                        return found;
                    }
                }
            }
        }
        found
    }
}

/// Returns the term of a word, or the compound term of a phrase.
fn term_of(name: &str) -> Option<String> {
    if name.contains('_') { whole_term(name) } else { stems(name).pop() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_well_formed() {
        for text in TEXTS {
            let mut heads: Vec<&str> = Vec::new();
            for line in text.lines().skip(1) {
                let (head, others) = line.split_once(": ").expect("a head and its words");
                let is_name = |name: &str| {
                    name.split('_').all(|word| {
                        !word.is_empty()
                            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
                    })
                };
                assert!(is_name(head) && others.split(' ').all(is_name), "{line}");
                assert!(others.split(' ').all(|other| other != head), "{line}");
                heads.push(head);
            }
            assert!(heads.is_sorted_by(|a, b| a < b), "in order, each head once");
        }
    }

    #[test]
    fn each_leads_to_the_other() {
        let related = Related::built_in();
        for (name, other) in [
            ("colours", "color"),
            ("behaviour", "behaviors"),
            ("serialised", "serializer"),
            ("initialise", "initialized"),
            ("licence", "license"),
            ("grey", "gray"),
            ("centred", "center"),
            ("sent", "send"),
            ("kept", "keep"),
            ("children", "child"),
            ("indices", "index"),
            ("ran", "run"),
            ("bound", "bind"),
            ("auth", "authentication"),
            ("auth", "authorize"),
            ("cfg", "configuration"),
            ("ctx", "context"),
            ("res", "response"),
            ("tz", "timezone"),
            ("src", "source"),
            ("i18n", "internationalization"),
            ("413", "payload_too_large"),
            ("413", "content_too_large"),
            ("429", "too_many_requests"),
            ("304", "not_modified"),
            ("econnreset", "connection_reset_by_peer"),
            ("enoent", "no_such_file"),
            ("sigterm", "terminate"),
            ("sigint", "ctrl_c"),
            ("walrus", "named_expr"),
            ("splat", "unpack"),
            ("question_mark_operator", "try_expression"),
            ("optional_chaining", "optional_chain"),
        ] {
            let [name, other] = [name, other].map(|name| term_of(name).expect("a term"));
            assert!(related.of(&name).contains(&other), "{name}");
            assert!(related.of(&other).contains(&name), "{other}");
        }
        assert!(related.of("xyzzi").is_empty());
    }

    #[test]
    fn phrases_are_found_in_any_case() {
        let found = |question| {
            let phrases = Related::built_in().phrases(question);
            phrases.into_iter().map(|(words, terms)| (words.join(" "), terms.to_vec())).collect::<Vec<_>>()
        };
        let [(phrase, terms)] = &found("answer if the Payload Too Large error comes")[..] else { panic!() };
        assert_eq!((phrase.as_str(), &terms[..]), ("Payload Too Large", &["413".to_owned()][..]));
        let ctrl_c = found("what happens on Ctrl+C");
        assert!(
            ctrl_c.iter().any(|(phrase, terms)| phrase == "Ctrl C" && terms.contains(&"sigint".to_owned()))
        );
        assert!(found("where are requests sent").is_empty());
    }
}
