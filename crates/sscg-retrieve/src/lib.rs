//! Retrieval: from a question to a ranking, and to a selection of its hits within a token budget.
//!
//! 1. [`Query`] is a question in words, or a declaration by name (`symbol = Outer > inner`), with filters.
//! 2. Each [`Signal`] scores files and their chunks independently: words, definitions, paths, and the graph around the
//!    results of the others.
//! 3. [`rank`] adds windows of lines and calls between the best spans, and applies the [`Priors`] for tests, examples
//!    and the like. The results are [`Spans`] of lines. Every [`Hit`] records the contribution of each signal to its
//!    score.
//! 4. [`rerank`] blends in the scores of a model that reads question and chunks together, if there is one.
//! 5. [`anchor`] boosts hits that are close to the place where the user works, if one is named.
//! 6. [`relevant`] drops hits that are not worth reading, [`select`] takes those that fit a token budget.
//!
//! [`vocabulary`] lists the names of a project's concepts, for callers who guess names before they ask. [`WordsBack`]
//! reports guesses that the project lacks, and the names that it uses instead.
//!
//! *Invariant:* reads only a [`Snapshot`](sscg_index::Snapshot); the same snapshot and query give the same answer.

mod anchor;
mod callers;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
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
pub use rank::{Fusion, Hit, RankOptions, RankSource, Weights, rank, rank_with};
pub use rerank::{RerankOptions, rerank};
pub use select::{Selected, Selection, select};
pub use signal::{
    Evidence, FieldWeight, Graph, Lexical, Location, Path, Semantic, Signal, SignalContext, SignalId,
    SymbolNames, Windows,
};
pub use spans::Spans;
pub use verbatim::{Pasted, PastedLine};
pub use vocabulary::{NamesAt, Vocabulary, vocabulary};
pub use words_back::WordsBack;

#[doc(no_inline)]
pub use sscg_core::DetailLevel;
