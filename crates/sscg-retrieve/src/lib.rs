//! From a question to a ranking, a selection under a budget, and the subgraph that connects it.
//!
//! 1. [`Query`] says what is asked: a question in words, or a declaration by name (`symbol = Outer > inner`),
//!    with filters.
//! 2. Each [`Signal`] scores files, and the chunks in them, on its own: words, definitions, paths, and the graph around
//!    what the others found.
//! 3. [`rank`] adds windows of lines, and calls between the best, and applies the [`Priors`] for tests, examples and the
//!    like: the result are [`Spans`] of lines. Every [`Hit`] keeps what each signal adds to its score.
//! 4. [`rerank`] blends in what a model says that read question and chunks together, if there is one.
//! 5. [`anchor`] lifts those that are near to a place that the user works at, if one is named.
//! 6. [`relevant`] says which hits are worth reading, [`select`] takes those that fit a token budget.
//!
//! [`vocabulary`] tells what a project calls its things, for those who guess before they ask; [`WordsBack`] which guesses
//! it does not have, and what it says instead.
//!
//! *Invariant:* reads a [`Snapshot`](sscg_index::Snapshot) and nothing else; the same snapshot and query give
//! the same answer.

mod anchor;
mod callers;
mod error;
mod gate;
mod kind;
mod location;
mod lookup;
mod own_name;
mod pattern;
mod prior;
mod query;
mod rank;
mod rerank;
mod select;
mod signal;
mod spans;
mod verbatim;
mod vocabulary;
mod words_back;

pub use anchor::{AnchorOptions, anchor};
pub use error::QueryError;
pub use gate::{Gate, Relevant, relevant};
pub use kind::QuestionKind;
pub use lookup::{chunk_at_line, find_file, find_in_modules, find_symbols, suggest};
pub use prior::{
    Priors, Standing, is_own_path, is_product, is_test, is_test_file, standing, standing_of_file,
};
pub use query::{Filters, Query, QueryMode};
pub use rank::{Fusion, Hit, RankOptions, RankSource, Weights, rank};
pub use rerank::{RerankOptions, rerank};
pub use select::{Selected, Selection, select};
pub use signal::{
    Context, Definition, Evidence, FieldWeight, Graph, Lexical, Location, Path, Semantic, Signal, SignalId,
    Walk, Windows,
};
pub use spans::Spans;
pub use verbatim::{Pasted, PastedLine};
pub use vocabulary::{NamesAt, Vocabulary, vocabulary};
pub use words_back::WordsBack;

#[doc(no_inline)]
pub use sscg_core::Shown;
