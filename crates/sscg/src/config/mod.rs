//! User configuration: every weight, threshold and limit, in files, environment variables and flags.

mod files;
mod keys;
mod layers;
mod reference;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_embed::HttpOptions;
use sscg_format::CodeStyle;
use sscg_graph::traverse::{ImpactOptions, TraceOptions};
use sscg_index::{Busy, Storage, WatchOptions};
use sscg_knowledge::query::{HybridSearchRequest, ServiceContextRequest};
use sscg_retrieve::{RankOptions, RerankOptions};

use crate::{CentralityMethod, CentralityMode, GraphQuery, GraphRequest, Reach, SearchRequest};

pub use files::{FILE_NAME, project_file, user_file, write_template};
pub use layers::{Layers, ValueSource};
pub use reference::{reference, template};

/// All options, by section of `sscg.toml`. A key with an empty text is not set.
///
/// Ranges are declared at the fields, here and in the options of the libraries; [`Layers`] enforces them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// Contents of an answer.
    pub search: SearchConfig,
    /// Extent of queries of the code graph.
    pub graph: GraphConfig,
    /// Queries of the service graph.
    pub knowledge: KnowledgeConfig,
    /// Location of indexes, and sharing between processes.
    pub index: IndexConfig,
    /// Retention of `sscg gc`.
    pub gc: GcConfig,
    /// Tree watching by `sscg watch`.
    pub watch: WatchConfig,
    /// Suggestions to coding agents by the hooks that `sscg install` adds.
    pub agents: AgentsConfig,
    /// Embedding model.
    pub model: ModelConfig,
    /// Reranker, which reads the best chunks together with the question.
    pub rerank: RerankConfig,
    /// Language servers that `sscg index --lsp` asks.
    pub lsp: LspConfig,
    /// Ranking of the chunks of an answer.
    pub rank: RankOptions,
}

/// Contents of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SearchConfig {
    /// Maximum number of results.
    #[schemars(range(min = 1), extend("x-flag" = "--limit", "x-variable" = "SSCG_LIMIT"))]
    pub limit: usize,
    /// Maximum tokens in the whole answer.
    #[schemars(
        range(min = SearchRequest::MIN_BUDGET, max = 10_000_000),
        extend("x-flag" = "--budget", "x-variable" = "SSCG_BUDGET")
    )]
    pub budget: usize,
    /// Code style: the file's own lines, or a text that parses.
    #[schemars(extend("enum" = CodeStyle::ALL.map(CodeStyle::as_str), "x-flag" = "--code"))]
    pub code: CodeStyle,
    /// Output format.
    #[schemars(extend("enum" = formats(), "x-flag" = "--format", "x-variable" = "SSCG_FORMAT"))]
    pub format: String,
    /// Call-tree depth around each result; 0 means unlimited.
    #[schemars(range(min = 0, max = 1000), extend("x-flag" = "--call-depth"))]
    pub call_depth: u32,
    /// Radius in which neighbors of results are included; 0 for none.
    #[schemars(range(min = 0, max = 1000), extend("x-flag" = "--ego-graph"))]
    pub ego_graph: u32,
    /// Use of the centrality of results: `show` adds it to each, `sort` also orders them by score and centrality.
    #[schemars(extend("enum" = CentralityMode::ALL.map(CentralityMode::as_str), "x-flag" = "--centrality"))]
    pub centrality: CentralityMode,
    /// Measure of centrality. `betweenness` and `closeness` are estimates from 256 nodes; see `docs/ranking.md`.
    #[schemars(extend(
        "enum" = CentralityMethod::ALL.map(CentralityMethod::as_str),
        "x-flag" = "--centrality-method"
    ))]
    pub centrality_method: CentralityMethod,
    /// Weight of centrality if results are sorted by it; the rest is the score.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub centrality_alpha: f64,
    /// Set to show the code community of each node.
    #[schemars(extend("x-flag" = "--communities"))]
    pub communities: bool,
}

