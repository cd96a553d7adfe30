//! Selection of the lines of files that are worth their tokens.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sscg_core::{ChunkId, FileId, LineIndex, LineRange, TokenCounter};
use sscg_format::{CodeStyle, FileSnapshot, Lines, O200k, excerpt};
use sscg_index::Snapshot;
use sscg_retrieve::{Hit, QueryMode, SignalId, Standing, standing};

use super::{Composer, NAME_BYTES};
use crate::long_lines::LongLines;

/// Chunk with lines to show.
pub(super) struct Picked {
    pub(super) hit: Hit,
    /// Ranges that answer, best first.
    pub(super) parts: Vec<LineRange>,
    /// Copies of the chunk, which are not shown.
    pub(super) copies: Vec<ChunkId>,
}

/// Lines that fit a budget.
#[derive(Default)]
pub(super) struct Pick {
    /// Chunks that these lines belong to, best first.
    pub(super) chunks: Vec<Picked>,
    /// Chunks within the limit that are not shown for lack of budget, best first.
    pub(super) omitted: Vec<ChunkId>,
    /// True if a larger budget would show more.
    pub(super) is_cut: bool,
    /// Estimated number of tokens.
    pub(super) tokens: usize,
    shown: BTreeMap<FileId, LineSet>,
    /// Files in the order of their best hits.
    files: Vec<FileId>,
}

/// Text of a file by lines.
pub(super) struct FileLines {
    text: String,
    index: LineIndex,
    long_lines: Arc<LongLines>,
    /// Set if lines are shown with their numbers.
    is_numbered: bool,
    /// Tokens of each line, once counted.
    tokens: Vec<Option<u32>>,
}

/// Tokens of an elision mark, or of the line that names a file, besides its path.
const MARK_TOKENS: usize = 8;

/// Number of lines between two shown ranges that cost no more than an elision mark.
const SMALL_GAP: u32 = 2;

/// Maximum number of hits that are passed over because they do not fit.
const MOST_MISFITS: usize = 8;

/// Minimum number of lines to show of a hit that does not fit whole.
const LEAST_PART: u32 = 4;

/// Maximum number of lines that an elision inside a declaration moves to fall between statements.
const NEAR_LINES: u32 = 4;

/// Maximum number of lines of a signature above a part of a long declaration, and of the head of a long type.
const MOST_HEAD_LINES: u32 = 20;

