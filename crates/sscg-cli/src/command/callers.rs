//! `sscg callers`

use clap::Args;
use sscg::core::Relation;
use sscg::{UsesOptions, uses};

use super::explore::relations;
use super::lookup::{Calls, Lookup};
use crate::failure::Failure;
use crate::{CommandResult, Global};

/// List all uses of declarations, with lines, and all possible uses.
///
/// Calls through an interface or trait count for its implementations, and the other way round; what constructs a class
/// uses its constructor. Unresolved uses are listed if they may refer to the declaration, so that no search for the name is
/// needed.
#[derive(Debug, Args)]
#[command(visible_alias = "uses", aliases = ["refs", "references", "usages", "callers-of", "who-calls"])]
#[command(after_help = "Examples:
  sscg callers \"Session > close\"
  sscg callers verify_token parse_date -C ~/src/shop
  sscg callers Session --relation instantiates
  sscg callers \"Session > close\" --bodies --depth 2")]
pub(crate) struct Callers {
    /// Declarations: "Outer > inner", Outer.inner, src/auth.py::Outer.inner
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Only uses with this relation; may be given more than once [default: all but imports]
    #[arg(long = "relation", value_name = "NAME", value_parser = relations())]
    relations: Vec<Relation>,
    #[command(flatten)]
    calls: Calls,
    #[command(flatten)]
    lookup: Lookup,
}

impl Callers {
    pub(crate) fn run(mut self, global: &Global) -> Result<CommandResult, Failure> {
        let snapshot = self.lookup.open(&mut self.names, global)?;
        let mut options = UsesOptions::default().with_list(self.calls.list(&self.lookup));
        if !self.relations.is_empty() {
            options.relations = self.relations.iter().copied().collect();
        }
        let (found, text) = uses(&snapshot, &self.names, &options)?;
        self.lookup.print(&found, &text)?;
        let is_used = found.iter().any(|of| !(of.places.is_empty() && of.possible.is_empty()));
        Ok(if is_used { CommandResult::Found } else { CommandResult::NothingFound })
    }
}
