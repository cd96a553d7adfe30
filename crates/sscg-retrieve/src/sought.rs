//! Words that a ranking looks for, to explain which of them its results have.
//!
//! They come from the signals for words, windows, meaning and paths themselves, and are found as the index finds them. Vectors
//! of whole chunks, locations, calls and custom signals have no words, so not every result has one.

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{FileId, parts_of};
use sscg_index::{Field, Snapshot, query_terms, stems, whole_term, words};

use crate::signal::{Signal, SignalContext, StandsFor};
use crate::{Query, QueryMode, RankOptions, callers};

/// Words that the ranking of a question looks for.
pub struct SoughtWords<'a> {
    options: &'a RankOptions,
    /// Question, unless it has no words.
    context: Option<SignalContext<'a>>,
    words: Vec<SoughtWord>,
    /// Numbers of the words with each term.
    of_terms: FxHashMap<String, Vec<usize>>,
}

/// Word that a ranking looks for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SoughtWord {
    /// Word or phrase of the question, as asked.
    pub asked: String,
    /// Term of the index: that of the asked word, or of another word that stands for it.
    pub term: String,
    /// True for a term of the question itself, after translation.
    pub is_own: bool,
    /// Weight of an occurrence: rarity of the term, times its closeness to the asked word.
    pub weight: f64,
}

/// Occurrence of a sought word in a text.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SoughtOccurrence<'s, 't> {
    /// Sought word.
    pub sought: &'s SoughtWord,
    /// Word of the text, or its part that matches.
    pub text: &'t str,
    /// Byte offset of the word in the text.
    pub at: usize,
    /// True if the text has the asked word itself, in any form.
    pub is_same: bool,
}

impl<'a> SoughtWords<'a> {
    /// Collects the words of a question and those that stand for them: translations, words of the thesaurus, and words of
    /// similar meaning. A declaration that is looked up and a question about uses have none. O(files + words).
    pub fn new(snapshot: &'a Snapshot, query: &'a Query, options: &'a RankOptions) -> Self {
        let mut sought = Self { options, context: None, words: Vec::new(), of_terms: FxHashMap::default() };
        let QueryMode::Words(terms) = &query.mode else { return sought };
        if callers::is_about_uses(snapshot, query) {
            return sought;
        }
        let mut context = SignalContext::new(query, snapshot, terms, options.terms);
        context.has_lines =
            options.weights.location > 0.0 && !options.location.score(&context, &[]).lines.is_empty();
        sought.words = collect(&context, options);
        for (number, word) in sought.words.iter().enumerate() {
            sought.of_terms.entry(word.term.clone()).or_default().push(number);
        }
        sought.context = Some(context);
        sought
    }

    /// Finds the sought words in a text, in order. O(words of the text).
    pub fn find<'t>(&self, text: &'t str) -> Vec<SoughtOccurrence<'_, 't>> {
        let mut found = Vec::new();
        for word in words(text) {
            for term in terms_of(word) {
                found.extend(self.of(&term).map(|sought| occurrence(sought, text, word, &term)));
            }
        }
        found
    }

    /// Finds the sought words in the path of a file, each with its weight there. O(words of the path).
    pub fn find_in_path(&self, file: FileId) -> Vec<(SoughtOccurrence<'_, 'a>, f64)> {
        let mut found = Vec::new();
        let Some(context) = &self.context else { return found };
        let RankOptions { lexical, meaning, .. } = self.options;
        let path = &*context.snapshot.project.files()[file].path;
        for used in context.paths.uses(file) {
            let term = context.paths.text(*used);
            let Some(word) = words(path).find(|word| terms_of(word).iter().any(|known| known == term)) else {
                continue;
            };
            let own = used.weight(lexical.file_name, lexical.directory, lexical.directory_decay);
            let other = used.weight(meaning.file_name, meaning.directory, meaning.directory_decay);
            for sought in self.of(term) {
                let weight = sought.weight * if sought.is_own { own } else { other };
                found.push((occurrence(sought, path, word, term), weight));
            }
            // `config` for `configuration`.
            for (number, similarity) in context.mentions.of(*used).iter().filter(|(_, it)| *it < 1.0) {
                let similar = self.of(&context.terms[*number as usize].text).filter(|sought| sought.is_own);
                found.extend(similar.map(|sought| {
                    let found = SoughtOccurrence { is_same: false, ..occurrence(sought, path, word, term) };
                    (found, sought.weight * own * similarity)
                }));
            }
        }
        found
    }

    /// Returns the weight of a sought word in a field of a chunk.
    pub fn weight_in(&self, field: Field, sought: &SoughtWord) -> f64 {
        let RankOptions { lexical, meaning, .. } = self.options;
        let of_field = if sought.is_own { lexical.field(field) } else { meaning.field(field) };
        sought.weight * of_field.weight
    }

    fn of(&self, term: &str) -> impl Iterator<Item = &SoughtWord> {
        self.of_terms.get(term).into_iter().flatten().map(|number| &self.words[*number])
    }
}

