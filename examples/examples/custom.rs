//! Ranks files that are open in an editor higher, with a custom signal, and prints results for its list of locations,
//! with a custom format. Tokens are estimated by a custom counter.
//!
//! ```sh
//! cargo run -p sscg-examples --example custom -- "where are files discovered" [OPEN FILE]...
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::sync::Arc;

use sscg::core::TokenCounter;
use sscg::format::{GraphAnswer, Lines, Renderer};
use sscg::retrieve::{Evidence, Signal, SignalContext, SignalId};
use sscg::{Answer, Engine, EngineOptions, SearchRequest};

/// Paths of the files that are open, relative to the root of the project.
struct OpenFiles(Vec<String>);

impl Signal for OpenFiles {
    fn id(&self) -> SignalId {
        SignalId::new("open_files")
    }

    fn weight(&self) -> f64 {
        0.5
    }

    fn score(&self, context: &SignalContext<'_>, _found: &[(sscg::core::ChunkId, f64)]) -> Evidence {
        let files = context.snapshot.project.files();
        let open = files.ids().filter(|file| self.0.iter().any(|path| **path == *files[*file].path));
        Evidence::default().with_files(open.map(|file| (file, 1.0)).collect())
    }
}

/// One line per result: `path:line: name`.
struct Locations;

impl Renderer for Locations {
    fn name(&self) -> &str {
        "locations"
    }

    fn description(&self) -> &str {
        "one line per result, for editors"
    }

    fn render(&self, answer: &Answer) -> String {
        let line = |file: &str, line: u32, name: &str| format!("{file}:{line}: {name}\n");
        let lines = answer.results.iter().map(|it| line(&it.file, it.lines.start, &it.name));
        lines.collect::<String>() + "\n"
    }

    fn render_graph(&self, answer: &GraphAnswer) -> String {
        let line = |lines: Option<Lines>| lines.map_or(1, |lines| lines.start);
        let lines = answer.nodes.iter().map(|it| format!("{}:{}: {}\n", it.file, line(it.lines), it.name));
        lines.collect::<String>() + "\n"
    }
}

/// Four bytes per token.
struct Bytes;

impl TokenCounter for Bytes {
    fn count(&self, text: &str) -> usize {
        text.len().div_ceil(4)
    }
}

fn main() -> Result<(), sscg::Error> {
    let mut arguments = std::env::args().skip(1);
    let question = arguments.next().unwrap_or_else(|| "where are files discovered".to_owned());
    let options = EngineOptions::default()
        .with_signals(vec![Arc::new(OpenFiles(arguments.collect()))])
        .with_renderers(vec![Arc::new(Locations)])
        .with_token_counter(Arc::new(Bytes));
    let engine = Engine::open_with(".", options)?;
    let request = SearchRequest::new(question).with_limit(5).with_format("locations");
    print!("{}", engine.search(&request)?.text);
    Ok(())
}
