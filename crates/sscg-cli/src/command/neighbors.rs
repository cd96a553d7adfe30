//! `sscg neighbors`

use clap::Args;
use sscg::GraphQuery;
use sscg::core::SymbolKind;

use super::Directory;
use super::explore::{Around, Output, names};
use crate::failure::Failure;
use crate::{CommandResult, Global};

/// List the nodes around a declaration or file.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sscg neighbors \"Session > close\"
  sscg neighbors src/auth.py --depth 1 --kind function")]
pub(crate) struct Neighbors {
    /// Declaration ("Outer > inner", src/auth.py::Outer.inner) or file.
    node: String,
    #[command(flatten)]
    directory: Directory,
    /// Only declarations of this kind; may be given more than once.
    #[arg(long = "kind", value_name = "KIND", value_parser = names::<SymbolKind>(SymbolKind::ALL.iter().map(|it| it.as_str())))]
    kinds: Vec<SymbolKind>,
    #[command(flatten)]
    around: Around,
    #[command(flatten)]
    output: Output,
}

impl Neighbors {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let flags = self.around.flags();
        self.output.answer(self.directory.path(), global, &flags, |config| GraphQuery::Neighborhood {
            node: self.node,
            reach: self.around.reach(config),
            kinds: self.kinds,
        })
    }
}
