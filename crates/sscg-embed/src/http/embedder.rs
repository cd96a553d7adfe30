//! Embedding by a provider.

use std::borrow::Cow;
use std::ops::ControlFlow;

use derive_setters::Setters;
use serde::{Deserialize, Serialize};

use super::HttpOptions;
use super::batches::{self, Limits};
use super::transport::Transport;
use crate::{Batch, EmbedError, Embedder, Estimate, Input};

/// Provider of embeddings: Voyage, or any server with an OpenAI-compatible API.
///
/// ```no_run
/// use sscg_embed::{Embedder, HttpEmbedder, HttpEmbedderOptions, Input};
///
/// let options = HttpEmbedderOptions::openai_compatible("http://localhost:11434/v1", "nomic-embed-text");
/// let embedder = HttpEmbedder::new(options)?;
/// let vectors = embedder.embed(&["fn open(path: &Path) -> File"], Input::Document)?;
/// assert_eq!(vectors[0].len(), embedder.dimension());
/// # Ok::<(), sscg_embed::EmbedError>(())
/// ```
#[derive(Debug)]
pub struct HttpEmbedder {
    options: HttpEmbedderOptions,
    transport: Transport,
    dimension: usize,
    id: String,
}

/// Provider, model and request settings.
#[derive(Clone, Debug, PartialEq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct HttpEmbedderOptions {
    /// API of the provider.
    pub api: EmbeddingApi,
    /// URL that `/embeddings` is appended to.
    #[setters(into)]
    pub base_url: String,
    /// Name of the model at the provider.
    #[setters(into)]
    pub model: String,
    /// Dimension to request from the provider, and to require of its vectors. If unset, no dimension is requested, and
    /// [`HttpEmbedder::new`] determines it by embedding one word.
    pub dimension: Option<usize>,
    /// Environment variable that holds the API key; if unset, no key is sent.
    #[setters(into)]
    pub key_variable: Option<String>,
    /// Maximum number of tokens of a text; longer texts are truncated, at an estimated three bytes per token.
    pub max_tokens: usize,
    /// Maximum number of texts per request.
    pub batch_texts: usize,
    /// Maximum number of tokens per request, by the same estimate.
    pub batch_tokens: usize,
    /// Prefix of queries, for models that were trained with one (`search_query: `).
    #[setters(into)]
    pub query_prefix: String,
    /// Prefix of documents, for models that were trained with one.
    #[setters(into)]
    pub document_prefix: String,
    /// Price in US dollars per million tokens; if unset, the known price of the model, if any.
    pub price: Option<f64>,
    /// Timeouts, retries and concurrency.
    pub http: HttpOptions,
}

/// API of an embedding provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmbeddingApi {
    /// API of Voyage.
    Voyage,
    /// API of OpenAI, which Ollama, vLLM, TEI, LM Studio and others support, too.
    OpenAi,
}

/// Known prices in US dollars per million tokens, as of 2026.
const PRICES: &[(&str, f64)] = &[
    ("text-embedding-3-large", 0.13),
    ("text-embedding-3-small", 0.02),
    ("voyage-3-large", 0.18),
    ("voyage-3.5", 0.06),
    ("voyage-3.5-lite", 0.02),
    ("voyage-4", 0.06),
    ("voyage-4-large", 0.12),
    ("voyage-4-lite", 0.02),
    ("voyage-code-3", 0.18),
];

/// Length in bytes up to which a text is not halved again after the server rejected it as too large.
const SHORTEST_CUT: usize = 128;

impl HttpEmbedderOptions {
    /// Returns options for `voyage-code-3` with 1,024 dimensions, and the key in `VOYAGE_API_KEY`.
    pub fn voyage() -> Self {
        HttpEmbedderOptions {
            api: EmbeddingApi::Voyage,
            dimension: Some(1024),
            key_variable: Some("VOYAGE_API_KEY".to_owned()),
            max_tokens: 32_000,
            // The provider accepts 1,000 texts of 120,000 tokens; the margin allows for an estimate that is too low.
            batch_texts: 128,
            batch_tokens: 80_000,
            ..Self::openai_compatible("https://api.voyageai.com/v1", "voyage-code-3")
        }
    }

    /// Returns options for `text-embedding-3-small` with 1,536 dimensions, and the key in `OPENAI_API_KEY`.
    pub fn openai() -> Self {
        HttpEmbedderOptions {
            dimension: Some(1536),
            key_variable: Some("OPENAI_API_KEY".to_owned()),
            batch_texts: 128,
            batch_tokens: 80_000,
            ..Self::openai_compatible("https://api.openai.com/v1", "text-embedding-3-small")
        }
    }

