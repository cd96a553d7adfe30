//! Construction of segments from files and from other segments.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::bytes::{put_u32, to_u32};
use super::segment::{Entries, FIELDS, LONG, Segment, put_run};
use super::{Block, Field, FileTerms};

/// Collector of a segment's files, then of the postings of those that come from other segments.
#[derive(Default)]
pub(super) struct SegmentBuilder<'a> {
    chunk_ends: Vec<u32>,
    sums: Vec<[u64; FIELDS]>,
    lengths: Vec<[u16; FIELDS]>,
    long: Vec<[u32; 2]>,
    block_ends: Vec<u32>,
    blocks: Vec<Block>,
    terms: FxHashMap<&'a [u8], u32>,
    /// Last run of each term.
    last: Vec<u32>,
    runs: Vec<Run<'a>>,
}

/// Run of a term in a file.
struct Run<'a> {
    /// Previously added run of the term; [`NONE`] if this is the first.
    before: u32,
    file: u32,
    body: &'a [u8],
}

/// Marker for a missing run.
const NONE: u32 = u32::MAX;

impl<'a> SegmentBuilder<'a> {
    /// Adds the next file, with `chunks` chunks, and returns its number. O(postings).
    ///
    /// # Panics
    /// If the terms do not belong to a file with `chunks` chunks.
    pub(super) fn add(&mut self, chunks: usize, terms: &'a FileTerms) -> u32 {
        let mut lengths = vec![[0_u32; FIELDS]; chunks];
        for (_, body) in terms.runs() {
            for (chunk, field, count) in Entries::new(body) {
                lengths[chunk as usize][field as usize] += u32::from(count);
            }
        }
        let file = self.push_file(lengths, terms.blocks());
        terms.runs().for_each(|(term, body)| self.push_run(term.as_bytes(), file, body));
        file
    }

    /// Adds the next file, taken from another segment. Its postings are missing until [`Self::add_postings`].
    pub(super) fn add_from(&mut self, segment: &Segment, file: u32) -> u32 {
        let chunks = segment.chunks(file);
        let lengths = chunks.map(|chunk| Field::ALL.map(|field| segment.length(chunk, field)));
        self.push_file(lengths, segment.blocks(file))
    }

    /// Adds the postings of a segment's files; `files` maps each file to its number in the new segment, if any. O(terms
    /// + bytes of postings).
    pub(super) fn add_postings(&mut self, segment: &'a Segment, files: &[Option<u32>]) {
        for term in 0..segment.term_count() as u32 {
            for (file, body) in segment.runs(term) {
                if let Some(file) = files[file as usize] {
                    self.push_run(segment.term(term), file, body);
                }
            }
        }
    }

    fn push_file(
        &mut self,
        lengths: impl IntoIterator<Item = [u32; FIELDS]>,
        blocks: impl Iterator<Item = Block>,
    ) -> u32 {
        let mut sums = [0; FIELDS];
        for lengths in lengths {
            let chunk = self.lengths.len();
            self.lengths.push(lengths.map(|length| u16::try_from(length).unwrap_or(LONG)));
            for (field, length) in lengths.into_iter().enumerate() {
                sums[field] += u64::from(length);
                if length >= u32::from(LONG) {
                    self.long.push([to_u32(chunk * FIELDS + field), length]);
                }
            }
        }
        let file = to_u32(self.chunk_ends.len());
        self.chunk_ends.push(to_u32(self.lengths.len()));
        self.sums.push(sums);
        self.blocks.extend(blocks);
        self.block_ends.push(to_u32(self.blocks.len()));
        file
    }

    fn push_run(&mut self, term: &'a [u8], file: u32, body: &'a [u8]) {
        if body.is_empty() {
            return;
        }
        let number = *self.terms.entry(term).or_insert_with(|| {
            self.last.push(NONE);
            to_u32(self.last.len() - 1)
        });
        let run = to_u32(self.runs.len());
        let before = std::mem::replace(&mut self.last[number as usize], run);
        self.runs.push(Run { before, file, body });
    }

    /// Encodes the segment, unless it has no files. O(terms log terms + runs + bytes).
    pub(super) fn finish(self) -> Option<Arc<Segment>> {
        if self.chunk_ends.is_empty() {
            return None;
        }
        let mut terms: Vec<(&[u8], u32)> = self.terms.into_iter().collect();
        terms.sort_unstable();
        let mut out = Vec::new();
        let text_len = terms.iter().map(|(text, _)| text.len()).sum();
        let (files, blocks) = (self.chunk_ends.len(), self.blocks.len());
        for number in [files, self.lengths.len(), self.long.len(), blocks, terms.len(), text_len] {
            put_u32(&mut out, number);
        }
        out.extend(self.chunk_ends.iter().flat_map(|end| end.to_le_bytes()));
        out.extend(self.sums.iter().flatten().flat_map(|sum| sum.to_le_bytes()));
        out.extend(self.lengths.iter().flatten().flat_map(|length| length.to_le_bytes()));
        out.extend(self.long.iter().flatten().flat_map(|number| number.to_le_bytes()));
        out.extend(self.block_ends.iter().flat_map(|end| end.to_le_bytes()));
        out.extend(self.blocks.iter().flat_map(|block| block.encode()));
        let mut end = 0;
        for (text, _) in &terms {
            end += text.len();
            put_u32(&mut out, end);
        }
        let ends = out.len();
        out.resize(ends + 4 * terms.len(), 0);
        terms.iter().for_each(|(text, _)| out.extend(*text));
        let postings = out.len();
        let mut runs: Vec<&Run> = Vec::new();
        for (rank, (_, term)) in terms.iter().enumerate() {
            let first = self.runs.get(self.last[*term as usize] as usize);
            runs.clear();
            runs.extend(std::iter::successors(first, |run| self.runs.get(run.before as usize)));
            runs.sort_unstable_by_key(|run| run.file);
            // Corrupt bytes may contain a term twice.
            runs.dedup_by_key(|run| run.file);
            let mut next = 0;
            for run in &runs {
                put_run(&mut out, run.file - next, run.body);
                next = run.file + 1;
            }
            let end = to_u32(out.len() - postings);
            out[ends + 4 * rank..][..4].copy_from_slice(&end.to_le_bytes());
        }
        let len = out.len();
        let segment = Segment::decode(Arc::new(out), 0..len).expect("a segment is read as it was written");
        Some(Arc::new(segment))
    }
}