impl Default for SearchConfig {
    fn default() -> Self {
        let SearchRequest { limit, budget, format, call_depth, ego_graph, .. } = SearchRequest::new("");
        let SearchRequest { centrality, centrality_method, centrality_alpha, communities, code, .. } =
            SearchRequest::new("");
        Self {
            limit,
            budget,
            code,
            format: format.to_string(),
            call_depth: call_depth.unwrap_or(0),
            ego_graph,
            centrality,
            centrality_method,
            centrality_alpha,
            communities,
        }
    }
}

impl SearchConfig {
    /// Creates a request for a question with these limits.
    pub fn request(&self, query: impl Into<String>) -> SearchRequest {
        SearchRequest {
            limit: self.limit,
            budget: self.budget,
            code: self.code,
            format: self.format.as_str().into(),
            call_depth: (self.call_depth > 0).then_some(self.call_depth),
            ego_graph: self.ego_graph,
            centrality: self.centrality,
            centrality_method: self.centrality_method,
            centrality_alpha: self.centrality_alpha,
            communities: self.communities,
            ..SearchRequest::new(query)
        }
    }

    /// Creates a request for a query of the graph with this budget and format.
    pub fn graph_request(&self, query: GraphQuery) -> GraphRequest {
        GraphRequest { query, budget: self.budget, format: self.format.as_str().into() }
    }
}

fn formats() -> Vec<&'static str> {
    crate::output_formats().map(|(name, _)| name).collect()
}

/// Extent of queries of the code graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct GraphConfig {
    /// Maximum number of steps of `expand` and `neighbors`.
    #[schemars(range(min = 0, max = 1000), extend("x-flag" = "--depth"))]
    pub depth: u32,
    /// Maximum number of nodes of `expand` and `neighbors`.
    #[schemars(range(min = 1), extend("x-flag" = "--limit"))]
    pub limit: usize,
    /// Maximum number of steps of `impact`.
    #[schemars(range(min = 0, max = 1000), extend("x-flag" = "--depth"))]
    pub impact_depth: u32,
    /// Maximum number of nodes of `impact`.
    #[schemars(range(min = 1), extend("x-flag" = "--limit"))]
    pub impact_limit: usize,
    /// Maximum number of steps in a path of `trace`.
    #[schemars(range(min = 1, max = 1000), extend("x-flag" = "--depth"))]
    pub trace_depth: u32,
    /// Maximum number of paths of `trace`.
    #[schemars(range(min = 1), extend("x-flag" = "--limit"))]
    pub trace_limit: usize,
    /// Number of declarations that `pack` chooses.
    #[schemars(range(min = 1), extend("x-flag" = "--count"))]
    pub pack_count: usize,
}

impl Default for GraphConfig {
    fn default() -> Self {
        let Reach { depth, limit, .. } = Reach::default();
        let (impact, trace) = (ImpactOptions::default(), TraceOptions::default());
        Self {
            depth,
            limit,
            impact_depth: impact.depth,
            impact_limit: impact.limit,
            trace_depth: trace.max_depth,
            trace_limit: trace.max_paths,
            pack_count: GraphQuery::PACK_COUNT,
        }
    }
}

impl GraphConfig {
    /// Returns the reach of an expansion, along all edges.
    pub fn reach(&self) -> Reach {
        Reach::default().with_depth(self.depth).with_limit(self.limit)
    }

    /// Returns the limits of an impact analysis.
    pub fn impact(&self) -> ImpactOptions {
        ImpactOptions::default().with_depth(self.impact_depth).with_limit(self.impact_limit)
    }
}

/// Queries of the service graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct KnowledgeConfig {
    /// Maximum number of results of a search.
    #[schemars(range(min = 1), extend("x-flag" = "--limit"))]
    pub limit: usize,
    /// Weight of the semantic similarity in a search.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-flag" = "--semantic-weight"))]
    pub semantic_weight: f64,
    /// Weight of the position in the graph in a search.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-flag" = "--graph-weight"))]
    pub graph_weight: f64,
    /// Maximum distance of services in the context of a service, in calls.
    #[schemars(range(min = 1, max = 20), extend("x-flag" = "--depth"))]
    pub context_depth: u32,
    /// Maximum tokens of the context of a service.
    #[schemars(range(min = 50, max = 10_000_000), extend("x-flag" = "--budget"))]
    pub context_tokens: usize,
}

