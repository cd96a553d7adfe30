//! Fusing the signals.

use rustc_hash::FxHashMap;
use sscg_core::{ChunkId, FileId};
use sscg_index::Snapshot;
use sscg_rank::{RRF_K, rrf};

use crate::lookup::find_symbols;
use crate::prior::{Wanted, prior};
use crate::signal::{Context, Definition, Graph, Lexical, Path, Signal, SignalId};
use crate::{Query, QueryMode};

/// A ranked chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Which.
    pub chunk: ChunkId,
    /// The fused score; comparable within one ranking only.
    pub score: f64,
    /// Where each signal that speaks for it has it, strongest contribution first.
    pub sources: Vec<RankSource>,
}

/// A hit's place in one signal's list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankSource {
    /// Whose list.
    pub signal: SignalId,
    /// 1-based rank in it.
    pub rank: usize,
    /// What the place adds to the fused score, before priors.
    pub contribution: f64,
}

/// How signals are weighed.
#[derive(Clone, Debug)]
pub struct RankOptions {
    /// The weight of each signal's list; a signal that is left out is not run.
    pub weights: Vec<(SignalId, f64)>,
    /// The constant of reciprocal rank fusion.
    pub rrf_k: f64,
    /// How far down a signal's list counts.
    pub depth: usize,
    /// What each further chunk of a file counts relative to the one before it, so that one file does not
    /// crowd out the next.
    pub file_decay: f64,
}

impl Default for RankOptions {
    /// Words lead, definitions and paths follow, the graph speaks last; k = 60; lists of 200; each further
    /// chunk of a file counts 0.85 of the one before.
    fn default() -> Self {
        let weights = vec![
            (SignalId::Lexical, 1.0),
            (SignalId::Definition, 0.5),
            (SignalId::Path, 0.5),
            (SignalId::Graph, 0.3),
        ];
        Self { weights, rrf_k: RRF_K, depth: 200, file_decay: 0.85 }
    }
}

impl RankOptions {
    fn weight(&self, signal: SignalId) -> f64 {
        self.weights.iter().find(|(id, _)| *id == signal).map_or(0.0, |(_, weight)| *weight)
    }
}

/// Ranks the chunks that may answer a query, best first, ties by place in the project.
///
/// Questions in words go through all signals and reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR
/// 2009); symbol paths are looked up.
pub fn rank(snapshot: &Snapshot, query: &Query, options: &RankOptions) -> Vec<Hit> {
    match &query.mode {
        QueryMode::Words(terms) => fused(snapshot, query, terms, options),
        QueryMode::Symbol(path) => looked_up(snapshot, query, path),
    }
}

fn looked_up(snapshot: &Snapshot, query: &Query, path: &[String]) -> Vec<Hit> {
    let symbols = find_symbols(snapshot, path).into_iter();
    let chunks = symbols.map(|symbol| snapshot.project.chunk_of_symbol(symbol));
    let mut hits: Vec<Hit> = Vec::new();
    for chunk in chunks.filter(|chunk| query.filters.admits(&snapshot.project, *chunk)) {
        if hits.iter().all(|hit| hit.chunk != chunk) {
            let rank = hits.len() + 1;
            let source = RankSource { signal: SignalId::Definition, rank, contribution: 1.0 };
            hits.push(Hit { chunk, score: 1.0, sources: vec![source] });
        }
    }
    hits
}

fn fused(snapshot: &Snapshot, query: &Query, terms: &[String], options: &RankOptions) -> Vec<Hit> {
    let context = Context::new(query, snapshot, terms);
    // Each signal sees the fusion of those before it, so those that need none come first.
    let signals: [&dyn Signal; 4] = [&Lexical::default(), &Definition, &Path::default(), &Graph::default()];
    let mut lists: Vec<(SignalId, f64, Vec<ChunkId>)> = Vec::new();
    let mut found: Vec<(ChunkId, f64)> = Vec::new();
    let wanted = Wanted::new(&query.text);
    for signal in signals {
        let weight = options.weight(signal.id());
        if weight <= 0.0 {
            continue;
        }
        let mut scored = signal.score(&context, &found);
        scored.retain(|(chunk, _)| query.filters.admits(&snapshot.project, *chunk));
        for (chunk, score) in &mut scored {
            *score *= prior(&snapshot.project, *chunk, wanted);
        }
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        scored.truncate(options.depth);
        lists.push((signal.id(), weight, scored.into_iter().map(|(chunk, _)| chunk).collect()));
        let weighted: Vec<(f64, &[ChunkId])> =
            lists.iter().map(|(_, weight, list)| (*weight, list.as_slice())).collect();
        found = rrf(&weighted, options.rrf_k);
    }
    let mut sources: FxHashMap<ChunkId, Vec<RankSource>> = FxHashMap::default();
    for (signal, weight, list) in &lists {
        for (at, chunk) in list.iter().enumerate() {
            let rank = at + 1;
            let contribution = weight / (options.rrf_k + rank as f64);
            sources.entry(*chunk).or_default().push(RankSource { signal: *signal, rank, contribution });
        }
    }
    spread(snapshot, &mut found, options.file_decay);
    found
        .into_iter()
        .map(|(chunk, score)| {
            let mut sources = sources.remove(&chunk).unwrap_or_default();
            sources.sort_by(|a, b| b.contribution.total_cmp(&a.contribution).then(a.signal.cmp(&b.signal)));
            Hit { chunk, score, sources }
        })
        .collect()
}

/// Lowers each further chunk of a file, and sorts again.
fn spread(snapshot: &Snapshot, found: &mut [(ChunkId, f64)], decay: f64) {
    let mut earlier: FxHashMap<FileId, i32> = FxHashMap::default();
    for (chunk, score) in found.iter_mut() {
        let earlier = earlier.entry(snapshot.project.chunk_file(*chunk)).or_insert(0);
        *score *= decay.powi(*earlier);
        *earlier += 1;
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}
