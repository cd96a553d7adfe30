//! `cargo xtask ci`: the steps of continuous integration.

use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::oracle::check as edges;
use crate::workspace::{cargo, git, output, root, run as run_command};
use crate::{
    api, corpus, dist, eval, features, fixtures, graph_check, hostile, pasted, release_check, serving, test,
    tidy, tools,
};

/// Run the steps of continuous integration, in order, up to the first failure
#[derive(clap::Args)]
pub(crate) struct Args {}

/// A step: its name and function.
type Step = (&'static str, fn() -> Result<()>);

/// Steps, quick ones first. All use one target directory and the development profile.
const STEPS: &[Step] = &[
    ("formatting", || run_command(&mut cargo(["fmt", "--all", "--check"])?)),
    ("tidy", || tidy::run(tidy::Args {})),
    ("clippy", || {
        let mut command = cargo(["clippy", "--all-targets"])?;
        run_command(command.args(test::DEFAULT_BUILD).args(["--", "--deny", "warnings"]))
    }),
    ("features", || features::run(features::Args::default())),
    ("tools", || tools::run(tools::Args::default())),
    ("dependencies", tools::check_dependencies),
    ("tests", || test::run(test::Args::default())),
    ("fuzz targets", || {
        let targets = [
            "--bin",
            "declared",
            "--bin",
            "plain",
            "--bin",
            "python",
            "--bin",
            "rust",
            "--bin",
            "typescript",
        ];
        run_command(cargo(["build"])?.args(test::DEFAULT_BUILD).args(targets))
    }),
    ("documentation", || {
        let mut command = cargo(["doc", "--no-deps"])?;
        run_command(command.args(test::DEFAULT_BUILD).env("RUSTDOCFLAGS", "--deny warnings"))
    }),
    ("public API", || api::run(api::Args::default())),
    ("fixtures", || fixtures::run(fixtures::Args { bless: false })),
    ("blessing changes nothing", blessing_changes_nothing),
    ("code at hand", corpus::check_at_hand),
    ("evaluation", eval::check_bundled),
    ("pasted text", pasted::check_bundled),
    ("benchmark of agents", || test_python("bench/agents/tests")),
    ("tools for SDKs", || test_python("integrations/tests")),
    ("edges", || edges::run(edges::Args::default())),
    ("hostile files", hostile::check_small),
    ("graph pages", graph_check::run_if_installed),
    ("packages", dist::check_packages),
    ("release check", || release_check::run(release_check::Args::default())),
    ("LanceDB", || test::run(test::Args { lancedb: true, ..test::Args::default() })),
];

pub(crate) fn run(Args {}: Args) -> Result<()> {
    let start = Instant::now();
    for (name, step) in STEPS {
        println!("\n== {name}");
        let start = Instant::now();
        step()?;
        println!("== {name}: {:.1} s", start.elapsed().as_secs_f64());
    }
    println!("\n== all: {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs the Python tests of a directory with the program.
fn test_python(directory: &str) -> Result<()> {
    let program = serving::build(false)?;
    let tests = ["-m", "unittest", "discover", "-s", directory];
    run_command(Command::new("python3").args(tests).current_dir(root()?).env("SSCG", program))
}

/// Blesses the golden files and fails if that changes the tree. The comparison is with the state before, so that the
/// step also works in a tree with changes; in a fresh clone it means that `git diff` is empty.
fn blessing_changes_nothing() -> Result<()> {
    let before = tree_state()?;
    fixtures::run(fixtures::Args { bless: true })?;
    ensure!(
        tree_state()? == before,
        "blessing changed the tree: run `cargo xtask fixtures --bless`, read `git diff`, and commit it"
    );
    Ok(())
}

/// Returns the changes to tracked files and the names of untracked files.
fn tree_state() -> Result<(String, String)> {
    let changes = output(&mut git(["diff", "HEAD"])?)?;
    let names = output(&mut git(["status", "--porcelain", "--untracked-files=all"])?)?;
    Ok((changes, names))
}
