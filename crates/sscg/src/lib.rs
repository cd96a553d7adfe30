//! Code search that answers a question about a code base with connected, ranked, token-budgeted results.
//!
//! ```no_run
//! let engine = sscg::Engine::open(".")?;
//! let response = engine.search(&sscg::SearchRequest::new("how are retries scheduled"))?;
//! println!("{}", response.text);
//! for result in &response.answer.results {
//!     println!("{}:{} {}", result.file, result.lines.start, result.name);
//! }
//! # Ok::<(), sscg::Error>(())
//! ```
//!
//! [`Engine`] represents one directory. Each search first brings the index up to date with the tree, so an answer is
//! never older than the question. Everything runs on this machine, without downloads, unless [`open_model`] or
//! [`open_reranker`] opens a provider's model. [`Config`] has all options, which [`Layers`] reads from files and
//! other sources. [`vocabulary`] lists the terms of a project. [`Response::drawing`] and [`draw_module`] draw parts
//! of the graph. [`Workspace`] holds several projects within a memory budget, [`Watch`] detects changes of a tree,
//! and [`collect_garbage`] keeps stores small.
//!
//! The component crates are re-exported for partial use: [`core`], [`parse`], [`graph`], [`rank`], [`embed`],
//! [`index`], [`retrieve`], [`format`](mod@format).

mod answer;
pub mod config;
mod drawing;
mod engine;
mod error;
mod evidence;
mod explore;
pub mod export;
mod garbage;
pub mod knowledge;
mod long_lines;
mod lookup;
mod model;
mod rerank;
mod responder;
mod structure;
mod vocabulary;
mod workspace;

pub use config::{Config, Layers};
pub use drawing::{DrawingOptions, draw_module};
pub use engine::{Engine, EngineOptions, KnowledgeResponse, Response, SearchRequest};
pub use error::{Error, ErrorKind};
pub use explore::{GraphQuery, GraphRequest, GraphResponse, Reach};
pub use garbage::{Cleaned, collect_garbage};
pub use lookup::{
    Callee, DeclarationCalls, DeclarationTests, DeclarationUses, Excerpt, LOOKUP_TOKENS, ListOptions,
    Outlined, TestPlace, TextFound, TextPlace, UsePlace, UsesOptions, callees, mentions, outline, show,
    tests, text, uses,
};
pub use model::open_model;
pub use rerank::open_reranker;
pub use sscg_core::Corpus;
pub use sscg_format::Answer;
pub use sscg_index::{
    Busy, IndexOptions, Observer, Progress, RefreshReport, Storage, Watch, WatchMode, WatchOptions,
    unobserved,
};
pub use vocabulary::{VOCABULARY_TOKENS, vocabulary};
pub use workspace::{ProjectResponse, ProjectState, WaitPolicy, Workspace};

pub use sscg_core as core;
pub use sscg_embed as embed;
pub use sscg_format as format;
pub use sscg_graph as graph;
pub use sscg_index as index;
#[cfg(feature = "lancedb")]
pub use sscg_lance as lance;
pub use sscg_parse as parse;
pub use sscg_rank as rank;
pub use sscg_retrieve as retrieve;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
