//! Embedding and reranking models, and vector search.
//!
//! Use it to embed code and questions without a download, or to call a provider's models with batching and retries.
//!
//! *Invariant:* nothing here uses the network except [`HttpEmbedder`] and [`HttpReranker`]; no error and no `Debug`
//! output contains an API key.
//!
//! # Overview
//!
//! - [`TermTable`] is the built-in model: one vector per term of code, compiled into the crate. [`TermNeighbors`] has the
//!   nearest terms of each term.
//! - [`Embedder`] is the interface of models that embed texts: [`Model2Vec`] for static models on disk (feature
//!   `model2vec`), [`HttpEmbedder`] for providers (feature `http`).
//! - [`Reranker`] is the interface of models that reorder candidates: [`HttpReranker`] (feature `http`).
//! - [`Matrix`] stores vectors with eight bits per component and searches them exactly. [`Sketches`], with one bit per
//!   component, preselect candidates among very many rows.
//!
//! # Example
//!
//! ```
//! use sscg_embed::{Matrix, QueryVector, Row, TermTable};
//!
//! let table = TermTable::built_in();
//! let embed = |rows: &[Option<Row>]| {
//!     let mut vector = vec![0.0; table.dimension()];
//!     rows.iter().flatten().for_each(|row| table.add(*row, 1.0, &mut vector));
//!     vector
//! };
//! let code = |terms: [&str; 2]| embed(&terms.map(|term| table.row(term)));
//! let mut chunks = Matrix::new(table.dimension());
//! chunks.push(&code(["open", "file"]));
//! chunks.push(&code(["parser", "token"]));
//! let cosines = chunks.cosines(&QueryVector::new(&embed(&[table.question_row("file")])));
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
//! # Design
//!
//! - **Terms, not texts, for the built-in model.** A chunk's vector is a sum over terms that an index counts anyway, so
//!   no text is read or tokenized twice.
//! - **Vectors in eight bits, queries in sixteen.** Cosines of 256 components stay within .005, and a search is about
//!   as fast as reading the memory.
//! - **Signs preselect rows.** [`Sketches`] need no training and are a function of the rows, so nothing is stored or
//!   updated.
//! - **Finished work is kept.** An [`Embedder`] hands over each batch before the next failure, because it may have been
//!   paid for.
//! - **ureq and rustls instead of an asynchronous client.** The libraries are synchronous; certificates of the
//!   operating system are trusted, so those of a company work.
//! - **Tokens of providers are estimated**, at three bytes per token. A request that is rejected as too large is halved
//!   until it fits: a wrong estimate costs a request, never a text.
//!
//! # Cargo features
//!
//! - `http` (default): providers over HTTP. For vectors, Voyage and servers with OpenAI's API (Ollama, vLLM, TEI, LM
//!   Studio); for reranking, Voyage, Cohere and compatible servers, and TEI.
//! - `model2vec` (default): static models in directories of the Model2Vec format.
//! - `conformance`: the module `conformance`, with checks for tests of an [`Embedder`] or [`Reranker`].
//!
//! Without the first two, the built-in table and vector search remain.

#![cfg_attr(not(all(feature = "http", feature = "model2vec")), allow(rustdoc::broken_intra_doc_links))]

#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
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
pub use matrix::{Matrix, QueryVector, normalize};
#[cfg(feature = "model2vec")]
pub use model2vec::Model2Vec;
pub use neighbors::TermNeighbors;
pub use reranker::Reranker;
pub use sketch::Sketches;
pub use term_table::{Row, TermTable};
