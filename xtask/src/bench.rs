//! `cargo xtask bench`: speed, side by side with a limit, in one run.

mod graph;
mod index;
mod parse;

use anyhow::Result;

use crate::workspace::rerun_optimised;

/// Measure speed, side by side with a limit, in one run
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Graph(graph::Args),
    Index(index::Args),
    Parse(parse::Args),
}

pub(crate) fn run(args: Args) -> Result<()> {
    if rerun_optimised()? {
        return Ok(());
    }
    match args.what {
        What::Graph(args) => graph::run(args),
        What::Index(args) => index::run(args),
        What::Parse(args) => parse::run(args),
    }
}
