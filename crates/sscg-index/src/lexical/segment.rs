//! Terms of a set of files, in a byte format that is read in place.
//!
//! ```text
//! header        files, chunks, long lengths, blocks, terms, bytes of term text
//! chunk ends    for each file: how many chunks it and those before it have         u32
//! sums          for each file: terms in each field                                 6 x u64
//! lengths       for each chunk: terms in each field, or LONG                       6 x u16
//! long lengths  (chunk * 6 + field, terms), in order                               2 x u32
//! block ends    for each file: how many blocks of lines it and those before it have   u32
//! blocks        for each block: a [`Block`]                                        u16
//! term ends     for each term, in byte order: the end of its text                  u32
//! posting ends  for each term: the end of its postings                             u32
//! term text, postings
//! ```
//!
//! The postings of a term are runs, one for each file that contains it, in file order. A run has a head and a body. The
//! head encodes the gap to the previous file and the length of the body. The body has two lists, the first preceded by
//! its length in bytes. Entries of the first list encode the gap to the previous chunk, the field and the term
//! frequency. Entries of the second list encode the gap to the previous line block and the term frequency. The body
//! does not depend on the file number, so merging segments copies it unchanged.

use std::ops::Range;
use std::sync::Arc;

use super::Field;
use super::blocks::Block;
use super::bytes::{Sections, put_varint, take_varint};

/// Number of fields.
pub(super) const FIELDS: usize = Field::ALL.len();

/// Marker for a length that does not fit, which is then in the table of long lengths.
pub(super) const LONG: u16 = u16::MAX;

/// Terms of a set of files. Immutable and shared by indexes.
#[derive(Debug)]
pub(super) struct Segment {
    bytes: Arc<Vec<u8>>,
    part: Range<usize>,
    chunk_ends: Range<usize>,
    sums: Range<usize>,
    lengths: Range<usize>,
    long: Range<usize>,
    block_ends: Range<usize>,
    blocks: Range<usize>,
    term_ends: Range<usize>,
    posting_ends: Range<usize>,
    text: Range<usize>,
    postings: Range<usize>,
}

impl Segment {
    /// Locates the tables of a segment in a range of a buffer; `None` if they are inconsistent. Corrupt bytes with
    /// consistent tables give wrong answers, and nothing worse. O(files + terms).
    pub(super) fn decode(bytes: Arc<Vec<u8>>, part: Range<usize>) -> Option<Self> {
        let mut sections = Sections::new(&bytes, part.clone())?;
        let [files, chunks, long, blocks, terms, text] = {
            let mut next = || sections.u32();
            [next()?, next()?, next()?, next()?, next()?, next()?]
        };
        let chunk_ends = sections.take(files, 4)?;
        let sums = sections.take(files, 8 * FIELDS)?;
        let lengths = sections.take(chunks, 2 * FIELDS)?;
        let long = sections.take(long, 8)?;
        let block_ends = sections.take(files, 4)?;
        let block_count = blocks;
        let blocks = sections.take(blocks, 2)?;
        let term_ends = sections.take(terms, 4)?;
        let posting_ends = sections.take(terms, 4)?;
        let text = sections.take(text, 1)?;
        let postings = sections.rest();
        let segment = Self {
            part,
            chunk_ends,
            sums,
            lengths,
            long,
            block_ends,
            blocks,
            term_ends,
            posting_ends,
            text,
            postings,
            bytes,
        };
        let ends_at = |ends: &Range<usize>, end: usize| {
            let ends = segment.table::<4>(ends);
            let number = |end: &[u8; 4]| u32::from_le_bytes(*end);
            ends.is_sorted_by_key(number) && ends.last().map_or(0, number) as usize == end
        };
        let is_sound = ends_at(&segment.chunk_ends, chunks)
            && ends_at(&segment.block_ends, block_count)
            && ends_at(&segment.term_ends, segment.text.len())
            && ends_at(&segment.posting_ends, segment.postings.len());
        is_sound.then_some(segment)
    }

