//! Inverted index of the terms of chunks, by field.
//!
//! The work is split where caching helps. [`FileTerms`] is one file's share: a pure function of its facts, stored
//! beside them. [`LexicalIndex`] holds the shares of all files as posting lists in immutable segments. After an edit, a
//! small segment of the changed files is added, and the files they replace are marked in the old segments (a
//! log-structured merge tree, as in O'Neil et al., Acta Informatica 33, 1996).

mod blocks;
mod builder;
mod bytes;
mod file_terms;
mod merge;
mod paths;
mod segment;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, FileId, Id, IndexVec, Project};

pub use blocks::{BLOCK_LINES, Block};
use bytes::{Sections, put_u32, u32s};
pub use file_terms::{FileTerms, TermCount};
use merge::{Source, merge};
use paths::PathTable;
pub use paths::{PathTerm, PathTerms};
use segment::{BlockEntries, Entries, FIELDS, Segment, chunks_in};

/// Part of a chunk that is scored separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Field {
    /// Declared name.
    Name,
    /// Names of the enclosing declarations.
    Qualifier,
    /// Declaration without its body.
    Signature,
    /// Documentation.
    Doc,
    /// Code, with child declarations collapsed.
    Body,
    /// Names of the declared members.
    Members,
}

impl Field {
    /// All fields.
    pub const ALL: [Field; 6] =
        [Field::Name, Field::Qualifier, Field::Signature, Field::Doc, Field::Body, Field::Members];
}

/// Occurrences of a term in one field of one chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Posting {
    /// Chunk that contains the term.
    pub chunk: ChunkId,
    /// Field that contains the term.
    pub field: Field,
    /// Term frequency (at most 65,535).
    pub count: u16,
    /// Number of terms in this field of the chunk.
    pub length: u32,
    /// Field length divided by its average over all chunks.
    pub relative_length: f32,
}

/// Term that occurs in some chunk of one [`LexicalIndex`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermEntry {
    /// Number of chunks that contain the term, not counting path words.
    pub document_frequency: usize,
    /// Part and term number, for each part of the index that contains the term.
    places: Vec<(u32, u32)>,
}

/// Source of a file's terms.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TermSource<'t> {
    /// Terms of this file in the previous index. Several files may share them.
    Same(FileId),
    /// Terms that the previous index does not contain.
    New(&'t FileTerms),
}

/// Posting lists of all chunks, and the words of file paths.
///
/// Takes about 2 bytes per posting and 12 per chunk. Clones share the data.
#[derive(Clone, Debug, Default)]
pub struct LexicalIndex {
    parts: Vec<Part>,
    /// Location of each file's terms.
    places: IndexVec<FileId, SegmentSlot>,
    paths: PathTable,
    chunk_count: usize,
    average_lengths: [f32; FIELDS],
    average_block: f32,
}

/// Part with a file's terms, and the file's number in it.
type SegmentSlot = (u32, u32);

/// Segment, with the project files that use its terms.
#[derive(Clone, Debug)]
struct Part {
    segment: Arc<Segment>,
    /// Index in `owners` of the first owner of each segment file, plus the end.
    owner_starts: Vec<u32>,
    /// Project files that use the terms, with their first chunks. A replaced file has no owner.
    owners: Vec<(FileId, ChunkId)>,
}

impl Part {
    fn owners(&self, file: u32) -> &[(FileId, ChunkId)] {
        let start = |file: u32| self.owner_starts[file as usize] as usize;
        &self.owners[start(file)..start(file + 1)]
    }
}

