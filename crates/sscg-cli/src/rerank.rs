//! Reranker of the user, if any.

use std::sync::Arc;

use clap::Args;
use sscg::config::RerankConfig;
use sscg::embed::Reranker;
use sscg::{Error, open_reranker};

use crate::configuration::Flag;

/// Environment variable with the key of a server that is named by its address.
const KEY_VARIABLE: &str = "SSCG_RERANK_KEY";

/// Model that reranks the best chunks.
#[derive(Debug, Args)]
pub(crate) struct Rerank {
    /// Rerank the best chunks with this model, which reads them with the question [env: SSCG_RERANK]
    ///
    /// `voyage`, `voyage:MODEL`, `cohere:MODEL`, a server with Cohere's API and its model,
    /// `http://localhost:8000/v1#MODEL`, or one of Text Embeddings Inference, `http://localhost:8080`. Keys are taken
    /// from `VOYAGE_API_KEY`, `COHERE_API_KEY`, and for a server from `SSCG_RERANK_KEY`.
    #[arg(long, value_name = "MODEL", hide_short_help = true)]
    rerank: Option<String>,
}

impl Rerank {
    pub(crate) fn flag(&self) -> Flag {
        ("rerank.name", self.rerank.clone())
    }
}

/// Opens the reranker; sends no request yet.
pub(crate) fn open(config: &RerankConfig) -> Result<Option<Arc<dyn Reranker>>, Error> {
    let key = std::env::var_os(KEY_VARIABLE).map(|_| KEY_VARIABLE);
    open_reranker(config, key)
}
