//! `cargo xtask test`: every test of the workspace.

use std::process::Stdio;

use anyhow::Result;

use crate::tools::Tools;
use crate::workspace::{cargo, run as run_command};

/// Packages of the default build. LanceDB takes longer to build than everything else together.
pub(crate) const DEFAULT_BUILD: [&str; 3] = ["--workspace", "--exclude", "sscg-lance"];

/// Selection of the tests that need LanceDB, in one build. Building them together with the rest of the workspace, or
/// with documentation tests, would rebuild LanceDB's dependencies with other features or debug information. This build
/// also covers the other features, because it rebuilds the command anyway.
const WITH_LANCEDB: [&str; 9] = [
    "--tests",
    "-p",
    "sscg-lance",
    "-p",
    "sscg-parse",
    "-p",
    "sscg-cli",
    "--features",
    "sscg-cli/arrow,sscg-cli/lancedb,sscg-cli/model2vec,sscg-cli/pdf",
];

/// Run every test of the default build: unit, integration, golden and documentation tests, and build the examples
///
/// Needs only a Rust toolchain and a C compiler. Uses cargo-nextest if it is installed, and runs more tests after
/// `cargo xtask tools`.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Run the tests that need LanceDB or another optional feature instead: those of the LanceDB store, and those of the
    /// parsers and the CLI
    #[arg(long, conflicts_with = "args")]
    pub(crate) lancedb: bool,
    /// Arguments for the test runner instead of everything: `-p sscg-parse`, part of a test's name.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
}

pub(crate) fn run(Args { lancedb, args }: Args) -> Result<()> {
    let nextest = has_nextest()?;
    let runner: &[&str] = if nextest { &["nextest", "run"] } else { &["test"] };
    let everything = args.is_empty() && !lancedb;
    let selection = if lancedb {
        WITH_LANCEDB.to_vec()
    } else if everything {
        DEFAULT_BUILD.to_vec()
    } else {
        args.iter().map(String::as_str).collect()
    };
    let mut command = cargo(runner.iter().copied().chain(selection))?;
    Tools::new()?.announce(&mut command);
    run_command(&mut command)?;
    // nextest cannot run documentation tests; `cargo test` has already run them.
    if nextest && everything {
        run_command(cargo(["test", "--doc"])?.args(DEFAULT_BUILD))?;
    }
    Ok(())
}

fn has_nextest() -> Result<bool> {
    let status = cargo(["nextest", "--version"])?.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    Ok(status.success())
}
