//! PyCG's micro-benchmark: small programs, each with a hand-written call graph.
//!
//! A case is a folder with Python files and a `callgraph.json` that lists the callees of each function. It passes if
//! the graph has exactly those calls, with any confidence. Calls of code outside the case are left out on both sides. A
//! lambda is no symbol of the graph: its calls belong to the enclosing code, and calls of it are left out. Constructing
//! or raising a class calls its own or inherited constructor, and the code around a declaration calls its decorators.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use sscg_core::{Relation, SymbolId, SymbolKind};
use sscg_graph::{Direction, Node};
use sscg_index::Snapshot;

type Calls = BTreeSet<(String, String)>;

/// Measures the cases below a folder, and prints the failed ones.
pub(super) fn run(dir: &Path) -> Result<()> {
    let mut cases = Vec::new();
    collect(dir, &mut cases)?;
    cases.sort();
    ensure!(!cases.is_empty(), "no callgraph.json below {}", dir.display());
    let mut by_group: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let (mut passed, mut complete, mut sound) = (0, 0, 0);
    for case in &cases {
        let expected = expected(case)?;
        let index = tempfile::tempdir()?;
        let snapshot = super::snapshot(case, index.path())?;
        let found = found(&snapshot);
        let missing: Vec<_> = expected.difference(&found).collect();
        let wrong: Vec<_> = found.difference(&expected).collect();
        complete += usize::from(wrong.is_empty());
        sound += usize::from(missing.is_empty());
        let is_passed = missing.is_empty() && wrong.is_empty();
        passed += usize::from(is_passed);
        let name = case.strip_prefix(dir).unwrap_or(case);
        let group = name.parent().map_or_else(String::new, |group| group.display().to_string());
        let counts = by_group.entry(group).or_default();
        *counts = (counts.0 + usize::from(is_passed), counts.1 + 1);
        if !is_passed {
            println!("{}", name.display());
        }
        for (edges, label) in [(missing, "missing"), (wrong, "wrong")] {
            for (source, target) in edges {
                println!("  {label}: {source} -> {target}");
            }
        }
    }
    for (group, (passed, of)) in by_group {
        println!("{group:<40} {passed:>3} of {of:>3}");
    }
    println!("{passed} of {} exact; nothing wrong in {complete}, nothing missing in {sound}", cases.len());
    Ok(())
}

fn collect(dir: &Path, cases: &mut Vec<PathBuf>) -> Result<()> {
    if dir.join("callgraph.json").is_file() {
        cases.push(dir.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, cases)?;
        }
    }
    Ok(())
}

fn expected(case: &Path) -> Result<Calls> {
    let file = case.join("callgraph.json");
    let listed: BTreeMap<String, Vec<String>> = serde_json::from_reader(File::open(&file)?)
        .with_context(|| format!("{} is no call graph", file.display()))?;
    let mut modules = BTreeSet::new();
    names_of_modules(case, case, &mut modules)?;
    let is_inside = |name: &str| {
        !name.contains("<lambda")
            && modules
                .iter()
                .any(|module| name.strip_prefix(module).is_some_and(|rest| rest.starts_with('.')))
    };
    let mut calls = Calls::new();
    for (source, targets) in &listed {
        let around = source.split(".<lambda").next().unwrap_or(source);
        for target in targets.iter().filter(|target| is_inside(target)) {
            calls.insert((around.to_owned(), target.clone()));
        }
    }
    Ok(calls)
}

fn names_of_modules(case: &Path, dir: &Path, modules: &mut BTreeSet<String>) -> Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            names_of_modules(case, &path, modules)?;
        } else if path.extension().is_some_and(|extension| extension == "py") {
            let relative = path.strip_prefix(case)?.display().to_string();
            modules.insert(module_name(&relative));
        }
    }
    Ok(())
}

/// Returns the dotted name of a file.
fn module_name(path: &str) -> String {
    let stem = path.trim_end_matches(".py");
    stem.trim_end_matches("/__init__").replace('/', ".")
}

/// Returns the graph's calls, in the benchmark's names.
fn found(snapshot: &Snapshot) -> Calls {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let name = |node: Node| match node {
        Node::File(file) => module_name(&project.files()[file].path),
        Node::Symbol(symbol) => {
            let module = module_name(&project.files()[project.symbol_file(symbol)].path);
            format!("{module}.{}", project.qualified_name(symbol))
        }
        Node::External(_) => String::new(),
    };
    // Variables are not functions: the enclosing code computes their values.
    let runs_in = |node: Node, is_decorator: bool| {
        let Node::Symbol(symbol) = node else { return node };
        let around = project.self_and_ancestors(symbol).skip(usize::from(is_decorator));
        let mut code = around.filter(|symbol| {
            let kind = project.symbol(*symbol).kind;
            kind.is_callable() || kind == SymbolKind::Class
        });
        code.next().map_or(Node::File(project.symbol_file(symbol)), Node::Symbol)
    };
    let mut calls = Calls::new();
    for edge in graph.edges() {
        let Node::Symbol(target) = graph.node(edge.target) else { continue };
        let target = match edge.relation {
            Relation::Calls | Relation::Instantiates | Relation::Decorates | Relation::Raises => {
                constructor(snapshot, target)
            }
            _ => None,
        };
        if let Some(target) = target {
            let source = runs_in(graph.node(edge.source), edge.relation == Relation::Decorates);
            calls.insert((name(source), name(Node::Symbol(target))));
        }
    }
    calls
}

/// Returns the constructor that a class has or inherits, or any other symbol itself.
fn constructor(snapshot: &Snapshot, symbol: SymbolId) -> Option<SymbolId> {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    if project.symbol(symbol).kind != SymbolKind::Class {
        return Some(symbol);
    }
    let mut classes = vec![symbol];
    let mut at = 0;
    while let Some(class) = classes.get(at).copied() {
        at += 1;
        let node = graph.id(Node::Symbol(class));
        let mut bases = Vec::new();
        for edge in graph.edges_at(node, Direction::Outgoing) {
            match (edge.relation, graph.node(edge.target)) {
                (Relation::Contains, Node::Symbol(member))
                    if project.symbol(member).kind == SymbolKind::Constructor =>
                {
                    return Some(member);
                }
                (Relation::Inherits, Node::Symbol(base)) => bases.push((edge.line, base)),
                _ => {}
            }
        }
        bases.sort_unstable();
        classes.extend(bases.into_iter().map(|(_, base)| base).filter(|base| *base != symbol));
        if at > 64 {
            break;
        }
    }
    None
}
