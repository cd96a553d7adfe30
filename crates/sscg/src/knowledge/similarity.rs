//! Similarity of short texts to a question.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sscg_embed::{Row, TermTable, normalize};
use sscg_index::{query_terms, stems};

/// Minimum similarity of two terms; values below it are noise of the table.
const LEAST: f32 = 0.3;

/// Weight of a text's focus on the question. Small, because most of a text depends on its type, not on its subject.
const FOCUS: f32 = 0.15;

/// Terms of many short texts.
///
/// The similarity of a text to a question is the coverage of the question's terms by the text's terms. Each term of
/// the question counts by its rarity among the texts, times its similarity to the closest term of the text: 1 for the
/// same term, otherwise the cosine of their vectors in the built-in table. For texts of ten words each, this is more
/// informative than the cosine of sums, which a single common word can change. Of texts with equal coverage, the one
/// with fewer other terms is more similar.
#[derive(Debug)]
pub(super) struct Texts {
    vocabulary: FxHashMap<Box<str>, u32>,
    /// Normalized vectors of the terms of the vocabulary, concatenated; zeros for a term that the table lacks.
    vectors: Vec<f32>,
    /// Number of texts that contain each term.
    frequencies: Vec<u32>,
    /// Terms of all texts, concatenated, each once per text.
    terms: Vec<u32>,
    /// End of each text's terms.
    ends: Vec<u32>,
}

impl Texts {
    /// Analyzes texts. O(bytes).
    pub(super) fn new(texts: &[impl AsRef<str> + Sync]) -> Self {
        let analyzed: Vec<Vec<String>> = texts.par_iter().map(|text| stems(text.as_ref())).collect();
        let mut made = Self {
            vocabulary: FxHashMap::default(),
            vectors: Vec::new(),
            frequencies: Vec::new(),
            terms: Vec::new(),
            ends: Vec::with_capacity(texts.len()),
        };
        for terms in analyzed {
            let start = made.terms.len();
            for term in terms {
                let id = made.id(term);
                if !made.terms[start..].contains(&id) {
                    made.terms.push(id);
                    made.frequencies[id as usize] += 1;
                }
            }
            made.ends.push(made.terms.len() as u32);
        }
        made
    }

    fn id(&mut self, term: String) -> u32 {
        let next = self.vocabulary.len() as u32;
        if let Some(id) = self.vocabulary.get(&*term) {
            return *id;
        }
        self.vectors.extend(vector(TermTable::built_in().row(&term)));
        self.frequencies.push(0);
        self.vocabulary.insert(term.into(), next);
        next
    }

    /// Returns the similarity of each text to a question, from 0 to 1. O(terms of the question × (vocabulary + terms
    /// of all texts)).
    pub(super) fn similarities(&self, question: &str) -> Vec<f32> {
        let asked: Vec<(f32, Vec<f32>)> = query_terms(question)
            .iter()
            .map(|term| (self.rarity(term), self.term_similarities(term)))
            .collect();
        let whole: f32 = asked.iter().map(|(rarity, _)| rarity).sum();
        if whole == 0.0 {
            return vec![0.0; self.ends.len()];
        }
        let matched =
            |term: usize| asked.iter().map(|(_, similarities)| similarities[term]).fold(0.0, f32::max);
        let focus: Vec<(f32, f32)> = self
            .frequencies
            .iter()
            .enumerate()
            .map(|(term, with)| (self.rarity_of(*with), matched(term)))
            .collect();
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans: Vec<(u32, u32)> = starts.zip(self.ends.iter().copied()).collect();
        let of = |&(start, end): &(u32, u32)| {
            let terms = &self.terms[start as usize..end as usize];
            let best = |similarities: &[f32]| {
                terms.iter().map(|term| similarities[*term as usize]).fold(0.0, f32::max)
            };
            let covered =
                asked.iter().map(|(rarity, similarities)| rarity * best(similarities)).sum::<f32>() / whole;
            let said = terms.iter().map(|term| focus[*term as usize]);
            let (all, about) =
                said.fold((0.0, 0.0), |sum, (rarity, matched)| (sum.0 + rarity, sum.1 + rarity * matched));
            let focused = if all > 0.0 { about / all } else { 0.0 };
            (1.0 - FOCUS) * covered + FOCUS * focused
        };
        spans.par_iter().map(of).collect()
    }

    /// Returns the weight of a term: the fewer texts contain it, the larger. A term in no text counts as one in a
    /// single text, so that a missing topic lowers the coverage.
    fn rarity(&self, term: &str) -> f32 {
        self.rarity_of(self.vocabulary.get(term).map_or(1, |id| self.frequencies[*id as usize]))
    }

    fn rarity_of(&self, with: u32) -> f32 {
        let (texts, with) = (self.ends.len() as f32, with as f32);
        (1.0 + (texts - with + 0.5) / (with + 0.5)).ln()
    }

    /// Returns the similarity of each term of the vocabulary to this one of a question.
    fn term_similarities(&self, term: &str) -> Vec<f32> {
        let own = vector(TermTable::built_in().question_row(term));
        let itself = self.vocabulary.get(term);
        let similarity = |(id, other): (usize, &[f32])| {
            if itself == Some(&(id as u32)) {
                return 1.0;
            }
            let cosine: f32 = own.iter().zip(other).map(|(a, b)| a * b).sum();
            if cosine < LEAST { 0.0 } else { cosine.min(1.0) }
        };
        self.vectors.chunks_exact(own.len()).enumerate().map(similarity).collect()
    }
}

/// Returns the normalized vector of a row; zeros for none.
fn vector(row: Option<Row>) -> Vec<f32> {
    let table = TermTable::built_in();
    let mut vector = vec![0.0; table.dimension()];
    if let Some(row) = row {
        table.add(row, 1.0, &mut vector);
        normalize(&mut vector);
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(question: &str, texts: &[&str]) -> usize {
        let similarities = Texts::new(texts).similarities(question);
        assert!(similarities.iter().all(|similarity| (0.0..=1.0).contains(similarity)), "{similarities:?}");
        (0..texts.len()).max_by(|a, b| similarities[*a].total_cmp(&similarities[*b])).expect("there are some")
    }

    #[test]
    fn the_same_words_are_most_similar() {
        let texts = [
            "Endpoint: GET /orders on orders.",
            "Endpoint: POST /payments on payments.",
            "Event: order.placed.",
        ];
        assert_eq!(best("which payments endpoint is there", &texts), 1);
        assert_eq!(best("order placed", &texts), 2);
    }

    #[test]
    fn words_of_like_meaning_are_similar() {
        let texts = ["Function: delete_user", "Function: parse_number", "Function: open_window"];
        assert_eq!(best("remove an account", &texts), 0);
    }

    #[test]
    fn a_question_of_nothing_is_similar_to_nothing() {
        let texts = Texts::new(&["a b c", ""]);
        assert_eq!(texts.similarities("the of"), [0.0, 0.0]);
        assert_eq!(texts.similarities("zzzqqq"), [0.0, 0.0]);
        assert!(Texts::new(&[""; 0]).similarities("orders").is_empty());
    }
}
