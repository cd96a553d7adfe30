//! Spans of lines from evidence.
//!
//! Line windows locate the answer, declarations present it. A window counts for the innermost declaration around its
//! middle that is short enough to be read whole or, in the middle of a long one, for its own lines.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{ChunkId, ChunkKind, FileId, Id, LineRange, Relation, SymbolKind};
use sscg_graph::{Direction, Node};
use sscg_index::{BLOCK_LINES, Block, LexicalIndex, TermEntry};

use crate::hit::{Hit, RankSource, keep_best};
use crate::options::{RankOptions, Spans};
use crate::signal::{SignalContext, SignalId, SignalScores, WindowScores};
use crate::words_back::whole_terms;

/// Lines of a chunk: all of a short one, a part of a long one.
type ChunkLines = (ChunkId, LineRange);

/// Window of twenty lines that a span stands for.
#[derive(Clone, Copy, Default)]
struct Window {
    /// Score as a share of the best window's score.
    score: f64,
    /// Number of the first block.
    block: u32,
}

impl Window {
    /// Returns the better of two windows; of equals, the first.
    fn or(self, other: Self) -> Self {
        if other.score > self.score { other } else { self }
    }
}

/// Span under construction.
struct Span {
    place: ChunkLines,
    /// Best window of the span.
    window: Window,
    /// Gain from calls of the best spans.
    calls: f64,
    /// Share of the score that is left beside the better spans of the file.
    left: f64,
    /// Total score.
    score: f64,
}

/// Factors on the scores of a file's spans.
#[derive(Clone, Copy)]
struct FileFactors {
    prior: f64,
    /// Share that the comments of the whole file leave.
    comments: f64,
}

/// Evidence for the ranking of spans.
pub(crate) struct SpanRanker<'r, 'a> {
    context: &'r SignalContext<'a>,
    options: &'r RankOptions,
    /// Evidence of each signal with its weight, files best first, chunks in order.
    evidence: &'r [(SignalId, f64, SignalScores)],
    /// Weighted sum of the evidence on each file.
    files: &'r [f64],
    windows: &'r WindowScores,
    /// Weight of the evidence on files.
    file_weight: f64,
    /// Chunks with lines that the question names.
    named: FxHashSet<ChunkId>,
    /// Blocks with one of the caller's terms, by file; empty if the project has none of them.
    guessed: FxHashMap<FileId, FxHashSet<u32>>,
    /// Factors of files with spans, cached: classifying a file takes longer than everything else.
    of_file: RefCell<FxHashMap<FileId, FileFactors>>,
}

impl<'r, 'a> SpanRanker<'r, 'a> {
    pub(crate) fn new(
        context: &'r SignalContext<'a>,
        options: &'r RankOptions,
        evidence: &'r [(SignalId, f64, SignalScores)],
        files: &'r [f64],
        windows: &'r WindowScores,
    ) -> Self {
        let Spans { file, file_if_short, .. } = options.spans;
        let file_weight = file + file_if_short / context.terms.len().max(1) as f64;
        let lines = evidence.iter().flat_map(|(.., evidence)| &evidence.lines);
        let named = lines.map(|(chunk, _)| *chunk).collect();
        let guessed = guessed_blocks(context.snapshot.lexical(), &context.query.terms);
        Self {
            context,
            options,
            evidence,
            files,
            windows,
            file_weight,
            named,
            guessed,
            of_file: RefCell::default(),
        }
    }

    /// Returns the best spans, best first; ties are in project order. `chunks` are the best chunks by the signals
    /// alone.
    pub(crate) fn hits(&self, chunks: &[ChunkId]) -> Vec<Hit> {
        let mut spans = self.candidates(chunks);
        self.add_calls(&mut spans);
        if self.context.is_in_other_words() {
            self.lower_further(&mut spans);
        }
        keep_best(&mut spans, self.options.chunks, best_first);
        let mut sources = Sources::new(self, &spans);
        spans.iter().map(|span| sources.hit(self, span)).collect()
    }

