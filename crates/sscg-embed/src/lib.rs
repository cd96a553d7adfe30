//! Embedding and reranking models.
//!
//! - [`TermTable`]: the built-in model, one vector for each term of code, compiled into the crate.
//! - [`Embedder`]: what embeds texts; [`Reranker`]: what orders candidates anew.
//! - [`HttpEmbedder`], [`HttpReranker`]: providers over HTTP, with the feature `http`.
//! - [`Matrix`]: vectors in eight bits a number, and exact search among them.
//!
//! *Invariant:* the first answer needs no network; a provider is asked only where the configuration names it.

mod embedder;
mod error;
#[cfg(feature = "http")]
mod http;
mod matrix;
mod reranker;
mod term_table;

pub use embedder::{Batch, Embedder, Estimate, Input};
pub use error::EmbedError;
#[cfg(feature = "http")]
pub use http::{
    EmbeddingApi, HttpEmbedder, HttpEmbedderOptions, HttpOptions, HttpReranker, HttpRerankerOptions,
    RerankApi,
};
pub use matrix::{Matrix, Query, normalize};
pub use reranker::Reranker;
pub use term_table::{Row, TermTable};