impl LexicalIndex {
    /// Builds an index from the files' terms, given in file order. O(total postings).
    ///
    /// # Panics
    /// If `files` are not the terms of the project's files.
    pub fn new<'t>(project: &Project, files: impl IntoIterator<Item = &'t FileTerms>) -> Self {
        Self::default().update(project, files.into_iter().map(TermSource::New))
    }

    /// Builds the index of another project, reusing this one. Equals a new index of all its files' terms, given in file
    /// order.
    ///
    /// O(files + postings of new files), plus the same again for merging, amortized over many updates.
    ///
    /// # Panics
    /// If `files` are not the terms of the project's files.
    pub fn update<'t>(&self, project: &Project, files: impl IntoIterator<Item = TermSource<'t>>) -> Self {
        let files = project.files().iter_enumerated().zip(files).map(|((id, file), source)| {
            let chunks = project.chunks_of(id);
            (&*file.path, chunks.end.index() - chunks.start.index(), source)
        });
        self.updated(files)
    }

    /// Performs [`Self::update`] for files given as path, number of chunks and terms.
    fn updated<'f>(&self, files: impl Iterator<Item = (&'f str, usize, TermSource<'f>)>) -> Self {
        let mut paths = PathTable::default();
        let mut sources = Vec::new();
        for (path, chunks, source) in files {
            let (source, before) = match source {
                TermSource::Same(file) => (Source::Old(self.places[file]), Some((&self.paths, file))),
                TermSource::New(terms) => (Source::New { chunks, terms }, None),
            };
            sources.push(source);
            paths.push(path, before);
        }
        let (segments, places) = merge(&self.parts, sources);
        Self::assemble(segments, places, paths)
    }

    /// Derives owners and averages from the segments and the location of each file. O(files).
    fn assemble(
        segments: Vec<Arc<Segment>>,
        places: IndexVec<FileId, SegmentSlot>,
        paths: PathTable,
    ) -> Self {
        let mut parts: Vec<Part> = segments
            .into_iter()
            .map(|segment| Part {
                owner_starts: vec![0; segment.file_count() + 1],
                owners: Vec::new(),
                segment,
            })
            .collect();
        let mut chunk_count = 0;
        let mut totals = [0_u64; FIELDS];
        let mut block_terms = (0_u64, 0_u64);
        let mut owners = Vec::with_capacity(places.len());
        for (id, &(part, file)) in places.iter_enumerated() {
            let segment = &parts[part as usize].segment;
            owners.push((part, file, id, ChunkId::new(chunk_count)));
            chunk_count += segment.chunks(file).len();
            for (total, sum) in totals.iter_mut().zip(segment.sums(file)) {
                *total = total.saturating_add(sum);
            }
            for block in segment.blocks(file) {
                block_terms = (block_terms.0 + u64::from(block.terms), block_terms.1 + 1);
            }
        }
        owners.sort_unstable();
        for (part, file, id, chunk) in owners {
            let part = &mut parts[part as usize];
            part.owners.push((id, chunk));
            part.owner_starts[file as usize + 1] += 1;
        }
        for part in &mut parts {
            let mut end = 0;
            for start in &mut part.owner_starts {
                end += *start;
                *start = end;
            }
        }
        let average_lengths = totals.map(|total| (total as f64 / chunk_count.max(1) as f64) as f32);
        let average_block = block_terms.0 as f32 / block_terms.1.max(1) as f32;
        Self { parts, places, paths, chunk_count, average_lengths, average_block }
    }

    /// Looks up a term; `None` if no chunk contains it. O(parts log terms + postings).
    pub fn term(&self, text: &str) -> Option<TermEntry> {
        let places = self.parts.iter().zip(0..).filter_map(|(part, number)| {
            let term = part.segment.find(text.as_bytes())?;
            Some((number, term))
        });
        let mut entry = TermEntry { document_frequency: 0, places: places.collect() };
        entry.document_frequency = entry
            .runs(self)
            .map(|(part, file, body)| match part.owners(file).len() {
                0 => 0,
                owners => owners * chunks_in(body),
            })
            .sum();
        (entry.document_frequency > 0).then_some(entry)
    }

    /// Returns the postings of a term, grouped by file, in no particular order of files.
    pub fn postings<'i>(&'i self, term: &TermEntry) -> impl Iterator<Item = FilePostings<'i>> {
        term.runs(self).flat_map(move |(part, file, body)| {
            let owners = part.owners(file).iter();
            owners.map(move |&(id, first_chunk)| FilePostings {
                file: id,
                first_chunk,
                chunks: part.segment.chunks(file),
                body,
                segment: &part.segment,
                average_lengths: &self.average_lengths,
            })
        })
    }

    /// Returns the line blocks of a file, in order.
    pub fn blocks(&self, file: FileId) -> impl ExactSizeIterator<Item = Block> + '_ {
        let (part, in_part) = self.places[file];
        self.parts[part as usize].segment.blocks(in_part)
    }

    /// Returns the average number of terms in a line block.
    pub fn average_block_terms(&self) -> f32 {
        self.average_block
    }

    /// Returns the number of chunks.
    pub fn chunk_count(&self) -> usize {
        self.chunk_count
    }

    /// Returns the number of files.
    pub fn file_count(&self) -> usize {
        self.places.len()
    }

    /// Returns the words of a file's path.
    pub fn path_terms(&self, file: FileId) -> PathTerms<'_> {
        self.paths.terms(file)
    }

    /// Encodes the index for [`Self::decode`], in parts. Existing buffers are borrowed, not copied.
    pub fn encode(&self) -> Vec<Cow<'_, [u8]>> {
        let mut head = Vec::new();
        put_u32(&mut head, self.parts.len());
        put_u32(&mut head, self.places.len());
        for part in &self.parts {
            put_u32(&mut head, part.segment.bytes().len());
        }
        head.extend(
            self.places.iter().flat_map(|(part, file)| [part.to_le_bytes(), file.to_le_bytes()]).flatten(),
        );
        self.paths.encode(&mut head);
        let segments = self.parts.iter().map(|part| Cow::Borrowed(part.segment.bytes()));
        [Cow::Owned(head)].into_iter().chain(segments).collect()
    }

    /// Decodes an index from a range of a buffer, which it shares. Postings are decoded on access.
    ///
    /// Returns `None` if the tables are inconsistent. Corrupt bytes with consistent tables give wrong answers, and
    /// nothing worse. O(files + terms).
    pub fn decode(bytes: &Arc<Vec<u8>>, part: Range<usize>) -> Option<Self> {
        let mut sections = Sections::new(bytes, part)?;
        let (part_count, files) = (sections.u32()?, sections.u32()?);
        let lens: Vec<usize> = u32s(&bytes[sections.take(part_count, 4)?]).map(|len| len as usize).collect();
        let places = u32s(&bytes[sections.take(files, 8)?]);
        let places: Vec<u32> = places.collect();
        let places: IndexVec<FileId, SegmentSlot> =
            places.as_chunks().0.iter().map(|[part, file]| (*part, *file)).collect();
        let paths = PathTable::decode(bytes, &mut sections, files)?;
        let segments = lens.into_iter().map(|len| {
            let part = sections.take(len, 1)?;
            Segment::decode(Arc::clone(bytes), part).map(Arc::new)
        });
        let segments = segments.collect::<Option<Vec<_>>>()?;
        let mut chunks = 0;
        for (part, file) in places.iter() {
            let segment = segments.get(*part as usize).filter(|it| (*file as usize) < it.file_count())?;
            chunks += segment.chunks(*file).len();
        }
        let is_sound = sections.rest().is_empty() && u32::try_from(chunks).is_ok();
        is_sound.then(|| Self::assemble(segments, places, paths))
    }
}

