//! Retrieval: from a question to a ranking, and to a selection of its hits within a token budget.
//!
//! Use it to search an index of [`sscg-index`](sscg_index) with signals or weights of your own. The facade
//! [`sscg`](https://docs.rs/sscg) does the same and renders the answer.
//!
//! *Invariant:* reads only a [`Snapshot`](sscg_index::Snapshot); the same snapshot and query give the same answer.
//!
//! # Overview
//!
//! 1. [`Query`] is a question in words, or a declaration by name (`symbol = Outer > inner`), with [`Filters`].
//! 2. Each [`Signal`] scores files and their chunks independently: words, definitions, paths, vectors, and the graph
//!    around the results of the others.
//! 3. [`rank()`] adds windows of lines and calls between the best spans, and applies the [`Priors`] for tests, examples
//!    and the like. The results are [`Spans`] of lines. Every [`Hit`] records the contribution of each signal to its
//!    score.
//! 4. [`rerank()`] blends in the scores of a model that reads question and chunks together, if there is one.
//! 5. [`anchor()`] boosts hits that are close to the place where the user works, if one is named.
//! 6. [`relevant`] drops hits that are not worth reading, [`select()`] takes those that fit a token budget.
//!
//! All constants are fields of [`RankOptions`] and [`RerankOptions`]. [`find_symbols`] looks up declarations by path.
//! [`vocabulary()`] lists the names of a project's concepts, for callers who guess names before they ask; [`WordsBack`]
//! reports guesses that the project lacks, and the names that it uses instead. [`SoughtWords`] finds the words of a
//! question, and other words for them, in its results.
//!
//! # Example
//!
//! ```
//! use sscg_index::{Index, IndexOptions, Storage};
//! use sscg_retrieve::{Filters, Query, RankOptions, rank, relevant};
//!
//! let tree = tempfile::tempdir()?;
//! std::fs::write(tree.path().join("retry.py"), "def schedule_retry(job):\n    job.run_at += job.delay\n")?;
//! std::fs::write(tree.path().join("mail.py"), "def send_mail(to):\n    print(to)\n")?;
//! let mut options = IndexOptions::default();
//! options.storage = Storage::Ephemeral;
//! let (snapshot, _) = Index::open(tree.path(), &options)?.refresh()?;
//!
//! let options = RankOptions::default();
//! let query = Query::parse("how is a retry scheduled", Filters::default())?;
//! let hits = rank(&snapshot, &query, &options);
//! let best = &relevant(&snapshot, &query, &hits, &options).hits[0];
//! let file = snapshot.project.chunk_file(best.chunk);
//! assert_eq!(&*snapshot.project.files()[file].path, "retry.py");
//!
//! // The score is the sum of the signals' contributions.
//! let sum: f64 = best.sources.iter().map(|source| source.contribution).sum();
//! assert!((sum - best.score).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Design
//!
//! - **Spans are ranked, not files.** Windows of twenty lines locate the answer, declarations present it. On 48
//!   questions, answers of 2,000 tokens show .51 of the needed lines instead of .26.
//! - **Signals are fused by a weighted sum of their scores.** Rank fusion discards the margin of the first over the
//!   others; it is an [option](Fusion).
//! - **Scores explain themselves.** They are sums of contributions, also after reranking.
//! - **Tests, examples and vendored code are lowered by a factor**, unless the question asks for them.
//! - **Weak answers are marked, not hidden.** A share of the question that matches separates questions about the
//!   project from others; an empty answer would be wrong once in a hundred.
//! - **A custom signal brings its own weight** ([`Signal::weight`]), so that a misspelled name in a configuration is an
//!   error.
//!
//! # Cargo features
//!
//! - `conformance`: the module `conformance`, with checks for tests of a [`Signal`]. Off by default.

mod anchor;
mod callers;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod error;
mod gate;
mod hit;
mod kind;
mod location;
mod lookup;
mod options;
mod own_name;
mod pattern;
mod prior;
mod query;
mod rank;
mod relevant;
mod rerank;
mod select;
mod signal;
mod sought;
mod spans;
mod suggest;
mod thesaurus;
mod translation;
mod verbatim;
mod vocabulary;
mod words_back;

pub use anchor::{AnchorOptions, anchor};
pub use error::RetrievalError;
pub use gate::Gate;
pub use hit::{Hit, RankSource};
pub use kind::QuestionKind;
pub use lookup::{
    chunk_at_line, declaration_at_line, find_file, find_in_modules, find_symbols, spelled_otherwise,
};
pub use options::{Fusion, RankOptions, Spans, Weights};
pub use prior::{
    Priors, Standing, is_own_path, is_product, is_test, is_test_file, only_declares, standing,
    standing_of_file,
};
pub use query::{Filters, Query, QueryMode};
pub use rank::{rank, rank_with};
pub use relevant::{Relevant, relevant};
pub use rerank::{RerankOptions, rerank};
pub use select::{Selected, Selection, select};
pub use signal::{
    FieldWeight, GraphSignal, LexicalSignal, LocationSignal, MeaningSignal, PathSignal, SemanticSignal,
    Signal, SignalContext, SignalId, SignalScores, SymbolSignal, WindowSignal,
};
pub use sought::{SoughtOccurrence, SoughtWord, SoughtWords};
pub use suggest::suggest;
pub use verbatim::{Pasted, PastedLine};
pub use vocabulary::{NamesAt, Vocabulary, vocabulary};
pub use words_back::WordsBack;

#[doc(no_inline)]
pub use sscg_core::DetailLevel;
