//! `sscg neighbors`

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use sscg::GraphQuery;
use sscg::core::SymbolKind;

use super::Directory;
use super::explore::{Around, Output};
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
    #[arg(long = "kind", value_name = "KIND", value_parser = kinds())]
    kinds: Vec<SymbolKind>,
    #[command(flatten)]
    around: Around,
    #[command(flatten)]
    output: Output,
}

impl Neighbors {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let query =
            GraphQuery::Neighborhood { node: self.node, reach: self.around.reach(), kinds: self.kinds };
        self.output.answer(query, self.directory.path(), global)
    }
}

fn kinds() -> impl TypedValueParser<Value = SymbolKind> {
    let names = PossibleValuesParser::new(SymbolKind::ALL.iter().map(|kind| kind.as_str()));
    let named = |name: String| SymbolKind::ALL.iter().copied().find(|kind| kind.as_str() == name);
    names.map(move |name| named(name).expect("it is one of the names"))
}
