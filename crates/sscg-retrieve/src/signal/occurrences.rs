//! Where the question's terms stand, file by file.

use std::ops::Range;

use sscg_core::{FileId, Id};
use sscg_index::{FilePostings, LexicalIndex};

use super::{Term, in_blocks};

/// Where each term of the question occurs, by file, and in each file by term: a file's scores are made in one go, in
/// memory that is near, and by as many threads as there are.
#[derive(Debug)]
pub(crate) struct Occurrences<'a> {
    /// Term by term.
    postings: Vec<(u32, FilePostings<'a>)>,
    /// The places of the former, by file.
    order: Vec<u32>,
    /// The files that have a term, in order.
    files: Vec<FileOccurrences>,
}

/// A file that has a term of the question.
#[derive(Debug)]
pub(crate) struct FileOccurrences {
    pub(crate) file: FileId,
    /// Its part of the order.
    part: Range<usize>,
}

impl<'a> Occurrences<'a> {
    /// O(files + occurrences), without a look at what they say.
    pub(crate) fn new(lexical: &'a LexicalIndex, terms: &[Term]) -> Self {
        let entries = (0..).zip(terms).filter_map(|(term, it)| Some((term, it.entry.as_ref()?)));
        let postings = entries.flat_map(|(term, entry)| lexical.postings(entry).map(move |it| (term, it)));
        let postings: Vec<(u32, FilePostings<'a>)> = postings.collect();
        // A counting sort: how many each file has, then where the next of each is to stand.
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

    /// What a function makes of the files that have a term: of some at a time, in their order.
    pub(crate) fn in_blocks<R: Send>(&self, function: impl Fn(&[FileOccurrences]) -> R + Sync) -> Vec<R> {
        in_blocks(&self.files, function)
    }

    /// The terms that a file has, by their numbers, with where they stand.
    pub(crate) fn of(&self, file: &FileOccurrences) -> impl Iterator<Item = (usize, &FilePostings<'a>)> {
        self.order[file.part.clone()].iter().map(|place| {
            let (term, postings) = &self.postings[*place as usize];
            (*term as usize, postings)
        })
    }
}

/// Adds the weight of a term to each window of two neighboring blocks that has it, once.
pub(crate) fn add_to_windows(in_file: &FilePostings<'_>, weight: f64, windows: &mut [f64]) {
    // The first window that the last occurrence did not reach.
    let mut next = 0;
    for (block, _) in in_file.blocks() {
        let block = block as usize;
        let reached = windows.iter_mut().take(block + 1).skip(next.max(block.saturating_sub(1)));
        reached.for_each(|window| *window += weight);
        next = block + 1;
    }
}
