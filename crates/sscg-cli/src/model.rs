//! Embedding model of the user, if any.

use std::ops::ControlFlow;
use std::sync::Arc;

use clap::Args;
use sscg::config::ModelConfig;
use sscg::embed::{Batch, EmbedError, Embedder, Estimate, Input};
use sscg::{ErrorKind, open_model};

use crate::configuration::Flag;
use crate::failure::{Failure, hint};
use crate::note;
use crate::text::count;

/// Environment variable with the key of a server that is named by its address.
const KEY_VARIABLE: &str = "SSCG_MODEL_KEY";

/// Number of tokens above which a request to a provider is announced.
const MANY_TOKENS: u64 = 1_000_000;

/// Model that makes vectors.
#[derive(Debug, Args)]
pub(crate) struct Model {
    /// Make vectors with this model instead of the built-in one [env: SSCG_MODEL]
    ///
    /// A directory in the Model2Vec format, `voyage`, `voyage:MODEL`, `openai:MODEL`, or a server and its model:
    /// `http://localhost:11434/v1#MODEL`. Keys are taken from `VOYAGE_API_KEY`, `OPENAI_API_KEY`, and for a server from
    /// `SSCG_MODEL_KEY`. A directory needs a program with the feature `model2vec`.
    #[arg(long, value_name = "MODEL", hide_short_help = true)]
    model: Option<String>,
}

impl Model {
    pub(crate) fn flag(&self) -> Flag {
        ("model.name", self.model.clone())
    }
}

/// Opens the model; `None` for the built-in one, which also replaces a provider that is not available.
pub(crate) fn open(config: &ModelConfig) -> Result<Option<Arc<dyn Embedder>>, Failure> {
    if config.name.is_empty() {
        return Ok(None);
    }
    match open_named(&config.name) {
        Ok(embedder) => Ok(Some(Arc::new(Announced(embedder)))),
        Err(error) if error.kind() == ErrorKind::Provider => {
            note(&format!("warning: {error}; the built-in model is used instead"));
            hint(error.hint());
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Opens the model of this name, without a fallback.
pub(crate) fn open_named(name: &str) -> Result<Arc<dyn Embedder>, sscg::Error> {
    let key = std::env::var_os(KEY_VARIABLE).map(|_| KEY_VARIABLE);
    open_model(name, key)
}

/// Model that announces large requests to a provider.
#[derive(Debug)]
struct Announced(Arc<dyn Embedder>);

impl Embedder for Announced {
    fn model_id(&self) -> &str {
        self.0.model_id()
    }

    fn dimension(&self) -> usize {
        self.0.dimension()
    }

    fn max_tokens(&self) -> usize {
        self.0.max_tokens()
    }

    fn embed_batches(
        &self,
        texts: &[&str],
        input: Input,
        done: &mut dyn FnMut(Batch) -> ControlFlow<()>,
    ) -> Result<(), EmbedError> {
        // A token has at least a byte, so small requests need not be counted.
        if texts.iter().map(|text| text.len() as u64).sum::<u64>() > MANY_TOKENS {
            let estimate = self.0.estimate(texts);
            if estimate.requests > 0 && estimate.tokens > MANY_TOKENS {
                note(&announcement(self.model_id(), &estimate));
            }
        }
        self.0.embed_batches(texts, input, done)
    }

    fn estimate(&self, texts: &[&str]) -> Estimate {
        self.0.estimate(texts)
    }
}

fn announcement(model: &str, estimate: &Estimate) -> String {
    let price = estimate.dollars.map_or_else(String::new, |dollars| format!(", about ${dollars:.2}"));
    let tokens = estimate.tokens as f64 / 1e6;
    let texts = count(estimate.texts, "text");
    format!(
        "note: {model} is asked to embed {texts} of about {tokens:.1} million tokens{price}; Ctrl-C keeps what is done"
    )
}
