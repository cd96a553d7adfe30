//! `sscg trace`

use clap::Args;
use sscg::GraphQuery;
use sscg::graph::Direction;

use super::Directory;
use super::explore::{Edges, Output};
use crate::failure::Failure;
use crate::{CommandResult, Global};

/// Find the shortest paths between two declarations.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sscg trace handle_request \"Session > close\"
  sscg trace src/a.py::f src/b.py::g --relation calls --both-ways")]
pub(crate) struct Trace {
    /// Start node: a declaration or file.
    from: String,
    /// End node.
    to: String,
    #[command(flatten)]
    directory: Directory,
    /// Maximum number of steps [default: 5]
    #[arg(long, value_name = "STEPS")]
    depth: Option<u32>,
    /// Maximum number of paths [default: 10]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// Follow edges against their direction too.
    #[arg(long)]
    both_ways: bool,
    #[command(flatten)]
    edges: Edges,
    #[command(flatten)]
    output: Output,
}

impl Trace {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let direction = (!self.both_ways).then_some(Direction::Outgoing);
        let flags = [
            ("graph.trace_depth", self.depth.map(|steps| steps.to_string())),
            ("graph.trace_limit", self.limit.map(|limit| limit.to_string())),
        ];
        self.output.answer(self.directory.path(), global, &flags, |config| GraphQuery::Trace {
            from: self.from,
            to: self.to,
            max_depth: config.trace_depth,
            max_paths: config.trace_limit,
            edges: self.edges.filter(direction),
        })
    }
}
