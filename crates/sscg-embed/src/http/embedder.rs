//! Embedding by a provider.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::HttpOptions;
use super::batches::{self, Limits};
use super::transport::Transport;
use crate::{Batch, EmbedError, Embedder, Estimate, Input};

/// A provider of embeddings: Voyage, or any server that speaks the language of OpenAI's.
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

/// A provider, its model, and how it is asked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HttpEmbedderOptions {
    /// The language of requests.
    pub api: EmbeddingApi,
    /// The address that `/embeddings` is appended to.
    pub base_url: String,
    /// The model's name at the provider.
    pub model: String,
    /// The dimension to ask the provider for, and to insist on. If it is left out, the provider is not asked for any,
    /// and [`HttpEmbedder::new`] learns it by embedding a word.
    pub dimension: Option<usize>,
    /// The environment variable that holds the API key; none is sent if this is left out.
    pub key_variable: Option<String>,
    /// How many tokens of a text the model reads; longer texts are cut, by an estimate of three bytes a token.
    pub max_tokens: usize,
    /// How many texts a request holds at most.
    pub batch_texts: usize,
    /// How many tokens a request holds at most, by the same estimate.
    pub batch_tokens: usize,
    /// What the model wants before a question, for those of OpenAI's language that were trained so (`search_query: `).
    pub query_prefix: String,
    /// What the model wants before a document.
    pub document_prefix: String,
    /// The price in US dollars of a million tokens; if it is left out, that of a model whose price is known.
    pub price: Option<f64>,
    /// Timeouts, repetitions, concurrency.
    pub http: HttpOptions,
}

/// The language of a provider's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmbeddingApi {
    /// Voyage's.
    Voyage,
    /// OpenAI's, which Ollama, vLLM, TEI, LM Studio and others understand.
    OpenAi,
}

/// US dollars for a million tokens, in 2026.
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

/// A text is not cut to less in search of what a server takes.
const SHORTEST_CUT: usize = 128;

impl HttpEmbedderOptions {
    /// `voyage-code-3` in 1,024 dimensions, with the key in `VOYAGE_API_KEY`.
    pub fn voyage() -> Self {
        HttpEmbedderOptions {
            api: EmbeddingApi::Voyage,
            dimension: Some(1024),
            key_variable: Some("VOYAGE_API_KEY".to_owned()),
            max_tokens: 32_000,
            // The provider takes 1,000 texts of 120,000 tokens; this leaves room for an estimate that is too low.
            batch_texts: 128,
            batch_tokens: 80_000,
            ..Self::openai_compatible("https://api.voyageai.com/v1", "voyage-code-3")
        }
    }

    /// `text-embedding-3-small` in 1,536 dimensions, with the key in `OPENAI_API_KEY`.
    pub fn openai() -> Self {
        HttpEmbedderOptions {
            dimension: Some(1536),
            key_variable: Some("OPENAI_API_KEY".to_owned()),
            batch_texts: 128,
            batch_tokens: 80_000,
            ..Self::openai_compatible("https://api.openai.com/v1", "text-embedding-3-small")
        }
    }

    /// A server that speaks OpenAI's language, without a key, in the model's own dimension: at most 8,192 tokens of
    /// a text, at most 32 texts and 32,768 tokens a request, which the common servers take as they come.
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
    /// Prepares to ask a provider. Sends nothing, except one word if the dimension is left out.
    ///
    /// # Errors
    /// [`EmbedError::MissingKey`] and [`EmbedError::Setting`] for options that cannot work, and all errors of a
    /// request if there is one.
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

    /// The vectors of one batch. Texts that have nothing in them are not sent; providers refuse them.
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

    /// Asks for vectors, and in smaller pieces where the server finds a request or a text too large: limits differ
    /// from server to server, and lengths are estimates.
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

    /// The texts as the model reads them, and what goes into one request.
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
    /// The server is part of the name: two may mean different weights by one name of a model.
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

/// Whether a request was refused for its size. Servers agree on no status and no wording.
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

/// What both languages answer.
#[derive(Deserialize)]
struct Answer {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: Option<usize>,
    embedding: Vec<f32>,
}
