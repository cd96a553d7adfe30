//! `sscg impact`

use clap::Args;
use sscg::GraphQuery;
use sscg::graph::traverse::ImpactOptions;

use super::Directory;
use super::explore::{Edges, Output};
use crate::failure::Failure;
use crate::{Found, Global};

/// Tell what a change of a declaration may affect.
///
/// Uses are followed backwards, through overridden methods and members too. Nearest first, then those tied to it most
/// strongly; code of tests is marked. How many uses of its name could not be tied to any declaration is told as well.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sscg impact \"Session > close\"
  sscg impact src/auth.py::verify_token --depth 1 --min-confidence exact")]
pub(crate) struct Impact {
    /// The declaration: "Outer > inner", src/auth.py::Outer.inner
    symbol: String,
    #[command(flatten)]
    directory: Directory,
    /// Go so many steps; 1 for what uses it directly.
    #[arg(long, value_name = "STEPS", default_value_t = ImpactOptions::default().depth)]
    depth: u32,
    /// Name at most this many.
    #[arg(long, short = 'n', value_name = "N", default_value_t = ImpactOptions::default().limit)]
    limit: usize,
    #[command(flatten)]
    edges: Edges,
    #[command(flatten)]
    output: Output,
}

impl Impact {
    pub(crate) fn run(self, global: &Global) -> Result<Found, Failure> {
        let options = ImpactOptions {
            depth: self.depth,
            limit: self.limit,
            relations: self.edges.relations(),
            min_confidence: self.edges.min_confidence,
        };
        self.output.answer(GraphQuery::Impact { symbol: self.symbol, options }, self.directory.path(), global)
    }
}
