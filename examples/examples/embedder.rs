//! Searches with a custom embedding model: vectors that count the trigrams of a text.
//!
//! ```sh
//! cargo run -p sscg-examples --example embedder -- "where are files discovered" [PATH]
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::ops::ControlFlow;
use std::sync::Arc;

use sscg::embed::{Batch, EmbedError, Embedder, Estimate, Input};
use sscg::{Engine, EngineOptions, IndexOptions, SearchRequest};

/// Counts trigrams, each in one of 256 slots.
#[derive(Debug)]
pub(crate) struct Trigrams;

impl Embedder for Trigrams {
    fn model_id(&self) -> &str {
        "trigrams-256"
    }

    fn dimension(&self) -> usize {
        256
    }

    fn max_tokens(&self) -> usize {
        usize::MAX
    }

    fn embed_batches(
        &self,
        texts: &[&str],
        _input: Input,
        done: &mut dyn FnMut(Batch) -> ControlFlow<()>,
    ) -> Result<(), EmbedError> {
        let vector = |text: &&str| {
            let mut vector = vec![0.0; self.dimension()];
            for trigram in text.to_lowercase().as_bytes().windows(3) {
                let slot = trigram.iter().fold(0, |hash, byte| hash * 31 + usize::from(*byte)) % vector.len();
                vector[slot] += 1.0;
            }
            vector
        };
        // All texts are one batch, so there is nothing to stop.
        let _ = done(Batch::new(0..texts.len(), texts.iter().map(vector).collect()));
        Ok(())
    }

    fn estimate(&self, texts: &[&str]) -> Estimate {
        Estimate::default().with_texts(texts.len())
    }
}

fn main() -> Result<(), sscg::Error> {
    let mut arguments = std::env::args().skip(1);
    let question = arguments.next().unwrap_or_else(|| "where are files discovered".to_owned());
    let path = arguments.next().unwrap_or_else(|| ".".to_owned());
    let index = IndexOptions::default().with_embedder(Arc::new(Trigrams));
    let engine = Engine::open_with(path, EngineOptions::default().with_index(index))?;
    let request = SearchRequest::new(question).with_limit(5).with_explain(true);
    let response = engine.search(&request)?;
    println!("Vectors: {}\n{}", response.snapshot.vectors().model(), response.text);
    Ok(())
}
