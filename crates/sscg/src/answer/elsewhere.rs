//! Text of the query in files that are not indexed: code in other languages, configuration, documents.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use sscg_core::{LineIndex, LineRange, TokenCounter};
use sscg_format::{FileSnapshot, Lines, O200k, ResultItem, excerpt};
use sscg_index::{MAX_FILE_BYTES, Snapshot, map_files};
use sscg_retrieve::{Pasted, PastedLine, is_own_path};

use crate::long_lines::LongLines;

/// Block of lines around a text of the query, in a file that is not indexed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TextBlock {
    path: String,
    /// Line range of the block.
    lines: LineRange,
    /// Share of the pasted text that it contains; 1 for lines that an id names.
    share: f64,
    /// Text of the file, shared by the blocks of one file.
    source: Arc<str>,
}

/// Maximum number of lines of a block.
const MOST_LINES: u32 = 40;

/// Maximum number of blocks: a text found in more places is not specific to any of them.
const MOST_BLOCKS: usize = 12;

/// Maximum difference of a block's share from the best share for an equally good block.
const AS_GOOD: f64 = 0.1;

/// Maximum number of characters of the first line of a block, which serves as its name.
const MOST_NAME: usize = 60;

/// Returns the blocks of unindexed files that contain the pasted text, the project's own code first. O(bytes of these
/// files).
pub(crate) fn find(snapshot: &Snapshot, pasted: &Pasted<'_>) -> Vec<TextBlock> {
    if !snapshot.root.is_dir() {
        return Vec::new();
    }
    let project = &snapshot.project;
    let of_file = map_files(&snapshot.root, |path, at| {
        if project.file_at(path).is_some() {
            return None;
        }
        let source: Arc<str> = read(at)?.into();
        let lines = pasted.lines_in(&source);
        let is_own = is_own_path(project, path);
        let blocks = lines.into_iter().map(|found| {
            let lines = block_around(&source, found.line);
            let block =
                TextBlock { path: path.to_owned(), lines, share: found.share, source: Arc::clone(&source) };
            (is_own, found, block)
        });
        Some(blocks.collect::<Vec<_>>()).filter(|blocks| !blocks.is_empty())
    });
    let mut blocks: Vec<(bool, PastedLine, TextBlock)> = of_file.into_iter().flatten().collect();
    // Shorter parts of a text whose longer part was found add nothing.
    let part = blocks.iter().map(|(_, found, _)| found.part).min();
    blocks.retain(|(_, found, _)| Some(found.part) == part);
    let best = blocks.iter().map(|(_, found, _)| found.share).fold(0.0, f64::max);
    blocks.retain(|(_, found, _)| found.share >= best - AS_GOOD);
    blocks.sort_by(|(a_is_own, a_found, a), (b_is_own, b_found, b)| {
        b_is_own
            .cmp(a_is_own)
            .then(b.share.total_cmp(&a.share))
            .then_with(|| (&a.path, a_found.line).cmp(&(&b.path, b_found.line)))
    });
    let mut blocks: Vec<TextBlock> = blocks.into_iter().map(|(_, _, block)| block).collect();
    blocks.dedup_by(|b, a| a.path == b.path && a.lines == b.lines);
    if blocks.len() > MOST_BLOCKS { Vec::new() } else { blocks }
}

/// Reads a text file; `None` for binary files and files larger than `MAX_FILE_BYTES`.
fn read(at: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    fs::File::open(at).ok()?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > MAX_FILE_BYTES || bytes.contains(&0) {
        return None;
    }
    String::from_utf8(bytes).ok()
}

