//! `cargo xtask bench`: speed next to a baseline, in one run.

mod answers;
mod graph;
mod index;
mod knowledge;
mod parse;
mod refresh;
mod relink;
mod search;
mod serve;
pub(crate) mod times;

use anyhow::Result;

use crate::workspace::rerun_optimized;

/// Measure speed next to a baseline, in one run
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Answers(answers::Args),
    Graph(graph::Args),
    Index(index::Args),
    Knowledge(knowledge::Args),
    Parse(parse::Args),
    Relink(relink::Args),
    Search(search::Args),
    Serve(serve::Args),
}

pub(crate) fn run(args: Args) -> Result<()> {
    // The server is a separate process, which is always built optimized.
    if !matches!(args.what, What::Serve(_)) && rerun_optimized()? {
        return Ok(());
    }
    match args.what {
        What::Answers(args) => answers::run(&args),
        What::Graph(args) => graph::run(args),
        What::Index(args) => index::run(args),
        What::Knowledge(args) => knowledge::run(&args),
        What::Parse(args) => parse::run(args),
        What::Relink(args) => relink::run(args),
        What::Search(args) => search::run(&args),
        What::Serve(args) => serve::run(&args),
    }
}

/// Deterministic pseudorandom numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % end as u64) as usize
    }
}
