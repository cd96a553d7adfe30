//! `sscg search`

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use sscg::{Corpus, SearchRequest};

use super::open;
use crate::failure::{Failure, hint};
use crate::model::Model;
use crate::progress::Bar;
use crate::{Found, Global, note, print, skipped};

/// Answer a question about the code in a directory, or about its documents.
///
/// The question is English, or names a declaration: "symbol = Outer > inner". The index is brought up to date
/// first; only files that changed are parsed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sscg search \"how are retries scheduled\"
  sscg search \"where is the token checked\" ~/src/shop --path src/auth --limit 5
  sscg search \"symbol = Session > close\" --format compact
  sscg search --docs \"how do I configure logging\"")]
pub(crate) struct Search {
    /// What to look for.
    question: String,
    /// The directory to search.
    #[arg(default_value = ".")]
    path: PathBuf,
    /// How to print the answer.
    #[arg(long, default_value = "text", value_parser = formats())]
    format: String,
    /// Print at most this many results.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Print at most this many tokens in all.
    #[arg(long, value_name = "TOKENS", default_value_t = 8_000)]
    budget: usize,
    /// Search the documents instead of the code: text, Markdown, reStructuredText, HTML, configuration and data.
    #[arg(long)]
    docs: bool,
    /// Only code in this language, or documents in this format; may be given more than once.
    #[arg(long, value_name = "NAME", value_parser = languages())]
    language: Vec<String>,
    /// Only this file, directory or glob, relative to the searched directory; may be given more than once.
    #[arg(long = "path", value_name = "GLOB")]
    paths: Vec<String>,
    /// Say of each result how its score came about.
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    model: Model,
}

impl Search {
    pub(crate) fn run(self, global: &Global) -> Result<Found, Failure> {
        let mut engine = open(&self.path, global, &self.model)?;
        let request = SearchRequest {
            query: self.question,
            limit: self.limit,
            budget: self.budget,
            corpus: if self.docs { Corpus::Documents } else { Corpus::Code },
            languages: self.language,
            paths: self.paths,
            explain: self.explain,
            format: self.format,
        };
        let bar = Bar::new();
        let response = engine.search_with_progress(&request, &|done, all| bar.update(done, all));
        drop(bar);
        let response = match response {
            Ok(response) => response,
            Err(error) => {
                // What was skipped may be why there is nothing to search.
                if error.kind() == sscg::ErrorKind::Project && !self.docs {
                    let (snapshot, report) = engine.refresh(&|_, _| {});
                    skipped::tell(&snapshot, &report, global.verbose);
                }
                return Err(error.into());
            }
        };
        skipped::tell(&response.snapshot, &response.refresh, global.verbose);
        if response.answer.results.is_empty() {
            note(&format!("nothing found for {:?} in {}", request.query, engine.root().display()));
            let filtered = !(request.languages.is_empty() && request.paths.is_empty());
            hint(if filtered {
                "search without --language and --path, or in other words"
            } else if self.docs {
                "ask in other words, or for the code: leave out --docs"
            } else {
                "ask in other words, or for a declaration: \"symbol = Outer > inner\""
            });
            return Ok(Found::No);
        }
        print(&response.text)?;
        Ok(Found::Yes)
    }
}

fn formats() -> PossibleValuesParser {
    sscg::format::renderers()
        .iter()
        .map(|renderer| clap::builder::PossibleValue::new(renderer.name()).help(renderer.description()))
        .collect::<Vec<_>>()
        .into()
}

fn languages() -> PossibleValuesParser {
    sscg::parse::languages()
        .iter()
        .chain(sscg::parse::formats())
        .map(|language| clap::builder::PossibleValue::new(language.name).aliases(language.aliases))
        .collect::<Vec<_>>()
        .into()
}
