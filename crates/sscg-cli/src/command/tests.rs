//! `sscg tests`

use clap::Args;
use sscg::tests;

use super::lookup::Lookup;
use crate::failure::Failure;
use crate::{CommandResult, Global};

/// List the tests that use declarations, directly or not, nearest first.
#[derive(Debug, Args)]
#[command(aliases = ["tests-of", "test"])]
#[command(after_help = "Examples:
  sscg tests \"Session > close\" verify_token")]
pub(crate) struct Tests {
    /// Declarations: "Outer > inner", Outer.inner, src/auth.py::Outer.inner, src/auth.py:12
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    lookup: Lookup,
}

impl Tests {
    pub(crate) fn run(mut self, global: &Global) -> Result<CommandResult, Failure> {
        let snapshot = self.lookup.open(&mut self.names, global)?;
        let (found, text) = tests(&snapshot, &self.names, self.lookup.budget)?;
        self.lookup.print(&found, &text)?;
        Ok(if found.iter().any(|of| !of.tests.is_empty()) {
            CommandResult::Found
        } else {
            CommandResult::NothingFound
        })
    }
}
