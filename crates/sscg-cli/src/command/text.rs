//! `sscg text`

use clap::Args;
use sscg::text;

use super::lookup::Lookup;
use crate::failure::Failure;
use crate::{CommandResult, Global};

/// List every line with given texts, by enclosing declaration; own code first, in all text files.
///
/// A text matches literally, or as a regular expression between slashes. Case matters unless nothing is found
/// otherwise.
#[derive(Debug, Args)]
#[command(aliases = ["grep", "find", "rg", "literal"])]
#[command(after_help = "Examples:
  sscg text \"No such command\"
  sscg text MAX_RETRIES '/retry_\\w+\\(/' -C ~/src/shop
  sscg text MAX_RETRIES src/net tests/pool.rs")]
pub(crate) struct Text {
    /// Texts; /get_\w+/ is a regular expression; files and directories after them limit the search
    #[arg(required = true, value_name = "TEXT")]
    texts: Vec<String>,
    /// Only in this file, directory or glob; may be given more than once
    #[arg(long, value_name = "GLOB", aliases = ["glob", "in"], short_alias = 'g')]
    path: Vec<String>,
    #[command(flatten)]
    lookup: Lookup,
}

impl Text {
    pub(crate) fn run(mut self, global: &Global) -> Result<CommandResult, Failure> {
        self.path.append(&mut self.lookup.paths(&mut self.texts));
        let snapshot = self.lookup.open(&mut self.texts, global)?;
        let (found, page) = text(&snapshot, &self.texts, &self.path, self.lookup.budget)?;
        self.lookup.print(&found, &page)?;
        Ok(if found.iter().any(|of| of.lines > 0) {
            CommandResult::Found
        } else {
            CommandResult::NothingFound
        })
    }
}
