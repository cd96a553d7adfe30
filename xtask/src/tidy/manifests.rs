//! Requirements of every crate.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::{Metadata, Package};

use crate::workspace::is_published;

pub(super) fn check(root: &Path, metadata: &Metadata) -> Result<Vec<String>> {
    let read =
        |path: &Path| fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let mut problems = workspace_problems(&read(&root.join("Cargo.toml"))?.parse()?);
    for package in &metadata.packages {
        let manifest = read(package.manifest_path.as_std_path())?.parse()?;
        problems.extend(missing(package, &manifest).map(|what| format!("{} has no {what}", package.name)));
        if is_published(package) {
            let readme = package.readme().and_then(|readme| fs::read_to_string(readme).ok());
            problems
                .extend(readme_problem(readme.as_deref()).map(|what| format!("{}: {what}", package.name)));
        }
        for target in package.targets.iter().filter(|target| target.is_lib() || target.is_bin()) {
            if !has_crate_docs(&read(target.src_path.as_std_path())?) {
                problems
                    .push(format!("{} has no crate documentation (`//!`) for {}", package.name, target.name));
            }
        }
    }
    Ok(problems)
}

/// Checks that the workspace's lints, which its crates inherit, include the lint for undocumented public items.
fn workspace_problems(manifest: &toml::Table) -> Vec<String> {
    let lint = manifest.get("workspace").and_then(|it| it.get("lints")?.get("rust")?.get("missing_docs"));
    match lint.and_then(toml::Value::as_str) {
        Some("warn" | "deny" | "forbid") => Vec::new(),
        _ => vec!["the workspace's lints do not have missing_docs".to_owned()],
    }
}

/// Returns the entries that a manifest lacks. An unpublished package needs only the workspace's lints, the license and
/// the compiler's version.
fn missing(package: &Package, manifest: &toml::Table) -> impl Iterator<Item = &'static str> {
    let inherits_lints =
        manifest.get("lints").and_then(|lints| lints.get("workspace")?.as_bool()) == Some(true);
    let published = is_published(package);
    let requirements = [
        ("`[lints] workspace = true`", inherits_lints),
        ("license", package.license.is_some()),
        ("rust-version", package.rust_version.is_some()),
        ("description", !published || package.description.is_some()),
        ("documentation", !published || package.documentation.is_some()),
        ("keywords", !published || !package.keywords.is_empty()),
        ("categories", !published || !package.categories.is_empty()),
    ];
    requirements.into_iter().filter(|(_, fulfilled)| !fulfilled).map(|(what, _)| what)
}

fn readme_problem(readme: Option<&str>) -> Option<&'static str> {
    match readme {
        None => Some("the README is missing"),
        Some(text) if text.trim().is_empty() => Some("the README is empty"),
        Some(_) => None,
    }
}

/// True if a crate's root starts with documentation.
fn has_crate_docs(source: &str) -> bool {
    source.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with("//! "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata() -> Metadata {
        crate::workspace::metadata().expect("the workspace's manifests can be read")
    }

    fn package(name: &str) -> Package {
        metadata().packages.into_iter().find(|package| package.name == name).expect("it is a member")
    }

    fn lints() -> toml::Table {
        "[lints]\nworkspace = true".parse().expect("valid TOML")
    }

    #[test]
    fn each_missing_entry_of_a_manifest_is_found() {
        let mut package = package("sscg-core");
        assert_eq!(missing(&package, &lints()).count(), 0);
        package.license = None;
        package.rust_version = None;
        package.description = None;
        package.documentation = None;
        package.keywords.clear();
        package.categories.clear();
        assert_eq!(missing(&package, &lints()).count(), 6);
        assert_eq!(missing(&package, &toml::Table::new()).count(), 7);
    }

    #[test]
    fn a_package_that_is_not_published_needs_less() {
        let mut package = package("xtask");
        package.description = None;
        assert_eq!(missing(&package, &lints()).count(), 0);
        package.rust_version = None;
        assert_eq!(missing(&package, &lints()).collect::<Vec<_>>(), ["rust-version"]);
    }

    #[test]
    fn undocumented_public_items_cannot_be_allowed_for_all() {
        let manifest =
            |level| format!("[workspace.lints.rust]\nmissing_docs = {level:?}").parse().expect("valid TOML");
        assert!(workspace_problems(&manifest("warn")).is_empty());
        assert_eq!(workspace_problems(&manifest("allow")).len(), 1);
        assert_eq!(workspace_problems(&toml::Table::new()).len(), 1);
    }

    #[test]
    fn a_missing_or_empty_readme_is_found() {
        assert!(readme_problem(None).is_some());
        assert!(readme_problem(Some("\n")).is_some());
        assert!(readme_problem(Some("# sscg")).is_none());
    }

    #[test]
    fn a_crate_without_a_door_sign_is_found() {
        assert!(has_crate_docs("//! What it is.\n"));
        assert!(!has_crate_docs("mod a;\n//! Too late.\n"));
        assert!(!has_crate_docs(""));
    }
}
