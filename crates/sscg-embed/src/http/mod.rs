//! Providers reached over HTTP.

mod batches;
mod embedder;
mod key;
mod reranker;
mod retry;
mod transport;

use std::time::Duration;

pub use embedder::{EmbeddingApi, HttpEmbedder, HttpEmbedderOptions};
pub use reranker::{HttpReranker, HttpRerankerOptions, RerankApi};

/// How a provider is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpOptions {
    /// How long one attempt may take, from looking up the address to the last byte of the answer. One minute by default.
    pub timeout: Duration,
    /// How often a request is repeated that met no provider (429, 5xx, connection lost). 5 by default.
    pub retries: u32,
    /// How long to wait before the first repetition, unless the provider says; doubled each time, and shortened at
    /// random by up to a half, so that those who were turned away together do not come back together. Half a second
    /// by default.
    pub backoff: Duration,
    /// The longest wait. Whoever asks for a longer one counts as unavailable. One minute by default.
    pub max_wait: Duration,
    /// How many requests are under way at once. 4 by default, and at least 1.
    pub concurrency: usize,
}

impl Default for HttpOptions {
    fn default() -> Self {
        HttpOptions {
            timeout: Duration::from_secs(60),
            retries: 5,
            backoff: Duration::from_millis(500),
            max_wait: Duration::from_secs(60),
            concurrency: 4,
        }
    }
}

impl HttpOptions {
    /// For questions, where somebody waits for the answer: 10 seconds, one repetition, soon.
    pub fn interactive() -> Self {
        HttpOptions {
            timeout: Duration::from_secs(10),
            retries: 1,
            backoff: Duration::from_millis(200),
            max_wait: Duration::from_secs(2),
            ..HttpOptions::default()
        }
    }
}
