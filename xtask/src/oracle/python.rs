//! Calls made by a package's own tests: `xtask/oracles/python_trace.py` in a separate Python environment.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use sscg_core::{Confidence, Relation, SymbolKind};
use sscg_graph::Node;
use sscg_index::Snapshot;

use super::evaluate::Evaluation;
use super::fact::{DeclarationLine, Fact};
use crate::workspace::{root, run as run_program};

/// Results of the tracer.
pub(super) struct Trace {
    /// Calls that are spelled out in the source.
    pub(super) facts: Vec<Fact>,
    /// Functions that ran below another function of the package for another reason.
    pub(super) implicit: Vec<Implicit>,
}

/// A function that ran below another without a call by name there.
#[derive(Deserialize)]
pub(super) struct Implicit {
    pub(super) how: String,
    pub(super) source: DeclarationLine,
    pub(super) target: DeclarationLine,
}

/// Runs the tests of the package in `dir`. The facts are cached in the target directory until they are removed.
pub(super) fn trace(dir: &Path, requirements: &[String], arguments: &[String]) -> Result<Trace> {
    let name = dir.file_name().context("the package is a directory with a name")?;
    let place = target_directory()?.join("oracle/python");
    fs::create_dir_all(&place)?;
    let facts = place.join(format!("{}.jsonl", name.display()));
    if !facts.is_file() {
        let python = environment(&place.join(name), dir, requirements)?;
        let mut command = Command::new(python);
        command.arg(root()?.join("xtask/oracles/python_trace.py")).arg(dir).arg(&facts);
        command.args(packages(dir)?).args(["--", "-q", "--no-header", "-p", "no:cacheprovider"]);
        command.args(arguments);
        // Tests may fail without a network or a locale; the facts include everything that ran.
        let status = command.current_dir(dir).status()?;
        ensure!(facts.is_file(), "the tests of {} did not run: {status}", dir.display());
    }
    read(&facts)
}

/// Reads the results of the tracer from a file.
pub(super) fn read(path: &Path) -> Result<Trace> {
    let mut trace = Trace { facts: Vec::new(), implicit: Vec::new() };
    for line in fs::read_to_string(path)?.lines() {
        if line.starts_with(r#"{"kind": "implicit""#) {
            trace.implicit.push(serde_json::from_str(line)?);
        } else {
            trace.facts.push(serde_json::from_str(line)?);
        }
    }
    Ok(trace)
}

fn target_directory() -> Result<PathBuf> {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => Ok(dir.into()),
        None => Ok(root()?.join("target")),
    }
}

/// Returns the interpreter of an environment with the package and its test requirements.
fn environment(place: &Path, dir: &Path, requirements: &[String]) -> Result<PathBuf> {
    let python = place.join("bin/python");
    if !python.is_file() {
        let base = env::var_os("PYTHON").unwrap_or_else(|| "python3.13".into());
        run_program(Command::new(base).args(["-m", "venv"]).arg(place))?;
    }
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pytest", "--editable"]);
    install.arg(dir).args(test_requirements(dir)?).args(requirements);
    run_program(&mut install)?;
    Ok(python)
}

/// Returns the test requirements of the manifest.
fn test_requirements(dir: &Path) -> Result<Vec<String>> {
    let Ok(text) = fs::read_to_string(dir.join("pyproject.toml")) else { return Ok(Vec::new()) };
    let manifest: toml::Table = text.parse().context("pyproject.toml is not TOML")?;
    let extras = manifest.get("project").and_then(|project| project.get("optional-dependencies"));
    let mut requirements = Vec::new();
    for groups in [manifest.get("dependency-groups"), extras].into_iter().flatten() {
        for name in ["test", "tests"] {
            let group = groups.get(name).and_then(toml::Value::as_array);
            let listed = group.into_iter().flatten().filter_map(toml::Value::as_str);
            requirements.extend(listed.map(str::to_owned));
        }
    }
    Ok(requirements)
}

