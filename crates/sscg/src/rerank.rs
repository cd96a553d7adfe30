//! Rerankers by name, and their input.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use sscg_core::FileId;
use sscg_embed::{EmbedError, HttpReranker, HttpRerankerOptions, Reranker};
use sscg_index::Snapshot;
use sscg_retrieve::Hit;

use crate::Error;
use crate::config::RerankConfig;

/// Hint on the names of rerankers.
const NAMES: &str = "give voyage, voyage:MODEL, cohere, cohere:MODEL, the address and model of a server that speaks \
                     Cohere's language, http://localhost:8000/v1#MODEL, or the address of one of Text Embeddings \
                     Inference: http://localhost:8080";

/// Opens the configured reranker, if any, for [`EngineOptions::reranker`](crate::EngineOptions::reranker). No request
/// is sent yet. A server's key is read from the environment variable `key_variable`, if given.
///
/// # Errors
/// Of kind [`Request`](crate::ErrorKind::Request) if there is no such reranker, or no key for it.
pub fn open_reranker(
    config: &RerankConfig,
    key_variable: Option<&str>,
) -> Result<Option<Arc<dyn Reranker>>, Error> {
    if config.name.is_empty() {
        return Ok(None);
    }
    let unknown = || Error::request(format!("there is no reranker {:?}", config.name), NAMES);
    let mut options = provider(&config.name, key_variable).ok_or_else(unknown)?;
    options.max_document_tokens = config.document_tokens;
    options.http.timeout = Duration::from_millis(config.timeout_ms);
    let reranker = HttpReranker::new(options).map_err(|error| {
        let hint = match error {
            EmbedError::MissingKey { .. } => "or name another --rerank",
            _ => NAMES,
        };
        Error::request(format!("the reranker {:?} cannot be used: {error}", config.name), hint)
    })?;
    Ok(Some(Arc::new(reranker)))
}

/// Returns the options of the named provider; `None` if there is no provider of that name.
fn provider(name: &str, key_variable: Option<&str>) -> Option<HttpRerankerOptions> {
    if name.starts_with("http://") || name.starts_with("https://") {
        let mut options = match name.split_once('#') {
            Some((_, "")) => return None,
            Some((address, model)) => HttpRerankerOptions::cohere_compatible(address, model),
            None => HttpRerankerOptions::tei(name),
        };
        options.key_variable = key_variable.map(str::to_owned);
        return Some(options);
    }
    let (provider, model) = name.split_once(':').map_or((name, None), |(name, model)| (name, Some(model)));
    let mut options = match provider {
        "voyage" => HttpRerankerOptions::voyage(),
        "cohere" => HttpRerankerOptions::cohere(),
        _ => return None,
    };
    if let Some(model) = model {
        options.model = Some(model).filter(|model| !model.is_empty())?.to_owned();
    }
    Some(options)
}

/// Returns the input of a reranker for each hit: its path, its name, and its code with the bodies of its children
/// collapsed; only the signature if the file has changed.
pub(crate) fn documents(snapshot: &Snapshot, hits: &[Hit]) -> Vec<String> {
    let project = &snapshot.project;
    let mut sources: BTreeMap<FileId, Option<String>> = BTreeMap::new();
    let document = |hit: &Hit| {
        let (file, chunk) = project.local_chunk(hit.chunk);
        let symbol = project.symbol_of_chunk(hit.chunk);
        let source = sources.entry(file).or_insert_with(|| snapshot.source(file));
        let file = &project.files()[file];
        let code = match (source, symbol) {
            (Some(text), _) => file.facts.chunk_text(chunk, text, file.language.stub),
            (None, Some(symbol)) => project.symbol(symbol).signature.to_string(),
            (None, None) => String::new(),
        };
        let name = symbol.map(|symbol| project.qualified_name(symbol) + "\n").unwrap_or_default();
        format!("{}\n{name}{code}", file.path)
    };
    hits.iter().map(document).collect()
}