    /// Returns options for an OpenAI-compatible server, without a key, with the model's own dimension. Limits are 8,192
    /// tokens per text, and 32 texts and 32,768 tokens per request, which common servers accept by default.
    pub fn openai_compatible(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        HttpEmbedderOptions {
            api: EmbeddingApi::OpenAi,
            base_url: base_url.into(),
            model: model.into(),
            dimension: None,
            key_variable: None,
            max_tokens: 8192,
            batch_texts: 32,
            batch_tokens: 32_768,
            query_prefix: String::new(),
            document_prefix: String::new(),
            price: None,
            http: HttpOptions::default(),
        }
    }
}

impl HttpEmbedder {
    /// Creates an embedder. Sends nothing, except one word if the dimension is unset.
    ///
    /// # Errors
    /// [`EmbedError::MissingKey`] and [`EmbedError::Setting`] for invalid options, and all errors of a request if one
    /// is sent.
    pub fn new(options: HttpEmbedderOptions) -> Result<Self, EmbedError> {
        for (setting, value) in [
            ("dimension", options.dimension),
            ("max_tokens", Some(options.max_tokens)),
            ("batch_texts", Some(options.batch_texts)),
            ("batch_tokens", Some(options.batch_tokens)),
        ] {
            if value == Some(0) {
                return Err(EmbedError::Setting { setting, message: "it is 0".to_owned() });
            }
        }
        let key = options.key_variable.as_deref();
        let transport = Transport::new(&options.base_url, "/embeddings", key, &options.http)?;
        let mut embedder = HttpEmbedder { options, transport, dimension: 0, id: String::new() };
        embedder.dimension = match embedder.options.dimension {
            Some(dimension) => dimension,
            None => embedder.request(&["dimension"], Input::Document)?[0].len(),
        };
        embedder.id = embedder.options.model_id(embedder.dimension);
        Ok(embedder)
    }

    /// Returns the vectors of one batch. Blank texts are not sent, since providers reject them.
    fn embed_batch(&self, texts: &[&str], input: Input) -> Result<Vec<Vec<f32>>, EmbedError> {
        let sent: Vec<&str> = texts.iter().copied().filter(|text| !is_blank(text)).collect();
        let mut vectors =
            if sent.is_empty() { Vec::new() } else { self.embed_some(&sent, input)? }.into_iter();
        let vector = |text: &&str| {
            if is_blank(text) {
                vec![0.0; self.dimension]
            } else {
                vectors.next().expect("a request gives a vector for each text")
            }
        };
        Ok(texts.iter().map(vector).collect())
    }

    /// Requests vectors, and splits or halves the input where the server rejects it as too large: limits differ between
    /// servers, and lengths are estimates.
    fn embed_some(&self, texts: &[&str], input: Input) -> Result<Vec<Vec<f32>>, EmbedError> {
        let error = match self.request(texts, input) {
            Err(error) if is_too_large(&error) => error,
            other => return other,
        };
        match texts {
            [text] if text.len() > SHORTEST_CUT => {
                self.embed_some(&[&text[..text.floor_char_boundary(text.len() / 2)]], input)
            }
            [_] => Err(error),
            _ => {
                let (first, second) = texts.split_at(texts.len() / 2);
                let mut vectors = self.embed_some(first, input)?;
                vectors.extend(self.embed_some(second, input)?);
                Ok(vectors)
            }
        }
    }

    fn request(&self, texts: &[&str], input: Input) -> Result<Vec<Vec<f32>>, EmbedError> {
        let answer: Answer = self.transport.post(&Request::new(&self.options, texts, input))?;
        let model = || self.options.model.clone();
        if answer.data.len() != texts.len() {
            return Err(EmbedError::Count {
                model: model(),
                expected: texts.len(),
                found: answer.data.len(),
            });
        }
        let expected = if self.dimension > 0 { Some(self.dimension) } else { self.options.dimension };
        let mut vectors = vec![Vec::new(); texts.len()];
        for (place, Embedding { index, embedding }) in answer.data.into_iter().enumerate() {
            if let Some(expected) = expected.filter(|expected| *expected != embedding.len()) {
                return Err(EmbedError::Dimension { model: model(), expected, found: embedding.len() });
            }
            if !embedding.iter().all(|number| number.is_finite()) {
                return Err(EmbedError::NotFinite { model: model() });
            }
            match vectors.get_mut(index.unwrap_or(place)) {
                Some(vector) if vector.is_empty() => *vector = embedding,
                _ => return Err(self.transport.answer("its indices are not those of the texts".to_owned())),
            }
        }
        match vectors.iter().any(Vec::is_empty) {
            true => Err(self.transport.answer("a vector is empty".to_owned())),
            false => Ok(vectors),
        }
    }

