//! Answers as data and as text, with exact token counts.
//!
//! Use it to show answers in a form of your own, to read them back, or to count tokens. The facade
//! [`sscg`](https://docs.rs/sscg) calls it for you.
//!
//! *Invariant:* an answer contains everything that is needed to render it.
//!
//! # Overview
//!
//! - [`Answer`] is the product: versioned, self-contained, serializable, without ids that are local to this process. A
//!   [`GraphAnswer`] answers a question about the graph itself. [`schema`] and [`graph_schema`] return their JSON
//!   schemas.
//! - [`Renderer`] turns an answer into output: [`TextRenderer`], [`Compact`], [`Verbose`] and [`Toon`] are built in;
//!   [`renderer`] finds one by name.
//! - [`fit`] makes the token count in an answer the count of the very text that contains it.
//! - [`O200k`] counts tokens with a real tokenizer.
//! - [`snapshot()`] shows parts of one file as self-contained source code, [`excerpt`] as lines with a mark at each
//!   gap.
//! - [`Drawing`] is a drawable part of the graph: a page for a browser, or text for Graphviz and Mermaid.
//!
//! # Example
//!
//! ```
//! use sscg_core::TokenCounter;
//! use sscg_format::{Answer, O200k, ResultItem, fit, renderer};
//!
//! let mut result = ResultItem::default();
//! (result.file, result.name) = ("src/retry.rs".into(), "schedule".into());
//! let mut answer = Answer::default();
//! (answer.query, answer.token_budget) = ("how are retries scheduled".into(), 1_000);
//! answer.results.push(result);
//!
//! let text = fit(&mut answer, renderer("text").unwrap(), &O200k);
//! assert!(text.contains("src/retry.rs"));
//! assert_eq!(answer.token_count, O200k.count(&text));
//! ```
//!
//! # Design
//!
//! - **The token count includes itself.** Writing the number changes the text, so it is written until count and text
//!   agree.
//! - **The tokenizer is compiled in and used in place.** A token's rank follows from its position in the table, so
//!   nothing is loaded; the crate used before took 46 ms and some 60 MB in each process.
//! - **Data for users is defined only here**, and its version changes when a field changes its meaning or is removed.
//! - **A snapshot is valid source.** It shows declarations with the constants, types and imports that they name,
//!   without marks for omitted code.
//! - **`toon` names nodes by their number.** An edge costs eight tokens; in `compact`, each end is an id of some twenty
//!   tokens that programs can look up elsewhere.
//! - **Pages are drawn without a graph library**, and list their script and style by hash, so that a mistake in
//!   escaping cannot run anything.
//!
//! # Cargo features
//!
//! - `conformance`: the module `conformance`, with checks for tests of a [`Renderer`] or token counter. Off by default.

mod answer;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod drawing;
mod evidence;
mod excerpt;
mod format;
mod graph_answer;
mod json;
mod patterns;
mod render;
mod result;
mod schema;
mod sent;
mod snapshot;
mod subgraph;
mod text;
mod tokens;
mod toon;

pub use answer::{Answer, CodeStyle, FileSnapshot, Guess, IndexState, Match, SCHEMA_VERSION, SkippedCount};
pub use drawing::{DRAWING_SCHEMA, Drawing, DrawnEdge, DrawnNode, PageOptions, Role, dot_string};
pub use evidence::{Evidence, EvidenceProvenance};
pub use excerpt::excerpt;
pub use format::{Format, renderer, renderers};
pub use graph_answer::{GRAPH_SCHEMA_VERSION, GraphAnswer, GraphNode, Operation};
pub use json::{Compact, Verbose};
pub use patterns::{Diamond, Hub, Patterns, SharedDependency};
pub use render::{Renderer, costs, fit, fit_graph};
pub use result::{
    CallMark, CallTreeNode, Contribution, Details, Lines, RankSources, ResultItem, ResultOrigin,
    SignatureType, SourceType, SymbolRef, TypeParameter, WordField, WordMatch,
};
pub use schema::{graph_schema, schema};
pub use sent::SentCode;
pub use snapshot::{StructuralSnapshot, snapshot};
pub use sscg_core::Confidence;
pub use subgraph::{Community, SubgraphEdge, SubgraphNode};
pub use text::{FEW_RESULTS, NumberedLine, TextRenderer, connection_graph, numbered_lines, pieces};
pub use tokens::O200k;
pub use toon::Toon;
