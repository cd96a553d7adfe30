//! Providers reached over HTTP.

mod batches;
mod embedder;
mod key;
mod reranker;
mod retry;
mod transport;

use std::time::Duration;

use derive_setters::Setters;

pub use embedder::{EmbeddingApi, HttpEmbedder, HttpEmbedderOptions};
pub use reranker::{HttpReranker, HttpRerankerOptions, RerankApi};

/// Request settings of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct HttpOptions {
    /// Timeout of one attempt, from name resolution to the last byte of the response (default 1 minute).
    pub timeout: Duration,
    /// Maximum number of retries after a transient failure: 408, 429, 5xx, timeout, lost connection (default 5).
    pub retries: u32,
    /// Wait before the first retry, unless the provider requests another one (default 0.5 s). Doubled with each retry,
    /// and shortened at random by up to half, so that clients rejected together do not return together.
    pub backoff: Duration,
    /// Maximum wait (default 1 minute). A provider that requests a longer one counts as unavailable.
    pub max_wait: Duration,
    /// Maximum number of concurrent requests (default 4, at least 1).
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
    /// Returns settings for interactive queries: a timeout of 10 seconds and one quick retry.
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
