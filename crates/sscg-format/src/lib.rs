//! Answers as data, and as text.
//!
//! [`Answer`] is the product: versioned, self-contained, serialisable, without any id that only this process
//! knows. A [`Renderer`] turns it into what is sent; [`fit`] makes the token count that an answer states the
//! count of the very text that states it, by a real tokenizer ([`O200k`]).
//!
//! A [`Drawing`] is a part of the graph to look at: a page for a browser, or text for Graphviz and Mermaid.
//!
//! [`snapshot()`] shows parts of one file as source code that stands on its own.
//!
//! *Invariant:* an answer can be rendered by someone who has nothing but the answer.

mod answer;
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
    Call, CallMark, Certainty, Contribution, Details, Lines, Origin, RankSources, ResultItem, SourceType,
    SymbolRef,
};
pub use schema::{graph_schema, schema};
pub use snapshot::{StructuralSnapshot, snapshot};
pub use subgraph::{Community, SubgraphEdge, SubgraphNode};
pub use text::{FEW_RESULTS, NumberedLine, Text, connection_graph, numbered_lines, pieces};
pub use tokens::O200k;
pub use toon::Toon;
