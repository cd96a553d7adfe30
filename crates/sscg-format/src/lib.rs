//! Answers as data, and as text.
//!
//! [`Answer`] is the product: versioned, self-contained, serialisable, without any id that only this process
//! knows. A [`Renderer`] turns it into what is sent; [`fit`] makes the token count that an answer states the
//! count of the very text that states it, by a real tokenizer ([`O200k`]).
//!
//! [`snapshot()`] shows parts of one file as source code that stands on its own.
//!
//! *Invariant:* an answer can be rendered by someone who has nothing but the answer.

mod answer;
mod json;
mod render;
mod snapshot;
mod text;
mod tokens;

pub use answer::{
    Answer, BoundaryEdge, Contribution, IndexState, RankSources, ResultItem, SCHEMA_VERSION, SkippedCount,
    SourceType, SubgraphEdge, SubgraphNode, UnresolvedUses,
};
pub use json::{Compact, Verbose};
pub use render::{Renderer, fit, renderer, renderers};
pub use snapshot::{StructuralSnapshot, snapshot};
pub use text::Text;
pub use tokens::O200k;
