//! `cargo xtask release-check`: a release without the upload.

mod texts;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::{Metadata, Package};

use crate::dist;
use crate::workspace::{cargo, is_published, metadata, output, root, run as run_command};

/// Files that every package must contain besides its code.
const REQUIRED: &[&str] = &["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Package that is not tested, because LanceDB takes long to build. The verification of `cargo publish` can exclude it only
/// with all packages that depend on it, also optionally.
const UNTESTED: &str = "sscg-lance";

/// Package every published crate as for a release, and test the packages without the rest of the workspace
///
/// Also checks that all crates have one version and require it of each other, and that links between pages resolve.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Do not build and test the packages.
    #[arg(long)]
    no_test: bool,
    /// Only check that this version can be released now: versions, its section in the changelog, `repository`, the author,
    /// links
    #[arg(long, value_name = "VERSION", conflicts_with = "no_test")]
    version: Option<String>,
    /// Write the section of the changelog to this file
    #[arg(long, value_name = "FILE", requires = "version")]
    notes: Option<PathBuf>,
}

pub(crate) fn run(Args { no_test, version, notes }: Args) -> Result<()> {
    let metadata = metadata()?;
    let packages: Vec<&Package> = metadata.packages.iter().filter(|package| is_published(package)).collect();
    let mut problems = version_problems(&packages);
    problems.extend(texts::broken_links()?);
    if let Some(version) = &version {
        problems.extend(release_problems(&packages, version));
        problems.extend(dist::release_problems(version)?);
        if problems.is_empty() {
            let changelog = fs::read_to_string(root()?.join("CHANGELOG.md"))?;
            let section = texts::changelog_section(&changelog, version)?;
            match notes {
                Some(notes) => {
                    fs::write(&notes, section).with_context(|| format!("cannot write {}", notes.display()))?
                }
                None => println!("{section}"),
            }
            return Ok(());
        }
    }
    if !problems.is_empty() {
        bail!("a release is not possible:\n  {}", problems.join("\n  "));
    }
    // Cargo resolves dependencies between these packages as if all of them were published.
    let mut package = cargo(["package", "--no-verify", "--allow-dirty", "--quiet"])?;
    run_command(package.args(packages.iter().flat_map(|package| ["--package", &package.name])))?;

    let unpacked = unpack(&metadata, &packages)?;
    for package in &packages {
        let files = unpacked.join(directory(package));
        let missing = missing(|file| files.join(file).exists());
        problems.extend(missing.map(|file| format!("{}: its package has no {file}", package.name)));
    }
    if !problems.is_empty() {
        bail!("packages that cannot be released:\n  {}", problems.join("\n  "));
    }
    if no_test { Ok(()) } else { test(&metadata, &packages, &unpacked) }
}

/// Checks that the packages have one version, and require it of each other.
fn version_problems(packages: &[&Package]) -> Vec<String> {
    let Some(first) = packages.first() else { return vec!["there is no package".to_owned()] };
    let mut problems = Vec::new();
    for package in packages {
        if package.version != first.version {
            problems.push(format!(
                "{} has version {}, {} has {}",
                package.name, package.version, first.name, first.version
            ));
        }
        for dependency in &package.dependencies {
            let other = packages.iter().find(|other| other.name == dependency.name);
            if let Some(other) = other.filter(|other| !dependency.req.matches(&other.version)) {
                let (name, version) = (&other.name, &other.version);
                problems.push(format!("{} requires {name} {}, not {version}", package.name, dependency.req));
            }
        }
    }
    problems
}

/// Checks that the packages have the version of a release, and an address.
fn release_problems(packages: &[&Package], version: &str) -> Vec<String> {
    let other = packages.iter().filter(|package| package.version.to_string() != version);
    let other = other.map(|package| format!("{} has version {}", package.name, package.version));
    let nowhere = packages.iter().filter(|package| package.repository.is_none());
    other.chain(nowhere.map(|package| format!("{} has no `repository`", package.name))).collect()
}

/// Unpacks the packages and returns the directory of their directories.
fn unpack(metadata: &Metadata, packages: &[&Package]) -> Result<Utf8PathBuf> {
    let unpacked = metadata.target_directory.join("package").join("unpacked");
    if unpacked.exists() {
        fs::remove_dir_all(&unpacked).with_context(|| format!("cannot remove {unpacked}"))?;
    }
    fs::create_dir_all(&unpacked).with_context(|| format!("cannot create {unpacked}"))?;
    for package in packages {
        let archive = unpacked.with_file_name(format!("{}.crate", directory(package)));
        // All files in an archive have the same old time, by which cargo would not notice changes: `-m` sets the present.
        output(Command::new("tar").args(["-xzmf", archive.as_str(), "-C", unpacked.as_str()]))?;
    }
    Ok(unpacked)
}

/// Runs the tests that the unpacked packages contain.
fn test(metadata: &Metadata, packages: &[&Package], unpacked: &Utf8Path) -> Result<()> {
    write_workspace(unpacked, packages)?;
    let mut test = cargo(["test", "--quiet", "--workspace", "--exclude", UNTESTED])?;
    test.arg("--target-dir").arg(&metadata.target_directory).current_dir(unpacked);
    run_command(&mut test)
}

/// Name of a package's directory in its archive.
fn directory(package: &Package) -> String {
    format!("{}-{}", package.name, package.version)
}

/// Makes a workspace of the unpacked packages, in which each uses the others. It has the profiles and the external
/// dependencies of this one, so that these are not built again.
fn write_workspace(unpacked: &Utf8Path, packages: &[&Package]) -> Result<()> {
    let root = root()?;
    let own: toml::Table = fs::read_to_string(root.join("Cargo.toml"))?.parse()?;
    let profile = toml::Table::from_iter([("profile".to_owned(), own["profile"].clone())]);
    let patch = |package: &&Package| format!("{} = {{ path = {:?} }}\n", package.name, directory(package));
    let patches: String = packages.iter().map(patch).collect();
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\n\n[patch.crates-io]\n{patches}\n{profile}"
    );
    fs::write(unpacked.join("Cargo.toml"), manifest)?;
    fs::copy(root.join("Cargo.lock"), unpacked.join("Cargo.lock"))?;
    Ok(())
}

fn missing(is_in_package: impl Fn(&str) -> bool) -> impl Iterator<Item = &'static str> {
    REQUIRED.iter().copied().filter(move |file| !is_in_package(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_different_versions_are_found() {
        let metadata = metadata().expect("the workspace's manifests can be read");
        let mut packages: Vec<Package> = metadata.packages.into_iter().filter(is_published).collect();
        let problems = |packages: &[Package]| version_problems(&packages.iter().collect::<Vec<_>>());
        assert_eq!(problems(&packages), [""; 0]);
        let core = packages.iter_mut().find(|package| package.name == "sscg-core").expect("it is a member");
        core.version = "9.0.0".parse().expect("it is a version");
        let found = problems(&packages).join("\n");
        assert!(found.contains("sscg-parse requires sscg-core ^0.1.0, not 9.0.0"), "{found}");
        assert!(release_problems(&packages.iter().collect::<Vec<_>>(), "9.0.0").len() >= packages.len());
    }

    #[test]
    fn a_package_without_its_license_or_readme_is_found() {
        assert_eq!(missing(|_| true).count(), 0);
        let found = missing(|file| ["Cargo.toml", "LICENSE-MIT"].contains(&file));
        assert_eq!(found.collect::<Vec<_>>(), ["LICENSE-APACHE", "README.md"]);
    }
}