    /// Truncates the texts and splits them into requests.
    fn prepare<'t>(&self, texts: &[&'t str]) -> (Vec<&'t str>, Vec<std::ops::Range<usize>>) {
        let texts: Vec<&str> = texts.iter().map(|text| batches::cut(text, self.options.max_tokens)).collect();
        let limits = Limits { texts: self.options.batch_texts, tokens: self.options.batch_tokens };
        let batches = batches::plan(texts.iter().map(|text| batches::tokens(text)), limits);
        (texts, batches)
    }
}

impl Embedder for HttpEmbedder {
    fn model_id(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn max_tokens(&self) -> usize {
        self.options.max_tokens
    }

    fn embed_batches(
        &self,
        texts: &[&str],
        input: Input,
        done: &mut dyn FnMut(Batch) -> ControlFlow<()>,
    ) -> Result<(), EmbedError> {
        let (texts, batches) = self.prepare(texts);
        batches::run(
            &batches,
            self.transport.concurrency(),
            |batch| self.embed_batch(&texts[batch], input),
            |texts, vectors| done(Batch { texts, vectors }),
        )
    }

    fn estimate(&self, texts: &[&str]) -> Estimate {
        let (texts, batches) = self.prepare(texts);
        let tokens: usize =
            texts.iter().filter(|text| !is_blank(text)).map(|text| batches::tokens(text)).sum();
        let known = PRICES.iter().find(|(model, _)| *model == self.options.model).map(|(_, price)| *price);
        Estimate {
            texts: texts.len(),
            tokens: tokens as u64,
            requests: batches.iter().filter(|batch| !texts[(*batch).clone()].iter().all(is_blank)).count(),
            dollars: self.options.price.or(known).map(|price| tokens as f64 * price / 1e6),
        }
    }
}

impl HttpEmbedderOptions {
    /// Returns the model ID. It includes the server, since two servers may use one name for different weights.
    fn model_id(&self, dimension: usize) -> String {
        let url = self.base_url.trim().trim_end_matches('/');
        let server = url.split_once("://").map_or(url, |(_, server)| server);
        let mut id = format!("{server}/{}/{dimension}", self.model);
        if !self.document_prefix.is_empty() {
            id.push('/');
            id.push_str(&self.document_prefix);
        }
        id
    }
}

fn is_blank(text: impl AsRef<str>) -> bool {
    text.as_ref().trim().is_empty()
}

/// True if a request was rejected for its size. Servers agree on neither status nor wording.
fn is_too_large(error: &EmbedError) -> bool {
    match error {
        EmbedError::Refused { status: 413, .. } => true,
        EmbedError::Refused { status: 400 | 422, message, .. } => {
            let message = message.to_lowercase();
            ["token", "length", "too long", "too large"].iter().any(|word| message.contains(word))
        }
        _ => false,
    }
}

#[derive(Serialize)]
struct Request<'r> {
    model: &'r str,
    input: Vec<Cow<'r, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_dimension: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding_format: Option<&'static str>,
}

impl<'r> Request<'r> {
    fn new(options: &'r HttpEmbedderOptions, texts: &[&'r str], input: Input) -> Self {
        let (prefix, input_type) = match input {
            Input::Query => (&options.query_prefix, "query"),
            Input::Document => (&options.document_prefix, "document"),
        };
        let prefixed = |text: &&'r str| match prefix.as_str() {
            "" => Cow::Borrowed(*text),
            prefix => Cow::Owned(format!("{prefix}{text}")),
        };
        let plain = Request {
            model: &options.model,
            input: texts.iter().map(prefixed).collect(),
            input_type: None,
            truncation: None,
            output_dimension: None,
            dimensions: None,
            encoding_format: None,
        };
        match options.api {
            EmbeddingApi::Voyage => Request {
                input_type: Some(input_type),
                truncation: Some(true),
                output_dimension: options.dimension,
                ..plain
            },
            EmbeddingApi::OpenAi => {
                Request { dimensions: options.dimension, encoding_format: Some("float"), ..plain }
            }
        }
    }
}

/// Response of both APIs.
#[derive(Deserialize)]
struct Answer {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: Option<usize>,
    embedding: Vec<f32>,
}
