//! Fusion of the signals.

use std::sync::Arc;

use derive_setters::Setters;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, ChunkKind, FileId, Id, LineRange, SymbolId};
use sscg_index::{Snapshot, words};
use sscg_rank::RRF_K;

use crate::callers;
use crate::gate::Gate;
use crate::lookup::{find_reexports, find_symbols};
use crate::prior::{Priors, is_test, only_declares, standing};
use crate::query::is_code;
use crate::signal::{
    GraphSignal, LexicalSignal, LocationSignal, MeaningSignal, PathSignal, SemanticSignal, Signal,
    SignalContext, SignalId, SignalScores, SymbolSignal, WindowScores, WindowSignal,
};
use crate::spans::{SpanRanker, Spans};
use crate::{AnchorOptions, Query, QueryMode};

/// Ranked span: lines of a chunk.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// Chunk of the span. Several parts of a long chunk may be separate hits.
    pub chunk: ChunkId,
    /// Lines of the answer: the whole chunk, or a part of a long one.
    pub lines: LineRange,
    /// Subrange with the most evidence, about twenty lines; shown where not all lines fit.
    pub focus: LineRange,
    /// Fused score; comparable within one ranking only.
    pub score: f64,
    /// Score of each signal with evidence for the file, largest contribution first.
    pub sources: Vec<RankSource>,
}

impl Hit {
    /// Creates a hit whose evidence is on all of its lines, without sources.
    pub fn new(chunk: ChunkId, lines: LineRange, score: f64) -> Self {
        Self { chunk, lines, focus: lines, score, sources: Vec::new() }
    }
}

/// Score of one signal for a hit's file, and its contribution to the hit's score.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RankSource {
    /// Signal that gave the score.
    pub signal: SignalId,
    /// 1-based rank of the file in the signal's list; 0 for signals that rank no files.
    pub rank: usize,
    /// Score by the signal itself.
    pub score: f64,
    /// Contribution to the fused score, which is the sum of all contributions.
    pub contribution: f64,
}

/// Fusion of the signals' scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fusion {
    /// Weighted sum of the signals' scores.
    #[default]
    Linear,
    /// Weighted sum of `1 / (k + rank)`: reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009).
    Rrf,
}

/// Weight of each signal; a signal with weight 0 is not run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct Weights {
    /// Words.
    #[schemars(range(min = 0.0))]
    pub lexical: f64,
    /// Declarations.
    #[schemars(range(min = 0.0))]
    pub symbol: f64,
    /// Paths.
    #[schemars(range(min = 0.0))]
    pub path: f64,
    /// Locations named in the question.
    #[schemars(range(min = 0.0))]
    pub location: f64,
    /// Words of the same meaning.
    #[schemars(range(min = 0.0))]
    pub meaning: f64,
    /// Vectors.
    #[schemars(range(min = 0.0))]
    pub semantic: f64,
    /// Graph.
    #[schemars(range(min = 0.0))]
    pub graph: f64,
    /// Windows of lines.
    #[schemars(range(min = 0.0))]
    pub window: f64,
    /// Calls from and to the best spans.
    #[schemars(range(min = 0.0))]
    pub calls: f64,
}

impl Default for Weights {
    /// Words dominate. Definitions, paths and locations are scaled by constants of their own. The graph signal is off.
    fn default() -> Self {
        Self {
            lexical: 0.5,
            symbol: 1.0,
            path: 1.0,
            location: 1.0,
            meaning: 0.5,
            semantic: 0.5,
            graph: 0.0,
            window: 1.0,
            calls: 0.15,
        }
    }
}

impl Weights {
    /// Returns the weight of a built-in signal; `None` for other signals, and for the reranker and the anchor, which
    /// are applied after the signals.
    pub fn get(&self, signal: SignalId) -> Option<f64> {
        Some(match signal {
            SignalId::LEXICAL => self.lexical,
            SignalId::SYMBOL => self.symbol,
            SignalId::PATH => self.path,
            SignalId::LOCATION => self.location,
            SignalId::MEANING => self.meaning,
            SignalId::SEMANTIC => self.semantic,
            SignalId::GRAPH => self.graph,
            SignalId::WINDOW => self.window,
            SignalId::CALLS => self.calls,
            _ => return None,
        })
    }

    /// Sets the weight of a built-in signal; no effect for others.
    pub fn set(&mut self, signal: SignalId, weight: f64) {
        *match signal {
            SignalId::LEXICAL => &mut self.lexical,
            SignalId::SYMBOL => &mut self.symbol,
            SignalId::PATH => &mut self.path,
            SignalId::LOCATION => &mut self.location,
            SignalId::MEANING => &mut self.meaning,
            SignalId::SEMANTIC => &mut self.semantic,
            SignalId::GRAPH => &mut self.graph,
            SignalId::WINDOW => &mut self.window,
            SignalId::CALLS => &mut self.calls,
            _ => return,
        } = weight;
    }
}

