//! Developer commands: `cargo xtask <command>`.
//!
//! Each command is one file here, with its arguments as a struct and a function `run`, and a line in the table below.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "talking to the developer is what this program does"
)]

mod api;
mod bench;
mod bench_peers;
mod ci;
mod commits;
mod conformance;
mod corpus;
mod crash;
mod dist;
mod eval;
mod features;
mod fixtures;
mod graph_check;
mod history;
mod hostile;
mod language;
mod neighbors;
mod oracle;
mod pairs;
mod pasted;
mod python;
mod release_check;
mod serving;
mod snapshots;
mod test;
mod tidy;
mod tools;
mod workspace;

use oracle::check as edges;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Allocator of the released binary, so that measurements match what users get.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

macro_rules! commands {
    ($($module:ident => $name:ident,)*) => {
        #[derive(Subcommand)]
        enum Command {
            $($name($module::Args),)*
        }

        impl Command {
            fn run(self) -> Result<()> {
                match self {
                    $(Command::$name(args) => $module::run(args),)*
                }
            }
        }
    };
}

commands! {
    api => Api,
    bench => Bench,
    bench_peers => BenchPeers,
    ci => Ci,
    commits => Commits,
    conformance => Conformance,
    corpus => Corpus,
    crash => Crash,
    dist => Dist,
    edges => Edges,
    eval => Eval,
    features => Features,
    fixtures => Fixtures,
    graph_check => GraphCheck,
    hostile => Hostile,
    language => Language,
    neighbors => Neighbors,
    oracle => Oracle,
    pairs => Pairs,
    pasted => Pasted,
    release_check => ReleaseCheck,
    snapshots => Snapshots,
    test => Test,
    tidy => Tidy,
    tools => Tools,
}

/// Developer commands of the SSCG workspace.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    match Cli::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
