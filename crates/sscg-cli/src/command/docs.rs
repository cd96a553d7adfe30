//! `sscg docs`

use clap::Args;
use sscg::Corpus;

use super::Directories;
use super::search::{Asked, Options};
use crate::failure::Failure;
use crate::{CommandResult, Global};

/// Answer a question from the documents in a directory.
///
/// Text, Markdown, reStructuredText, HTML, configuration and data. The same as `sscg search --docs`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sscg docs \"how do I configure logging\"
  sscg docs \"symbol = Install > From source\" ~/src/shop --language markdown")]
pub(crate) struct Docs {
    /// Question, or the headings or keys of a section: "symbol = Outer > inner"
    question: String,
    #[command(flatten)]
    directories: Directories,
    #[command(flatten)]
    options: Options,
}

impl Docs {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let asked = Asked { question: self.question, more: Vec::new(), corpus: Corpus::Documents };
        self.options.answer(asked, self.directories.paths(), global)
    }
}