impl Default for KnowledgeConfig {
    fn default() -> Self {
        let HybridSearchRequest { n_results, semantic_weight, graph_weight, .. } = Default::default();
        let ServiceContextRequest { max_depth, max_tokens, .. } = Default::default();
        Self {
            limit: n_results,
            semantic_weight,
            graph_weight,
            context_depth: max_depth,
            context_tokens: max_tokens,
        }
    }
}

impl KnowledgeConfig {
    /// Creates a search for a query with this limit and these weights.
    pub fn search(&self, query: impl Into<String>) -> HybridSearchRequest {
        HybridSearchRequest::default()
            .with_query(query)
            .with_n_results(self.limit)
            .with_semantic_weight(self.semantic_weight)
            .with_graph_weight(self.graph_weight)
    }

    /// Creates a request for the context of a service with these limits.
    pub fn context(&self, service: impl Into<String>) -> ServiceContextRequest {
        ServiceContextRequest::default()
            .with_service_name(service)
            .with_max_depth(self.context_depth)
            .with_max_tokens(self.context_tokens)
    }
}

/// Location of indexes, and sharing between processes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct IndexConfig {
    /// Directory of all indexes; the user's cache directory if not set.
    #[schemars(with = "String", extend("x-flag" = "--index-dir", "x-variable" = "SSCG_INDEX_DIR", "x-trusted" = true))]
    pub directory: PathBuf,
    /// Set to keep nothing on disk; each command then indexes anew.
    #[schemars(extend("x-flag" = "--ephemeral", "x-trusted" = true))]
    pub ephemeral: bool,
    /// Set to wait while another process indexes the same tree; otherwise use what is ready.
    #[schemars(extend("x-flag" = "--no-wait"))]
    pub wait: bool,
    /// Memory limit of the process while indexing, in MB (1,048,576 bytes); 0 for no limit. Indexing that needs more
    /// fails. A server closes other projects first, and keeps at most half of the limit for open ones.
    #[schemars(
        range(min = 0, max = 1_000_000_000),
        extend("x-flag" = "--max-memory", "x-variable" = "SSCG_MAX_MEMORY", "x-trusted" = true)
    )]
    pub max_memory: usize,
}

impl Default for IndexConfig {
    fn default() -> Self {
        Self { directory: PathBuf::new(), ephemeral: false, wait: true, max_memory: 0 }
    }
}

impl IndexConfig {
    /// Returns the location of indexes.
    pub fn storage(&self) -> Storage {
        if self.ephemeral {
            Storage::Ephemeral
        } else if self.directory.as_os_str().is_empty() {
            Storage::Cache
        } else {
            Storage::Directory(self.directory.clone())
        }
    }

    /// Returns the memory limit while indexing, in bytes; `None` for no limit.
    pub fn max_memory(&self) -> Option<usize> {
        (self.max_memory > 0).then(|| self.max_memory.saturating_mul(1 << 20))
    }

    /// Returns the behavior while another process indexes the same tree.
    pub fn busy(&self) -> Busy {
        if self.wait { Busy::Wait } else { Busy::UseReady }
    }
}

/// Retention of `sscg gc`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct GcConfig {
    /// Days that unused data is kept.
    #[schemars(range(max = 100_000), extend("x-flag" = "--unused-days", "x-trusted" = true))]
    pub unused_days: u32,
}

impl Default for GcConfig {
    fn default() -> Self {
        Self { unused_days: 30 }
    }
}

/// Tree watching by `sscg watch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct WatchConfig {
    /// Maximum number of watched directories; a larger tree is polled instead.
    #[schemars(extend("x-flag" = "--max-directories"))]
    pub max_directories: usize,
    /// Quiet period before a change is reported, in milliseconds.
    #[schemars(range(min = 1, max = 86_400_000))]
    pub quiet_ms: u64,
    /// Maximum report delay, in milliseconds.
    #[schemars(range(min = 1, max = 86_400_000))]
    pub max_delay_ms: u64,
    /// Poll interval of unwatched trees, in milliseconds.
    #[schemars(range(min = 1, max = 86_400_000))]
    pub interval_ms: u64,
}

