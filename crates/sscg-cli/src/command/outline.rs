//! `sscg outline`

use clap::Args;
use sscg::outline;

use super::lookup::Lookup;
use crate::failure::Failure;
use crate::{CommandResult, Global};

/// List what files, directories or types declare, with lines and signatures.
#[derive(Debug, Args)]
#[command(aliases = ["symbols", "ls", "members", "tree"])]
#[command(after_help = "Examples:
  sscg outline src/auth.py Session
  sscg outline src/net -C ~/src/shop")]
pub(crate) struct Outline {
    /// Files, directories relative to the project, or declarations; . is the whole project
    #[arg(required = true, value_name = "PLACE")]
    places: Vec<String>,
    #[command(flatten)]
    lookup: Lookup,
}

impl Outline {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        // A directory is the subject of the query here, not the place to search.
        let snapshot = self.lookup.open(&mut Vec::new(), global)?;
        let (found, text) = outline(&snapshot, &self.places, self.lookup.budget)?;
        self.lookup.print(&found, &text)?;
        Ok(if found.is_empty() { CommandResult::NothingFound } else { CommandResult::Found })
    }
}
