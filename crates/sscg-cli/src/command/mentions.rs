//! `sscg mentions`

use clap::Args;
use sscg::mentions;

use super::lookup::Lookup;
use crate::failure::Failure;
use crate::{CommandResult, Global};

/// List every line with a name, in any spelling, in code, documents, settings and tests.
///
/// Shows where to add a sibling of the name. retry_limit also matches RetryLimit, RETRY_LIMIT and retry-limit.
/// Generated files come last, and are marked.
#[derive(Debug, Args)]
#[command(aliases = ["mention", "mentions-of"])]
#[command(after_help = "Examples:
  sscg mentions retry_limit JsonRenderer -C ~/src/shop")]
pub(crate) struct Mentions {
    /// Names
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Only in this file, directory or glob; may be given more than once
    #[arg(long, value_name = "GLOB", aliases = ["glob", "in"], short_alias = 'g')]
    path: Vec<String>,
    #[command(flatten)]
    lookup: Lookup,
}

impl Mentions {
    pub(crate) fn run(mut self, global: &Global) -> Result<CommandResult, Failure> {
        self.path.append(&mut self.lookup.paths(&mut self.names));
        let snapshot = self.lookup.open(&mut self.names, global)?;
        let (found, text) = mentions(&snapshot, &self.names, &self.path, self.lookup.budget)?;
        self.lookup.print(&found, &text)?;
        Ok(if found.iter().any(|of| of.lines > 0) {
            CommandResult::Found
        } else {
            CommandResult::NothingFound
        })
    }
}
