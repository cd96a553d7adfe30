//! `sscg symbol`

use clap::Args;
use sscg::Corpus;

use super::Directories;
use super::search::{Asked, Options};
use crate::failure::Failure;
use crate::{CommandResult, Global};

/// Show a declaration: its code, callees, callers, and the types around it.
///
/// The same as `sscg search "symbol = NAME"`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sscg symbol Session
  sscg symbol \"Session > close\" --call-depth 3
  sscg symbol \"src/auth.py > verify_token\" ~/src/shop")]
pub(crate) struct Symbol {
    /// Name, with enclosing names and the end of its file's path if needed: "auth.py > Outer > inner"
    name: String,
    #[command(flatten)]
    directories: Directories,
    #[command(flatten)]
    options: Options,
}

impl Symbol {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let question = format!("symbol = {}", self.name);
        let asked = Asked { question, more: Vec::new(), corpus: Corpus::Code };
        self.options.answer(asked, self.directories.paths(), global)
    }
}