/// Returns the largest block around a line that is not too long, by indentation: a less indented head, the lines
/// below it, and the line that closes it. Falls back to the paragraph for text that is not indented.
pub(crate) fn block_around(source: &str, line: u32) -> LineRange {
    let lines: Vec<&str> = source.lines().collect();
    let indent = |at: usize| lines[at].len() - lines[at].trim_start().len();
    let is_blank = |at: usize| lines[at].trim().is_empty();
    let at = (line as usize - 1).min(lines.len().saturating_sub(1));
    let paragraph = || {
        let start = (0..at).rev().take_while(|at| !is_blank(*at)).last().unwrap_or(at);
        let end = (at + 1..lines.len()).take_while(|at| !is_blank(*at)).last().unwrap_or(at);
        let (least, most) = (at.saturating_sub(MOST_LINES as usize / 2), at + MOST_LINES as usize / 2);
        (start.max(least), end.min(most))
    };
    let mut best = None;
    let mut inner = at;
    while let Some(head) = (0..inner).rev().find(|above| !is_blank(*above) && indent(*above) < indent(inner))
    {
        let below = (at + 1..lines.len()).find(|below| !is_blank(*below) && indent(*below) <= indent(head));
        let closes = |below: usize| {
            indent(below) == indent(head) && lines[below].trim_start().starts_with(['}', ')', ']'])
        };
        let end = match below {
            Some(below) if closes(below) => below,
            Some(below) => (at..below).rev().find(|last| !is_blank(*last)).unwrap_or(at),
            None => lines.len() - 1,
        };
        if end + 1 - head > MOST_LINES as usize {
            break;
        }
        best = Some((head, end));
        inner = head;
    }
    let (start, end) = best.unwrap_or_else(paragraph);
    LineRange { start: start as u32 + 1, end: end as u32 + 1 }
}

impl TextBlock {
    /// Returns the lines of a file that an id names.
    pub(crate) fn of_file(path: String, lines: LineRange, source: String) -> Self {
        Self { path, lines, share: 1.0, source: source.into() }
    }

    /// Returns the block as a result, with its text.
    fn shown(&self, long: &LongLines) -> (ResultItem, FileSnapshot) {
        let index = LineIndex::new(&self.source);
        let Self { path, lines, .. } = self;
        let first = self.source.lines().nth(lines.start as usize - 1).unwrap_or_default().trim();
        let name: String = first.chars().take(MOST_NAME).collect();
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let item = ResultItem::default()
            .with_chunk_id(format!("{path}:{}-{}:text", lines.start, lines.end))
            .with_file(path.clone())
            .with_lines(Lines { start: lines.start, end: lines.end })
            .with_kind("text")
            .with_name(name)
            .with_language(extension)
            .with_trusted(true)
            .with_score(self.share)
            .with_shown("full");
        let text =
            excerpt(path, "#", &[*lines], 0, |line| long.shown(index.line_span(line).text(&self.source)));
        let snapshot = FileSnapshot::default()
            .with_file(path.clone())
            .with_language(extension)
            .with_results(vec![item.chunk_id.clone()])
            .with_text(text)
            .with_lines(vec![item.lines]);
        (item, snapshot)
    }
}

/// Returns the blocks that fit `budget` tokens as results with their texts, and the tokens that they take. The first
/// is always included.
pub(super) fn shown(
    blocks: &[TextBlock],
    budget: usize,
    long: &LongLines,
) -> (Vec<(ResultItem, FileSnapshot)>, usize) {
    let mut tokens = 0;
    let mut shown = Vec::new();
    for block in blocks {
        let (item, snapshot) = block.shown(long);
        let cost = O200k.count(&snapshot.text) + O200k.count(&item.name) + O200k.count(&item.file);
        if !shown.is_empty() && tokens + cost > budget {
            break;
        }
        tokens += cost;
        shown.push((item, snapshot));
    }
    (shown, tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(source: &str, line: u32) -> (u32, u32) {
        let LineRange { start, end } = block_around(source, line);
        (start, end)
    }

    #[test]
    fn a_block_is_the_largest_one_around_a_line() {
        let go = "package a\n\nfunc f() {\n\tif x {\n\t\tpanic(\"no\")\n\t}\n}\n\nfunc g() {\n}\n";
        assert_eq!(block(go, 5), (3, 7));
        assert_eq!(block(go, 3), (3, 7));
        let yaml = "a:\n  b: 1\n  c: 2\nd:\n  e: 3\n";
        assert_eq!(block(yaml, 3), (1, 3));
        let prose = "one\ntwo\n\nthree\nfour\n";
        assert_eq!(block(prose, 2), (1, 2));
        assert_eq!(block(prose, 5), (4, 5));
        assert_eq!(block("only", 1), (1, 1));
        let long = format!("head {{\n{}}}\n", "  x\n".repeat(100));
        assert_eq!(block(&long, 50), (30, 70));
    }
}
