//! Embedding and reranking models, and vector search.
//!
//! - [`TermTable`] is the built-in model: one vector per term of code, compiled into the crate.
//! - [`Embedder`] is the interface of models that embed texts: [`Model2Vec`] for static models on disk (feature
//!   `model2vec`), [`HttpEmbedder`] for providers (feature `http`).
//! - [`Reranker`] is the interface of models that reorder candidates: [`HttpReranker`].
//! - [`Matrix`] stores vectors with eight bits per component and searches them exactly. [`Sketches`], with one bit per
//!   component, preselect candidates among very many rows.
//!
//! ```
//! use sscg_embed::{Matrix, Query, TermTable};
//!
//! let table = TermTable::built_in();
//! let embed = |terms: &[&str]| {
//!     let mut vector = vec![0.0; table.dimension()];
//!     for row in terms.iter().filter_map(|term| table.row(term)) {
//!         table.add(row, 1.0, &mut vector);
//!     }
//!     vector
//! };
//! let mut chunks = Matrix::new(table.dimension());
//! chunks.push(&embed(&["open", "file"]));
//! chunks.push(&embed(&["parser", "token"]));
//! let cosines = chunks.cosines(&Query::new(&embed(&["file"])));
//! assert!(cosines[0] > cosines[1]);
//! ```
//!
//! A provider embeds many texts per call, and hands over each finished batch:
//!
//! ```no_run
//! # #[cfg(feature = "http")]
//! # fn run(texts: &[&str]) -> Result<(), sscg_embed::EmbedError> {
//! use std::ops::ControlFlow;
//!
//! use sscg_embed::{Embedder, HttpEmbedder, HttpEmbedderOptions, Input};
//!
//! let embedder = HttpEmbedder::new(HttpEmbedderOptions::voyage())?;
//! if embedder.estimate(texts).dollars.is_some_and(|dollars| dollars > 1.0) {
//!     return Ok(()); // Ask first.
//! }
//! embedder.embed_batches(texts, Input::Document, &mut |batch| {
//!     for (text, vector) in batch.texts.zip(batch.vectors) {
//!         // Keep it under the model's name and a hash of the text.
//!     }
//!     ControlFlow::Continue(())
//! })?;
//! # Ok(())
//! # }
//! ```
//!
//! *Invariant:* nothing here uses the network except [`HttpEmbedder`] and [`HttpReranker`]; no error and no `Debug`
//! output contains an API key.

#![cfg_attr(not(all(feature = "http", feature = "model2vec")), allow(rustdoc::broken_intra_doc_links))]

mod embedder;
mod error;
#[cfg(feature = "http")]
mod http;
mod matrix;
#[cfg(feature = "model2vec")]
mod model2vec;
mod neighbors;
mod reranker;
mod sketch;
mod term_table;

pub use embedder::{Batch, Embedder, Estimate, Input};
pub use error::EmbedError;
#[cfg(feature = "http")]
pub use http::{
    EmbeddingApi, HttpEmbedder, HttpEmbedderOptions, HttpOptions, HttpReranker, HttpRerankerOptions,
    RerankApi,
};
pub use matrix::{Matrix, Query, normalize};
#[cfg(feature = "model2vec")]
pub use model2vec::Model2Vec;
pub use neighbors::Neighbors;
pub use reranker::Reranker;
pub use sketch::Sketches;
pub use term_table::{Row, TermTable};