    /// Returns the spans with evidence of their own.
    fn candidates(&self, chunks: &[ChunkId]) -> Vec<Span> {
        let project = &self.context.snapshot.project;
        let weight = self.options.weights.window;
        let share = |score| self.share(score);
        let mut windows: Vec<(f64, usize, u32)> = Vec::new();
        for (at, file) in self.windows.files.iter().enumerate() {
            if !self.context.query.filters.admits(project, file.file) {
                continue;
            }
            let of_file = self.file_weight * self.files[file.file.index()];
            let found = file.windows.iter().zip(0..).filter(|(score, _)| **score > 0.0);
            windows.extend(found.map(|(score, block)| (of_file + weight * share(*score), at, block)));
        }
        keep_best(&mut windows, 2 * self.options.chunks, |a, b| {
            b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2)))
        });
        let mut best: FxHashMap<ChunkLines, Window> = FxHashMap::default();
        let mut places: FxHashMap<FileId, Vec<Option<ChunkLines>>> = FxHashMap::default();
        for (_, at, block) in windows {
            let file = &self.windows.files[at];
            let of_file =
                places.entry(file.file).or_insert_with(|| self.places(file.file, file.windows.len()));
            let Some(place) = of_file[block as usize] else { continue };
            let known = best.entry(place).or_default();
            *known = known.or(Window { score: share(file.windows[block as usize]), block });
        }
        // Named lines of a long chunk become a part of it.
        for (chunk, line) in self.evidence.iter().flat_map(|(.., evidence)| &evidence.lines) {
            let lines = project.chunk_lines(*chunk);
            if lines.count() > self.options.spans.longest {
                let start = line.saturating_sub(BLOCK_LINES).max(lines.start);
                let part = LineRange { start, end: (line + BLOCK_LINES).min(lines.end) };
                let known = best.entry((*chunk, part)).or_default();
                *known = known.or(self.window_around(project.chunk_file(*chunk), part));
            }
        }
        // A long chunk is shown in parts if any of them has a word of the question.
        let in_parts: FxHashSet<ChunkId> = best.keys().map(|(chunk, _)| *chunk).collect();
        for chunk in chunks {
            let lines = project.chunk_lines(*chunk);
            let is_long = lines.count() > self.options.spans.longest;
            // A line that imports or comments on something is no answer, unless the question names it.
            let is_line = lines.count() < self.options.spans.shortest
                && !matches!(project.chunk_kind(*chunk), ChunkKind::Symbol(_))
                && !self.named.contains(chunk);
            if is_long && in_parts.contains(chunk) || is_line && !best.is_empty() {
                continue;
            }
            let known = best.entry((*chunk, lines)).or_default();
            *known = known.or(self.window_around(project.chunk_file(*chunk), lines));
        }
        best.into_iter().map(|(place, window)| self.span(place, window)).collect()
    }

    /// Returns the score of a window as a share of the best window's score.
    fn share(&self, score: f32) -> f64 {
        if score > 0.0 { f64::from(score) / self.windows.best } else { 0.0 }
    }

    fn span(&self, place: ChunkLines, window: Window) -> Span {
        let mut span = Span { place, window, calls: 0.0, left: 1.0, score: 0.0 };
        let own = self.options.weights.window * window.score
            + self.file_weight * self.files[self.file(&span).index()]
            + self.options.spans.chunk * self.of_place(place).map(|(_, score)| score).sum::<f64>();
        span.score = own * self.factor(&span);
        span
    }

    /// Returns the lines of a span around a line that the question names; else those of its best window; else all.
    fn focus(&self, span: &Span) -> LineRange {
        let (chunk, lines) = span.place;
        let named = self.evidence.iter().flat_map(|(.., evidence)| &evidence.lines);
        let mut named =
            named.filter(|(other, line)| *other == chunk && lines.contains(*line)).map(|(_, line)| *line);
        let wanted = match named.next() {
            Some(line) => LineRange { start: line.saturating_sub(BLOCK_LINES), end: line + BLOCK_LINES },
            None if span.window.score > 0.0 => window_lines(span.window.block),
            None => lines,
        };
        if shared_lines(wanted, lines) == 0 {
            return lines;
        }
        LineRange { start: wanted.start.max(lines.start), end: wanted.end.min(lines.end) }
    }

    fn file(&self, span: &Span) -> FileId {
        self.context.snapshot.project.chunk_file(span.place.0)
    }

    /// Returns the weighted evidence of each signal on a chunk. Evidence about lines counts only if the place has one
    /// of them.
    fn of_place(&self, (chunk, range): ChunkLines) -> impl Iterator<Item = (SignalId, f64)> {
        self.evidence.iter().filter_map(move |(signal, weight, SignalScores { chunks, lines, .. })| {
            let at = chunks.binary_search_by_key(&chunk, |(chunk, _)| *chunk).ok()?;
            let mut lines =
                lines.iter().filter(|(other, _)| *other == chunk).map(|(_, line)| *line).peekable();
            let is_here = lines.peek().is_none() || lines.any(|line| range.contains(line));
            is_here.then(|| (*signal, weight * chunks[at].1))
        })
    }

    /// Returns the prior of a span, from its file, its kind and its comments.
    fn factor(&self, span: &Span) -> f64 {
        let (snapshot, (chunk, lines)) = (self.context.snapshot, span.place);
        let (project, priors) = (&snapshot.project, &self.options.priors);
        let file = self.file(span);
        let of_file = self.factors_of(file);
        let is_test = of_file.prior >= 1.0 && self.context.is_unwanted_test(chunk);
        let mut blocks = Block::of_line(lines.start)..=Block::of_line(lines.end);
        let skipped = *blocks.start() as usize;
        let own = snapshot.lexical().blocks(file).skip(skipped).take(blocks.clone().count());
        let comments = self.left_by_comments(own) / of_file.comments;
        let is_guessed = self.guessed.is_empty()
            || self.guessed.get(&file).is_some_and(|guessed| blocks.any(|block| guessed.contains(&block)));
        of_file.prior
            * if is_test { priors.test } else { 1.0 }
            * if is_guessed { 1.0 } else { priors.unguessed }
            * if self.named.contains(&chunk) {
                1.0
            } else if self.is_hand_on(chunk) {
                priors.import
            } else {
                priors.of_chunk(project.chunk_kind(chunk))
            }
            * comments
    }

    fn factors_of(&self, file: FileId) -> FileFactors {
        let SignalContext { snapshot, wanted, minified, .. } = self.context;
        *self.of_file.borrow_mut().entry(file).or_insert_with(|| FileFactors {
            prior: self.options.priors.of_file(&snapshot.project, file, *wanted, minified),
            comments: self.left_by_comments(snapshot.lexical().blocks(file)).max(f64::EPSILON),
        })
    }

    /// Returns the share of a score that the comments in some blocks leave.
    fn left_by_comments(&self, blocks: impl Iterator<Item = Block>) -> f64 {
        let (comments, lines) = blocks.fold((0, 0), |(comments, lines), block| {
            (comments + u32::from(block.comment_lines), lines + BLOCK_LINES)
        });
        1.0 - self.options.spans.comments * f64::from(comments) / f64::from(lines.max(1))
    }

    /// True if a chunk has few lines and only forwards a name that the question does not have.
    fn is_hand_on(&self, chunk: ChunkId) -> bool {
        let (project, query) = (&self.context.snapshot.project, self.context.query);
        if project.chunk_lines(chunk).count() >= self.options.spans.shortest {
            return false;
        }
        match project.chunk_kind(chunk) {
            ChunkKind::Symbol(SymbolKind::TypeAlias) => project.symbol_of_chunk(chunk).is_none_or(|symbol| {
                let name = project.symbol_name(symbol);
                !query.text.contains(name) && !query.terms.iter().any(|term| term == name)
            }),
            ChunkKind::Symbol(_) => false,
            ChunkKind::Expression | ChunkKind::Comment | ChunkKind::Import | ChunkKind::ReExport => true,
        }
    }

    /// Returns the lines that each window of a file stands for: the shortest declaration around its middle that is no
    /// module and not too long; else the one that it overlaps most; else its own lines within the enclosing declaration. O(chunks of
    /// the file + blocks of its declarations).
    fn places(&self, file: FileId, windows: usize) -> Vec<Option<ChunkLines>> {
        let project = &self.context.snapshot.project;
        let filters = &self.context.query.filters;
        let options = &self.options.spans;
        // The larger key is the better fit.
        let mut places: Vec<Option<([i64; 4], ChunkLines)>> = vec![None; windows];
        let chunks = project.chunks_of(file);
        let outline = project.files()[file].facts.outline().chunks();
        let ids = (chunks.start.index()..).map(ChunkId::new);
        for (id, chunk) in ids.zip(outline.iter()).filter(|(_, chunk)| filters.admits_kind(chunk.kind)) {
            let (lines, count) = (chunk.lines, i64::from(chunk.lines.count()));
            // What a module contains answers, not the module around it.
            let is_short = (options.shortest..=options.longest).contains(&lines.count())
                && chunk.kind != ChunkKind::Symbol(SymbolKind::Module);
            let order = id.index() as i64;
            let first = Block::of_line(lines.start).saturating_sub(1) as usize;
            let last = Block::of_line(lines.end) as usize;
            let touched = first..(last + 1).min(windows);
            for (block, best) in touched.clone().zip(places.get_mut(touched).into_iter().flatten()) {
                let window = window_lines(block as u32);
                let holds_middle = lines.contains(Block::lines(block as u32).end + 1);
                let shared = i64::from(shared_lines(lines, window));
                let (key, place) = if is_short && holds_middle {
                    ([3, -count, -order, 0], lines)
                } else if is_short && 2 * shared >= i64::from(BLOCK_LINES) {
                    ([2, shared, -order, 0], lines)
                } else if shared > 0 {
                    let start = window.start.max(lines.start);
                    let own = LineRange { start, end: window.end.min(lines.end) };
                    ([1, i64::from(holds_middle), -count, order], own)
                } else {
                    continue;
                };
                if best.is_none_or(|(known, _)| known < key) {
                    *best = Some((key, (id, place)));
                }
            }
        }
        places.into_iter().map(|best| best.map(|(_, place)| place)).collect()
    }

    /// Returns the best window that holds most of some lines of a file; a window without a score if there is none.
    fn window_around(&self, file: FileId, lines: LineRange) -> Window {
        let of_file = self.windows.files.binary_search_by_key(&file, |windows| windows.file);
        let Ok(at) = of_file else { return Window::default() };
        let first = Block::of_line(lines.start).saturating_sub(1);
        let windows = (first..).zip(self.windows.files[at].windows.iter().skip(first as usize));
        let near = windows.take_while(|(block, _)| Block::lines(*block).start <= lines.end);
        let holds = |block: u32| {
            f64::from(shared_lines(lines, window_lines(block))) >= MOST_OF_IT * f64::from(lines.count())
        };
        let held = near.filter(|(block, _)| holds(*block));
        held.fold(Window::default(), |best, (block, score)| {
            best.or(Window { score: self.share(*score), block })
        })
    }

    /// Boosts callers and callees of the best spans, and adds those without evidence of their own.
    fn add_calls(&self, spans: &mut Vec<Span>) {
        let weight = self.options.weights.calls;
        if weight <= 0.0 || spans.is_empty() {
            return;
        }
        let snapshot = self.context.snapshot;
        let (project, graph) = (&snapshot.project, &snapshot.graph);
        spans.sort_unstable_by(best_first);
        let mut gains: FxHashMap<ChunkId, f64> = FxHashMap::default();
        for span in spans.iter().take(self.options.spans.call_seeds) {
            let Some(symbol) = project.symbol_of_chunk(span.place.0) else { continue };
            let node = graph.id(Node::Symbol(symbol));
            for direction in [Direction::Outgoing, Direction::Incoming] {
                let calls = graph
                    .edges_at(node, direction)
                    .filter(|edge| matches!(edge.relation, Relation::Calls | Relation::Instantiates))
                    .filter(|edge| edge.source != edge.target);
                for edge in calls.take(MOST_CALLS) {
                    let other = if direction == Direction::Outgoing { edge.target } else { edge.source };
                    let Node::Symbol(other) = graph.node(other) else { continue };
                    let chunk = project.chunk_of_symbol(other);
                    if chunk != span.place.0 && self.context.query.filters.admits_chunk(project, chunk) {
                        let gain = gains.entry(chunk).or_default();
                        *gain = gain.max(weight * f64::from(edge.confidence_weight()) * span.score);
                    }
                }
            }
        }
        for span in spans.iter_mut() {
            if let Some(gain) = gains.get(&span.place.0) {
                span.calls = gain * self.factor(span);
                span.score += span.calls;
            }
        }
        let known: FxHashSet<ChunkId> = spans.iter().map(|span| span.place.0).collect();
        for (chunk, gain) in gains.into_iter().filter(|(chunk, _)| !known.contains(chunk)) {
            let lines = project.chunk_lines(chunk);
            if (self.options.spans.shortest..=self.options.spans.longest).contains(&lines.count()) {
                let mut span = self.span((chunk, lines), Window::default());
                span.calls = gain * self.factor(&span);
                span.score += span.calls;
                spans.push(span);
            }
        }
    }

    /// Lowers each span by the number of better ones of its file.
    fn lower_further(&self, spans: &mut [Span]) {
        spans.sort_unstable_by(best_first);
        let mut better: FxHashMap<FileId, u32> = FxHashMap::default();
        for span in spans {
            let count = better.entry(self.file(span)).or_default();
            span.left = 1.0 / (1.0 + self.options.spans.crowding * f64::from(*count));
            span.score *= span.left;
            *count += 1;
        }
    }
}

