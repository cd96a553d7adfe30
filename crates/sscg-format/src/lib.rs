//! Answers as data and as text.
//!
//! [`Answer`] is the product: versioned, self-contained, serializable, without ids that are local to this process. A
//! [`Renderer`] turns it into output. [`fit`] makes the token count in an answer the count of the very text that
//! contains it, by a real tokenizer ([`O200k`]).
//!
//! A [`Drawing`] is a drawable part of the graph: a page for a browser, or text for Graphviz and Mermaid.
//!
//! [`snapshot()`] shows parts of one file as self-contained source code.
//!
//! *Invariant:* an answer contains everything that is needed to render it.

mod answer;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod drawing;
mod evidence;
mod excerpt;
mod graph_answer;
mod json;
mod patterns;
mod render;
mod result;
mod schema;
mod snapshot;
mod subgraph;
mod text;
mod tokens;
mod toon;

pub use answer::{Answer, CodeStyle, FileSnapshot, Guess, IndexState, Match, SCHEMA_VERSION, SkippedCount};
pub use drawing::{DRAWING_SCHEMA, Drawing, DrawnEdge, DrawnNode, Role, dot_string};
pub use evidence::{Evidence, EvidenceProvenance};
pub use excerpt::excerpt;
pub use graph_answer::{GRAPH_SCHEMA_VERSION, GraphAnswer, GraphNode, Operation};
pub use json::{Compact, Verbose};
pub use patterns::{Diamond, Hub, Patterns, Shared};
pub use render::{Renderer, costs, fit, fit_graph, renderer, renderers};
pub use result::{
    CallMark, CallTreeNode, Contribution, Details, Lines, Origin, RankSources, ResultItem, SourceType,
    SymbolRef,
};
pub use schema::{graph_schema, schema};
pub use snapshot::{StructuralSnapshot, snapshot};
pub use sscg_core::Confidence;
pub use subgraph::{Community, SubgraphEdge, SubgraphNode};
pub use text::{FEW_RESULTS, NumberedLine, TextRenderer, connection_graph, numbered_lines, pieces};
pub use tokens::O200k;
pub use toon::Toon;
