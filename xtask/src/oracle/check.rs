//! `cargo xtask edges`: compares the figures of edges of a few packages with the committed table.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use cargo_metadata::MetadataCommand;

use super::report::Row;
use super::{Oracle, python, report, snapshot};
use crate::oracle::evaluate::Evaluation;
use crate::tools::Tools;
use crate::workspace::{copy_tree, root, run as run_command};

/// Committed table.
const TABLE: &str = "docs/benchmarks/edges.csv";

/// Directory of the recorded facts of Python packages: `click-8.5.1.jsonl`. Recording runs their tests, which needs
/// Python 3.13.
const RECORDED: &str = "fixtures/edges";

/// Crates, in their newest version of the lock file.
const CRATES: &[&str] = &["aho-corasick", "globset", "indexmap"];

/// Packages of npm that contain their source code: name and version.
const NPM_PACKAGES: &[(&str, &str)] = &[("immer", "11.2.10"), ("reselect", "5.3.0")];

/// Packages of PyPI with recorded facts: name and version.
const PYPI_PACKAGES: &[(&str, &str)] = &[("click", "8.5.1"), ("marshmallow", "4.4.0")];

/// Compare the figures of edges of a few public packages with `docs/benchmarks/edges.csv`
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Write the table instead, for review in `git diff`.
    #[arg(long)]
    bless: bool,
}

pub(crate) fn run(Args { bless }: Args) -> Result<()> {
    // The target directory may be in this workspace, which the crates are no part of.
    let place = tempfile::tempdir()?;
    let mut table = format!("package,{}\n", Row::COLUMNS);
    for (name, dir) in crates(place.path())? {
        add(&mut table, &name, Oracle::Rust, &dir)?;
    }
    for (name, version) in NPM_PACKAGES {
        let dir = npm_package(place.path(), name, version)?;
        add(&mut table, &format!("{name} {version}"), Oracle::Ts, &dir)?;
    }
    for (name, version) in PYPI_PACKAGES {
        let dir = pypi_package(place.path(), name, version)?;
        add(&mut table, &format!("{name} {version}"), Oracle::Python, &dir)?;
    }
    let path = root()?.join(TABLE);
    if bless {
        return Ok(fs::write(path, table)?);
    }
    let expected = fs::read_to_string(&path).with_context(|| format!("cannot read {TABLE}"))?;
    if table != expected {
        let only = |table: &str, other: &str, mark: char| {
            for line in table.lines().filter(|line| other.lines().all(|other| other != *line)) {
                println!("{mark} {line}");
            }
        };
        println!("  package,{}", Row::COLUMNS);
        only(&expected, &table, '-');
        only(&table, &expected, '+');
        bail!(
            "figures of edges changed: look at them with `cargo xtask oracle`, then run `cargo xtask edges --bless`"
        );
    }
    println!("the figures of {} rows are as expected", table.lines().count() - 1);
    Ok(())
}

/// Adds the rows of a package to the table.
fn add(table: &mut String, package: &str, oracle: Oracle, dir: &Path) -> Result<()> {
    println!("{package}");
    let facts = match oracle {
        Oracle::Python => {
            let name = dir.file_name().context("the package is a directory with a name")?;
            python::read(&root()?.join(RECORDED).join(name).with_added_extension("jsonl"))?.facts
        }
        other => other.facts(dir)?,
    };
    let index = tempfile::tempdir()?;
    let snapshot = snapshot(dir, index.path())?;
    let evaluation = Evaluation::new(&snapshot.project, &snapshot.graph, &facts, oracle.rules());
    for row in report::rows(&evaluation) {
        *table += &format!("{package},{}\n", row.csv());
    }
    Ok(())
}

/// Copies the sources of [`CRATES`] from where cargo keeps those of dependencies.
fn crates(place: &Path) -> Result<Vec<(String, PathBuf)>> {
    let metadata = MetadataCommand::new().current_dir(root()?).exec()?;
    let copy = |name: &&str| {
        let versions = metadata.packages.iter().filter(|package| package.name.as_str() == *name);
        let package = versions.max_by_key(|package| &package.version);
        let package = package.with_context(|| format!("{name} is no dependency any more"))?;
        let dir = place.join(name);
        let source = package.manifest_path.parent().context("a manifest is in a directory")?;
        copy_tree(source.as_std_path(), &dir)?;
        Ok((format!("{name} {}", package.version), dir))
    };
    CRATES.iter().map(copy).collect()
}

/// Installs a package from npm, and returns a directory with its sources and manifests.
fn npm_package(place: &Path, name: &str, version: &str) -> Result<PathBuf> {
    let installed = place.join("npm");
    let mut npm = Command::new("npm");
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"]);
    run_command(npm.arg(&installed).arg(format!("{name}@{version}")))?;
    let (package, dir) = (installed.join("node_modules").join(name), place.join(format!("{name}-{version}")));
    copy_tree(&package.join("src"), &dir.join("src"))?;
    for manifest in ["package.json", "tsconfig.json"] {
        if package.join(manifest).exists() {
            fs::copy(package.join(manifest), dir.join(manifest))?;
        }
    }
    Ok(dir)
}

/// Installs a package from PyPI, and returns a directory with its sources below `src`, as in the paths of its facts.
fn pypi_package(place: &Path, name: &str, version: &str) -> Result<PathBuf> {
    let dir = place.join(format!("{name}-{version}"));
    let mut pip = Tools::new()?.python_command();
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile"]);
    run_command(pip.arg("--target").arg(dir.join("src")).arg(format!("{name}=={version}")))?;
    Ok(dir)
}
