//! `sscg callees`

use clap::Args;
use sscg::callees;

use super::lookup::{Calls, Lookup};
use crate::failure::Failure;
use crate::{CommandResult, Global};

/// List all calls and constructions by declarations, with lines and overrides.
#[derive(Debug, Args)]
#[command(aliases = ["calls", "callees-of", "dependencies"])]
#[command(after_help = "Examples:
  sscg callees \"Session > close\" verify_token
  sscg callees \"Session > close\" --bodies --depth 2 -C ~/src/shop")]
pub(crate) struct Callees {
    /// Declarations: "Outer > inner", Outer.inner, src/auth.py::Outer.inner, src/auth.py:12
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    calls: Calls,
    #[command(flatten)]
    lookup: Lookup,
}

impl Callees {
    pub(crate) fn run(mut self, global: &Global) -> Result<CommandResult, Failure> {
        let snapshot = self.lookup.open(&mut self.names, global)?;
        let (found, text) = callees(&snapshot, &self.names, &self.calls.list(&self.lookup))?;
        self.lookup.print(&found, &text)?;
        Ok(if found.iter().any(|of| !of.calls.is_empty()) {
            CommandResult::Found
        } else {
            CommandResult::NothingFound
        })
    }
}
