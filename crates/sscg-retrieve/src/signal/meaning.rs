//! Words of the same meaning, in what declarations are called.
//!
//! A question in other words than the code's has few words in common with the code that answers it, but each of its words
//! has a list of words that code uses for it. One of them occurs everywhere by chance; a declaration whose name, file and
//! body together have a word for several parts of the question hardly does. Scored as [`Lexical`](super::Lexical) scores
//! the question's own words, by BM25F; the best of the words that may stand for a part counts. Not run for questions in the
//! words of the code: with the caller's guesses, or with a line that they name or quote.

use derive_setters::Setters;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, FileId, Id};
use sscg_index::{Field, Posting, stems};

use super::occurrences::{FileOccurrences, Occurrences};
use super::windows::{LEAST_IDF, PLACE_LOSS};
use super::{FieldWeight, Signal, SignalContext, SignalId, SignalScores, Term, decayed_sum};
use crate::thesaurus::{Phrase, Related, Thesaurus};

/// Scores files and chunks by words of the question and words that mean the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct MeaningSignal {
    /// Weight of a word of the thesaurus relative to the question's own.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub thesaurus: f64,
    /// Weight of a word of the question for which the thesaurus has others: everyday words occur by chance, too.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub everyday: f64,
    /// Weight of a phrase relative to the rarest word: a phrase of the thesaurus is more specific than its words.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub phrase: f64,
    /// BM25 term-frequency saturation (k1).
    #[schemars(range(min = 0.0))]
    pub k1: f64,
    /// Declared name.
    pub name: FieldWeight,
    /// Names of the enclosing declarations.
    pub qualifier: FieldWeight,
    /// Declaration without its body.
    pub signature: FieldWeight,
    /// Documentation.
    pub doc: FieldWeight,
    /// Code with its children collapsed.
    pub body: FieldWeight,
    /// Names of the declared members.
    pub members: FieldWeight,
    /// Weight of the words of the file's name in each of its chunks.
    #[schemars(range(min = 0.0))]
    pub file_name: f64,
    /// Weight of the innermost directory's words; each further one has `directory_decay` of it.
    #[schemars(range(min = 0.0))]
    pub directory: f64,
    /// See `directory`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub directory_decay: f64,
    /// Weight of each further chunk of a file relative to the one before it.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub chunk_decay: f64,
    /// Number of chunks in a file's score.
    #[schemars(range(min = 1))]
    pub chunks_per_file: usize,
    /// Factor for chunks of test code, unless the question asks for tests.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub test_code: f64,
}

impl Default for MeaningSignal {
    /// Measured on the development questions. Names count most: in bodies and documentation, words of the thesaurus
    /// occur by chance.
    fn default() -> Self {
        Self {
            thesaurus: 0.8,
            everyday: 0.8,
            phrase: 0.7,
            k1: 1.2,
            name: FieldWeight { weight: 3.0, length: 0.3 },
            qualifier: FieldWeight { weight: 1.0, length: 0.3 },
            signature: FieldWeight { weight: 1.5, length: 0.5 },
            doc: FieldWeight { weight: 0.5, length: 0.5 },
            body: FieldWeight { weight: 0.25, length: 0.75 },
            members: FieldWeight { weight: 0.5, length: 0.5 },
            file_name: 2.0,
            directory: 0.7,
            directory_decay: 0.6,
            chunk_decay: 0.5,
            chunks_per_file: 12,
            test_code: 0.2,
        }
    }
}

/// Words that may stand for each part of a question.
#[derive(Default)]
pub(crate) struct Alternatives {
    pub(crate) words: Vec<Term>,
    /// Part that each word stands for, and the word's weight: its closeness to the part times its rarity.
    pub(crate) stand_for: Vec<(usize, f64)>,
    /// Weight of each part: of the terms, then of the phrases.
    pub(crate) parts: Vec<f64>,
    /// Stems of each phrase.
    pub(crate) phrases: Vec<Vec<String>>,
}

impl Alternatives {
    /// Adds words for the last part, if the project has them. `closeness` is a function of a word's place.
    fn add(
        &mut self,
        context: &SignalContext<'_>,
        words: impl IntoIterator<Item = Term>,
        closeness: impl Fn(usize) -> f64,
    ) {
        for (place, word) in words.into_iter().enumerate().filter(|(_, word)| word.entry.is_some()) {
            let rarity = word.weight / context.greatest_weight();
            self.stand_for.push((self.parts.len() - 1, closeness(place) * rarity));
            self.words.push(word);
        }
    }
}

impl Signal for MeaningSignal {
    fn id(&self) -> SignalId {
        SignalId::MEANING
    }

    fn score(&self, context: &SignalContext<'_>, _found: &[(ChunkId, f64)]) -> SignalScores {
        let alternatives = self.alternatives(context);
        let occurrences = Occurrences::new(context.snapshot.lexical(), &alternatives.words);
        let in_paths = context.paths.equal_terms(&alternatives.words);
        let scorer = Scorer { signal: self, context, alternatives, in_paths };
        let blocks = occurrences.in_blocks(|files| {
            let mut scored = Scored::default();
            files.iter().for_each(|file| scorer.score_file(&occurrences, file, &mut scored));
            scored
        });
        let mut evidence = SignalScores::default();
        for block in blocks {
            evidence.files.extend(block.files);
            evidence.chunks.extend(block.chunks);
        }
        evidence.normalize();
        evidence
    }
}

impl MeaningSignal {
    pub(crate) fn field(&self, field: Field) -> FieldWeight {
        match field {
            Field::Name => self.name,
            Field::Qualifier => self.qualifier,
            Field::Signature => self.signature,
            Field::Doc => self.doc,
            Field::Body => self.body,
            Field::Members => self.members,
        }
    }

