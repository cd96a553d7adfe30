//! Every little project under `fixtures/graph/<language>/` against the listing of its links
//! (`<project>/edges.expected`).
//!
//! A new case is one directory; `cargo xtask fixtures --bless` writes its listing, for you to read.

#![allow(clippy::disallowed_methods, reason = "the crate is pure, its tests read the fixtures")]

#[path = "fixtures/live.rs"]
mod live;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use expect_test::expect_file;
use sscg_core::{Confidence, ModuleSystem, NodeId, Package, Project, ProjectFile, Relation};
use sscg_graph::{CodeGraph, Node, link};

#[test]
fn every_fixture_has_the_links_in_its_listing() {
    for case in cases() {
        let project = project(&case);
        let listing = listing(&project, &link(&project));
        expect_file![case.join("edges.expected")].assert_eq(&listing);
    }
}

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/graph");
    let cases: Vec<PathBuf> = entries(&root).iter().flat_map(|language| entries(language)).collect();
    assert!(!cases.is_empty(), "no fixtures under {}", root.display());
    cases
}

fn project(case: &Path) -> Project {
    let texts = texts(case);
    let files = texts.iter().filter_map(|(path, text)| file(path, text)).collect();
    let packages = texts.iter().filter_map(|(path, text)| package(path, text)).collect();
    Project::new(files, packages)
}

/// The texts of a case by path.
fn texts(case: &Path) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    collect(case, &mut paths);
    let text = |file: PathBuf| {
        let relative = file.strip_prefix(case).expect("collected below the case");
        let path = relative.to_str().expect("fixture paths are UTF-8");
        (path.to_owned(), fs::read_to_string(&file).expect("fixtures are readable"))
    };
    paths.into_iter().map(text).collect()
}

/// A source file; `None` if `path` is none's.
fn file(path: &str, text: &str) -> Option<ProjectFile> {
    let language = sscg_parse::language_of_path(path)?;
    let extension = sscg_parse::extension_of_path(path).expect("it has a language");
    let facts = Arc::new(sscg_parse::extract(language, extension, text));
    Some(ProjectFile { path: path.into(), language, facts })
}

fn package(path: &str, text: &str) -> Option<Package> {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let modules = match name {
        "Cargo.toml" => ModuleSystem::RustCrates,
        "package.json" => ModuleSystem::EsModules,
        _ => return None,
    };
    Some(Package { dir: dir.into(), name: manifest_name(text).into(), modules })
}

/// The first `name` of a manifest: `name = "app"` or `"name": "app"`.
fn manifest_name(text: &str) -> &str {
    let (_, rest) = text.split_once("name").expect("fixture manifests have a name");
    rest.trim_start_matches(['"', ' ', '=', ':']).split('"').next().unwrap_or_default()
}

/// The edges but for `contains` and `defines`, then the ledger.
fn listing(project: &Project, graph: &CodeGraph) -> String {
    let mut out = String::new();
    for edge in
        graph.edges().iter().filter(|edge| !matches!(edge.relation, Relation::Contains | Relation::Defines))
    {
        let (source, target) = (graph.label(project, edge.source), place(project, graph, edge.target));
        let share = if edge.confidence == Confidence::Ambiguous {
            format!(" 1/{}", edge.candidates)
        } else {
            String::new()
        };
        writeln!(out, "{source} -{}-> {target} {}{share} @{}", edge.relation, edge.confidence, edge.line)
            .expect("writing to a string does not fail");
    }
    for entry in graph.ledger() {
        let source = graph.label(project, entry.source);
        writeln!(out, "{source} -{}-> ? {} @{}: {}", entry.relation, entry.name, entry.line, entry.reason)
            .expect("writing to a string does not fail");
    }
    out
}

/// A node's label, with the line for symbols: twins have the same name.
fn place(project: &Project, graph: &CodeGraph, node: NodeId) -> String {
    let label = graph.label(project, node);
    match graph.node(node) {
        Node::Symbol(symbol) => format!("{label}:{}", project.symbol(symbol).name_line),
        Node::Boundary(_) => format!("<{label}>"),
        Node::File(_) => label,
    }
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    for path in entries(dir) {
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(dir).into_iter().flatten().map(|entry| entry.expect("readable").path()).collect();
    entries.sort();
    entries
}