/// Ranking options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct RankOptions {
    /// Fusion of the signals.
    pub fusion: Fusion,
    /// Weight of each signal.
    pub weights: Weights,
    /// Constant of reciprocal rank fusion.
    #[schemars(range(min = 0.0))]
    pub rrf_k: f64,
    /// Maximum number of question terms: enough for what people write; keeps pasted pages as fast.
    #[schemars(range(min = 1))]
    pub terms: usize,
    /// Maximum number of files.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub files: usize,
    /// Maximum number of chunks: more than any answer holds.
    #[schemars(range(min = 1))]
    pub chunks: usize,
    /// Weight of each further chunk of a file relative to the one before it, so that one file does not crowd out the
    /// next.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub chunk_decay: f64,
    /// Relevance thresholds.
    pub gate: Gate,
    /// Priors of files and chunks.
    pub priors: Priors,
    /// Words.
    pub lexical: LexicalSignal,
    /// Declarations.
    pub symbol: SymbolSignal,
    /// Paths.
    pub path: PathSignal,
    /// Named locations.
    pub location: LocationSignal,
    /// Words of the same meaning.
    pub meaning: MeaningSignal,
    /// Vectors.
    pub semantic: SemanticSignal,
    /// Graph.
    pub graph: GraphSignal,
    /// Windows of lines.
    pub windows: WindowSignal,
    /// Spans.
    pub spans: Spans,
    /// Proximity to an anchor, if any.
    pub anchor: AnchorOptions,
}

impl Default for RankOptions {
    fn default() -> Self {
        Self {
            fusion: Fusion::Linear,
            weights: Weights::default(),
            rrf_k: RRF_K,
            terms: 200,
            files: 200,
            chunks: 500,
            chunk_decay: 0.7,
            gate: Gate::default(),
            priors: Priors::default(),
            lexical: LexicalSignal::default(),
            symbol: SymbolSignal::default(),
            path: PathSignal::default(),
            location: LocationSignal::default(),
            meaning: MeaningSignal::default(),
            semantic: SemanticSignal::default(),
            graph: GraphSignal::default(),
            windows: WindowSignal::default(),
            spans: Spans::default(),
            anchor: AnchorOptions::default(),
        }
    }
}

impl RankOptions {
    /// Returns these options without the graph: neither proximity to other results nor calls count.
    #[must_use]
    pub fn without_graph(&self) -> Self {
        let mut options = self.clone();
        [SignalId::GRAPH, SignalId::CALLS].into_iter().for_each(|signal| options.weights.set(signal, 0.0));
        options
    }

    /// Returns the contribution of a position in a signal's list, before the signal's weight.
    pub(crate) fn contribution(&self, at: usize, score: f64) -> f64 {
        match self.fusion {
            Fusion::Linear => score,
            Fusion::Rrf => 1.0 / (self.rrf_k + (at + 1) as f64),
        }
    }
}

/// Ranks the spans that may answer a query, best first; ties are in project order.
///
/// Questions about the uses of a declaration are answered from the graph, and symbol paths are looked up. Others go
/// through all signals: the score of a span is its prior times the sum of its best window, the weighted evidence on its
/// chunk and its file, plus the largest share of the score of a caller or callee.
///
/// ```
/// use sscg_index::{Index, IndexOptions, Storage};
/// use sscg_retrieve::{Filters, Query, RankOptions, rank};
///
/// let tree = tempfile::tempdir()?;
/// std::fs::write(tree.path().join("a.py"), "class Session:\n    def close(self):\n        pass\n")?;
/// let mut options = IndexOptions::default();
/// options.storage = Storage::Ephemeral;
/// let (snapshot, _) = Index::open(tree.path(), &options)?.refresh()?;
///
/// let query = Query::parse("symbol = Session > close", Filters::default())?;
/// let hits = rank(&snapshot, &query, &RankOptions::default());
/// assert_eq!(snapshot.project.chunk_key(hits[0].chunk), "a.py:2-3:method:close");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn rank(snapshot: &Snapshot, query: &Query, options: &RankOptions) -> Vec<Hit> {
    rank_with(snapshot, query, options, &[])
}