    /// Returns the words for each term and phrase of the question. A term that a phrase of the thesaurus contains has no
    /// meaning of its own.
    pub(crate) fn alternatives(&self, context: &SignalContext<'_>) -> Alternatives {
        let lexical = context.snapshot.lexical();
        let most = context.greatest_weight();
        let phrases = Thesaurus::built_in().phrases(&context.prose);
        let in_phrases: FxHashSet<&String> = phrases.iter().flat_map(|phrase| &phrase.stems).collect();
        let related = |words: &[String]| -> Vec<Term> {
            let words = words.iter().map(|word| Term::new(lexical, word));
            words.filter(|word| word.weight >= LEAST_IDF).collect()
        };
        let closeness = |place: usize| self.thesaurus * (1.0 - PLACE_LOSS * place as f64);
        let mut found = Alternatives::default();
        for term in &context.terms {
            // A word that the project lacks is as rare as can be.
            found.parts.push(if term.entry.is_some() { term.weight } else { most });
            let meanings = Thesaurus::built_in().of(&term.text);
            let own = if meanings.is_empty() { 1.0 } else { self.everyday };
            found.add(context, [term.clone()], |_| own);
            if !in_phrases.contains(&term.text) {
                found.add(context, related(&meanings), closeness);
            }
            found.add(context, related(Related::built_in().of(&term.text)), closeness);
        }
        for Phrase { stems, meanings } in phrases {
            found.parts.push(self.phrase * most);
            found.add(context, related(&meanings), closeness);
            found.phrases.push(stems);
        }
        for (words, meanings) in Related::built_in().phrases(&context.prose) {
            found.parts.push(self.phrase * most);
            found.add(context, related(meanings), closeness);
            found.phrases.push(stems(&words.join(" ")));
        }
        found
    }
}

/// Scores of some files, with reused buffers.
#[derive(Default)]
struct Scored {
    files: Vec<(FileId, f64)>,
    chunks: Vec<(ChunkId, f64)>,
    /// Weighted count of each word in the file's path.
    in_path: Vec<f64>,
    /// Weighted count of a word in each chunk of the file.
    counts: Vec<f64>,
    /// Score of each part in each chunk of the file, chunk by chunk.
    of_parts: Vec<f64>,
    best_first: Vec<f32>,
    postings: Vec<Posting>,
}

/// Question with its alternatives.
struct Scorer<'s, 'a> {
    signal: &'s MeaningSignal,
    context: &'s SignalContext<'a>,
    alternatives: Alternatives,
    /// Words that equal each path word.
    in_paths: Vec<Vec<u32>>,
}

impl Scorer<'_, '_> {
    fn score_file(&self, occurrences: &Occurrences<'_>, file: &FileOccurrences, scored: &mut Scored) {
        let Scored { files, chunks, in_path, counts, of_parts, best_first, postings } = scored;
        let Alternatives { words, parts, .. } = &self.alternatives;
        let of_file = self.context.snapshot.project.chunks_of(file.file);
        let first = of_file.start.index();
        let count = of_file.end.index() - first;
        let fields = Field::ALL.map(|field| self.signal.field(field));
        of_parts.clear();
        of_parts.resize(count * parts.len(), 0.0);
        self.count_path(file.file, in_path);
        for (word, in_file) in occurrences.of(file) {
            counts.clear();
            counts.resize(count, 0.0);
            postings.clear();
            postings.extend(in_file.iter());
            for posting in postings.iter() {
                counts[posting.chunk.index() - first] += fields[posting.field as usize].count(posting);
            }
            let in_path = std::mem::take(&mut in_path[word]);
            let counted = counts.iter().enumerate().filter(|(_, count)| **count + in_path > 0.0);
            counted.for_each(|(chunk, count)| self.raise(of_parts, chunk, word, count + in_path));
        }
        for word in (0..words.len()).filter(|word| in_path[*word] > 0.0) {
            (0..count).for_each(|chunk| self.raise(of_parts, chunk, word, in_path[word]));
        }
        best_first.clear();
        for (chunk, of_parts) in (first..).map(ChunkId::new).zip(of_parts.chunks(parts.len())) {
            let mut score: f64 = of_parts.iter().zip(parts).map(|(score, weight)| score * weight).sum();
            if score > 0.0 {
                if self.context.is_unwanted_test(chunk) {
                    score *= self.signal.test_code;
                }
                best_first.push(score as f32);
                chunks.push((chunk, score));
            }
        }
        let MeaningSignal { chunks_per_file, chunk_decay, .. } = *self.signal;
        let score = decayed_sum(best_first, chunks_per_file, chunk_decay);
        files.extend((score > 0.0).then_some((file.file, score)));
    }

    /// Raises the score of a word's part in a chunk to that of the word, if it is higher.
    fn raise(&self, of_parts: &mut [f64], chunk: usize, word: usize, count: f64) {
        let (part, weight) = self.alternatives.stand_for[word];
        let best = &mut of_parts[chunk * self.alternatives.parts.len() + part];
        *best = best.max(weight * count / (self.signal.k1 + count));
    }

    /// Computes the weighted count of each word in a file's path.
    fn count_path(&self, file: FileId, counts: &mut Vec<f64>) {
        let MeaningSignal { file_name, directory, directory_decay, .. } = *self.signal;
        counts.clear();
        counts.resize(self.alternatives.words.len(), 0.0);
        for used in self.context.paths.uses(file) {
            for word in &self.in_paths[used.word as usize] {
                counts[*word as usize] += used.weight(file_name, directory, directory_decay);
            }
        }
    }
}
