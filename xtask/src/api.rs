//! `cargo xtask api`: compares the public API of each library crate with its committed list.

use std::fs;

use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::Package;
use public_api::Builder;

use crate::workspace::{cargo, files, is_published, metadata, root, run as run_command};

/// Directory of the lists.
const LISTS: &str = "docs/api";

/// Feature and crate that need the LanceDB build.
const LANCEDB: &str = "lancedb";
const LANCEDB_CRATE: &str = "sscg-lance";

/// Compare the public API of each library crate with its list in `docs/api`
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Write the lists instead, for review in `git diff`.
    #[arg(long)]
    pub(crate) bless: bool,
    /// Check the crate that builds LanceDB, which takes long, instead of the others.
    #[arg(long)]
    pub(crate) lancedb: bool,
}

pub(crate) fn run(Args { bless, lancedb }: Args) -> Result<()> {
    let metadata = metadata()?;
    let is_library = |package: &Package| package.targets.iter().any(cargo_metadata::Target::is_lib);
    let libraries: Vec<&Package> =
        metadata.packages.iter().filter(|package| is_published(package) && is_library(package)).collect();
    check_files(&libraries)?;
    let chosen: Vec<&Package> =
        libraries.into_iter().filter(|package| (package.name.as_str() == LANCEDB_CRATE) == lancedb).collect();

    // rustdoc's JSON is unstable, so it needs a variable that would rebuild the output of every other command.
    let target = metadata.target_directory.join("api");
    let mut command = cargo(["doc", "--no-deps", "--lib", "--target-dir", target.as_str()])?;
    for package in &chosen {
        command.args(["--package", &package.name]);
        for feature in package.features.keys().filter(|feature| *feature != LANCEDB) {
            command.args(["--features", &format!("{}/{feature}", package.name)]);
        }
    }
    command.env("RUSTC_BOOTSTRAP", "1");
    run_command(command.env("RUSTDOCFLAGS", "-Z unstable-options --output-format json"))?;

    let mut changed = Vec::new();
    for package in chosen {
        let json = target.join("doc").join(package.name.replace('-', "_")).with_extension("json");
        let api = Builder::from_rustdoc_json(json)
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(true)
            .omit_auto_derived_impls(true)
            .build()
            .with_context(|| format!("the API of {}", package.name))?;
        let list: String = api.items().map(|item| format!("{item}\n")).collect();
        let path = root()?.join(LISTS).join(format!("{}.txt", package.name));
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if bless {
            fs::create_dir_all(root()?.join(LISTS))?;
            fs::write(&path, list)?;
        } else if list != expected {
            println!("{}", package.name);
            differences(&expected, &list).iter().for_each(|line| println!("  {line}"));
            changed.push(package.name.as_str());
        }
    }
    ensure!(
        changed.is_empty(),
        "the public API changed: if that is intended, run `cargo xtask api --bless`, name the change in the \
         changelog, and commit both ({})",
        changed.join(", ")
    );
    Ok(())
}

/// Checks that each list has a crate.
fn check_files(libraries: &[&Package]) -> Result<()> {
    for file in files()? {
        let name = file.strip_prefix(LISTS).and_then(|name| name.strip_prefix('/')?.strip_suffix(".txt"));
        if let Some(name) = name
            && libraries.iter().all(|package| package.name.as_str() != name)
        {
            bail!("{file} lists the API of a crate that is not there");
        }
    }
    Ok(())
}

/// Returns the lines that only one of two sorted lists has, marked with `-` and `+`.
fn differences(before: &str, after: &str) -> Vec<String> {
    let only = |list: &str, other: &str, mark: char| {
        let other: Vec<&str> = other.lines().collect();
        let only = list.lines().filter(|line| !other.contains(line));
        only.map(|line| format!("{mark} {line}")).collect::<Vec<_>>()
    };
    [only(before, after, '-'), only(after, before, '+')].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_lines_of_one_list_alone() {
        assert_eq!(differences("a\nb\n", "a\nc\n"), ["- b", "+ c"]);
        assert!(differences("a\n", "a\n").is_empty());
    }
}
