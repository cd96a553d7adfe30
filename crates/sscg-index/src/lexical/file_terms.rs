//! Terms of one file.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use sscg_core::{Chunk, FileFacts, Id, LineIndex, LineRange, LocalChunk, Span};

use super::Field;
use super::blocks::{BLOCK_LINES, Block, comment_lines};
use super::bytes::{put_varint, take_varint};
use super::segment::{Entries, put_block_entry, put_body, put_entry};
use crate::analyze::{Analyzer, words};

/// Terms of one file's chunks.
///
/// Compact, because the terms of all files of a project are in memory at once: three allocations and about 2 bytes per
/// posting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileTerms {
    /// Distinct terms, each followed by a newline.
    terms: String,
    /// Body of each term's run in a segment, preceded by its length in bytes.
    bodies: Vec<u8>,
    /// Line [blocks](Block), two bytes each.
    blocks: Vec<u8>,
}

/// Frequency of a term in one field of one chunk of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TermCount {
    /// Chunk that contains the term.
    pub chunk: LocalChunk,
    /// Field that contains the term.
    pub field: Field,
    /// Term frequency (at most 65,535).
    pub count: u16,
}

/// Term number, chunk, field, and term frequency.
pub(super) type Count = (u32, u32, Field, u16);

/// Term number, line block, and term frequency.
pub(super) type BlockCount = (u32, u32, u16);

impl FileTerms {
    /// Returns each distinct term with its occurrences, by chunk and field.
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

    /// Analyzes one file. Its collapsed declarations end in `stub`, and its line comments, if any, start with
    /// `comment`. O(characters).
    ///
    /// # Panics
    /// If `source` is not the text that the facts were extracted from.
    pub fn new(facts: &FileFacts, source: &str, stub: &str, comment: Option<&str>) -> Self {
        VOCABULARY.with_borrow_mut(|vocabulary| {
            let mut collector = Collector::new(vocabulary);
            for (id, chunk) in facts.chunks.iter_enumerated() {
                collect_names(&mut collector, facts, id, chunk);
                facts.for_each_piece(id, source, stub, |piece| collector.add(id, Field::Body, piece));
                for child in chunk.symbol.into_iter().flat_map(|symbol| facts.children(symbol)) {
                    collector.add(id, Field::Members, &facts.symbols[child].name);
                }
            }
            let mut blocks = collector.count_blocks(source);
            count_comments(&mut blocks, facts, source, comment);
            Self::of_counts(collector.terms, &collector.counts, &collector.block_counts, &blocks)
        })
    }

    /// Encodes the distinct terms, each followed by a newline, and their counts: one per term, chunk and field, and one
    /// per term and block, sorted by chunk and field, and by block.
    pub(super) fn of_counts(
        mut terms: String,
        counts: &[Count],
        block_counts: &[BlockCount],
        blocks: &[Block],
    ) -> Self {
        let term_count = terms.lines().count();
        let (chunk_ends, of_chunks) = by_term(term_count, counts.iter().map(|(term, ..)| *term));
        let (block_ends, of_blocks) = by_term(term_count, block_counts.iter().map(|(term, ..)| *term));
        let (mut bodies, mut body) = (Vec::new(), Vec::new());
        let (mut in_chunks, mut in_blocks) = (Vec::new(), Vec::new());
        for term in 0..term_count {
            in_chunks.clear();
            let mut before = 0;
            for &at in &of_chunks[chunk_ends[term]..chunk_ends[term + 1]] {
                let (_, chunk, field, count) = counts[at as usize];
                put_entry(&mut in_chunks, chunk - before, field, count);
                before = chunk;
            }
            in_blocks.clear();
            let mut before = 0;
            for &at in &of_blocks[block_ends[term]..block_ends[term + 1]] {
                let (_, block, count) = block_counts[at as usize];
                put_block_entry(&mut in_blocks, block - before, count);
                before = block;
            }
            put_body(&mut body, &in_chunks, &in_blocks);
            put_varint(&mut bodies, body.len() as u64);
            bodies.append(&mut body);
        }
        terms.shrink_to_fit();
        bodies.shrink_to_fit();
        Self { terms, bodies, blocks: blocks.iter().flat_map(|block| block.encode()).collect() }
    }

    /// Returns the line blocks.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Block> {
        self.blocks.as_chunks().0.iter().map(|block| Block::decode(*block))
    }

    /// Returns each term with the body of its run.
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

