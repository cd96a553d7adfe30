//! `sscg man`

use std::fs;
use std::path::PathBuf;

use clap::{Args, CommandFactory};

use crate::failure::Failure;
use crate::{Cli, CommandResult, Global};

/// Write the manual pages, one for each command, into a directory.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  sscg man ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Directory, created if missing.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

impl Man {
    pub(crate) fn run(self, _: &Global) -> Result<CommandResult, Failure> {
        let failed = |error: std::io::Error| {
            let directory = self.directory.display();
            let message = format!("cannot write to {directory}: {}", sscg::index::describe(&error));
            sscg::Error::project(message, "give a directory that you may write to")
        };
        fs::create_dir_all(&self.directory).map_err(failed)?;
        clap_mangen::generate_to(Cli::command(), &self.directory).map_err(failed)?;
        Ok(CommandResult::Found)
    }
}