impl Default for WatchConfig {
    fn default() -> Self {
        let WatchOptions { max_directories, quiet, max_delay, interval, .. } = WatchOptions::default();
        let milliseconds = |duration: Duration| duration.as_millis() as u64;
        Self {
            max_directories,
            quiet_ms: milliseconds(quiet),
            max_delay_ms: milliseconds(max_delay),
            interval_ms: milliseconds(interval),
        }
    }
}

impl WatchConfig {
    /// Returns the options for [`Watch::new`](crate::Watch::new).
    pub fn options(&self) -> WatchOptions {
        WatchOptions::default()
            .with_max_directories(self.max_directories)
            .with_quiet(Duration::from_millis(self.quiet_ms))
            .with_max_delay(Duration::from_millis(self.max_delay_ms))
            .with_interval(Duration::from_millis(self.interval_ms))
    }
}

/// Suggestions to coding agents by the hooks that `sscg install` adds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct AgentsConfig {
    /// Maximum number of suggestions in a session of an agent; 0 turns them off.
    #[schemars(range(min = 0, max = 1000), extend("x-variable" = "SSCG_SUGGESTIONS"))]
    pub suggestions: usize,
}

impl Default for AgentsConfig {
    fn default() -> Self {
        Self { suggestions: 3 }
    }
}

/// Embedding model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ModelConfig {
    /// Model: a directory in the Model2Vec format, `voyage`, `voyage:MODEL`, `openai:MODEL`, or a server and its
    /// model, `http://localhost:11434/v1#MODEL`. The built-in one if not set. Keys are taken from the environment
    /// variables `VOYAGE_API_KEY`, `OPENAI_API_KEY`, and for a server `SSCG_MODEL_KEY`.
    #[schemars(extend("x-flag" = "--model", "x-variable" = "SSCG_MODEL", "x-trusted" = true))]
    pub name: String,
}

/// Language servers that `sscg index --lsp` asks for the definitions of names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct LspConfig {
    /// Time limit in seconds for all servers together. Files that are not answered by then are asked about next time.
    #[schemars(range(min = 1, max = 86_400), extend("x-flag" = "--lsp-timeout"))]
    pub timeout: u64,
    /// Servers by language.
    #[serde(flatten)]
    pub servers: BTreeMap<String, ServerConfig>,
}

/// Language server of one language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Program and arguments, separated by spaces: `pyright-langserver --stdio`. The server speaks its protocol on standard
    /// input and output. None if not set.
    #[schemars(extend("x-trusted" = true))]
    pub command: String,
    /// Initialization options of the server, as JSON.
    #[schemars(extend("x-trusted" = true))]
    pub initialization: String,
}

impl Default for LspConfig {
    fn default() -> Self {
        let linked = sscg_parse::languages().iter().filter(|language| language.is_linked());
        Self {
            timeout: 300,
            servers: linked.map(|language| (language.name.to_owned(), ServerConfig::default())).collect(),
        }
    }
}

/// Reranker, which reads the best chunks together with the question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct RerankConfig {
    /// Reranker: `voyage`, `voyage:MODEL`, `cohere`, `cohere:MODEL`, a server with Cohere's API and its model,
    /// `http://localhost:8000/v1#MODEL`, or one of Text Embeddings Inference, `http://localhost:8080`. None if not
    /// set. Keys are taken from the environment variables `VOYAGE_API_KEY`, `COHERE_API_KEY`, and for a server
    /// `SSCG_RERANK_KEY`.
    #[schemars(extend("x-flag" = "--rerank", "x-variable" = "SSCG_RERANK", "x-trusted" = true))]
    pub name: String,
    /// Number of candidates and weight of the scores.
    #[serde(flatten)]
    pub options: RerankOptions,
    /// Maximum tokens sent per chunk, estimated at three bytes per token.
    #[schemars(range(min = 16, max = 100_000), extend("x-trusted" = true))]
    pub document_tokens: usize,
    /// Timeout of a request in milliseconds. It is repeated once.
    #[schemars(range(min = 1, max = 600_000))]
    pub timeout_ms: u64,
}

impl Default for RerankConfig {
    fn default() -> Self {
        let timeout = HttpOptions::interactive().timeout;
        Self {
            name: String::new(),
            options: RerankOptions::default(),
            document_tokens: 1_000,
            timeout_ms: timeout.as_millis() as u64,
        }
    }
}