/// Ranks like [`rank`], with custom signals. They run in their order, after the built-in signals and before windows,
/// calls and anchors are added, and not for symbol look-ups and questions about uses. Unknown files and chunks and
/// scores that are not finite and above 0 are ignored.
pub fn rank_with(
    snapshot: &Snapshot,
    query: &Query,
    options: &RankOptions,
    custom: &[Arc<dyn Signal>],
) -> Vec<Hit> {
    if let Some(uses) = callers::uses(snapshot, query) {
        return uses;
    }
    match &query.mode {
        QueryMode::Words(terms) => {
            lead_with_named(snapshot, query, Fused::new(snapshot, query, terms, options, custom).hits())
        }
        QueryMode::Symbol(path) => looked_up(snapshot, query, path),
    }
}

/// Moves declarations whose name is the whole question to the front: first those with a chunk of their own, each whole.
fn lead_with_named(snapshot: &Snapshot, query: &Query, hits: Vec<Hit>) -> Vec<Hit> {
    let (Some(name), Some(best)) = (query.bare_name(), hits.first()) else { return hits };
    let (project, most) = (&snapshot.project, best.score);
    let own = name.rsplit(['.', ':']).next().unwrap_or(name);
    let symbols = find_symbols(snapshot, &[name.to_owned()]).into_iter();
    let symbols = symbols.filter(|symbol| project.symbol_name(*symbol) == own);
    let named: FxHashSet<ChunkId> = symbols.map(|symbol| project.chunk_of_symbol(symbol)).collect();
    // A field is in the chunk of its type.
    let is_whole = |hit: &Hit| {
        let symbol = project.symbol_of_chunk(hit.chunk);
        symbol.is_some_and(|symbol| project.symbol_name(symbol) == own)
    };
    // A word that may be prose is a name if non-test code declares it.
    let leads = |hit: &Hit| {
        named.contains(&hit.chunk) && (is_code(name) || is_whole(hit) && !is_test(snapshot, hit.chunk))
    };
    let (named, others): (Vec<Hit>, Vec<Hit>) = hits.into_iter().partition(leads);
    let (whole, parts): (Vec<Hit>, Vec<Hit>) = named.into_iter().partition(is_whole);
    let mut leading: Vec<Hit> = Vec::new();
    for hit in whole {
        if leading.iter().all(|known| known.chunk != hit.chunk) {
            let lines = project.chunk_lines(hit.chunk);
            leading.push(Hit { lines, focus: lines, ..hit });
        }
    }
    leading.extend(parts);
    for hit in &mut leading {
        hit.score += most;
        let sources = &mut hit.sources;
        let at = sources.iter().position(|source| source.signal == SignalId::SYMBOL);
        let mut source = match at {
            Some(at) => sources.remove(at),
            None => RankSource { signal: SignalId::SYMBOL, rank: 0, score: 1.0, contribution: 0.0 },
        };
        source.contribution += most;
        sources.insert(0, source);
    }
    leading.into_iter().chain(others).collect()
}

/// Returns the declarations of a path; of a name that is declared only in other spellings or outside of the filters, the
/// statements that re-export it, if there are any.
fn looked_up(snapshot: &Snapshot, query: &Query, path: &[String]) -> Vec<Hit> {
    let project = &snapshot.project;
    let admits = |chunk: &ChunkId| query.filters.admits_chunk(project, *chunk);
    let symbols: Vec<SymbolId> = find_symbols(snapshot, path);
    let mut declared: Vec<SymbolId> = symbols.clone();
    // Implementations first.
    declared.sort_by_cached_key(|symbol| only_declares(project, *symbol));
    let declared = declared.iter().map(|symbol| project.chunk_of_symbol(*symbol)).filter(admits);
    let mut chunks: Vec<ChunkId> = declared.collect();
    if let [name] = path
        && words(name).next() == Some(name)
        && (chunks.is_empty() || symbols.iter().all(|symbol| project.symbol_name(*symbol) != name))
    {
        let reexports: Vec<ChunkId> = find_reexports(snapshot, name).into_iter().filter(admits).collect();
        if !reexports.is_empty() {
            chunks = reexports;
        }
    }
    chunks.sort_by_cached_key(|chunk| standing(snapshot, *chunk));
    let mut hits: Vec<Hit> = Vec::new();
    let mut known: FxHashSet<ChunkId> = FxHashSet::default();
    for chunk in chunks {
        if known.insert(chunk) {
            let rank = hits.len() + 1;
            let source = RankSource { signal: SignalId::SYMBOL, rank, score: 1.0, contribution: 1.0 };
            let lines = project.chunk_lines(chunk);
            hits.push(Hit { chunk, lines, focus: lines, score: 1.0, sources: vec![source] });
        }
    }
    hits
}