/// Collects the words that the signals look for.
fn collect(context: &SignalContext<'_>, options: &RankOptions) -> Vec<SoughtWord> {
    let mut found = Found::default();
    let asked: Vec<&str> = context.terms.iter().map(|term| asked_for(context, &term.text)).collect();
    for (term, asked) in context.terms.iter().zip(&asked) {
        found.add(asked, &term.text, true, term.weight);
    }
    if options.weights.window > 0.0 && context.has_code() {
        let probes = options.windows.probes(context);
        for (probe, stands_for) in probes.terms.iter().zip(&probes.stands_for) {
            let (at, weight) = match *stands_for {
                StandsFor::Term(at, share) => (at, context.terms[at].weight * f64::from(share)),
                StandsFor::Meaning(at, weight) => (at, f64::from(weight)),
            };
            found.add(asked[at], &probe.text, probe.text == context.terms[at].text, weight);
        }
    }
    if options.weights.meaning > 0.0 && context.is_in_other_words() {
        let alternatives = options.meaning.alternatives(context);
        for (word, (part, weight)) in alternatives.words.iter().zip(&alternatives.stand_for) {
            let weight = alternatives.parts[*part] * weight;
            match asked.get(*part) {
                Some(asked) => found.add(asked, &word.text, word.text == context.terms[*part].text, weight),
                None => {
                    let phrase = &alternatives.phrases[*part - asked.len()];
                    if let Some(asked) = phrase_in(&context.prose, phrase) {
                        found.add(asked, &word.text, false, weight);
                    }
                }
            }
        }
    }
    found.without_words_of_phrases()
}

/// Sought words under collection.
#[derive(Default)]
struct Found {
    words: Vec<SoughtWord>,
    known: FxHashMap<(String, String), usize>,
}

impl Found {
    /// Adds a word; of equal ones, the greatest weight counts.
    fn add(&mut self, asked: &str, term: &str, is_own: bool, weight: f64) {
        let next = self.words.len();
        let at = *self.known.entry((asked.to_owned(), term.to_owned())).or_insert(next);
        if at == next {
            let (asked, term) = (asked.to_owned(), term.to_owned());
            self.words.push(SoughtWord { asked, term, is_own, weight });
        } else {
            let word = &mut self.words[at];
            word.is_own |= is_own;
            word.weight = word.weight.max(weight);
        }
    }

    /// Returns the words, without those of a phrase for which the same term is sought: windows score a phrase for its rarest
    /// word.
    fn without_words_of_phrases(self) -> Vec<SoughtWord> {
        let is_phrase = |word: &&SoughtWord| words(&word.asked).nth(1).is_some();
        let of_phrases: FxHashSet<(String, String)> = (self.words.iter().filter(is_phrase))
            .flat_map(|phrase| words(&phrase.asked).map(|word| (word.to_owned(), phrase.term.clone())))
            .collect();
        let is_left = |word: &SoughtWord| !of_phrases.contains(&(word.asked.clone(), word.term.clone()));
        self.words.into_iter().filter(is_left).collect()
    }
}

/// Returns the word of the question or of the caller's guesses that has a term.
fn asked_for<'c>(context: &'c SignalContext<'_>, term: &'c str) -> &'c str {
    let has = |text: &&str| query_terms(text).iter().any(|known| known == term);
    let Query { prose, terms, translation, .. } = context.query;
    let of_question = match translation {
        Some(translation) => translation.original_of(term),
        None => words(prose).find(has),
    };
    of_question.or_else(|| terms.iter().map(String::as_str).find(has)).unwrap_or(term)
}

/// Returns the part of a question whose words have the stems of a phrase.
fn phrase_in<'q>(question: &'q str, phrase: &[String]) -> Option<&'q str> {
    let all: Vec<(&str, Vec<String>)> = words(question).map(|word| (word, stems(word))).collect();
    (0..all.len()).find_map(|first| {
        let mut rest = phrase;
        for (word, of_word) in &all[first..] {
            rest = rest.strip_prefix(&of_word[..])?;
            if rest.is_empty() {
                let end = offset(question, word) + word.len();
                return Some(&question[offset(question, all[first].0)..end]);
            }
        }
        None
    })
}

/// Returns the terms of a word as the index has them: unlike in questions, stop words have one, too.
fn terms_of(word: &str) -> Vec<String> {
    let terms = query_terms(word);
    if terms.is_empty() { stems(word) } else { terms }
}

/// Returns the occurrence of a sought word as a term of a word.
fn occurrence<'s, 't>(
    sought: &'s SoughtWord,
    text: &'t str,
    word: &'t str,
    term: &str,
) -> SoughtOccurrence<'s, 't> {
    let part = parts_of(word).find(|part| matches!(&stems(part)[..], [stem] if stem == term));
    let is_same = sought.is_own && whole_term(&sought.asked).as_deref() == Some(term);
    SoughtOccurrence { sought, text: part.unwrap_or(word), at: offset(text, word), is_same }
}

/// Returns the byte offset of a part of a text.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}
