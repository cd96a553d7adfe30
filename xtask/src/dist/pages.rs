//! Tests of the pages that list commands to install the program.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result};
use regex::Regex;

use super::product::Product;
use super::target::TARGETS;
use crate::workspace::root;

/// Returns the commands and files in the table of channels of a page.
fn commands(page: &str) -> Result<BTreeSet<String>> {
    let text = fs::read_to_string(root()?.join(page))?;
    let rows = text.lines().skip_while(|line| !line.starts_with("| channel | command |"));
    let code = Regex::new("`([^`]+)`")?;
    let found: BTreeSet<String> = rows
        .take_while(|line| line.starts_with('|'))
        .flat_map(|row| code.captures_iter(row).map(|it| it[1].to_owned()).collect::<Vec<_>>())
        .collect();
    (!found.is_empty()).then_some(found).with_context(|| format!("{page} lists no channels"))
}

#[test]
fn pages_name_packages_and_files_as_they_are_made() -> Result<()> {
    let product = Product::of_version("1.2.0-rc.1")?;
    let package = product.package.as_str();
    let stem = product.archive_stem("TARGET").replace(&product.version, "VERSION");
    let mut names = BTreeSet::from([package.to_owned(), format!("{stem}.mcpb")]);
    names.extend(TARGETS.iter().filter_map(|it| Some(format!("{package}_VERSION_{}.deb", it.debian?))));
    let arch = fs::read_to_string(root()?.join("packaging/aur/PKGBUILD"))?;
    let suffix = arch.lines().find_map(|line| line.strip_prefix("pkgname={{ product.package }}"));
    names.insert(format!("{package}{}", suffix.context("the package of Arch has no name")?));
    let name = Regex::new(r"\bsscg[\w.-]*|\binstall\.\w+")?;
    for page in ["README.md", "docs/install.md"] {
        for command in commands(page)? {
            for found in name.find_iter(&command) {
                let is_script = root()?.join("packaging/install").join(found.as_str()).exists();
                assert!(is_script || names.contains(found.as_str()), "{page}: `{command}` names no package");
            }
        }
    }
    Ok(())
}

#[test]
fn the_first_page_lists_commands_of_the_page_about_installing() -> Result<()> {
    let all = commands("docs/install.md")?;
    let unknown: Vec<String> = commands("README.md")?.into_iter().filter(|it| !all.contains(it)).collect();
    assert_eq!(unknown, [""; 0]);
    Ok(())
}