/// Returns the blocks of each file with a whole word of the caller's terms.
fn guessed_blocks(lexical: &LexicalIndex, guesses: &[String]) -> FxHashMap<FileId, FxHashSet<u32>> {
    let mut guessed: FxHashMap<FileId, FxHashSet<u32>> = FxHashMap::default();
    let wholes = guesses.iter().flat_map(|guess| whole_terms(guess));
    let entries: Vec<TermEntry> = wholes.filter_map(|term| lexical.term(&term)).collect();
    for postings in entries.iter().flat_map(|entry| lexical.postings(entry)) {
        guessed.entry(postings.file).or_default().extend(postings.blocks().map(|(block, _)| block));
    }
    guessed
}

/// Minimum share of a declaration that a window must hold to count for it.
const MOST_OF_IT: f64 = 0.6;

/// Returns the lines of the window that starts at a block.
fn window_lines(block: u32) -> LineRange {
    LineRange { start: Block::lines(block).start, end: Block::lines(block + 1).end }
}

/// Returns the number of lines that two ranges share.
fn shared_lines(a: LineRange, b: LineRange) -> u32 {
    (a.end.min(b.end) + 1).saturating_sub(a.start.max(b.start))
}

/// Maximum number of calls of one span that are followed in each direction.
const MOST_CALLS: usize = 200;

