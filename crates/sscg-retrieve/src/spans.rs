//! From evidence to spans: the lines that answer.
//!
//! Windows of lines find the place, declarations show it: a window counts for the innermost declaration around its middle
//! that is short enough to be read as a whole, or, in the middle of a long one, for its own lines.

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, FileId, Id, LineRange, OutlineChunk, Relation};
use sscg_graph::{Direction, Node};
use sscg_index::{BLOCK_LINES, Block};

use crate::rank::{Hit, RankOptions, RankSource, keep_best};
use crate::signal::{Context, Evidence, SignalId, WindowScores};

/// How evidence becomes the score of a span.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Spans {
    /// Maximum number of lines of a declaration that is one span. Longer ones are shown in parts.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub longest: u32,
    /// Minimum number of lines of such a declaration.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub shortest: u32,
    /// Weight of the signals' evidence on the file.
    #[schemars(range(min = 0.0))]
    pub file: f64,
    /// The same in short questions: divided by the number of the question's terms and added. A question of few words names
    /// what it looks for; in a long one names of files and declarations occur by chance.
    #[schemars(range(min = 0.0))]
    pub file_if_short: f64,
    /// Weight of the signals' evidence on the chunk.
    #[schemars(range(min = 0.0))]
    pub chunk: f64,
    /// Share of the score that a span loses that is all comments: documentation finds code well and answers badly.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub comments: f64,
    /// Number of best spans whose callers and callees gain.
    #[schemars(range(min = 0))]
    pub call_seeds: usize,
    /// Number of best chunks by the signals alone that are spans whatever their windows.
    #[schemars(range(min = 1))]
    pub chunks: usize,
}

impl Default for Spans {
    /// Measured on the development questions.
    fn default() -> Self {
        Self {
            longest: 75,
            shortest: 3,
            file: 0.4,
            file_if_short: 4.0,
            chunk: 0.8,
            comments: 0.3,
            call_seeds: 30,
            chunks: 200,
        }
    }
}

/// Lines of a chunk: all of a short one, a part of a long one.
type Place = (ChunkId, LineRange);

/// A span in the making.
struct Span {
    place: Place,
    /// Score of its best window, as a share of the best there is.
    window: f64,
    /// What the calls from and to the best spans add.
    calls: f64,
    /// Everything together.
    score: f64,
}

/// Everything that is known of spans.
pub(crate) struct SpanRanker<'r, 'a> {
    context: &'r Context<'a>,
    options: &'r RankOptions,
    /// The evidence of each signal with its weight, files best first, chunks in order.
    evidence: &'r [(SignalId, f64, Evidence)],
    /// The weighted sum of the evidence on each file.
    files: &'r [f64],
    windows: &'r WindowScores,
    /// The weight of the evidence on files.
    file_weight: f64,
}

impl<'r, 'a> SpanRanker<'r, 'a> {
    pub(crate) fn new(
        context: &'r Context<'a>,
        options: &'r RankOptions,
        evidence: &'r [(SignalId, f64, Evidence)],
        files: &'r [f64],
        windows: &'r WindowScores,
    ) -> Self {
        let Spans { file, file_if_short, .. } = options.spans;
        let file_weight = file + file_if_short / context.terms.len().max(1) as f64;
        Self { context, options, evidence, files, windows, file_weight }
    }

    /// The best spans, best first, ties by place; `chunks` are those that the signals alone put first.
    pub(crate) fn hits(&self, chunks: &[ChunkId]) -> Vec<Hit> {
        let mut spans = self.candidates(chunks);
        self.add_calls(&mut spans);
        keep_best(&mut spans, self.options.chunks, best_first);
        let mut sources = Sources::new(self, &spans);
        spans.iter().map(|span| sources.hit(self, span)).collect()
    }

    /// The spans that have evidence of their own.
    fn candidates(&self, chunks: &[ChunkId]) -> Vec<Span> {
        let project = &self.context.snapshot.project;
        let weight = self.options.weights.window;
        let share = |score: f32| f64::from(score) / self.windows.best;
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
        let mut best: FxHashMap<Place, f64> = FxHashMap::default();
        for (_, at, block) in windows {
            let file = &self.windows.files[at];
            let Some(place) = self.place(file.file, block) else { continue };
            let known = best.entry(place).or_default();
            *known = known.max(share(file.windows[block as usize]));
        }
        for chunk in chunks {
            best.entry((*chunk, project.chunk_lines(*chunk))).or_default();
        }
        best.into_iter().map(|(place, window)| self.span(place, window)).collect()
    }

    fn span(&self, place: Place, window: f64) -> Span {
        let mut span = Span { place, window, calls: 0.0, score: 0.0 };
        let own = self.options.weights.window * window
            + self.file_weight * self.files[self.file(&span).index()]
            + self.options.spans.chunk * self.of_chunk(place.0).map(|(_, score)| score).sum::<f64>();
        span.score = own * self.factor(&span);
        span
    }

    fn file(&self, span: &Span) -> FileId {
        self.context.snapshot.project.chunk_file(span.place.0)
    }

    /// The weighted evidence of each signal on a chunk.
    fn of_chunk(&self, chunk: ChunkId) -> impl Iterator<Item = (SignalId, f64)> {
        self.evidence.iter().filter_map(move |(signal, weight, Evidence { chunks, .. })| {
            let at = chunks.binary_search_by_key(&chunk, |(chunk, _)| *chunk).ok()?;
            Some((*signal, weight * chunks[at].1))
        })
    }

