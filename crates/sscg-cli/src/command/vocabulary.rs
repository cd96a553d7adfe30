//! `sscg vocabulary`

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use sscg::{Corpus, VOCABULARY_TOKENS, vocabulary};

use super::open;
use crate::failure::Failure;
use crate::progress::with_bar;
use crate::text::json;
use crate::{CommandResult, Global, print, skipped};

/// List the main names of a code base, or of a part of it, to guess `--terms` from.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sscg vocabulary
  sscg vocabulary src/net src/tls --budget 600")]
pub(crate) struct VocabularyCommand {
    /// Files, directories or globs, relative to the directory [default: all code]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Directory with the code.
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    /// Maximum number of tokens.
    #[arg(long, value_name = "TOKENS", default_value_t = VOCABULARY_TOKENS)]
    budget: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Names of a place, as JSON.
#[derive(Serialize)]
struct PathNames<'v> {
    path: &'v str,
    names: &'v [String],
}

impl VocabularyCommand {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let config = global.configure(&self.directory, &[])?;
        let engine = open(&self.directory, global, &config)?;
        let (snapshot, report) = with_bar(|bar| engine.refresh_with_progress(Corpus::Code, bar))?;
        skipped::report(&snapshot, &report, global.verbose);
        let (found, text) = vocabulary(&snapshot, &self.paths, self.budget)?;
        if self.json {
            let places = found.places.iter().map(|it| PathNames { path: &it.path, names: &it.names });
            print(&json(&places.collect::<Vec<_>>()))?;
        } else {
            print(&text)?;
        }
        Ok(if found.places.is_empty() { CommandResult::NothingFound } else { CommandResult::Found })
    }
}