fn best_first(a: &Span, b: &Span) -> std::cmp::Ordering {
    let place = |span: &Span| (span.place.0, span.place.1.start, span.place.1.end);
    b.score.total_cmp(&a.score).then(place(a).cmp(&place(b)))
}

/// Evidence on the files of the remaining spans, to explain their scores.
struct Sources(FxHashMap<FileId, Vec<RankSource>>);

impl Sources {
    fn new(ranker: &SpanRanker<'_, '_>, spans: &[Span]) -> Self {
        let mut sources: FxHashMap<FileId, Vec<RankSource>> =
            spans.iter().map(|span| (ranker.file(span), Vec::new())).collect();
        for (signal, weight, evidence) in ranker.evidence {
            for (at, (file, score)) in evidence.files.iter().enumerate() {
                if let Some(sources) = sources.get_mut(file) {
                    let contribution = ranker.file_weight * weight * ranker.options.contribution(at, *score);
                    sources.push(RankSource { signal: *signal, rank: at + 1, score: *score, contribution });
                }
            }
        }
        Self(sources)
    }

    /// Converts a span to a hit with the contributions that add up to its score.
    fn hit(&mut self, ranker: &SpanRanker<'_, '_>, span: &Span) -> Hit {
        let (chunk, lines) = span.place;
        let mut sources = self.0.get(&ranker.file(span)).cloned().unwrap_or_default();
        for (signal, evidence) in ranker.of_place(span.place) {
            let contribution = ranker.options.spans.chunk * evidence;
            match sources.iter_mut().find(|source| source.signal == signal) {
                Some(source) => source.contribution += contribution,
                None => sources.push(RankSource { signal, rank: 0, score: evidence, contribution }),
            }
        }
        let score = span.window.score;
        let contribution = ranker.options.weights.window * score;
        if contribution > 0.0 {
            sources.push(RankSource { signal: SignalId::WINDOW, rank: 0, score, contribution });
        }
        let factor = ranker.factor(span);
        sources.iter_mut().for_each(|source| source.contribution *= factor);
        if span.calls > 0.0 {
            let (score, contribution) = (span.calls, span.calls);
            sources.push(RankSource { signal: SignalId::CALLS, rank: 0, score, contribution });
        }
        sources.iter_mut().for_each(|source| source.contribution *= span.left);
        sources.sort_by(|a, b| b.contribution.total_cmp(&a.contribution).then(a.signal.cmp(&b.signal)));
        Hit { chunk, lines, focus: ranker.focus(span), score: span.score, sources }
    }
}