/// Sorts rows by term with a stable counting sort. Returns the start of each term's rows plus the end of the last, and
/// the sorted row numbers.
fn by_term(terms: usize, rows: impl Iterator<Item = u32> + Clone) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0_usize; terms + 1];
    for term in rows.clone() {
        starts[term as usize + 1] += 1;
    }
    for term in 1..starts.len() {
        starts[term] += starts[term - 1];
    }
    let mut next = starts.clone();
    let mut order = vec![0_u32; starts[terms]];
    for (term, at) in rows.zip(0..) {
        let place = &mut next[term as usize];
        order[*place] = at;
        *place += 1;
    }
    (starts, order)
}

/// Counts the lines of each block that contain only comments, or documentation at the start of a body.
fn count_comments(blocks: &mut [Block], facts: &FileFacts, source: &str, marker: Option<&str>) {
    let Some(marker) = marker else { return };
    let mut is_comment: Vec<bool> = comment_lines(source, marker).collect();
    let index = LineIndex::new(source);
    let documented = facts.symbols.iter().filter(|symbol| symbol.doc.is_some());
    for body in documented.filter_map(|symbol| symbol.body) {
        let text = body.text(source);
        let quoted = ["\"\"\"", "'''"].iter().find_map(|quote| {
            let open = text.find(quote).filter(|at| *at <= DOCSTRING_PREFIX)?;
            let inner = open + quote.len();
            Some(inner + text[inner..].find(quote)? + quote.len())
        });
        let Some(end) = quoted else { continue };
        let LineRange { start, end } = index.lines(Span::new(body.start, body.start + end as u32));
        if let Some(lines) = is_comment.get_mut(start as usize - 1..end as usize) {
            lines.fill(true);
        }
    }
    for (block, lines) in blocks.iter_mut().zip(is_comment.chunks(BLOCK_LINES as usize)) {
        block.comment_lines = lines.iter().filter(|is_comment| **is_comment).count() as u8;
    }
}

/// Maximum number of bytes in a body before its docstring: white space and a prefix such as `r`.
const DOCSTRING_PREFIX: usize = 2;

/// Counts the terms of a chunk's names, signature and documentation. Fields are added in their order, so that the
/// counts come out sorted.
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
    /// Vocabulary of the thread: code repeats its words, within a file and across files.
    static VOCABULARY: RefCell<Vocabulary> = RefCell::default();
}

/// Recent words with their terms, numbered.
#[derive(Default)]
struct Vocabulary {
    analyzer: Option<Analyzer>,
    words: FxHashMap<Box<str>, Rc<[u32]>>,
    ids: FxHashMap<Box<str>, u32>,
    terms: Vec<Box<str>>,
}

/// Marker for a missing number.
const UNSEEN: u32 = u32::MAX;

/// Number of words after which the vocabulary is cleared before the next file.
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

/// Collector of one file's term counts, chunk by chunk and field by field.
struct Collector<'v, 'f> {
    vocabulary: &'v mut Vocabulary,
    /// File's number of each term of the vocabulary; [`UNSEEN`] if it has none yet.
    ids: Vec<u32>,
    terms: String,
    /// Range in `terms_of_words` of each word of the file.
    words: FxHashMap<&'f str, (u32, u32)>,
    terms_of_words: Vec<u32>,
    counts: Vec<Count>,
    block_counts: Vec<BlockCount>,
    /// Last entry of each term in `counts`, then in `block_counts`; [`UNSEEN`] if there is none.
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
            block_counts: Vec::new(),
            last: Vec::new(),
        }
    }

    /// Counts the terms of a text. Chunks and their fields must come in order, and all texts of a field together.
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

    /// Counts the terms of each line block. Must be called last.
    fn count_blocks(&mut self, source: &'f str) -> Vec<Block> {
        self.last.fill(UNSEEN);
        let mut blocks: Vec<Block> = Vec::new();
        for (line, text) in source.lines().enumerate() {
            let block = line as u32 / BLOCK_LINES;
            blocks.resize(block as usize + 1, Block::default());
            for word in words(text) {
                let terms = match self.words.get(word) {
                    Some(terms) => *terms,
                    None => self.learn(word),
                };
                let here = &mut blocks[block as usize].terms;
                *here = here.saturating_add((terms.1 - terms.0) as u16);
                for &term in &self.terms_of_words[terms.0 as usize..terms.1 as usize] {
                    let last = &mut self.last[term as usize];
                    match self.block_counts.get_mut(*last as usize) {
                        Some((_, at, count)) if *at == block => *count = count.saturating_add(1),
                        _ => {
                            *last = self.block_counts.len() as u32;
                            self.block_counts.push((term, block, 1));
                        }
                    }
                }
            }
        }
        blocks
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
