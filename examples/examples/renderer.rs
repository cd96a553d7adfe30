//! Prints results as comma-separated values for a spreadsheet, with a custom format.
//!
//! ```sh
//! cargo run -p sscg-examples --example renderer -- "where are files discovered" [PATH]
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::sync::Arc;

use sscg::format::{GraphAnswer, Lines, Renderer};
use sscg::{Answer, Engine, EngineOptions, SearchRequest};

/// One row per result, after a row of headings. A row has no code, so most answers fit any budget.
pub(crate) struct Csv;

impl Csv {
    fn row(file: &str, lines: Option<Lines>, kind: &str, name: &str) -> String {
        let line = lines.map_or_else(String::new, |lines| lines.start.to_string());
        let quoted = [file, &line, kind, name].map(|value| format!("\"{}\"", value.replace('"', "\"\"")));
        quoted.join(",") + "\n"
    }
}

impl Renderer for Csv {
    fn name(&self) -> &str {
        "csv"
    }

    fn description(&self) -> &str {
        "one row per result, for spreadsheets"
    }

    fn render(&self, answer: &Answer) -> String {
        let rows = answer.results.iter().map(|it| Self::row(&it.file, Some(it.lines), &it.kind, &it.name));
        "file,line,kind,name\n".to_owned() + &rows.collect::<String>()
    }

    fn render_graph(&self, answer: &GraphAnswer) -> String {
        let rows = answer.nodes.iter().map(|it| Self::row(&it.file, it.lines, &it.kind, &it.name));
        "file,line,kind,name\n".to_owned() + &rows.collect::<String>()
    }
}

fn main() -> Result<(), sscg::Error> {
    let mut arguments = std::env::args().skip(1);
    let question = arguments.next().unwrap_or_else(|| "where are files discovered".to_owned());
    let path = arguments.next().unwrap_or_else(|| ".".to_owned());
    let engine = Engine::open_with(path, EngineOptions::default().with_renderers(vec![Arc::new(Csv)]))?;
    let request = SearchRequest::new(question).with_limit(5).with_format("csv");
    print!("{}", engine.search(&request)?.text);
    Ok(())
}
