//! The terms of one file.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use sscg_core::{Chunk, FileFacts, Id, LocalChunk};

use super::Field;
use crate::analyze::{Analyzer, words};

/// The terms of one file's chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileTerms {
    /// The distinct terms, each followed by a newline: one allocation instead of thousands.
    pub(super) terms: String,
    /// (term, chunk, field, count), each term of a field of a chunk once, by chunk and field.
    pub(super) counts: Vec<(u32, u32, Field, u16)>,
}

/// How often a term occurs in one field of one chunk of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermCount {
    /// The number of the term among [`FileTerms::terms`].
    pub term: usize,
    /// Where.
    pub chunk: LocalChunk,
    /// In which part of it.
    pub field: Field,
    /// How often, at most 65,535.
    pub count: u16,
}

impl FileTerms {
    /// The distinct terms, in the order of their numbers.
    pub fn terms(&self) -> impl Iterator<Item = &str> {
        self.terms.split_terminator('\n')
    }

    /// How often terms stand in fields of chunks, each once, by chunk and field.
    pub fn counts(&self) -> impl Iterator<Item = TermCount> {
        self.counts.iter().map(|&(term, chunk, field, count)| TermCount {
            term: term as usize,
            chunk: LocalChunk::new(chunk as usize),
            field,
            count,
        })
    }

    /// Analyses one file, whose collapsed declarations end in `stub`. O(characters).
    ///
    /// # Panics
    /// If `source` is not the text that the facts were taken from.
    pub fn new(facts: &FileFacts, source: &str, stub: &str) -> Self {
        VOCABULARY.with_borrow_mut(|vocabulary| {
            let mut collector = Collector::new(vocabulary);
            for (id, chunk) in facts.chunks.iter_enumerated() {
                collect_names(&mut collector, facts, id, chunk);
                facts.for_each_piece(id, source, stub, |piece| collector.add(id, Field::Body, piece));
                for child in chunk.symbol.into_iter().flat_map(|symbol| facts.children(symbol)) {
                    collector.add(id, Field::Members, &facts.symbols[child].name);
                }
            }
            let Collector { mut terms, mut counts, .. } = collector;
            // A project's files are all held at once.
            terms.shrink_to_fit();
            counts.shrink_to_fit();
            FileTerms { terms, counts }
        })
    }
}

/// Counts what a chunk says of itself apart from its code. Fields go in their own order, so that the counts
/// come out sorted.
fn collect_names<'f>(
    collector: &mut Collector<'_, 'f>,
    facts: &'f FileFacts,
    id: LocalChunk,
    chunk: &'f Chunk,
) {
    let Some(symbol) = chunk.symbol else {
        collector.add(id, Field::Name, &chunk.name);
        return;
    };
    let declaration = &facts.symbols[symbol];
    collector.add(id, Field::Name, &declaration.name);
    for ancestor in facts.ancestors(symbol) {
        collector.add(id, Field::Qualifier, &facts.symbols[ancestor].name);
    }
    collector.add(id, Field::Signature, &declaration.signature);
    if let Some(doc) = &declaration.doc {
        collector.add(id, Field::Doc, doc);
    }
}

thread_local! {
    /// Code repeats its words, within a file and across files.
    static VOCABULARY: RefCell<Vocabulary> = RefCell::default();
}

/// The words seen lately with their terms, numbered.
#[derive(Default)]
struct Vocabulary {
    analyzer: Option<Analyzer>,
    words: FxHashMap<Box<str>, Rc<[u32]>>,
    ids: FxHashMap<Box<str>, u32>,
    terms: Vec<Box<str>>,
}

/// No number.
const UNSEEN: u32 = u32::MAX;

/// How many words a vocabulary holds before it starts anew with the next file.
const VOCABULARY_WORDS: usize = 1 << 16;

impl Vocabulary {
    fn terms_of(&mut self, word: &str) -> Rc<[u32]> {
        if let Some(terms) = self.words.get(word) {
            return Rc::clone(terms);
        }
        let mut found = Vec::new();
        self.analyzer.get_or_insert_with(Analyzer::new).terms(word, |term, _| {
            found.push(match self.ids.get(term) {
                Some(id) => *id,
                None => {
                    let id = self.terms.len() as u32;
                    self.ids.insert(term.into(), id);
                    self.terms.push(term.into());
                    id
                }
            });
        });
        let found: Rc<[u32]> = found.into();
        self.words.insert(word.into(), Rc::clone(&found));
        found
    }
}

/// Counts one file's terms, chunk by chunk and field by field.
struct Collector<'v, 'f> {
    vocabulary: &'v mut Vocabulary,
    /// The file's number of each term of the vocabulary, [`UNSEEN`] if it has none yet.
    ids: Vec<u32>,
    terms: String,
    /// Where the terms of each word of the file stand in `terms_of_words`.
    words: FxHashMap<&'f str, (u32, u32)>,
    terms_of_words: Vec<u32>,
    counts: Vec<(u32, u32, Field, u16)>,
    /// Where in `counts` each term was counted last, [`UNSEEN`] if nowhere.
    last: Vec<u32>,
}

impl<'v, 'f> Collector<'v, 'f> {
    fn new(vocabulary: &'v mut Vocabulary) -> Self {
        if vocabulary.words.len() > VOCABULARY_WORDS {
            *vocabulary = Vocabulary::default();
        }
        Self {
            vocabulary,
            ids: Vec::new(),
            terms: String::new(),
            words: FxHashMap::default(),
            terms_of_words: Vec::new(),
            counts: Vec::new(),
            last: Vec::new(),
        }
    }

    /// Counts a text; chunks and their fields come in order, all texts of a field one after the other.
    fn add(&mut self, chunk: LocalChunk, field: Field, text: &'f str) {
        let chunk = chunk.index() as u32;
        for word in words(text) {
            let terms = match self.words.get(word) {
                Some(terms) => *terms,
                None => self.learn(word),
            };
            for &term in &self.terms_of_words[terms.0 as usize..terms.1 as usize] {
                let last = &mut self.last[term as usize];
                match self.counts.get_mut(*last as usize) {
                    Some((_, at, of, count)) if (*at, *of) == (chunk, field) => {
                        *count = count.saturating_add(1);
                    }
                    _ => {
                        *last = self.counts.len() as u32;
                        self.counts.push((term, chunk, field, 1));
                    }
                }
            }
        }
    }

    fn learn(&mut self, word: &'f str) -> (u32, u32) {
        let start = self.terms_of_words.len() as u32;
        let terms = self.vocabulary.terms_of(word);
        self.ids.resize(self.vocabulary.terms.len(), UNSEEN);
        for &term in terms.iter() {
            let id = &mut self.ids[term as usize];
            if *id == UNSEEN {
                *id = self.last.len() as u32;
                self.terms.push_str(&self.vocabulary.terms[term as usize]);
                self.terms.push('\n');
                self.last.push(UNSEEN);
            }
            self.terms_of_words.push(*id);
        }
        let terms = (start, self.terms_of_words.len() as u32);
        self.words.insert(word, terms);
        terms
    }
}
