//! The terms of one file.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use sscg_core::{Chunk, FileFacts, Id, LocalChunk};

use super::Field;
use super::bytes::{put_varint, take_varint};
use super::segment::{Entries, put_entry};
use crate::analyze::{Analyzer, words};

/// The terms of one file's chunks.
///
/// A project's files are all held at once, so that this is two allocations and about 2 bytes per posting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileTerms {
    /// The distinct terms, each followed by a newline.
    terms: String,
    /// For each term how many bytes follow, and the body of its run in a segment.
    bodies: Vec<u8>,
}

/// How often a term stands in one field of one chunk of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermCount {
    /// Where.
    pub chunk: LocalChunk,
    /// In which part of it.
    pub field: Field,
    /// How often, at most 65,535.
    pub count: u16,
}

/// A term (by number), chunk and field, and how often it stands there.
pub(super) type Count = (u32, u32, Field, u16);

impl FileTerms {
    /// The terms, each once, with where they stand, by chunk and field.
    pub fn iter(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = TermCount>)> {
        self.runs().map(|(term, body)| {
            let counts = Entries::new(body).map(|(chunk, field, count)| TermCount {
                chunk: LocalChunk::new(chunk as usize),
                field,
                count,
            });
            (term, counts)
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
            Self::of_counts(collector.terms, &collector.counts)
        })
    }

    /// From the distinct terms, each followed by a newline, and their counts, each term of a field of a chunk once, by
    /// chunk and field.
    pub(super) fn of_counts(mut terms: String, counts: &[Count]) -> Self {
        // By term, and as before within each.
        let mut ends = vec![0_usize; terms.lines().count() + 1];
        for (term, ..) in counts {
            ends[*term as usize + 1] += 1;
        }
        for term in 1..ends.len() {
            ends[term] += ends[term - 1];
        }
        let mut by_term = vec![0_u32; counts.len()];
        for (at, (term, ..)) in counts.iter().enumerate() {
            let place = &mut ends[*term as usize];
            by_term[*place] = at as u32;
            *place += 1;
        }
        let (mut bodies, mut body) = (Vec::new(), Vec::new());
        let mut start = 0;
        for &end in &ends[..ends.len() - 1] {
            let mut before = 0;
            for &at in &by_term[start..end] {
                let (_, chunk, field, count) = counts[at as usize];
                put_entry(&mut body, chunk - before, field, count);
                before = chunk;
            }
            start = end;
            put_varint(&mut bodies, body.len() as u64);
            bodies.append(&mut body);
        }
        terms.shrink_to_fit();
        bodies.shrink_to_fit();
        Self { terms, bodies }
    }

    /// Each term with the body of its run.
    pub(super) fn runs(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let mut rest = &*self.bodies;
        self.terms.lines().map_while(move |term| {
            let len = usize::try_from(take_varint(&mut rest)?).ok()?;
            let (body, others) = rest.split_at_checked(len)?;
            rest = others;
            Some((term, body))
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
    counts: Vec<Count>,
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
