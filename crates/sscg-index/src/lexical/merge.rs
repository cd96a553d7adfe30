//! Decides which segments are kept and which are merged when files change.

use std::sync::Arc;

use sscg_core::{FileId, IndexVec};

use super::builder::SegmentBuilder;
use super::bytes::to_u32;
use super::segment::Segment;
use super::{FileTerms, Part, SegmentSlot};

/// Source of a file's terms.
#[derive(Clone, Copy)]
pub(super) enum Source<'t> {
    /// Terms in one of the parts.
    Old(SegmentSlot),
    /// Terms of a new file with `chunks` chunks.
    New { chunks: usize, terms: &'t FileTerms },
}

/// Inverse of a share: a part with more than 1/8 of its files replaced is rewritten.
const REPLACED_SHARE: usize = 8;

/// Size ratio, in files, up to which a part is merged with the next smaller one. Keeps parts few, and limits how often
/// a file is rewritten to the number of part sizes.
const SIZE_RATIO: usize = 4;

/// Outcome for a part.
enum Fate {
    /// Kept under this number.
    Kept(u32),
    /// Merged into the new segment; holds the number of each file there, assigned on first use.
    Merged(Vec<Option<u32>>),
}

/// Returns the segments with the files' terms after the merge, and the location of each file in them.
pub(super) fn merge(
    parts: &[Part],
    sources: Vec<Source<'_>>,
) -> (Vec<Arc<Segment>>, IndexVec<FileId, SegmentSlot>) {
    let merged = parts_to_merge(parts, &sources);
    let mut segments: Vec<Arc<Segment>> = Vec::new();
    let mut fates = Vec::new();
    for (part, is_merged) in parts.iter().zip(merged) {
        fates.push(if is_merged {
            Fate::Merged(vec![None; part.segment.file_count()])
        } else {
            segments.push(Arc::clone(&part.segment));
            Fate::Kept(to_u32(segments.len() - 1))
        });
    }
    let new = to_u32(segments.len());
    let mut builder = SegmentBuilder::default();
    let places = sources
        .into_iter()
        .map(|source| match source {
            Source::New { chunks, terms } => (new, builder.add(chunks, terms)),
            Source::Old((part, file)) => match &mut fates[part as usize] {
                Fate::Kept(part) => (*part, file),
                Fate::Merged(files) => {
                    let add = || builder.add_from(&parts[part as usize].segment, file);
                    (new, *files[file as usize].get_or_insert_with(add))
                }
            },
        })
        .collect();
    for (part, fate) in parts.iter().zip(&fates) {
        if let Fate::Merged(files) = fate
            && files.iter().any(Option::is_some)
        {
            builder.add_postings(&part.segment, files);
        }
    }
    segments.extend(builder.finish());
    (segments, places)
}

/// Decides for each part whether it is merged into the new segment, or dropped because it has no files left.
fn parts_to_merge(parts: &[Part], sources: &[Source<'_>]) -> Vec<bool> {
    let mut present: Vec<Vec<bool>> =
        parts.iter().map(|part| vec![false; part.segment.file_count()]).collect();
    let mut new_files = 0;
    for source in sources {
        match source {
            Source::Old((part, file)) => present[*part as usize][*file as usize] = true,
            Source::New { .. } => new_files += 1,
        }
    }
    let counts = present.iter().map(|files| files.iter().filter(|is_present| **is_present).count());
    let mut by_size: Vec<(usize, usize)> = counts.zip(0..).collect();
    by_size.sort_unstable();
    let mut merged = vec![false; parts.len()];
    for &(count, part) in &by_size {
        let files = present[part].len();
        if (files - count) * REPLACED_SHARE > files {
            merged[part] = true;
            new_files += count;
        }
    }
    for (count, part) in by_size {
        if !merged[part] && count <= SIZE_RATIO * new_files {
            merged[part] = true;
            new_files += count;
        }
    }
    merged
}