/// Ranking under construction.
struct Fused<'a> {
    context: SignalContext<'a>,
    options: &'a RankOptions,
    /// Evidence of each signal with its weight, files best first.
    evidence: Vec<(SignalId, f64, SignalScores)>,
    /// Fused score of each file, before its prior.
    files: Vec<f64>,
    windows: WindowScores,
}

/// Custom signal whose evidence is limited to what the ranking can use: finite scores above 0 of files and chunks of
/// the snapshot, each once, chunks in order.
struct Checked<'a>(&'a dyn Signal);

impl Signal for Checked<'_> {
    fn id(&self) -> SignalId {
        self.0.id()
    }

    fn weight(&self) -> f64 {
        self.0.weight()
    }

    fn starts_from(&self, snapshot: &Snapshot) -> usize {
        self.0.starts_from(snapshot)
    }

    fn score(&self, context: &SignalContext<'_>, found: &[(ChunkId, f64)]) -> SignalScores {
        let SignalScores { mut files, mut chunks, mut lines } = self.0.score(context, found);
        let project = &context.snapshot.project;
        let is_score = |score: f64| score.is_finite() && score > 0.0;
        files.retain(|(file, score)| file.index() < project.files().len() && is_score(*score));
        files.sort_by_key(|(file, _)| *file);
        files.dedup_by_key(|(file, _)| *file);
        chunks.retain(|(chunk, score)| chunk.index() < project.chunk_count() && is_score(*score));
        chunks.sort_by_key(|(chunk, _)| *chunk);
        chunks.dedup_by_key(|(chunk, _)| *chunk);
        let is_in_chunk = |(chunk, line): &(ChunkId, u32)| {
            let lines = project.chunk_lines(*chunk);
            (lines.start..=lines.end).contains(line)
        };
        lines.retain(|(chunk, _)| chunks.binary_search_by_key(chunk, |(chunk, _)| *chunk).is_ok());
        lines.retain(is_in_chunk);
        SignalScores { files, chunks, lines }
    }
}

/// Scored chunk of a ranking.
struct Ranked {
    chunk: ChunkId,
    score: f64,
}

impl<'a> Fused<'a> {
    fn new(
        snapshot: &'a Snapshot,
        query: &'a Query,
        terms: &[String],
        options: &'a RankOptions,
        custom: &[Arc<dyn Signal>],
    ) -> Self {
        let context = SignalContext::new(query, snapshot, terms, options.terms);
        let files = vec![0.0; snapshot.project.files().len()];
        let windows = WindowScores::default();
        let mut fused = Self { context, options, evidence: Vec::new(), files, windows };
        // First, since a line that the question names or quotes decides how much its other words count.
        fused.run_signal(&options.location);
        fused.context.has_lines = fused.evidence.iter().any(|(.., evidence)| !evidence.lines.is_empty());
        let signals: [&dyn Signal; 3] = [&options.lexical, &options.symbol, &options.path];
        signals.into_iter().for_each(|signal| fused.run_signal(signal));
        if fused.context.is_in_other_words() {
            fused.run_signal(&options.meaning);
        }
        let signals: [&dyn Signal; 2] = [&options.semantic, &options.graph];
        signals.into_iter().for_each(|signal| fused.run_signal(signal));
        custom.iter().for_each(|signal| fused.run_signal(&Checked(signal.as_ref())));
        // Sections of documents are short; only the choice of the section matters.
        if options.weights.window > 0.0 && fused.context.has_code() {
            fused.windows = options.windows.score(&fused.context);
        }
        fused
    }

    /// Runs a signal on the results of those before it and adds its evidence.
    fn run_signal(&mut self, signal: &dyn Signal) {
        let weight = self.options.weights.get(signal.id()).unwrap_or_else(|| signal.weight());
        if !(weight > 0.0 && weight.is_finite()) {
            return;
        }
        let found = match signal.starts_from(self.context.snapshot) {
            0 => Vec::new(),
            count => self.ranking(count).into_iter().map(|found| (found.chunk, found.score)).collect(),
        };
        let mut evidence = signal.score(&self.context, &found);
        let filters = &self.context.query.filters;
        evidence.files.retain(|(file, _)| filters.admits(&self.context.snapshot.project, *file));
        evidence.files.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for (at, (file, score)) in evidence.files.iter().enumerate() {
            self.files[file.index()] += weight * self.options.contribution(at, *score);
        }
        self.evidence.push((signal.id(), weight, evidence));
    }