    /// Returns the bytes of the segment.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.part.clone()]
    }

    fn table<const WIDTH: usize>(&self, section: &Range<usize>) -> &[[u8; WIDTH]] {
        self.bytes[section.clone()].as_chunks().0
    }

    /// Returns the number of files, present or replaced.
    pub(super) fn file_count(&self) -> usize {
        self.chunk_ends.len() / 4
    }

    /// Returns the number of terms.
    pub(super) fn term_count(&self) -> usize {
        self.term_ends.len() / 4
    }

    /// Returns the range of a file's chunks in the segment.
    pub(super) fn chunks(&self, file: u32) -> Range<usize> {
        range(self.table(&self.chunk_ends), file as usize)
    }

    /// Returns the number of terms of a file, by field.
    pub(super) fn sums(&self, file: u32) -> [u64; FIELDS] {
        let rows: &[[u8; 8]] = self.table(&self.sums);
        std::array::from_fn(|field| u64::from_le_bytes(rows[file as usize * FIELDS + field]))
    }

    /// Returns the number of terms of a chunk of the segment in a field.
    #[inline]
    pub(super) fn length(&self, chunk: usize, field: Field) -> u32 {
        let slot = chunk * FIELDS + field as usize;
        let at = self.lengths.start + 2 * slot;
        match u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]) {
            LONG => self.long_length(slot),
            length => u32::from(length),
        }
    }

    fn long_length(&self, slot: usize) -> u32 {
        let long: &[[[u8; 4]; 2]] = self.table::<4>(&self.long).as_chunks().0;
        let found = long.binary_search_by_key(&slot, |[slot, _]| u32::from_le_bytes(*slot) as usize);
        found.map_or(u32::from(LONG), |at| u32::from_le_bytes(long[at][1]))
    }

    /// Returns the line blocks of a file, in order.
    pub(super) fn blocks(&self, file: u32) -> impl ExactSizeIterator<Item = Block> + '_ {
        let blocks: &[[u8; 2]] = self.table(&self.blocks);
        blocks[range(self.table(&self.block_ends), file as usize)].iter().map(|block| Block::decode(*block))
    }

    /// Returns the text of a term, in UTF-8.
    pub(super) fn term(&self, term: u32) -> &[u8] {
        &self.bytes[self.text.clone()][range(self.table(&self.term_ends), term as usize)]
    }

    /// Looks up the number of a term. O(log terms).
    pub(super) fn find(&self, text: &[u8]) -> Option<u32> {
        let (mut low, mut high) = (0, self.term_count() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.term(middle).cmp(text) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Returns each file that contains a term, in order, with the body of its run.
    pub(super) fn runs(&self, term: u32) -> Runs<'_> {
        let postings = &self.bytes[self.postings.clone()];
        let bytes = &postings[range(self.table(&self.posting_ends), term as usize)];
        Runs { bytes, next: 0, files: self.file_count() as u64 }
    }
}

/// Returns the range from the end of the previous row to the end of this row.
fn range(ends: &[[u8; 4]], row: usize) -> Range<usize> {
    let end = |row: usize| u32::from_le_bytes(ends[row]) as usize;
    row.checked_sub(1).map_or(0, end)..end(row)
}

/// Iterator over the runs of a term.
pub(super) struct Runs<'s> {
    bytes: &'s [u8],
    /// Lowest file number that the next run can have.
    next: u64,
    files: u64,
}

impl<'s> Iterator for Runs<'s> {
    type Item = (u32, &'s [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let head = take_varint(&mut self.bytes)?;
        let file = self.next.checked_add(head >> 2).filter(|file| *file < self.files)?;
        self.next = file + 1;
        let len = match head & 3 {
            LONG_BODY => take_varint(&mut self.bytes)?,
            len => len,
        };
        let (body, rest) = self.bytes.split_at_checked(1 + usize::try_from(len).ok()?)?;
        self.bytes = rest;
        Some((file as u32, body))
    }
}

/// Marker in a head: the length of the body, minus one, follows.
const LONG_BODY: u64 = 3;

/// Appends a non-empty run; `skipped` is the number of files between those of the previous run and of this one.
pub(super) fn put_run(out: &mut Vec<u8>, skipped: u32, body: &[u8]) {
    let len = body.len() as u64 - 1;
    put_varint(out, u64::from(skipped) << 2 | len.min(LONG_BODY));
    if len >= LONG_BODY {
        put_varint(out, len);
    }
    out.extend(body);
}

/// Meaning of an entry's low bits: field and term frequency, where 0 means that the frequency follows. Bodies have most
/// counts, and so most codes.
const CODES: [(Field, u16); 1 << CODE_BITS] = [
    (Field::Name, 1),
    (Field::Name, 0),
    (Field::Qualifier, 1),
    (Field::Qualifier, 0),
    (Field::Signature, 1),
    (Field::Signature, 0),
    (Field::Doc, 1),
    (Field::Doc, 0),
    (Field::Members, 1),
    (Field::Members, 0),
    (Field::Body, 1),
    (Field::Body, 2),
    (Field::Body, 3),
    (Field::Body, 4),
    (Field::Body, 5),
    (Field::Body, 0),
];

