//! Keeps answers within a budget of words and signs, with a custom token counter, for a model whose tokens are not those
//! of the built-in counter.
//!
//! ```sh
//! cargo run -p sscg-examples --example token_counter -- "where are files discovered" [PATH]
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::sync::Arc;

use sscg::core::TokenCounter;
use sscg::{Engine, EngineOptions, SearchRequest};

/// Counts each word and each other visible character.
pub(crate) struct Words;

impl TokenCounter for Words {
    fn count(&self, text: &str) -> usize {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let (mut count, mut in_word) = (0, false);
        for character in text.chars() {
            let continues = in_word && is_word(character);
            count += usize::from(!continues && !character.is_whitespace());
            in_word = is_word(character);
        }
        // Only an empty text has no tokens.
        count.max(usize::from(!text.is_empty()))
    }
}

fn main() -> Result<(), sscg::Error> {
    let mut arguments = std::env::args().skip(1);
    let question = arguments.next().unwrap_or_else(|| "where are files discovered".to_owned());
    let path = arguments.next().unwrap_or_else(|| ".".to_owned());
    let engine = Engine::open_with(path, EngineOptions::default().with_token_counter(Arc::new(Words)))?;
    let response = engine.search(&SearchRequest::new(question).with_budget(500))?;
    println!("{}\n{} of 500 words and signs", response.text, response.answer.token_count);
    Ok(())
}