    /// Returns the best chunks by the evidence so far, best first.
    fn ranking(&self, count: usize) -> Vec<Ranked> {
        let best_first = |a: &Ranked, b: &Ranked| b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk));
        let project = &self.context.snapshot.project;
        let mut ranking: Vec<Ranked> = Vec::new();
        // Lower bound of the scores of the best chunks so far.
        let mut least = 0.0;
        for (file, score) in self.ranked_files() {
            let place = |at: usize| self.options.chunk_decay.powi(at as i32);
            // The position of a chunk in its file limits its score.
            let of_file = project.files()[file].facts.outline().chunks().len();
            let most = (0..count.min(of_file)).take_while(|at| score * place(*at) >= least).count();
            for (at, (chunk, relative_score)) in self.chunks_of(file, most).into_iter().enumerate() {
                let place = place(at) * relative_score;
                ranking.push(Ranked { chunk, score: score * place });
            }
            if ranking.len() / 2 >= count {
                keep_best(&mut ranking, count, best_first);
                least = ranking.last().map_or(0.0, |last| last.score);
            }
        }
        keep_best(&mut ranking, count, best_first);
        ranking
    }

    /// Returns the best files, best first, each with its score times its prior.
    fn ranked_files(&self) -> Vec<(FileId, f64)> {
        let project = &self.context.snapshot.project;
        let best_first = |a: &(FileId, f64), b: &(FileId, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        let mut files: Vec<(FileId, f64)> = project
            .files()
            .ids()
            .zip(&self.files)
            .filter(|(_, score)| **score > 0.0)
            .map(|(file, score)| (file, *score))
            .collect();
        // Priors only lower scores, so twice as many files contain nearly all that can be among the best. Classifying
        // every file of a large project would take longer than the rest of the ranking.
        keep_best(&mut files, 2 * self.options.files, best_first);
        let SignalContext { snapshot, wanted, minified, .. } = &self.context;
        for (file, score) in &mut files {
            *score *= self.options.priors.of_file(&snapshot.project, *file, *wanted, minified);
        }
        keep_best(&mut files, self.options.files, best_first);
        files
    }

    /// Returns the best chunks of a file with evidence, best first, each with its score relative to the best.
    fn chunks_of(&self, file: FileId, count: usize) -> Vec<(ChunkId, f64)> {
        let project = &self.context.snapshot.project;
        let range = project.chunks_of(file);
        let outline = project.files()[file].facts.outline().chunks().as_slice();
        let mut scores = vec![0.0; outline.len()];
        for (_, weight, SignalScores { chunks, .. }) in &self.evidence {
            let first = chunks.partition_point(|(chunk, _)| *chunk < range.start);
            for (chunk, score) in chunks[first..].iter().take_while(|(chunk, _)| *chunk < range.end) {
                scores[chunk.index() - range.start.index()] += weight * score;
            }
        }
        let filters = &self.context.query.filters;
        let chunks = (range.start.index()..).map(ChunkId::new).zip(outline.iter().map(|chunk| chunk.kind));
        let admitted = chunks.zip(scores).filter(|((_, kind), _)| filters.admits_kind(*kind));
        let prior = |kind| self.options.priors.of_chunk(kind);
        let found = admitted.clone().filter(|(_, score)| *score > 0.0);
        let best = found.clone().map(|(_, score)| score).fold(0.0, f64::max);
        let mut found: Vec<(ChunkId, f64)> =
            found.map(|((chunk, kind), score)| (chunk, score * prior(kind))).collect();
        if found.is_empty() {
            // Only the path of the file matches, or a chunk of a kind that is filtered out.
            let mut admitted = admitted.map(|(chunk, _)| chunk);
            let declares = |(_, kind): &(ChunkId, ChunkKind)| matches!(kind, ChunkKind::Symbol(_));
            let first = admitted.clone().find(declares).or_else(|| admitted.next());
            return first.map(|(first, kind)| (first, prior(kind))).into_iter().collect();
        }
        keep_best(&mut found, count, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.iter_mut().for_each(|(_, score)| *score = (*score / best).sqrt());
        found
    }

    fn hits(self) -> Vec<Hit> {
        let chunks: Vec<ChunkId> =
            self.ranking(self.options.spans.chunks).iter().map(|ranked| ranked.chunk).collect();
        let Self { context, options, evidence, files, windows } = &self;
        SpanRanker::new(context, options, evidence, files, windows).hits(&chunks)
    }
}

/// Keeps the first `count` items of an order, sorted.
pub(crate) fn keep_best<T>(items: &mut Vec<T>, count: usize, order: impl Fn(&T, &T) -> std::cmp::Ordering) {
    if items.len() > count {
        items.select_nth_unstable_by(count, &order);
        items.truncate(count);
    }
    items.sort_unstable_by(order);
}
