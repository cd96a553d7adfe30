//! Which chunks hold which terms, by field.
//!
//! The work is split where caching helps: [`FileTerms`] is one file's share, a pure function of its facts
//! that the store keeps beside them; [`LexicalIndex`] merges the shares of all files into postings and is
//! built anew for each snapshot.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use sscg_core::{Chunk, ChunkId, FileFacts, FileId, Id, IndexVec, LocalChunk, Project};

use crate::analyze::{Analyzer, words};

/// The parts of a chunk that are scored apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Field {
    /// The declared name.
    Name,
    /// The names of the declarations around it.
    Qualifier,
    /// The declaration without its body.
    Signature,
    /// The documentation.
    Doc,
    /// The code with its children collapsed.
    Body,
    /// The names of the members it declares.
    Members,
}

impl Field {
    /// Every field.
    pub const ALL: [Field; 6] =
        [Field::Name, Field::Qualifier, Field::Signature, Field::Doc, Field::Body, Field::Members];
}

/// A term of one [`LexicalIndex`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(u32);

/// A term's occurrences in one field of one chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Posting {
    /// Where.
    pub chunk: ChunkId,
    /// In which part of it.
    pub field: Field,
    /// How often, at most 65,535.
    pub count: u16,
}

/// The terms of one file's chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileTerms {
    /// The distinct terms, each followed by a newline: one allocation instead of thousands.
    terms: String,
    /// (term, chunk, field, count), each term of a field of a chunk once, by chunk and field.
    counts: Vec<(u32, u32, Field, u16)>,
}

impl FileTerms {
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
            FileTerms { terms: collector.terms, counts: collector.counts }
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
        self.analyzer.get_or_insert_with(Analyzer::new).terms(word, |term| {
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

/// Postings of all chunks, and of the words in file paths.
#[derive(Clone, Debug, Default)]
pub struct LexicalIndex {
    terms: FxHashMap<Box<str>, TermId>,
    postings: Vec<Vec<Posting>>,
    /// The terms of each file's name, and of its directories from the innermost out.
    paths: IndexVec<FileId, PathTerms>,
    /// Terms in each field of each chunk.
    lengths: Vec<[u32; 6]>,
    average_lengths: [f32; 6],
}

/// The terms of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathTerms {
    /// Of the file name without its ending.
    pub stem: Vec<String>,
    /// Of each directory, innermost first.
    pub directories: Vec<Vec<String>>,
}

impl LexicalIndex {
    /// Merges the files' terms, given in file order. O(total postings).
    ///
    /// # Panics
    /// If `files` are not the terms of the project's files.
    pub fn new<'t>(project: &Project, files: impl IntoIterator<Item = &'t FileTerms>) -> Self {
        let mut index = Self { lengths: vec![[0; 6]; project.chunk_count()], ..Self::default() };
        for ((file, _), terms) in project.files().iter_enumerated().zip(files) {
            let ids: Vec<TermId> = terms.terms.lines().map(|term| index.intern(term)).collect();
            for &(term, chunk, field, count) in &terms.counts {
                let chunk = project.chunk_id(file, LocalChunk::new(chunk as usize));
                index.lengths[chunk.index()][field as usize] += u32::from(count);
                index.postings[ids[term as usize].0 as usize].push(Posting { chunk, field, count });
            }
        }
        let chunks = project.chunk_count().max(1) as f64;
        for field in Field::ALL {
            let total: u64 = index.lengths.iter().map(|lengths| u64::from(lengths[field as usize])).sum();
            index.average_lengths[field as usize] = (total as f64 / chunks) as f32;
        }
        index.paths = project.files().iter().map(|file| PathTerms::new(&file.path)).collect();
        index
    }

    fn intern(&mut self, term: &str) -> TermId {
        if let Some(id) = self.terms.get(term) {
            return *id;
        }
        let id = TermId(self.postings.len() as u32);
        self.terms.insert(term.into(), id);
        self.postings.push(Vec::new());
        id
    }

    /// The id of a term, if any chunk has it.
    pub fn term(&self, term: &str) -> Option<TermId> {
        self.terms.get(term).copied()
    }

    /// Where a term occurs, by chunk and field.
    pub fn postings(&self, term: TermId) -> &[Posting] {
        &self.postings[term.0 as usize]
    }

    /// How many chunks hold a term, path words aside.
    pub fn document_frequency(&self, term: TermId) -> usize {
        self.postings(term).chunk_by(|a, b| a.chunk == b.chunk).count()
    }

    /// How many chunks there are.
    pub fn chunk_count(&self) -> usize {
        self.lengths.len()
    }

    /// A field's length in a chunk divided by its average over all chunks; 0 where the field is always empty.
    pub fn relative_length(&self, chunk: ChunkId, field: Field) -> f32 {
        let average = self.average_lengths[field as usize];
        if average > 0.0 { self.lengths[chunk.index()][field as usize] as f32 / average } else { 0.0 }
    }

    /// The words of a file's path.
    pub fn path_terms(&self, file: FileId) -> &PathTerms {
        &self.paths[file]
    }
}

impl PathTerms {
    fn new(path: &str) -> Self {
        let analyzer = Analyzer::new();
        let terms = |text: &str| {
            let mut terms: Vec<String> = Vec::new();
            for word in words(text) {
                analyzer.terms(word, |term| terms.push(term.to_owned()));
            }
            terms.dedup();
            terms
        };
        let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.split_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name, |(stem, _)| stem);
        let directories = directories.rsplit('/').filter(|dir| !dir.is_empty());
        Self { stem: terms(stem), directories: directories.map(terms).collect() }
    }
}
