//! `sscg pack`

use std::path::PathBuf;

use clap::Args;
use sscg::GraphQuery;

use super::explore::Output;
use crate::failure::Failure;
use crate::{CommandResult, Global};

/// Choose the most informative declarations of a code base, or of a part of it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sscg pack
  sscg pack src/auth 'src/**/session*.py' --count 5")]
pub(crate) struct Pack {
    /// Candidates: declarations, or files, directories and globs for all their declarations [default: all]
    #[arg(value_name = "NODE")]
    nodes: Vec<String>,
    /// Directory with the code.
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    /// Result count [default: 20]
    #[arg(long, short = 'n', value_name = "N")]
    count: Option<usize>,
    #[command(flatten)]
    output: Output,
}

impl Pack {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let flags = [("graph.pack_count", self.count.map(|count| count.to_string()))];
        self.output.answer(&self.directory, global, &flags, |config| GraphQuery::Pack {
            nodes: self.nodes,
            count: config.pack_count,
        })
    }
}
