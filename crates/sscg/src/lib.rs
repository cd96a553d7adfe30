//! Code search that answers a question about a code base with connected, ranked, token-budgeted results.
//!
//! This crate is the entry point for Rust programs: open a directory, ask, and get the answer as data or as text.
//! Everything runs on this machine, without downloads, unless [`open_model`] or [`open_reranker`] opens a provider's
//! model.
//!
//! *Invariant:* no rendered answer exceeds its budget, and each error has a [hint](Error::hint). Nothing is written
//! into the searched tree.
//!
//! # Example
//!
//! ```
//! use sscg::{Engine, EngineOptions, SearchRequest, Storage};
//!
//! # let tree = tempfile::tempdir()?;
//! # let path = tree.path();
//! # std::fs::write(path.join("retry.py"), "def schedule_retry(job):\n    job.run_at += job.delay\n")?;
//! // `Engine::open(path)` keeps the index in the user's cache directory, this one in memory.
//! let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
//! let mut request = SearchRequest::new("how are retries scheduled");
//! request.budget = 2_000;
//! let response = engine.search(&request)?;
//!
//! assert!(response.text.contains("def schedule_retry(job):"));
//! let best = &response.answer.results[0];
//! assert_eq!((&*best.file, &*best.name, best.lines.start), ("retry.py", "schedule_retry", 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Overview
//!
//! - [`Engine`] represents one directory. [`Engine::search`] answers a [`SearchRequest`], [`Engine::explore`] a
//!   [`GraphRequest`] about the code graph; [`Engine::knowledge`] returns the graph of its services ([`knowledge`]).
//! - [`Response`] has the [`Answer`] as data and as text, which is JSON Lines of evidence with [`Format::EVIDENCE`].
//!   [`Response::evidence`] returns its parts one by one, and [`Response::drawing`] its graph; [`draw_module`] draws a part
//!   of the tree.
//! - [`EngineOptions`] has the replaceable parts: a [`Reranker`](sscg_embed::Reranker),
//!   [`Signal`](sscg_retrieve::Signal)s, [`Renderer`](sscg_format::Renderer)s and a
//!   [`TokenCounter`](sscg_core::TokenCounter), and in [its index](IndexOptions) the [`Embedder`](sscg_embed::Embedder), the
//!   [`Store`](sscg_index::Store) and [`EdgeSource`](sscg_graph::EdgeSource)s. [`Config`] has all options, which [`Layers`]
//!   reads from files and other sources.
//! - Complete lists for names, from a snapshot: [`uses`], [`callees`], [`tests`], [`text`], [`mentions`], [`outline`],
//!   [`show`]. [`vocabulary`] lists the terms of a project,
//!   [`overview`] its layers, entry points and commands.
//! - [`Workspace`] holds several projects within a memory budget, [`Watch`] detects changes of a tree,
//!   [`collect_garbage`] keeps stores small, and [`export`] writes the graph for other programs.
//! - What a program needs of the component crates beside an engine is re-exported: [`core`], [`parse`], [`graph`], [`embed`],
//!   [`index`], [`retrieve`], [`format`](mod@format). Without an engine, a program depends on the parts themselves: `sscg-parse`
//!   and `sscg-graph` parse and link texts in memory, `sscg-rank` ranks graphs.
//!
//! # Design
//!
//! - **A search refreshes first**, so an answer is never older than the question. Size and time of a file decide
//!   whether it is read, its hash whether it is parsed.
//! - **The budget covers the whole text as sent**, counted with a real tokenizer. A budget too small for any answer is
//!   an error that names a sufficient one.
//! - **Searched code cannot send itself anywhere.** A configuration file in the tree cannot name a provider, a model or
//!   a directory: users who search code that they have just fetched have not agreed to that.
//! - **Threads share an engine.** Updates take turns; composing an answer needs only an immutable snapshot and runs
//!   concurrently. The libraries are synchronous.
//! - **Problems of one file are reported beside the answer**; only a problem with the request or the project is an
//!   [`Error`].
//! - **Parts are replaced by values** in [`EngineOptions`]. Languages cannot be added from outside, because the linker
//!   must know their module systems.
//!
//! # Cargo features
//!
//! - `all-languages`: all languages of `sscg-parse`. On by default; without it, a program chooses some by the features of
//!   `sscg-parse`, such as `lang-rust`.
//! - `documents`: documents, data and configuration. On by default.
//! - `scip`: import and export of SCIP indexes. On by default.
//! - `arrow`: export of rows as Parquet and Arrow files.
//! - `model2vec`: static models in the Model2Vec format. Adds the tokenizers of Hugging Face.
//! - `pdf`: PDF documents. Adds a reader of PDF and of its fonts.
//! - `lancedb`: the module `lance`, with stores of LanceDB. Needs `protoc` to build, and takes long.
//! - `conformance`: checks for tests of custom models, stores, signals, formats, token counters and sources of edges.

mod answer;
pub mod config;
mod context;
mod drawing;
mod engine;
mod error;
mod evidence;
mod explore;
pub mod export;
mod files;
mod garbage;
pub mod knowledge;
mod long_lines;
mod lookup;
mod lsp;
mod model;
mod more;
mod options;
mod overview;
mod ranking;
mod rerank;
mod responder;
#[cfg(feature = "scip")]
mod scip;
mod search;
mod structure;
mod vocabulary;
mod workspace;

