//! Notices of the libraries in the program: names, licenses, and each text of a license once.
//!
//! Licenses such as MIT, BSD and Apache require that binary copies contain their text. The texts are the files in the
//! libraries' packages.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, MetadataCommand, Package, PackageId, Resolve, TargetKind};

use super::target::Target;
use crate::workspace::root;

/// File in the packages.
pub(super) const FILE: &str = "THIRD-PARTY-NOTICES";

/// First words of the names of files with licenses, in lower case.
const NAMES: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];

/// Parts of the program that cargo does not know.
const OTHERS: &str = "\
- Rust standard library (MIT OR Apache-2.0), the Rust project developers
- musl (MIT), Copyright 2005-2020 Rich Felker, et al., in programs for musl
";

/// Returns the notices of the program for a target, with default features.
pub(super) fn text(target: Target) -> Result<String> {
    let mut command = MetadataCommand::new();
    command.current_dir(root()?);
    command.other_options(["--locked".to_owned(), "--filter-platform".to_owned(), target.triple.to_owned()]);
    let metadata = command.exec().context("cannot read the manifests of the libraries")?;
    let packages: BTreeMap<&PackageId, &Package> =
        metadata.packages.iter().map(|package| (&package.id, package)).collect();
    let resolve = metadata.resolve.as_ref().context("cargo resolved no dependencies")?;
    let program = metadata.workspace_packages().into_iter().find(|package| package.name == "sscg-cli");
    let program = program.context("there is no package `sscg-cli`")?;
    let linked = linked(&program.id, resolve, &packages).into_iter().map(|id| packages[id]);
    let mut libraries: Vec<&Package> = linked.filter(|package| package.source.is_some()).collect();
    libraries.sort_by_key(|package| (&*package.name, &package.version));
    notices(&libraries)
}

/// Returns the packages whose code is in the program: no procedural macros and no dependencies of build scripts.
fn linked<'a>(
    program: &'a PackageId,
    resolve: &'a Resolve,
    packages: &BTreeMap<&'a PackageId, &'a Package>,
) -> BTreeSet<&'a PackageId> {
    let nodes: BTreeMap<&PackageId, _> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let is_macro =
        |package: &Package| package.targets.iter().any(|target| target.kind.contains(&TargetKind::ProcMacro));
    let (mut seen, mut pending) = (BTreeSet::new(), vec![program]);
    while let Some(id) = pending.pop() {
        if is_macro(packages[id]) || !seen.insert(id) {
            continue;
        }
        let linked = nodes[id]
            .deps
            .iter()
            .filter(|dependency| dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal));
        pending.extend(linked.map(|dependency| &dependency.pkg));
    }
    seen
}

/// Writes the notices of packages: a list of all, then each text with the packages that have it.
fn notices(libraries: &[&Package]) -> Result<String> {
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut out = String::from("SSCG contains code of these libraries:\n\n");
    for package in libraries {
        let name = format!("{} {}", package.name, package.version);
        let license = package.license.as_deref().unwrap_or("see its text below");
        writeln!(out, "- {name} ({license}){}", authors(package))?;
        let directory = package.manifest_path.parent().context("a manifest is in a directory")?;
        for text in licenses(directory.as_std_path())? {
            texts.entry(text).or_default().insert(name.clone());
        }
    }
    out.push_str(OTHERS);
    for (text, packages) in texts {
        let packages: Vec<String> = packages.into_iter().collect();
        writeln!(out, "\n{}\n{}\n\n{}", "-".repeat(80), packages.join(", "), text.trim_end())?;
    }
    Ok(out)
}

/// Returns the authors of a package, after a comma, if its manifest names them.
fn authors(package: &Package) -> String {
    if package.authors.is_empty() { String::new() } else { format!(", {}", package.authors.join(", ")) }
}

/// Returns the texts of the licenses in a directory.
fn licenses(directory: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if entry.file_type()?.is_file() && NAMES.iter().any(|start| name.starts_with(start)) {
            texts.push(String::from_utf8_lossy(&fs::read(entry.path())?).replace("\r\n", "\n"));
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_in_the_program_is_named_once() {
        let text =
            text(Target::of_this_machine().expect("this machine has a target")).expect("it is written");
        let count = |name: &str| text.lines().filter(|line| line.starts_with(&format!("- {name} "))).count();
        assert_eq!(count("tree-sitter"), 1);
        // A procedural macro, a library of build scripts, and a crate of this workspace.
        assert_eq!((count("serde_derive"), count("cc"), count("sscg-core")), (0, 0, 0));
    }

    #[test]
    fn a_text_that_several_libraries_have_is_printed_once() {
        let text =
            text(Target::of_this_machine().expect("this machine has a target")).expect("it is written");
        let starts = text.lines().filter(|line| line.trim() == "Version 2.0, January 2004").count();
        assert!(
            starts < text.lines().filter(|line| line.contains("Apache-2.0")).count() / 4,
            "{starts} texts"
        );
    }
}