    /// The prior of a span: what its file, its kind and its comments make of its evidence.
    fn factor(&self, span: &Span) -> f64 {
        let (snapshot, (chunk, lines)) = (self.context.snapshot, span.place);
        let (project, priors) = (&snapshot.project, &self.options.priors);
        let file = self.file(span);
        let of_file = priors.of_file(project, file, self.context.wanted);
        let is_test = of_file >= 1.0 && self.context.is_unwanted_test(chunk);
        let blocks = Block::of_line(lines.start)..=Block::of_line(lines.end);
        let skipped = *blocks.start() as usize;
        let count = blocks.count();
        let comments: u32 = snapshot
            .lexical()
            .blocks(file)
            .skip(skipped)
            .take(count)
            .map(|block| u32::from(block.comment_lines))
            .sum();
        let share = f64::from(comments) / f64::from(count as u32 * BLOCK_LINES);
        of_file
            * if is_test { priors.test } else { 1.0 }
            * priors.of_chunk(project.chunk_kind(chunk))
            * (1.0 - self.options.spans.comments * share)
    }

    /// The lines that a window stands for: the declaration around its middle, or its own within a longer one.
    fn place(&self, file: FileId, block: u32) -> Option<Place> {
        let project = &self.context.snapshot.project;
        let filters = &self.context.query.filters;
        let first = project.chunks_of(file).start.index();
        let outline = project.files()[file].facts.outline().chunks();
        let window = LineRange { start: Block::lines(block).start, end: Block::lines(block + 1).end };
        let middle = Block::lines(block).end + 1;
        let admitted = || outline.iter_enumerated().filter(|(_, chunk)| filters.admits_kind(chunk.kind));
        let id = |local: sscg_core::LocalChunk| ChunkId::new(first + local.index());
        let options = &self.options.spans;
        let is_short =
            |chunk: &OutlineChunk| (options.shortest..=options.longest).contains(&chunk.lines.count());
        let short = || admitted().filter(|(_, chunk)| is_short(chunk));
        let around = short().filter(|(_, chunk)| chunk.lines.contains(middle));
        if let Some((local, chunk)) = around.min_by_key(|(_, chunk)| chunk.lines.count()) {
            return Some((id(local), chunk.lines));
        }
        let shared =
            |lines: LineRange| (lines.end.min(window.end) + 1).saturating_sub(lines.start.max(window.start));
        let most = short().max_by_key(|(local, chunk)| (shared(chunk.lines), std::cmp::Reverse(*local)));
        if let Some((local, chunk)) = most.filter(|(_, chunk)| 2 * shared(chunk.lines) >= BLOCK_LINES) {
            return Some((id(local), chunk.lines));
        }
        let touched = admitted().filter(|(_, chunk)| shared(chunk.lines) > 0);
        let (local, chunk) = touched.max_by_key(|(local, chunk)| {
            (chunk.lines.contains(middle), std::cmp::Reverse(chunk.lines.count()), *local)
        })?;
        let lines =
            LineRange { start: window.start.max(chunk.lines.start), end: window.end.min(chunk.lines.end) };
        Some((id(local), lines))
    }

    /// Lets callers and callees of the best spans gain, and adds those that had no evidence of their own.
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
                        *gain = gain.max(weight * f64::from(edge.certainty()) * span.score);
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
        let known: rustc_hash::FxHashSet<ChunkId> = spans.iter().map(|span| span.place.0).collect();
        for (chunk, gain) in gains.into_iter().filter(|(chunk, _)| !known.contains(chunk)) {
            let lines = project.chunk_lines(chunk);
            if (self.options.spans.shortest..=self.options.spans.longest).contains(&lines.count()) {
                let mut span = self.span((chunk, lines), 0.0);
                span.calls = gain * self.factor(&span);
                span.score += span.calls;
                spans.push(span);
            }
        }
    }
}

/// Maximum number of calls of one span that are followed in each direction.
const MOST_CALLS: usize = 200;

fn best_first(a: &Span, b: &Span) -> std::cmp::Ordering {
    let place = |span: &Span| (span.place.0, span.place.1.start, span.place.1.end);
    b.score.total_cmp(&a.score).then(place(a).cmp(&place(b)))
}

/// The evidence on the files of the spans that are left, to explain their scores.
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

    /// A span with the contributions that its score is the sum of.
    fn hit(&mut self, ranker: &SpanRanker<'_, '_>, span: &Span) -> Hit {
        let (chunk, lines) = span.place;
        let mut sources = self.0.get(&ranker.file(span)).cloned().unwrap_or_default();
        for (signal, evidence) in ranker.of_chunk(chunk) {
            let contribution = ranker.options.spans.chunk * evidence;
            match sources.iter_mut().find(|source| source.signal == signal) {
                Some(source) => source.contribution += contribution,
                None => sources.push(RankSource { signal, rank: 0, score: evidence, contribution }),
            }
        }
        let (contribution, score) = (ranker.options.weights.window * span.window, span.window);
        if contribution > 0.0 {
            sources.push(RankSource { signal: SignalId::Window, rank: 0, score, contribution });
        }
        let factor = ranker.factor(span);
        sources.iter_mut().for_each(|source| source.contribution *= factor);
        if span.calls > 0.0 {
            let (score, contribution) = (span.calls, span.calls);
            sources.push(RankSource { signal: SignalId::Calls, rank: 0, score, contribution });
        }
        sources.sort_by(|a, b| b.contribution.total_cmp(&a.contribution).then(a.signal.cmp(&b.signal)));
        Hit { chunk, lines, score: span.score, sources }
    }
}
