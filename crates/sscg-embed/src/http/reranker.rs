//! Reranking by a provider.

use std::ops::ControlFlow;

use derive_setters::Setters;
use serde::{Deserialize, Serialize};

use super::HttpOptions;
use super::batches::{self, Limits};
use super::transport::Transport;
use crate::{EmbedError, Reranker};

/// Provider of relevance scores: Voyage, Cohere and compatible servers, or TEI.
///
/// ```no_run
/// use sscg_embed::{HttpReranker, HttpRerankerOptions, Reranker};
///
/// let reranker = HttpReranker::new(HttpRerankerOptions::tei("http://localhost:8080"))?;
/// let scores = reranker.rerank("where are files opened?", &["fn open(path: &Path)", "fn close(self)"])?;
/// assert!(scores[0] > scores[1]);
/// # Ok::<(), sscg_embed::EmbedError>(())
/// ```
#[derive(Debug)]
pub struct HttpReranker {
    options: HttpRerankerOptions,
    transport: Transport,
    id: String,
}

/// Provider, model and request settings.
#[derive(Clone, Debug, PartialEq, Eq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct HttpRerankerOptions {
    /// API of the provider.
    pub api: RerankApi,
    /// URL that `/rerank` is appended to.
    #[setters(into)]
    pub base_url: String,
    /// Name of the model at the provider; TEI serves one model and ignores the name.
    #[setters(into)]
    pub model: String,
    /// Environment variable that holds the API key; if unset, no key is sent.
    #[setters(into)]
    pub key_variable: Option<String>,
    /// Maximum number of tokens of a query, at an estimated three bytes per token; longer queries are truncated.
    pub max_query_tokens: usize,
    /// Maximum number of tokens of a document; longer documents are truncated.
    pub max_document_tokens: usize,
    /// Maximum number of documents per request.
    pub batch_documents: usize,
    /// Timeouts, retries and concurrency (default [`HttpOptions::interactive`]).
    pub http: HttpOptions,
}

/// API of a reranking provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RerankApi {
    /// API of Voyage.
    Voyage,
    /// API of Cohere, version 2, which vLLM, Jina and others support, too.
    Cohere,
    /// API of Hugging Face's Text Embeddings Inference.
    Tei,
}

/// Maximum number of tokens per request, counting the query once per document: half of Voyage's limit.
const BATCH_TOKENS: usize = 300_000;

impl HttpRerankerOptions {
    /// Returns options for Voyage's `rerank-2.5`, with the key in `VOYAGE_API_KEY`.
    pub fn voyage() -> Self {
        HttpRerankerOptions {
            key_variable: Some("VOYAGE_API_KEY".to_owned()),
            ..Self::new(RerankApi::Voyage, "https://api.voyageai.com/v1", "rerank-2.5", 1000)
        }
    }

    /// Returns options for Cohere's `rerank-v3.5`, with the key in `COHERE_API_KEY`.
    pub fn cohere() -> Self {
        HttpRerankerOptions {
            key_variable: Some("COHERE_API_KEY".to_owned()),
            ..Self::cohere_compatible("https://api.cohere.com/v2", "rerank-v3.5")
        }
    }

    /// Returns options for a Cohere-compatible server, without a key.
    pub fn cohere_compatible(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self::new(RerankApi::Cohere, base_url, model, 1000)
    }

    /// Returns options for a server of Text Embeddings Inference, without a key, and with as many documents per request
    /// as it accepts by default.
    pub fn tei(base_url: impl Into<String>) -> Self {
        Self::new(RerankApi::Tei, base_url, "", 32)
    }

    fn new(
        api: RerankApi,
        base_url: impl Into<String>,
        model: impl Into<String>,
        batch_documents: usize,
    ) -> Self {
        HttpRerankerOptions {
            api,
            base_url: base_url.into(),
            model: model.into(),
            key_variable: None,
            max_query_tokens: 1000,
            max_document_tokens: 4000,
            batch_documents,
            http: HttpOptions::interactive(),
        }
    }
}