impl TermEntry {
    /// Returns the runs of the term: part, file and body.
    fn runs<'i>(&self, index: &'i LexicalIndex) -> impl Iterator<Item = (&'i Part, u32, &'i [u8])> {
        self.places.iter().flat_map(|&(part, term)| {
            let part = &index.parts[part as usize];
            part.segment.runs(term).map(move |(file, body)| (part, file, body))
        })
    }
}

/// Occurrences of a term in one file.
#[derive(Clone, Debug)]
pub struct FilePostings<'i> {
    /// File that contains the term.
    pub file: FileId,
    first_chunk: ChunkId,
    /// Range of the file's chunks in its segment.
    chunks: Range<usize>,
    body: &'i [u8],
    segment: &'i Segment,
    average_lengths: &'i [f32; FIELDS],
}

impl<'i> FilePostings<'i> {
    /// Returns the occurrences by chunk and field.
    pub fn iter(&self) -> impl Iterator<Item = Posting> + use<'i> {
        self.in_fields(|_| true)
    }

    /// Returns the occurrences by line block: block number and term frequency.
    pub fn blocks(&self) -> impl Iterator<Item = (u32, u16)> + use<'i> {
        BlockEntries::new(self.body)
    }

    /// Returns the occurrences in the wanted fields, by chunk and field. Skipping a field is faster than reading it.
    pub fn in_fields<F: Fn(Field) -> bool>(&self, wanted: F) -> impl Iterator<Item = Posting> + use<'i, F> {
        let Self { first_chunk, segment, average_lengths, .. } = *self;
        let chunks = self.chunks.clone();
        let entries = Entries::new(self.body).filter(move |(_, field, _)| wanted(*field));
        entries.map_while(move |(chunk, field, count)| {
            let in_segment = chunks.start + chunk as usize;
            let average = average_lengths[field as usize];
            (in_segment < chunks.end).then(|| {
                let length = segment.length(in_segment, field);
                Posting {
                    chunk: ChunkId::new(first_chunk.index() + chunk as usize),
                    field,
                    count,
                    length,
                    relative_length: if average > 0.0 { length as f32 / average } else { 0.0 },
                }
            })
        })
    }
}
