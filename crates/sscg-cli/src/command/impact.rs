//! `sscg impact`

use clap::Args;
use sscg::GraphQuery;

use super::Directory;
use super::explore::{Edges, Output};
use crate::failure::Failure;
use crate::{CommandResult, Global};

/// List what a change of a declaration may affect.
///
/// Follows uses backward, also through overridden methods and members. Nearest first; at the same distance, test code
/// comes last, and the most relevant code first: that on which a random walk from the change against the uses spends
/// most time. The number of unresolved uses of its name is printed as well.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sscg impact \"Session > close\"
  sscg impact src/auth.py::verify_token --depth 1 --min-confidence exact")]
pub(crate) struct Impact {
    /// Declaration: "Outer > inner", src/auth.py::Outer.inner
    symbol: String,
    #[command(flatten)]
    directory: Directory,
    /// Number of steps; 1 for direct uses [default: 3]
    #[arg(long, value_name = "STEPS")]
    depth: Option<u32>,
    /// Maximum node count [default: 100]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    edges: Edges,
    #[command(flatten)]
    output: Output,
}

impl Impact {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let flags = [
            ("graph.impact_depth", self.depth.map(|steps| steps.to_string())),
            ("graph.impact_limit", self.limit.map(|limit| limit.to_string())),
        ];
        self.output.answer(self.directory.path(), global, &flags, |config| GraphQuery::Impact {
            symbol: self.symbol,
            options: config
                .impact()
                .with_relations(self.edges.relations())
                .with_min_confidence(self.edges.min_confidence),
        })
    }
}
