//! `sscg show`

use clap::Args;
use sscg::show;

use super::lookup::Lookup;
use crate::failure::Failure;
use crate::{CommandResult, Global};

/// Show code as in its file, with line numbers: declarations by name, or lines of files.
#[derive(Debug, Args)]
#[command(aliases = ["cat", "read", "def", "definition", "view"])]
#[command(after_help = "Examples:
  sscg show \"Session > close\" verify_token
  sscg show src/auth.py:40-90 src/pool.py:12 Cargo.toml")]
pub(crate) struct Show {
    /// Declarations ("Outer > inner", src/auth.py::Outer.inner, src/auth.py:12), lines (src/auth.py:40-90), or files
    #[arg(required = true, value_name = "PLACE")]
    places: Vec<String>,
    #[command(flatten)]
    lookup: Lookup,
}

impl Show {
    pub(crate) fn run(mut self, global: &Global) -> Result<CommandResult, Failure> {
        let snapshot = self.lookup.open(&mut self.places, global)?;
        let (found, page) = show(&snapshot, &self.places, self.lookup.budget)?;
        self.lookup.print(&found, &page)?;
        Ok(if found.is_empty() { CommandResult::NothingFound } else { CommandResult::Found })
    }
}
