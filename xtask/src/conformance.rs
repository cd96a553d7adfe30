//! `cargo xtask conformance`: third-party clients and test suites run against the MCP server.

mod clients;
mod page;
mod suite;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use serde_json::{Map, Value};

use crate::python::environment;
use crate::serving::{Serving, build, command};
use crate::workspace::{copy_tree, metadata, root, run as run_command};

/// Run the official conformance suite, the MCP Inspector and the Python SDK on the MCP server
///
/// Installs them below the target directory, in the versions pinned in xtask/conformance. Fails if a check that
/// applies to this server fails.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write the results to docs/mcp.md
    #[arg(long)]
    bless: bool,
    /// Command to test, instead of a fresh build
    #[arg(long, value_name = "SSCG")]
    program: Option<PathBuf>,
}

/// Result of a check.
enum Outcome {
    Passed,
    /// Description of the failure.
    Failed(String),
    /// Reason why the check does not apply to this server.
    NotApplicable(&'static str),
}

/// A check and its outcome.
struct Row {
    program: String,
    check: String,
    outcome: Outcome,
}

/// Arguments for a call of each tool.
type Calls = BTreeMap<String, Map<String, Value>>;

pub(crate) fn run(args: Args) -> Result<()> {
    let programs = root()?.join("xtask/conformance");
    let scratch = tempfile::tempdir()?;
    let project = scratch.path().join("parcel");
    copy_tree(&root()?.join("fixtures/projects/parcel"), &project)?;
    let node = Node::install(&programs, scratch.path())?;
    let python = environment("conformance-python", &programs.join("requirements.txt"))?.join("python");
    let sscg = match args.program {
        Some(program) => program.canonicalize()?,
        None => build(false)?,
    };
    let calls: Calls = serde_json::from_slice(&fs::read(programs.join("calls.json"))?)?;
    let serve = |index: &str| command(&sscg, &project, &scratch.path().join(index), "all");

    let serving = Serving::start(&mut serve("suite"))?;
    let mut rows = suite::run(&node, &serving.url, scratch.path())?;
    drop(serving);
    rows.extend(clients::inspector(&node, &serve("inspector"), &calls)?);
    rows.extend(clients::python(&python, &programs, &serve("python"), &calls)?);

    let table = page::table(&rows);
    println!("{table}");
    if args.bless {
        page::write(&root()?.join("docs/mcp.md"), &table)?;
    }
    let failed = rows.iter().filter(|row| matches!(row.outcome, Outcome::Failed(_))).count();
    ensure!(failed == 0, "{failed} of {} checks failed", rows.len());
    Ok(())
}

/// npm packages, and the Node.js that runs them.
struct Node {
    modules: PathBuf,
    /// Home directory of the programs, for their own files.
    home: PathBuf,
    versions: Map<String, Value>,
}

impl Node {
    /// Installs the packages of `package.json` below the target directory, unless they are there.
    fn install(programs: &Path, scratch: &Path) -> Result<Self> {
        let manifest = fs::read(programs.join("package.json"))?;
        let place = metadata()?.target_directory.into_std_path_buf().join("conformance-node");
        let installed = place.join("installed.json");
        if !fs::read(&installed).is_ok_and(|known| known == manifest) {
            fs::create_dir_all(&place)?;
            fs::write(place.join("package.json"), &manifest)?;
            run_command(
                Command::new("npm")
                    .args(["install", "--silent", "--no-audit", "--no-fund"])
                    .current_dir(&place),
            )?;
            fs::write(installed, &manifest)?;
        }
        let manifest: Value = serde_json::from_slice(&manifest)?;
        let versions = manifest["dependencies"].as_object().cloned().unwrap_or_default();
        Ok(Self { modules: place.join("node_modules"), home: scratch.join("home"), versions })
    }

    /// Returns a command that runs a program of a package with the Node.js installed next to it.
    fn command(&self, name: &str) -> Result<Command> {
        let programs = self.modules.join(".bin");
        let path = env::var_os("PATH").unwrap_or_default();
        let path = [programs.clone()].into_iter().chain(env::split_paths(&path));
        let path: OsString = env::join_paths(path)?;
        let mut command = Command::new(programs.join("node"));
        command.arg(programs.join(name)).env("PATH", path).env("HOME", &self.home);
        Ok(command)
    }

    /// Returns the package name and version for display.
    fn version(&self, package: &str) -> String {
        format!("{package} {}", self.versions.get(package).and_then(Value::as_str).unwrap_or("-"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_tool_is_called() {
        let root = root().expect("the workspace has a root");
        let page = fs::read_to_string(root.join("docs/mcp.md")).expect("the page is there");
        let names: BTreeSet<&str> =
            page.lines().filter_map(|line| line.strip_prefix("#### `")?.strip_suffix('`')).collect();
        let calls = fs::read(root.join("xtask/conformance/calls.json")).expect("the calls are there");
        let calls: Calls = serde_json::from_slice(&calls).expect("they are JSON");
        assert_eq!(calls.keys().map(String::as_str).collect::<BTreeSet<_>>(), names);
    }
}
