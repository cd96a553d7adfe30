//! Reorders the best results with a custom reranker: declarations whose path or name has words of the question go first.
//!
//! ```sh
//! cargo run -p sscg-examples --example reranker -- "where are files discovered" [PATH]
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::sync::Arc;

use sscg::embed::{EmbedError, Reranker};
use sscg::{Engine, EngineOptions, SearchRequest};

/// Scores a document by the share of the question's longer words in its first two lines, which have the path and the
/// name of a declaration. The rest is its code, which a model would read, too.
#[derive(Debug)]
pub(crate) struct Names;

impl Reranker for Names {
    fn model_id(&self) -> &str {
        "names"
    }

    fn rerank(&self, query: &str, documents: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let query = query.to_lowercase();
        // Shorter ones are mostly articles and prepositions.
        let words: Vec<&str> = query.split_whitespace().filter(|word| word.len() > 3).collect();
        let score = |document: &&str| {
            let head = document.lines().take(2).collect::<Vec<_>>().join(" ").to_lowercase();
            let found = words.iter().filter(|word| head.contains(**word)).count();
            found as f32 / words.len().max(1) as f32
        };
        Ok(documents.iter().map(score).collect())
    }
}

fn main() -> Result<(), sscg::Error> {
    let mut arguments = std::env::args().skip(1);
    let question = arguments.next().unwrap_or_else(|| "where are files discovered".to_owned());
    let path = arguments.next().unwrap_or_else(|| ".".to_owned());
    let engine = Engine::open_with(path, EngineOptions::default().with_reranker(Arc::new(Names)))?;
    let request = SearchRequest::new(question).with_limit(5).with_explain(true);
    print!("{}", engine.search(&request)?.text);
    Ok(())
}
