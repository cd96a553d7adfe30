//! Occurrences of the question's terms, file by file.

use std::ops::Range;

use sscg_core::{FileId, Id};
use sscg_index::{FilePostings, LexicalIndex};

use super::{Term, in_blocks};

/// Occurrences of the question's terms, by file, and in each file by term. All scores of a file are computed in one
/// pass, in nearby memory, and files on all threads.
#[derive(Debug)]
pub(crate) struct Occurrences<'a> {
    /// Postings, term by term.
    postings: Vec<(u32, FilePostings<'a>)>,
    /// Indices into `postings`, sorted by file.
    order: Vec<u32>,
    /// Files with a term, in order.
    files: Vec<FileOccurrences>,
}

/// File with a term of the question.
#[derive(Debug)]
pub(crate) struct FileOccurrences {
    pub(crate) file: FileId,
    /// Range of the file in `order`.
    part: Range<usize>,
}

impl<'a> Occurrences<'a> {
    /// Groups the postings by file. O(files + occurrences), without decoding them.
    pub(crate) fn new(lexical: &'a LexicalIndex, terms: &[Term]) -> Self {
        let entries = (0..).zip(terms).filter_map(|(term, it)| Some((term, it.entry.as_ref()?)));
        let postings = entries.flat_map(|(term, entry)| lexical.postings(entry).map(move |it| (term, it)));
        let postings: Vec<(u32, FilePostings<'a>)> = postings.collect();
        // A counting sort: first the number of entries per file, then the position of its next entry.
        let mut next = vec![0; lexical.file_count()];
        postings.iter().for_each(|(_, it)| next[it.file.index()] += 1);
        let mut files = Vec::new();
        let mut start = 0;
        for (file, next) in next.iter_mut().enumerate() {
            let end = start + std::mem::replace(next, start);
            if start < end {
                files.push(FileOccurrences { file: FileId::new(file), part: start..end });
            }
            start = end;
        }
        let mut order = vec![0; postings.len()];
        for ((_, it), place) in postings.iter().zip(0..) {
            let next = &mut next[it.file.index()];
            order[*next] = place;
            *next += 1;
        }
        Self { postings, order, files }
    }

    /// Applies a function to blocks of the files that have a term. Returns the results in order.
    pub(crate) fn in_blocks<R: Send>(&self, function: impl Fn(&[FileOccurrences]) -> R + Sync) -> Vec<R> {
        in_blocks(&self.files, function)
    }

    /// Returns the terms of a file by number, with their postings.
    pub(crate) fn of(&self, file: &FileOccurrences) -> impl Iterator<Item = (usize, &FilePostings<'a>)> {
        self.order[file.part.clone()].iter().map(|place| {
            let (term, postings) = &self.postings[*place as usize];
            (*term as usize, postings)
        })
    }
}

/// Adds the weight of a term, once, to each window of two neighboring blocks that contains it.
pub(crate) fn add_to_windows(in_file: &FilePostings<'_>, weight: f64, windows: &mut [f64]) {
    // First window that the last occurrence did not reach.
    let mut next = 0;
    for (block, _) in in_file.blocks() {
        let block = block as usize;
        let reached = windows.iter_mut().take(block + 1).skip(next.max(block.saturating_sub(1)));
        reached.for_each(|window| *window += weight);
        next = block + 1;
    }
}