impl Composer<'_> {
    /// Takes the lines of hits in order while they fit `budget` tokens, from at most `limit` chunks. A hit that does
    /// not fit is passed over for smaller ones, except the best, of which a part is taken. The remaining budget goes
    /// to the first lines of the best hit that was passed over. If nothing fits, the best hit is taken without lines.
    pub(super) fn pick(&mut self, hits: &[Hit], limit: usize, budget: usize) -> Pick {
        let mut pick = Pick::default();
        let mut misfits: Vec<(&Hit, Vec<LineRange>)> = Vec::new();
        // Chunks whose lines are already shown, as part of others or of a copy.
        let mut told: BTreeSet<ChunkId> = BTreeSet::new();
        for hit in hits {
            let is_known = pick.chunks.iter().any(|picked| picked.hit.chunk == hit.chunk);
            if !is_known && pick.chunks.len() + misfits.len() >= limit {
                break;
            }
            let wanted = self.wanted(hit);
            let cost = self.cost_of_lines(&pick, hit.chunk, &wanted);
            let original = if cost == 0 { None } else { self.original(&pick, hit) };
            if let Some(original) = original {
                let copies = &mut pick.chunks[original].copies;
                if !copies.contains(&hit.chunk) {
                    copies.push(hit.chunk);
                }
            }
            if cost == 0 || original.is_some() || self.is_in_copy(&pick, hit) {
                told.insert(hit.chunk);
                continue;
            }
            if pick.tokens + cost <= budget {
                self.take(&mut pick, hit, &wanted, cost);
            } else if pick.chunks.is_empty()
                && let Some((part, cost)) = self.best_within(&pick, hit, &wanted, budget)
            {
                // The best hit is never passed over for others.
                pick.is_cut = true;
                self.take(&mut pick, hit, &part, cost);
            } else {
                misfits.push((hit, wanted));
                if misfits.len() > MOST_MISFITS {
                    break;
                }
            }
        }
        if let Some((hit, wanted)) = misfits.into_iter().next() {
            pick.is_cut = true;
            match self.part_within(&pick, hit.chunk, &wanted, budget) {
                Some((wanted, cost)) => self.take(&mut pick, hit, &wanted, cost),
                None if pick.chunks.is_empty() => {
                    pick.chunks.push(Picked { hit: hit.clone(), parts: Vec::new(), copies: Vec::new() });
                }
                None => {}
            }
        }
        told.extend(pick.chunks.iter().map(|picked| picked.hit.chunk));
        if pick.is_cut {
            let mut ranked: BTreeSet<ChunkId> = BTreeSet::new();
            let chunks = hits.iter().map(|hit| hit.chunk).filter(|chunk| ranked.insert(*chunk)).take(limit);
            pick.omitted = chunks.filter(|chunk| !told.contains(chunk)).collect();
        }
        pick
    }

    /// Returns true if the query consists only of the name of a chunk's declaration, or of ids.
    fn is_asked(&self, chunk: ChunkId) -> bool {
        if !self.request.more.is_empty() {
            return true;
        }
        let project = &self.snapshot.project;
        let Some(symbol) = project.symbol_of_chunk(chunk) else { return false };
        let own = |name: &str| name.rsplit(['.', ':']).next() == Some(project.symbol_name(symbol));
        matches!(self.query.mode, QueryMode::Symbol(_)) || self.query.bare_name().is_some_and(own)
    }

    /// Returns true if the file of a hit has the same text as a file that is already shown: a checked-in build
    /// doubles every answer. Each place counts for a declaration that was looked up and for its uses.
    fn is_in_copy(&mut self, pick: &Pick, hit: &Hit) -> bool {
        let file = self.snapshot.project.chunk_file(hit.chunk);
        if self.is_each_wanted(hit) || pick.shown.contains_key(&file) || self.lines_of(file).is_none() {
            return false;
        }
        let text = |file: &FileId| self.lines.get(file).and_then(Option::as_ref).map(|lines| &lines.text);
        pick.files.iter().any(|shown| text(shown) == text(&file))
    }

    /// Returns true if places like a hit are wanted even if another one has the same text.
    fn is_each_wanted(&self, hit: &Hit) -> bool {
        let is_place = matches!(&hit.sources[..], [only] if only.signal == SignalId::CALLS);
        is_place || !self.request.more.is_empty() || matches!(self.query.mode, QueryMode::Symbol(_))
    }

    /// Returns the index of the shown declaration that a hit is a copy of: one of the same name and mostly the same
    /// words in another file. The project's own code and its tests are never copies, since both places have to be
    /// changed.
    fn original(&mut self, pick: &Pick, hit: &Hit) -> Option<usize> {
        let project = &self.snapshot.project;
        let name = project.symbol_name(project.symbol_of_chunk(hit.chunk)?);
        if self.is_each_wanted(hit) || standing(self.snapshot, hit.chunk) != Standing::Beside {
            return None;
        }
        let file = project.chunk_file(hit.chunk);
        let namesakes: Vec<usize> = (0..pick.chunks.len())
            .filter(|at| {
                let other = pick.chunks[*at].hit.chunk;
                let own = project.symbol_of_chunk(other).map(|symbol| project.symbol_name(symbol));
                project.chunk_file(other) != file && own == Some(name)
            })
            .collect();
        if namesakes.is_empty() {
            return None;
        }
        let words = self.words_of(hit.chunk)?;
        namesakes.into_iter().find(|at| {
            let others = self.words_of(pick.chunks[*at].hit.chunk).unwrap_or_default();
            let shared = words.intersection(&others).count() as f64;
            shared >= COPIED_SHARE * words.union(&others).count() as f64
        })
    }

    /// Returns the names and numbers in a chunk.
    fn words_of(&mut self, chunk: ChunkId) -> Option<BTreeSet<String>> {
        let lines = self.snapshot.project.chunk_lines(chunk);
        let of_file = self.lines_of(self.snapshot.project.chunk_file(chunk))?;
        let text = (lines.start..=lines.end).map(|line| of_file.index.line_span(line).text(&of_file.text));
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let words = text.flat_map(|line| line.split(move |c| !is_part(c)).filter(|word| !word.is_empty()));
        Some(words.map(str::to_owned).collect())
    }

    fn take(&mut self, pick: &mut Pick, hit: &Hit, wanted: &[LineRange], cost: usize) {
        let file = self.snapshot.project.chunk_file(hit.chunk);
        if !pick.shown.contains_key(&file) {
            pick.files.push(file);
        }
        let shown = pick.shown.entry(file).or_default();
        wanted.iter().for_each(|lines| shown.insert(*lines));
        pick.tokens += cost;
        let shared = |lines: &&LineRange| {
            (lines.end.min(hit.lines.end) + 1).saturating_sub(lines.start.max(hit.lines.start))
        };
        let part = *wanted.iter().rev().max_by_key(shared).expect("a hit has lines");
        match pick.chunks.iter_mut().find(|picked| picked.hit.chunk == hit.chunk) {
            Some(picked) => picked.parts.push(part),
            None => pick.chunks.push(Picked { hit: hit.clone(), parts: vec![part], copies: Vec::new() }),
        }
    }

    /// Returns the lines of the best hit, which does not fit, that answer first, and their cost: the first that fit
    /// if it was requested by name, otherwise its [focus](Hit::focus).
    fn best_within(
        &mut self,
        pick: &Pick,
        hit: &Hit,
        wanted: &[LineRange],
        budget: usize,
    ) -> Option<(Vec<LineRange>, usize)> {
        if self.is_asked(hit.chunk) {
            return self.part_within(pick, hit.chunk, wanted, budget);
        }
        let mut focused = hit.clone();
        focused.lines = hit.focus;
        let focus = self.wanted(&focused);
        let cost = self.cost_of_lines(pick, hit.chunk, &focus);
        (cost > 0 && cost <= budget).then_some((focus, cost))
    }

    /// Returns as many of the first wanted lines as fit, and their cost; `None` if they are too few to be worth it,
    /// unless nothing else is shown.
    fn part_within(
        &mut self,
        pick: &Pick,
        chunk: ChunkId,
        wanted: &[LineRange],
        budget: usize,
    ) -> Option<(Vec<LineRange>, usize)> {
        let (mut low, mut high) = (1, wanted.iter().map(|lines| lines.count()).sum::<u32>());
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            let cost = self.cost_of_lines(pick, chunk, &first_lines(wanted, middle));
            if pick.tokens + cost <= budget { low = middle } else { high = middle - 1 }
        }
        let mut part = first_lines(wanted, low);
        if let (Some(last), Some(of_file)) =
            (part.last_mut(), self.lines_of(self.snapshot.project.chunk_file(chunk)))
            && wanted.iter().all(|lines| lines.end != last.end)
        {
            let earliest = last.end.saturating_sub(NEAR_LINES).max(last.start);
            last.end = of_file.cut(last.end + 1, earliest + 1..=last.end + 1) - 1;
        }
        let cost = self.cost_of_lines(pick, chunk, &part);
        let shown: u32 = part.iter().map(|lines| lines.count()).sum();
        let is_worth_it = shown >= LEAST_PART || pick.chunks.is_empty();
        (cost > 0 && pick.tokens + cost <= budget && is_worth_it).then_some((part, cost))
    }

    /// Returns the tokens that lines of a chunk add: those of lines that are not shown yet, of the marks around them,
    /// and of the line that names the chunk. 0 if all lines are shown.
    fn cost_of_lines(&mut self, pick: &Pick, chunk: ChunkId, wanted: &[LineRange]) -> usize {
        let project = &self.snapshot.project;
        let file = project.chunk_file(chunk);
        let shown = pick.shown.get(&file);
        let missing: Vec<LineRange> = wanted
            .iter()
            .flat_map(|lines| shown.map_or_else(|| vec![*lines], |shown| shown.missing(*lines)))
            .collect();
        let Some(of_file) = self.lines_of(file) else { return 0 };
        let code: usize = missing.iter().map(|lines| of_file.tokens(*lines)).sum();
        if code == 0 {
            return 0;
        }
        let file_head = if shown.is_none() { project.files()[file].path.len() / NAME_BYTES } else { 0 };
        let is_known = pick.chunks.iter().any(|picked| picked.hit.chunk == chunk);
        let head = if is_known { 0 } else { project.chunk_key(chunk).len() / NAME_BYTES };
        code + missing.len() * MARK_TOKENS + file_head + head
    }

    /// Returns the lines that show a hit: its own; for the middle of a declaration also the signature; for a long
    /// type or module its head, and the first line of each member if it was requested by name.
    fn wanted(&mut self, hit: &Hit) -> Vec<LineRange> {
        if !self.request.more.is_empty() {
            return vec![hit.lines];
        }
        if self.request.code == CodeStyle::Signatures {
            let first = LineRange { start: hit.lines.start, end: hit.lines.start };
            return vec![self.signature_lines(hit.chunk).unwrap_or(first)];
        }
        let project = &self.snapshot.project;
        let Some(symbol) = project.symbol_of_chunk(hit.chunk) else { return vec![hit.lines] };
        let lines = hit.lines;
        let is_asked = self.is_asked(hit.chunk);
        let is_whole = lines == project.chunk_lines(hit.chunk);
        if is_whole && self.is_long_container(hit.chunk) {
            let (file, local) = project.local_symbol(symbol);
            let facts = &project.files()[file].facts;
            let members: Vec<u32> =
                facts.children(local).map(|member| facts.symbols[member].lines.start).collect();
            let until = members.first().map_or(lines.end, |first| first.saturating_sub(1));
            let head = LineRange {
                start: lines.start,
                end: until.clamp(lines.start, lines.start + MOST_HEAD_LINES),
            };
            let mut wanted = vec![head];
            if is_asked {
                // Attributes that a method assigns are members, too, and lie in its body.
                let mut body_end = 0;
                let names = facts.children(local).filter_map(|member| {
                    let member = &facts.symbols[member];
                    let is_in_body = member.name_line <= body_end;
                    if member.kind.is_callable() {
                        body_end = body_end.max(member.lines.end);
                    }
                    (!is_in_body && member.name_line > head.end).then_some(member.name_line)
                });
                let names = names.take(MOST_MEMBERS);
                wanted.extend(names.map(|line| LineRange { start: line, end: line }));
            }
            return wanted;
        }
        if lines.start <= project.chunk_lines(hit.chunk).start {
            let start = self.documentation(hit.chunk);
            let is_enough = start + LEAST_PART <= lines.end || is_whole;
            return vec![if is_enough { LineRange { start, end: lines.end } } else { lines }];
        }
        let (Some(signature), Some(of_file)) =
            (self.signature_lines(hit.chunk), self.lines_of(project.chunk_file(hit.chunk)))
        else {
            return vec![lines];
        };
        let lines = of_file.between_statements(lines, project.chunk_lines(hit.chunk));
        match lines.start {
            start if start > signature.end => vec![signature, lines],
            start => {
                vec![LineRange { start: signature.start.min(start), end: lines.end.max(signature.end) }]
            }
        }
    }

    /// Returns the lines from the name of a declaration to where its body begins; `None` without a body.
    fn signature_lines(&mut self, chunk: ChunkId) -> Option<LineRange> {
        let project = &self.snapshot.project;
        let declaration = project.symbol(project.symbol_of_chunk(chunk)?);
        let (name, body) = (declaration.name_line, declaration.body?);
        let of_file = self.lines_of(project.chunk_file(chunk))?;
        let opens = of_file.text.as_bytes().get(body.start as usize) == Some(&b'{');
        let before = of_file.text[..body.start as usize].trim_end().len() as u32;
        let end = of_file.index.line(if opens { body.start } else { before.saturating_sub(1) });
        Some(LineRange { start: name, end: end.clamp(name, name + MOST_HEAD_LINES) })
    }

    /// Returns the first line of a chunk after its leading documentation if that is long, otherwise its first line.
    pub(super) fn documentation(&mut self, chunk: ChunkId) -> u32 {
        let project = &self.snapshot.project;
        let (file, lines) = (project.chunk_file(chunk), project.chunk_lines(chunk));
        let syntax = sscg_parse::syntax(project.files()[file].language);
        let Some(marker) = syntax.map(|syntax| syntax.line_comment()) else { return lines.start };
        let Some(of_file) = self.lines_of(file) else { return lines.start };
        let is_comment = |line: u32| {
            let text = of_file.index.line_span(line).text(&of_file.text).trim();
            text.starts_with(marker) || marker == "//" && (text.starts_with("/*") || text.starts_with('*'))
        };
        let first = (lines.start..=lines.end).find(|line| !is_comment(*line)).unwrap_or(lines.start);
        if first - lines.start > LONG_DOCUMENTATION { first } else { lines.start }
    }

    /// Returns the text of a file by lines; `None` if the file has changed.
    fn lines_of(&mut self, file: FileId) -> Option<&mut FileLines> {
        let (snapshot, long_lines): (&Snapshot, _) = (self.snapshot, &self.long_lines);
        let is_numbered = self.is_numbered();
        let of_file = self.lines.entry(file).or_insert_with(|| {
            let text = snapshot.source(file)?;
            let index = LineIndex::new(&text);
            let tokens = vec![None; index.line_count() as usize + 1];
            Some(FileLines { text, index, long_lines: Arc::clone(long_lines), is_numbered, tokens })
        });
        of_file.as_mut()
    }

    /// Returns the ranges of a picked chunk that answer, best first, extended to what is shown around each; and true
    /// if that is the whole chunk, except for long leading documentation.
    pub(super) fn parts_of(&mut self, pick: &Pick, picked: &Picked) -> (Vec<sscg_format::Lines>, bool) {
        let chunk = picked.hit.chunk;
        let file = self.snapshot.project.chunk_file(chunk);
        let all = LineRange { start: self.documentation(chunk), ..self.snapshot.project.chunk_lines(chunk) };
        let (Some(shown), Some(of_file)) = (pick.shown.get(&file), self.lines_of(file)) else {
            return (Vec::new(), false);
        };
        let shown = of_file.tidied(shown);
        let mut parts: Vec<sscg_format::Lines> = Vec::new();
        for part in &picked.parts {
            let around = shown.iter().find(|range| range.contains(part.start)).unwrap_or(part);
            let start = around.start.max(all.start).min(part.start);
            let part = sscg_format::Lines { start, end: around.end.min(all.end) };
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        let is_whole = matches!(&parts[..], [part] if part.start <= all.start && part.end >= all.end);
        (parts, is_whole)
    }

    /// Returns the text of each file with lines to show, in the order of the files' best hits. The lines around the
    /// best hit come first, even if others precede them in its file.
    pub(super) fn excerpts(&mut self, pick: &Pick) -> Vec<FileSnapshot> {
        let project = &self.snapshot.project;
        let mut texts = Vec::new();
        for file in &pick.files {
            let of_file: Vec<&Picked> =
                pick.chunks.iter().filter(|picked| project.chunk_file(picked.hit.chunk) == *file).collect();
            let declared: Vec<LineRange> =
                of_file.iter().map(|it| project.chunk_lines(it.hit.chunk)).collect();
            let entry = &project.files()[*file];
            let comment = sscg_parse::syntax(entry.language).map_or("#", |syntax| syntax.line_comment());
            let Some(lines) = self.lines_of(*file) else { continue };
            let ranges = lines.tidied(&pick.shown[file]);
            // The best hit's declaration comes first, then the lines above and below it.
            let best = project.chunk_lines(of_file[0].hit.chunk);
            let side =
                |range: &LineRange| u8::from(range.end >= best.start) + u8::from(range.start > best.end);
            let mut groups: Vec<&[LineRange]> = match ranges.first() {
                Some(first) if texts.is_empty() && side(first) == 0 => {
                    ranges.chunk_by(|a, b| side(a) == side(b)).collect()
                }
                _ => vec![&ranges],
            };
            groups.sort_by_key(|group| side(&group[0]) != 1);
            let mut told: BTreeSet<ChunkId> = BTreeSet::new();
            for (number, group) in groups.iter().enumerate() {
                let last = group.last().map_or(0, |range| range.end);
                // A declaration that continues after the last line is elided there, up to the next shown line.
                let next = ranges.iter().map(|range| range.start).find(|start| *start > last);
                let around = declared.iter().filter(|lines| lines.start <= last && last < lines.end);
                let end = around.map(|lines| lines.end).min().unwrap_or(last);
                let end = next.map_or(end, |next| end.min(next - 1));
                let cut = if end > last && lines.is_inside(last, end) { end } else { 0 };
                // The file has been named above.
                let path = if number == 0 { &*entry.path } else { "" };
                let is_last = number + 1 == groups.len();
                let starts_here = |picked: &&&Picked| {
                    let line = picked.parts.first().map(|part| part.start);
                    is_last || line.is_some_and(|line| group.iter().any(|range| range.contains(line)))
                };
                let chunks = of_file.iter().filter(starts_here).map(|picked| picked.hit.chunk);
                let chunks: Vec<ChunkId> = chunks.filter(|chunk| told.insert(*chunk)).collect();
                texts.push(
                    FileSnapshot::default()
                        .with_file(entry.path.to_string())
                        .with_language(entry.language.name)
                        .with_results(chunks.into_iter().map(|chunk| project.chunk_key(chunk)).collect())
                        .with_text(excerpt(path, comment, group, cut, |line| lines.shown(line)))
                        .with_lines(
                            group.iter().map(|range| Lines { start: range.start, end: range.end }).collect(),
                        ),
                );
            }
        }
        texts
    }
}

