//! Answers one question about a code base, as text and as data.
//!
//! ```sh
//! cargo run -p sscg-examples --example quickstart -- "where are files discovered" [PATH]
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use sscg::{Engine, SearchRequest};

fn main() -> Result<(), sscg::Error> {
    let mut arguments = std::env::args().skip(1);
    let question = arguments.next().unwrap_or_else(|| "where are files discovered".to_owned());
    let path = arguments.next().unwrap_or_else(|| ".".to_owned());

    // The first search reads every file, later ones only what changed.
    let engine = Engine::open(path)?;
    let request = SearchRequest::new(question).with_limit(5).with_budget(2_000);
    let response = engine.search(&request)?;

    // As text, for people and language models ...
    println!("{}", response.text);

    // ... and as data.
    for result in &response.answer.results {
        let signals: Vec<&str> = result.rank_sources.keys().map(String::as_str).collect();
        println!("{}:{} {} ({})", result.file, result.lines.start, result.name, signals.join(", "));
    }
    for edge in &response.answer.subgraph_edges {
        println!("{} {} {} [{}]", edge.src, edge.rel, edge.tgt, edge.confidence);
    }
    Ok(())
}
