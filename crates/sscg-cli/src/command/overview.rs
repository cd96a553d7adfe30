//! `sscg overview`

use clap::Args;
use sscg::{Corpus, OVERVIEW_TOKENS, overview};

use super::{Directory, open};
use crate::failure::Failure;
use crate::progress::with_bar;
use crate::text::json;
use crate::{CommandResult, Global, print, skipped};

/// Show how a code base is built and tested, its layers, entry points and main declarations.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sscg overview
  sscg overview ~/src/shop --budget 600")]
pub(crate) struct OverviewCommand {
    #[command(flatten)]
    directory: Directory,
    /// Maximum number of tokens.
    #[arg(long, value_name = "TOKENS", default_value_t = OVERVIEW_TOKENS)]
    budget: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl OverviewCommand {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let path = self.directory.path();
        let config = global.configure(path, &[])?;
        let engine = open(path, global, &config)?;
        let (snapshot, report) = with_bar(|bar| engine.refresh_with_progress(Corpus::Code, bar))?;
        skipped::report(&snapshot, &report, global.verbose);
        let (found, text) = overview(&snapshot, self.budget)?;
        print(&if self.json { json(&found) } else { text })?;
        Ok(CommandResult::Found)
    }
}