const CODE_BITS: u32 = 4;

/// Appends an entry to a body; `chunk_delta` is the gap to the chunk of the previous entry, or to 0.
pub(super) fn put_entry(out: &mut Vec<u8>, chunk_delta: u32, field: Field, count: u16) {
    let code_of = |count| CODES.iter().position(|code| *code == (field, count));
    let (code, follows) = match code_of(count) {
        Some(code) => (code, false),
        None => (code_of(0).expect("any count of a field may follow"), true),
    };
    put_varint(out, u64::from(chunk_delta) << CODE_BITS | code as u64);
    if follows {
        put_varint(out, u64::from(count));
    }
}

/// Splits a body into its two lists: entries of chunks and entries of line blocks.
fn lists(mut body: &[u8]) -> (&[u8], &[u8]) {
    let len = take_varint(&mut body).and_then(|len| usize::try_from(len).ok());
    len.and_then(|len| body.split_at_checked(len)).unwrap_or_default()
}

/// Appends a body made of the two lists.
pub(super) fn put_body(out: &mut Vec<u8>, chunks: &[u8], blocks: &[u8]) {
    put_varint(out, chunks.len() as u64);
    out.extend(chunks);
    out.extend(blocks);
}

/// Iterator over the chunk entries of a body: chunk of the file, field and term frequency, by chunk and field.
#[derive(Clone)]
pub(super) struct Entries<'s> {
    bytes: &'s [u8],
    chunk: u64,
}

impl<'s> Entries<'s> {
    pub(super) fn new(body: &'s [u8]) -> Self {
        Self { bytes: lists(body).0, chunk: 0 }
    }
}

impl Iterator for Entries<'_> {
    type Item = (u32, Field, u16);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let entry = take_varint(&mut self.bytes)?;
        self.chunk = self.chunk.checked_add(entry >> CODE_BITS)?;
        let (field, count) = match CODES[(entry % CODES.len() as u64) as usize] {
            (field, 0) => (field, take_varint(&mut self.bytes)? as u16),
            code => code,
        };
        Some((u32::try_from(self.chunk).ok()?, field, count))
    }
}

/// Bits of the count in a line block entry; all ones if the count follows.
const BLOCK_COUNT_BITS: u32 = 2;

/// Marker in these bits: the count, minus one, follows.
const BLOCK_COUNT_FOLLOWS: u64 = (1 << BLOCK_COUNT_BITS) - 1;

/// Appends a line block entry; `delta` is the gap to the block of the previous entry, or to 0.
pub(super) fn put_block_entry(out: &mut Vec<u8>, delta: u32, count: u16) {
    let less_one = u64::from(count) - 1;
    put_varint(out, u64::from(delta) << BLOCK_COUNT_BITS | less_one.min(BLOCK_COUNT_FOLLOWS));
    if less_one >= BLOCK_COUNT_FOLLOWS {
        put_varint(out, less_one);
    }
}

/// Iterator over the line block entries of a body: block of the file and term frequency, by block.
#[derive(Clone)]
pub(super) struct BlockEntries<'s> {
    bytes: &'s [u8],
    block: u64,
}

impl<'s> BlockEntries<'s> {
    pub(super) fn new(body: &'s [u8]) -> Self {
        Self { bytes: lists(body).1, block: 0 }
    }
}

impl Iterator for BlockEntries<'_> {
    type Item = (u32, u16);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let entry = take_varint(&mut self.bytes)?;
        self.block = self.block.checked_add(entry >> BLOCK_COUNT_BITS)?;
        let less_one = match entry & BLOCK_COUNT_FOLLOWS {
            BLOCK_COUNT_FOLLOWS => take_varint(&mut self.bytes)?,
            less_one => less_one,
        };
        Some((u32::try_from(self.block).ok()?, (less_one as u16).saturating_add(1)))
    }
}

/// Counts the chunks in the body of a run.
pub(super) fn chunks_in(body: &[u8]) -> usize {
    let mut last = None;
    Entries::new(body).filter(|(chunk, ..)| last.replace(*chunk) != Some(*chunk)).count()
}