impl FileLines {
    /// Returns the number of tokens of some lines.
    fn tokens(&mut self, lines: LineRange) -> usize {
        let is_numbered = self.is_numbered;
        let count = |text: &str, line: u32| match is_numbered {
            true if text.trim().is_empty() => 0,
            true => O200k.count(&format!("{line}\t{text}")) as u32 + 1,
            false => O200k.count(text) as u32 + 1,
        };
        (lines.start..=lines.end)
            .map(|line| {
                let Some(known) = self.tokens.get_mut(line as usize) else { return 0 };
                let text = self.index.line_span(line).text(&self.text);
                *known.get_or_insert_with(|| count(&self.long_lines.shown(text), line)) as usize
            })
            .sum()
    }

    /// Returns a line as it is shown.
    fn shown(&self, line: u32) -> Cow<'_, str> {
        self.long_lines.shown(self.index.line_span(line).text(&self.text))
    }

    fn is_blank(&self, line: u32) -> bool {
        self.index.line_span(line).text(&self.text).trim().is_empty()
    }

    /// Moves the ends of a part of a declaration to nearby statement boundaries, and the last end to the
    /// declaration's own if that is near.
    fn between_statements(&self, part: LineRange, whole: LineRange) -> LineRange {
        let near =
            |line: u32| line.saturating_sub(NEAR_LINES).max(whole.start)..=(line + NEAR_LINES).min(whole.end);
        let start = self.cut(part.start, near(part.start));
        let end = if part.end + NEAR_LINES >= whole.end {
            whole.end
        } else {
            self.cut(part.end + 1, near(part.end + 1)) - 1
        };
        if start < end { LineRange { start, end } } else { part }
    }

    /// Returns the one of `lines` before which an elision separates least: where indentation is lowest, and no block
    /// is closed or continued. Ties go to the line closest to `line`.
    fn cut(&self, line: u32, lines: std::ops::RangeInclusive<u32>) -> u32 {
        let parted = |line: u32| {
            let text = self.index.line_span(line).text(&self.text);
            let code = text.trim_start();
            let word = &code[..code.find(|c: char| !c.is_alphanumeric()).unwrap_or(code.len())];
            let goes_on = code.starts_with([')', ']', '}', '.'])
                || ["else", "elif", "except", "catch", "finally"].contains(&word);
            (code.trim_end().is_empty() || goes_on, text.len() - code.len())
        };
        lines.min_by_key(|other| (parted(*other), other.abs_diff(line))).unwrap_or(line)
    }

    /// Returns true if a non-blank line follows `last`, up to `end`.
    fn is_inside(&self, last: u32, end: u32) -> bool {
        (last + 1..=end).any(|line| !self.is_blank(line))
    }

    /// Returns ranges without blank lines at their ends, joined where a gap costs no more than an elision mark.
    fn tidied(&self, set: &LineSet) -> Vec<LineRange> {
        let mut ranges: Vec<LineRange> = Vec::new();
        for range in &set.0 {
            let mut range = LineRange { start: range.start, end: range.end.min(self.index.line_count()) };
            while range.start < range.end && self.is_blank(range.start) {
                range.start += 1;
            }
            while range.start < range.end && self.is_blank(range.end) {
                range.end -= 1;
            }
            match ranges.last_mut() {
                Some(last) if range.start <= last.end + 1 + SMALL_GAP => last.end = last.end.max(range.end),
                _ => ranges.push(range),
            }
        }
        ranges
    }
}

