//! `sscg expand`

use std::path::PathBuf;

use clap::Args;
use sscg::GraphQuery;

use super::explore::{Around, Output};
use crate::failure::Failure;
use crate::{CommandResult, Global};

/// List the nodes around declarations or files, and their connections.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sscg expand \"Session > close\" \"Session > open\"
  sscg expand src/auth.py::verify_token --relation calls --direction incoming --depth 3")]
pub(crate) struct Expand {
    /// Start nodes: declarations ("Outer > inner", src/auth.py::Outer.inner) or files.
    #[arg(required = true, value_name = "NODE")]
    seeds: Vec<String>,
    /// Directory with the code.
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    #[command(flatten)]
    around: Around,
    #[command(flatten)]
    output: Output,
}

impl Expand {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        self.output.answer(&self.directory, global, &self.around.flags(), |config| GraphQuery::Expand {
            seeds: self.seeds,
            reach: self.around.reach(config),
        })
    }
}
