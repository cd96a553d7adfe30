//! Embedding models by name.

use std::path::Path;
use std::sync::Arc;

#[cfg(feature = "model2vec")]
use sscg_embed::Model2Vec;
use sscg_embed::{EmbedError, Embedder, HttpEmbedder, HttpEmbedderOptions};

use crate::Error;

/// Hint on the names of models.
const NAMES: &str = "give a directory with a Model2Vec model, voyage, voyage:MODEL, openai:MODEL, or the address of a \
                     server that speaks OpenAI's language: http://localhost:11434/v1#MODEL";

/// Number of retries of a request to a provider; low, because someone may wait for the answer.
const RETRIES: u32 = 3;

/// Opens the model with this name, for [`IndexOptions::embedder`](crate::IndexOptions::embedder):
/// - a directory with a model in the Model2Vec format (feature `model2vec`),
/// - `voyage` or `voyage:voyage-code-3`, with the key in `VOYAGE_API_KEY`,
/// - `openai` or `openai:text-embedding-3-small`, with the key in `OPENAI_API_KEY`,
/// - `http://localhost:11434/v1#nomic-embed-text`: a server with OpenAI's API, and its model; with the key in the
///   environment variable `key_variable`, if given.
///
/// If the dimension is unknown, the provider is called once to embed a single word.
///
/// # Errors
/// Of kind [`Request`](crate::ErrorKind::Request) if there is no such model, or no key for it; of kind
/// [`Provider`](crate::ErrorKind::Provider) if a provider was called and did not answer.
pub fn open_model(name: &str, key_variable: Option<&str>) -> Result<Arc<dyn Embedder>, Error> {
    let fail = |error: EmbedError| {
        let message = format!("the model {name:?} cannot be used: {error}");
        match error {
            EmbedError::MissingKey { .. } => Error::request(message, "or name another --model"),
            EmbedError::Setting { .. } => Error::request(message, NAMES),
            #[cfg(feature = "model2vec")]
            EmbedError::Model { .. } => Error::request(message, NAMES),
            _ => Error::provider(message, "check the provider, or name another --model"),
        }
    };
    let Some(mut options) = provider(name, key_variable)? else {
        if !Path::new(name).is_dir() {
            return Err(Error::request(format!("there is no model {name:?}"), NAMES));
        }
        #[cfg(feature = "model2vec")]
        return Ok(Arc::new(Model2Vec::open(name).map_err(fail)?));
        #[cfg(not(feature = "model2vec"))]
        return Err(Error::request(
            format!(
                "the model {name:?} cannot be used: this program was built without the feature model2vec"
            ),
            "cargo install --locked sscg-cli --features model2vec builds one with it; or name a provider or a server",
        ));
    };
    options.http.retries = RETRIES;
    Ok(Arc::new(HttpEmbedder::new(options).map_err(fail)?))
}

/// Returns the options of the named provider; `None` if there is no provider of that name.
fn provider(name: &str, key_variable: Option<&str>) -> Result<Option<HttpEmbedderOptions>, Error> {
    if name.starts_with("http://") || name.starts_with("https://") {
        let Some((address, model)) = name.split_once('#').filter(|(_, model)| !model.is_empty()) else {
            let hint = format!("append it: {name}#MODEL");
            return Err(Error::request(format!("the address {name} names no model"), hint));
        };
        let mut options = HttpEmbedderOptions::openai_compatible(address, model);
        options.key_variable = key_variable.map(str::to_owned);
        return Ok(Some(options));
    }
    let (provider, model) = name.split_once(':').map_or((name, None), |(name, model)| (name, Some(model)));
    let mut options = match provider {
        "voyage" => HttpEmbedderOptions::voyage(),
        "openai" => HttpEmbedderOptions::openai(),
        _ => return Ok(None),
    };
    match model {
        Some("") => return Err(Error::request(format!("{name:?} names no model"), NAMES)),
        Some(model) if model != options.model => {
            options.model = model.to_owned();
            // The provider determines the dimension of another model.
            options.dimension = None;
        }
        _ => {}
    }
    Ok(Some(options))
}
