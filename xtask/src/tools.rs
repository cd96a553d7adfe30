//! `cargo xtask tools`: third-party programs that some tests run against.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::{cargo, metadata, run as run_command};

/// A program from crates.io: name, version and features.
type Program = (&'static str, &'static str, &'static [&'static str]);

/// An S3-compatible server.
const S3_SERVER: Program = ("s3s-fs", "0.14.1", &["--features", "binary"]);

/// Checks `deny.toml`.
const CARGO_DENY: Program = ("cargo-deny", "0.20.2", &[]);

/// Packages from PyPI: those that read exports, and those that check or install packages of a release. skillsaw contains the
/// schemas of the MCP registry.
const PYTHON_PACKAGES: &[&str] = &[
    "duckdb==2.0.0",
    "networkx==3.6.1",
    "pyarrow==26.0.1",
    "pydot==4.0.1",
    "skillsaw==0.22.0",
    "twine==7.0.0",
    "uv==0.13.9",
    "wheel==0.48.0",
];

/// Package of npm that checks MCP bundles.
const BUNDLE_CHECKER: &str = "@anthropic-ai/mcpb";
const BUNDLE_CHECKER_VERSION: &str = "2.1.2";

/// Install the programs that some tests need, into the target directory
///
/// An S3 server, cargo-deny, a Python environment with libraries that read exports or check packages, and a program of npm
/// that checks MCP bundles. Tests that need one of them are skipped, with a note, where it is not installed; the checks of
/// packages (`cargo xtask dist --check`) fail.
#[derive(clap::Args, Default)]
pub(crate) struct Args {}

/// The installed programs.
pub(crate) struct Tools {
    directory: PathBuf,
}

impl Tools {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self { directory: metadata()?.target_directory.join("tools").into() })
    }

    fn program(&self, (name, ..): Program) -> PathBuf {
        self.directory.join("bin").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    fn python(&self) -> PathBuf {
        self.python_program("python")
    }

    /// Returns a program of the packages from PyPI.
    pub(crate) fn python_program(&self, name: &str) -> PathBuf {
        let bin = if cfg!(windows) { "Scripts" } else { "bin" };
        self.directory.join("python").join(bin).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Returns a command that runs the installed Python, or the system's if none is installed.
    pub(crate) fn python_command(&self) -> Command {
        let installed = self.python();
        if self.is_complete(&installed) { Command::new(installed) } else { Command::new("python3") }
    }

    /// Returns the script that checks MCP bundles, which Node runs.
    pub(crate) fn bundle_checker(&self) -> PathBuf {
        self.directory.join("npm/node_modules").join(BUNDLE_CHECKER).join("dist/cli/cli.js")
    }

    /// Sets the environment variables by which tests find the installed programs.
    pub(crate) fn announce(&self, command: &mut Command) {
        for (variable, program) in
            [("SSCG_S3_SERVER", self.program(S3_SERVER)), ("SSCG_PYTHON", self.python())]
        {
            if self.is_complete(&program) {
                command.env(variable, program);
            }
        }
    }

    /// True if a program and all its dependencies are installed.
    fn is_complete(&self, program: &Path) -> bool {
        program.exists() && (program != self.python() || self.python_mark().exists())
    }

    /// Marker file that exists once the packages are installed.
    fn python_mark(&self) -> PathBuf {
        self.directory.join("python").join(format!("installed-{}", PYTHON_PACKAGES.join("-")))
    }
}

/// Checks the licenses and the sources of all dependencies, and the bans and duplicates of those without LanceDB, with
/// cargo-deny, which has to be installed.
pub(crate) fn check_dependencies() -> Result<()> {
    let deny = Tools::new()?.program(CARGO_DENY);
    run_command(Command::new(&deny).args(["check", "licenses", "sources", "--hide-inclusion-graph"]))?;
    let bans = ["--exclude", "sscg-lance", "check", "bans", "--hide-inclusion-graph"];
    run_command(Command::new(deny).args(bans))
}

pub(crate) fn run(Args {}: Args) -> Result<()> {
    let tools = Tools::new()?;
    for program in [S3_SERVER, CARGO_DENY] {
        if tools.program(program).exists() {
            continue;
        }
        let (name, version, features) = program;
        let mut install = cargo(["install", name, "--version", version, "--locked"])?;
        install.args(features).args(["--debug", "--root"]).arg(&tools.directory);
        run_command(install.arg("--target-dir").arg(tools.directory.join("build")))?;
    }
    if !tools.is_complete(&tools.python()) {
        let environment = tools.directory.join("python");
        run_command(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
        let mut install = Command::new(tools.python());
        run_command(install.args(["-m", "pip", "install", "--quiet"]).args(PYTHON_PACKAGES))?;
        let mark = tools.python_mark();
        std::fs::write(&mark, "").with_context(|| format!("cannot write {}", mark.display()))?;
    }
    if !tools.bundle_checker().exists() {
        let mut install = Command::new(which::which("npm").context("npm is not installed")?);
        install.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]);
        install.arg(tools.directory.join("npm"));
        run_command(install.arg(format!("{BUNDLE_CHECKER}@{BUNDLE_CHECKER_VERSION}")))?;
    }
    println!("installed in {}", tools.directory.display());
    Ok(())
}