pub use config::{Config, Layers};
pub use drawing::{DrawingOptions, DrawnUnit, draw_module, draw_neighbors, draw_services};
pub use engine::{Engine, KnowledgeResponse, find_language};
pub use error::{Error, ErrorKind};
pub use evidence::output_formats;
pub use explore::names::node_ids;
pub use explore::{GraphQuery, GraphRequest, GraphResponse, Reach};
pub use garbage::{Cleaned, collect_garbage};
pub use lookup::{
    Callee, DeclarationCalls, DeclarationTests, DeclarationUses, Excerpt, LOOKUP_TOKENS, ListOptions,
    Outlined, TestPlace, TextFound, TextPlace, UsePlace, UsesOptions, callees, mentions, outline, show,
    tests, text, uses,
};
pub use lsp::{LspImport, LspServer};
pub use model::open_model;
pub use options::{EngineOptions, Published};
pub use overview::{EntryPoint, Hub, ManifestCommands, OVERVIEW_TOKENS, Overview, OverviewLayer, overview};
pub use rerank::open_reranker;
#[cfg(feature = "scip")]
pub use scip::{ScipImport, ScipIndex};
pub use search::{Response, SearchRequest};
pub use sscg_core::Corpus;
pub use sscg_format::{Answer, Format};
pub use sscg_index::{
    Busy, IndexOptions, Observer, Progress, RefreshReport, Storage, Watch, WatchMode, WatchOptions,
    unobserved,
};
pub use structure::{CentralityMethod, CentralityMode};
pub use vocabulary::{VOCABULARY_TOKENS, vocabulary};
pub use workspace::{MergedResponse, ProjectResponse, ProjectState, WaitPolicy, Workspace};

/// Types of code, questions and answers, from [`sscg-core`](https://docs.rs/sscg-core).
pub mod core {
    pub use sscg_core::{
        Adjacency, ChunkId, ChunkKind, Confidence, Corpus, DetailLevel, FileId, FileRole, Id, Language,
        LanguageDef, LineRange, NodeId, Project, Provenance, Relation, RelationSet, Span, SymbolId,
        SymbolKind, TokenCounter, UnknownName, quoted,
    };
}

/// Models, from [`sscg-embed`](https://docs.rs/sscg-embed).
pub mod embed {
    #[cfg(feature = "conformance")]
    pub use sscg_embed::conformance;
    pub use sscg_embed::{Batch, EmbedError, Embedder, Estimate, Input, Reranker};
}

/// Answers as data and as text, from [`sscg-format`](https://docs.rs/sscg-format).
pub mod format {
    #[cfg(feature = "conformance")]
    pub use sscg_format::conformance;
    pub use sscg_format::{
        Answer, CodeStyle, Compact, Drawing, Evidence, EvidenceProvenance, FileSnapshot, GraphAnswer,
        GraphNode, Lines, O200k, PageOptions, Renderer, ResultItem, ResultOrigin, SentCode, SourceType,
        SubgraphEdge, TextRenderer, Toon, Verbose, fit, numbered_lines, pieces, renderers,
    };
}

/// Code graph and its queries, from [`sscg-graph`](https://docs.rs/sscg-graph).
pub mod graph {
    #[cfg(feature = "conformance")]
    pub use sscg_graph::conformance;
    pub use sscg_graph::{
        Applied, CodeGraph, Comparison, Contradiction, DeclarationSite, Direction, Edge, EdgeSource,
        ExternalSymbol, FileOccurrences, LinkerSource, Node, Occurrence, Occurrences, Origin, SourceTree,
        Target, traverse,
    };
}

/// Index of a project and its stores, from [`sscg-index`](https://docs.rs/sscg-index).
pub mod index {
    #[cfg(feature = "conformance")]
    pub use sscg_index::conformance;
    pub use sscg_index::{
        Collected, EmbeddedStore, FactsKey, IndexError, IndexLock, IndexStatus, ManifestEntry, SharedBytes,
        Skipped, Snapshot, Store, StoredFacts, TextHash, Unsupported, Update, Usage, Vectors, base_directory,
        describe, documents_of, index_directory, repository_directory, stores,
    };
}

/// Stores of LanceDB, from [`sscg-lance`](https://docs.rs/sscg-lance).
#[cfg(feature = "lancedb")]
pub mod lance {
    pub use sscg_lance::{ChunkFilter, ChunkHit, LanceOptions, LanceStore};
}

/// Languages and facts of files, from [`sscg-parse`](https://docs.rs/sscg-parse).
pub mod parse {
    pub use sscg_parse::{FileType, Highlight, extract, formats, languages, named, project_file};
}

/// Ranking and its signals, from [`sscg-retrieve`](https://docs.rs/sscg-retrieve).
pub mod retrieve {
    #[cfg(feature = "conformance")]
    pub use sscg_retrieve::conformance;
    pub use sscg_retrieve::{
        Filters, Hit, Query, RankOptions, RerankOptions, Signal, SignalContext, SignalId, SignalScores,
        Weights,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