impl HttpReranker {
    /// Creates a reranker. Sends nothing.
    ///
    /// # Errors
    /// [`EmbedError::MissingKey`] and [`EmbedError::Setting`] for invalid options.
    pub fn new(options: HttpRerankerOptions) -> Result<Self, EmbedError> {
        if options.batch_documents == 0 {
            return Err(EmbedError::Setting { setting: "batch_documents", message: "it is 0".to_owned() });
        }
        let key = options.key_variable.as_deref();
        let transport = Transport::new(&options.base_url, "/rerank", key, &options.http)?;
        let url = options.base_url.trim().trim_end_matches('/');
        let server = url.split_once("://").map_or(url, |(_, server)| server);
        let id = [server, &options.model].join("/").trim_end_matches('/').to_owned();
        Ok(HttpReranker { options, transport, id })
    }

    fn request(&self, query: &str, documents: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let answer: Answer = self.transport.post(&Request::new(&self.options, query, documents))?;
        let results = answer.into_results();
        let model = || self.id.clone();
        if results.len() != documents.len() {
            return Err(EmbedError::Count {
                model: model(),
                expected: documents.len(),
                found: results.len(),
            });
        }
        let mut scores = vec![None; documents.len()];
        for Relevance { index, score } in results {
            if !score.is_finite() {
                return Err(EmbedError::NotFinite { model: model() });
            }
            if let Some(slot) = scores.get_mut(index) {
                *slot = Some(score);
            }
        }
        let scores: Option<Vec<f32>> = scores.into_iter().collect();
        scores.ok_or_else(|| self.transport.answer("its indices are not those of the documents".to_owned()))
    }
}

impl Reranker for HttpReranker {
    fn model_id(&self) -> &str {
        &self.id
    }

    /// Scores documents independently of each other, so that they may be sent in several requests. For a blank query,
    /// all scores are 0.
    fn rerank(&self, query: &str, documents: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let query = batches::cut(query.trim(), self.options.max_query_tokens);
        let mut scores = vec![0.0; documents.len()];
        if query.is_empty() {
            return Ok(scores);
        }
        let documents: Vec<&str> = documents
            .iter()
            .map(|document| batches::cut(document, self.options.max_document_tokens))
            // Providers reject an empty document.
            .map(|document| if document.is_empty() { " " } else { document })
            .collect();
        let tokens = documents.iter().map(|document| batches::tokens(document) + batches::tokens(query));
        let limits = Limits { texts: self.options.batch_documents, tokens: BATCH_TOKENS };
        batches::run(
            &batches::plan(tokens, limits),
            self.transport.concurrency(),
            |batch| self.request(query, &documents[batch]),
            |batch, found| {
                scores[batch].copy_from_slice(&found);
                ControlFlow::Continue(())
            },
        )?;
        Ok(scores)
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Request<'r> {
    Voyage { model: &'r str, query: &'r str, documents: &'r [&'r str], truncation: bool },
    Cohere { model: &'r str, query: &'r str, documents: &'r [&'r str] },
    Tei { query: &'r str, texts: &'r [&'r str], truncate: bool },
}

impl<'r> Request<'r> {
    fn new(options: &'r HttpRerankerOptions, query: &'r str, documents: &'r [&'r str]) -> Self {
        let model = &options.model;
        match options.api {
            RerankApi::Voyage => Request::Voyage { model, query, documents, truncation: true },
            RerankApi::Cohere => Request::Cohere { model, query, documents },
            RerankApi::Tei => Request::Tei { query, texts: documents, truncate: true },
        }
    }
}

/// Response of each API, in the order of [`RerankApi`].
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Voyage { data: Vec<Relevance> },
    Cohere { results: Vec<Relevance> },
    Tei(Vec<Relevance>),
}

impl Answer {
    fn into_results(self) -> Vec<Relevance> {
        match self {
            Answer::Voyage { data: results } | Answer::Cohere { results } | Answer::Tei(results) => results,
        }
    }
}

#[derive(Deserialize)]
struct Relevance {
    index: usize,
    #[serde(alias = "relevance_score")]
    score: f32,
}