/// Returns the importable files and folders of a package: in `src`, or next to the manifest.
fn packages(dir: &Path) -> Result<Vec<PathBuf>> {
    let source = dir.join("src");
    let base = if source.is_dir() { source } else { dir.to_owned() };
    let mut packages = Vec::new();
    for entry in fs::read_dir(&base)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_module = base != dir && name.ends_with(".py");
        let is_beside = ["tests", "test", "docs", "doc", "examples", "build"].contains(&name);
        if is_module || path.join("__init__.py").is_file() && !is_beside {
            packages.push(path.strip_prefix(dir)?.to_owned());
        }
    }
    packages.sort();
    ensure!(!packages.is_empty(), "no package in {}", dir.display());
    Ok(packages)
}

/// Prints how many of the functions that ran without a call by name the graph has, in any relation.
pub(super) fn print_implicit(snapshot: &Snapshot, evaluation: &Evaluation, implicit: &[Implicit]) {
    let mut by_kind: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for Implicit { how, source, target } in implicit {
        let Some(has) = evaluation.has_edge(snapshot, source, target) else { continue };
        let counts = by_kind.entry(how).or_default();
        *counts = (counts.0 + usize::from(has), counts.1 + 1);
    }
    println!("\nnot called by name (in the graph by whatever relation / all):");
    for (how, (found, all)) in by_kind {
        println!("  {how:<12} {found:>5} / {all}");
    }
}

/// Prints sampled exact calls of the packages' own code that no test made, with the lines of both ends, for manual
/// review.
pub(super) fn print_sample(
    dir: &Path,
    snapshot: &Snapshot,
    evaluation: &Evaluation,
    count: usize,
) -> Result<()> {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let packages = packages(dir)?;
    let is_inside = |path: &str| packages.iter().any(|package| Path::new(path).starts_with(package));
    let executed = evaluation.executed();
    let mut edges = Vec::new();
    let mut counts: BTreeMap<Confidence, (usize, usize)> = BTreeMap::new();
    for edge in graph.edges() {
        let Node::Symbol(target) = graph.node(edge.target) else { continue };
        let file = match graph.node(edge.source) {
            Node::File(file) => file,
            Node::Symbol(symbol) => project.symbol_file(symbol),
            Node::External(_) => continue,
        };
        let is_call = matches!(edge.relation, Relation::Calls | Relation::Instantiates);
        let path = &*project.files()[file].path;
        let kind = project.symbol(target).kind;
        if !is_call
            || !(kind.is_callable() || kind.is_type())
            || !is_inside(path)
            || !is_inside(&project.files()[project.symbol_file(target)].path)
        {
            continue;
        }
        let was_executed = executed.contains(&evaluation.comparable(snapshot, edge));
        let counts = counts.entry(edge.confidence).or_default();
        *counts = (counts.0 + usize::from(was_executed), counts.1 + 1);
        if edge.confidence == Confidence::Exact && !was_executed {
            edges.push((path, edge.line, graph.label(project, edge.source), target));
        }
    }
    edges
        .sort_by_key(|(path, line, source, target)| scrambled(&format!("{path}:{line} {source} {target:?}")));
    println!("\ncalls of functions and classes in the package (executed / all):");
    for (confidence, (executed, all)) in counts.iter().rev() {
        println!("  {confidence:<12} {executed:>5} / {all}");
    }
    println!("\nexact calls that were not executed: {}", edges.len());
    for (path, line, source, target) in edges.into_iter().take(count) {
        let file = &*project.files()[project.symbol_file(target)].path;
        let declared = project.symbol(target).name_line;
        let kind = if project.symbol(target).kind == SymbolKind::Class { "class " } else { "" };
        println!("{source} -> {kind}{}", project.symbol_key(target));
        println!("    {path}:{line}: {}", line_of(dir, path, line)?);
        println!("    {file}:{declared}: {}", line_of(dir, file, declared)?);
    }
    Ok(())
}

/// Returns a deterministic number that is independent of the order of texts (FNV-1a).
fn scrambled(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn line_of(dir: &Path, path: &str, line: u32) -> Result<String> {
    let text = fs::read_to_string(dir.join(path))?;
    Ok(text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default().trim().to_owned())
}
