//! Tests of the public API of the crate.

#[cfg(feature = "http")]
mod http_embedder;
#[cfg(feature = "http")]
mod http_failures;
#[cfg(feature = "http")]
mod http_reranker;
mod matrix;
#[cfg(feature = "model2vec")]
mod model2vec;
#[cfg(feature = "http")]
mod server;
mod sketch;
mod term_table;
