//! From a question to a ranking, a selection under a budget, and the subgraph that connects it.
//!
//! 1. [`Query`] says what is asked: a question in words, or a declaration by name (`symbol = Outer > inner`),
//!    with filters.
//! 2. Each [`Signal`] scores chunks on its own: words, definitions, paths, and the graph around what the
//!    others found.
//! 3. [`rank`] fuses the signals' lists and applies the priors for tests, examples and the like. Every
//!    [`Hit`] keeps its rank in each list.
//! 4. [`select`] takes the best hits that fit a token budget.
//!
//! *Invariant:* reads a [`Snapshot`](sscg_index::Snapshot) and nothing else; the same snapshot and query give
//! the same answer.

mod error;
mod lookup;
mod prior;
mod query;
mod rank;
mod select;
mod signal;

pub use error::QueryError;
pub use lookup::find_symbols;
pub use query::{Filters, Query, QueryMode};
pub use rank::{Hit, RankOptions, RankSource, rank};
pub use select::{Selected, Selection, Shown, select};
pub use signal::{Context, Definition, Graph, Lexical, Path, Signal, SignalId};
