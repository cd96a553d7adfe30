//! Fusion of the signals.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use sscg_core::{ChunkId, ChunkKind, FileId, Id, SymbolId};
use sscg_index::{Snapshot, words};

use crate::callers;
use crate::hit::{Hit, RankSource, keep_best};
use crate::lookup::{find_reexports, find_symbols};
use crate::options::RankOptions;
use crate::prior::{is_test, only_declares, standing};
use crate::query::is_code;
use crate::signal::{Signal, SignalContext, SignalId, SignalScores, WindowScores};
use crate::spans::SpanRanker;
use crate::{Query, QueryMode};

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
