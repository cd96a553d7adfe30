//! `sscg self-check`

use clap::Args;

use crate::doctor::{program, report};
use crate::failure::Failure;
use crate::{CommandResult, Global, self_check};

/// Check that this program works, without a project.
///
/// Reads a sample in each language, counts tokens, and searches an index in a temporary directory. Exits with 2 if something
/// does not work. `sscg doctor` checks your setup.
#[derive(Debug, Args)]
pub(crate) struct SelfCheck {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl SelfCheck {
    pub(crate) fn run(self, _: &Global) -> Result<CommandResult, Failure> {
        let mut checks = vec![program()];
        checks.extend(self_check::checks());
        report(checks, self.json, "sscg.self-check.v1")
    }
}
