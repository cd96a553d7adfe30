//! `cargo xtask crash`: the command, killed at random moments.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::workspace::{cargo, run as run_command};

/// Kill `sscg` at random moments of indexing, and check the index and the answer each time
///
/// Runs the test of that name in `crates/sscg-cli/tests/cli/crash.rs` with more rounds, and prints its table.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Number of runs
    #[arg(long, default_value_t = 200)]
    rounds: usize,
    /// Random seed; the same seed makes the same edits
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Tree to copy and edit; a generated tree if not given
    path: Option<PathBuf>,
}

pub(crate) fn run(Args { rounds, seed, path }: Args) -> Result<()> {
    let mut command =
        cargo(["test", "--package", "sscg-cli", "--test", "cli", "crash::", "--", "--nocapture"])?;
    command.env("SSCG_CRASH_ROUNDS", rounds.to_string()).env("SSCG_CRASH_SEED", seed.to_string());
    if let Some(path) = path {
        let tree = path.canonicalize().with_context(|| path.display().to_string())?;
        command.env("SSCG_CRASH_TREE", tree);
    }
    run_command(&mut command)
}
