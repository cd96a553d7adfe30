//! `sscg trace`

use clap::Args;
use sscg::GraphQuery;
use sscg::graph::Direction;
use sscg::graph::traverse::TraceOptions;

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
    /// Maximum number of steps.
    #[arg(long, value_name = "STEPS", default_value_t = TraceOptions::default().max_depth)]
    depth: u32,
    /// Maximum number of paths.
    #[arg(long, short = 'n', value_name = "N", default_value_t = TraceOptions::default().max_paths)]
    limit: usize,
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
        let query = GraphQuery::Trace {
            from: self.from,
            to: self.to,
            max_depth: self.depth,
            max_paths: self.limit,
            edges: self.edges.filter(direction),
        };
        self.output.answer(query, self.directory.path(), global)
    }
}
