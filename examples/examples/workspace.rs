//! Asks several projects one question, within a memory budget.
//!
//! ```sh
//! cargo run -p sscg-examples --example workspace -- "where are files discovered" DIRECTORY...
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use sscg::{EngineOptions, SearchRequest, Workspace};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let question = arguments.next().ok_or("usage: QUESTION DIRECTORY...")?;
    let workspace = Workspace::new(512 << 20);
    arguments.for_each(|directory| workspace.add(directory, EngineOptions::default()));

    let all: &[&str] = &[];
    for response in workspace.search(all, &SearchRequest::new(question).with_limit(3))? {
        println!("{}:", response.project.display());
        match response.outcome {
            Ok(found) => {
                found.answer.results.iter().for_each(|it| println!("  {}:{} {}", it.file, it.lines, it.name))
            }
            Err(error) => println!("  {error}"),
        }
    }
    Ok(())
}
