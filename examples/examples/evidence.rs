//! Prints the results of a search as pieces of evidence, one JSON object per line: whole code, its place and the reason.
//!
//! ```sh
//! cargo run -p sscg-examples --example evidence -- "where are files discovered" [PATH]
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::error::Error;

use sscg::{Engine, SearchRequest};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let question = arguments.next().unwrap_or_else(|| "where are files discovered".to_owned());
    let path = arguments.next().unwrap_or_else(|| ".".to_owned());
    let response = Engine::open(path)?.search(&SearchRequest::new(question).with_limit(5))?;
    for piece in response.evidence() {
        println!("{}", serde_json::to_string(&piece)?);
    }
    Ok(())
}
