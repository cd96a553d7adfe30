//! Options of the ranking.

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_rank::RRF_K;

use crate::AnchorOptions;
use crate::gate::Gate;
use crate::prior::Priors;
use crate::signal::{
    GraphSignal, LexicalSignal, LocationSignal, MeaningSignal, PathSignal, SemanticSignal, SignalId,
    SymbolSignal, WindowSignal,
};

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

/// Options for the scores of spans.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
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
    /// Addition to `file` in short questions, divided by the number of terms. A question of few words names what it
    /// looks for; in a long one, names of files and declarations occur by chance.
    #[schemars(range(min = 0.0))]
    pub file_if_short: f64,
    /// Weight of the signals' evidence on the chunk.
    #[schemars(range(min = 0.0))]
    pub chunk: f64,
    /// Share of its score that a span of comments alone loses, relative to the loss of its whole file: documentation
    /// matches well and answers badly, but a well-documented file answers as well as any other.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub comments: f64,
    /// Loss of each further span of a file: the one after `n` better ones has `1 / (1 + crowding * n)` of its score, so
    /// that one file does not crowd out the next. Not with guesses of the caller, or with a line that the question names
    /// or quotes.
    #[schemars(range(min = 0.0))]
    pub crowding: f64,
    /// Number of best spans that boost callers and callees.
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
            crowding: 0.015,
            call_seeds: 30,
            chunks: 50,
        }
    }
}