/// Returns the first `count` lines of some ranges.
fn first_lines(ranges: &[LineRange], mut count: u32) -> Vec<LineRange> {
    let mut first = Vec::new();
    for range in ranges {
        if count == 0 {
            break;
        }
        let end = range.end.min(range.start + count - 1);
        first.push(LineRange { start: range.start, end });
        count -= end + 1 - range.start;
    }
    first
}

/// Minimum share of common words of two declarations of one name for one to be built from the other.
const COPIED_SHARE: f64 = 0.5;

/// Maximum number of lines of leading documentation that is shown: longer documentation finds code well but answers
/// badly.
const LONG_DOCUMENTATION: u32 = 6;

/// Maximum number of listed members of a looked-up type.
const MOST_MEMBERS: usize = 400;

/// Set of lines, as sorted ranges that do not touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LineSet(Vec<LineRange>);

impl LineSet {
    fn insert(&mut self, range: LineRange) {
        let LineRange { mut start, mut end } = range;
        self.0.retain(|known| {
            let touches = known.start <= end + 1 && start <= known.end + 1;
            if touches {
                start = start.min(known.start);
                end = end.max(known.end);
            }
            !touches
        });
        let at = self.0.partition_point(|known| known.start < start);
        self.0.insert(at, LineRange { start, end });
    }

