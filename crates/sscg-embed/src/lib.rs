//! Embedding and reranking models.
//!
//! This room is still empty. What will live here are the traits `Embedder` and `Reranker`, with plain Rust types in
//! their signatures, and what implements them: a static code model compiled into the crate, model directories in
//! the Model2Vec format, and providers reached over HTTP.
//!
//! *Invariant:* the first answer needs no network; a provider is asked only where the configuration names it.