    /// Returns the parts of a range that are not in the set.
    fn missing(&self, range: LineRange) -> Vec<LineRange> {
        let mut missing = Vec::new();
        let mut next = range.start;
        for known in self.0.iter().filter(|known| known.start <= range.end && range.start <= known.end) {
            if next < known.start {
                missing.push(LineRange { start: next, end: known.start - 1 });
            }
            next = next.max(known.end + 1);
        }
        if next <= range.end {
            missing.push(LineRange { start: next, end: range.end });
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u32, end: u32) -> LineRange {
        LineRange { start, end }
    }

    #[test]
    fn parts_of_a_declaration_are_cut_between_statements() {
        let text = "def close(pool):\n    a()\n    b()\n    c()\n    d()\n    for entry in pool:\n        stop(entry)\n        \
                    if entry.late:\n            wait(\n                entry,\n            )\n        else:\n            drop(entry)\n        \
                    tell(entry)\n    report(pool)\n    e()\n    f()\n    g()\n    h()\n    i()\n    return pool\n";
        let index = LineIndex::new(text);
        let (long_lines, tokens) = (Arc::default(), Vec::new());
        let lines = FileLines { text: text.into(), index, long_lines, is_numbered: false, tokens };
        let whole = range(1, 21);
        // Neither in the middle of a call or a loop, nor between `else` and its `if`.
        assert_eq!(lines.between_statements(range(7, 10), whole), range(6, 14));
        assert_eq!(lines.between_statements(range(9, 11), whole), range(6, 14));
        // No elision a few lines before the end.
        assert_eq!(lines.between_statements(range(9, 17), whole), range(6, 21));
    }

    #[test]
    fn a_set_of_lines_keeps_ranges_apart() {
        let mut set = LineSet::default();
        for (start, end) in [(10, 12), (20, 22), (13, 14), (30, 30), (21, 31)] {
            set.insert(range(start, end));
        }
        assert_eq!(set.0, [range(10, 14), range(20, 31)]);
        assert_eq!(set.missing(range(8, 33)), [range(8, 9), range(15, 19), range(32, 33)]);
        assert_eq!(set.missing(range(11, 14)), []);
        assert_eq!(set.missing(range(1, 3)), [range(1, 3)]);
    }
}
