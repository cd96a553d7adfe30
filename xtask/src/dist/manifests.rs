//! Files that name the files of all targets with their checksums: install scripts, and manifests of package managers, of
//! containers and of the MCP registry.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;

use super::checksum;
use super::product::{Product, Templates};
use super::target::Target;

/// Templates and the files made of them, for every version.
const MANIFESTS: &[(&str, &str)] = &[
    ("install/install.sh", "install.sh"),
    ("install/install.ps1", "install.ps1"),
    ("container/Containerfile", "Containerfile"),
];

/// Those of channels that give everyone the newest version. They are not made for a version before a release.
const RELEASED: &[(&str, &str)] = &[
    ("homebrew/sscg.rb", "sscg-cli.rb"),
    ("scoop/sscg.json", "sscg-cli.json"),
    ("aur/PKGBUILD", "PKGBUILD"),
    ("nix/flake.nix", "flake.nix"),
    ("mcp-registry/server.json", "server.json"),
];

/// A target with its published files.
#[derive(Serialize)]
struct Published {
    #[serde(flatten)]
    target: Target,
    /// First part of the triple.
    arch: &'static str,
    /// Name of the archive without its ending, and of the directory in it.
    stem: String,
    archive: String,
    sha256: String,
    bundle: String,
    bundle_sha256: String,
}

/// Writes the manifests for some targets, whose files are in the directory, and returns their paths.
pub(super) fn write(product: &Product, targets: &[Target], output: &Path) -> Result<Vec<PathBuf>> {
    product.repository.as_ref().context("the manifests need the address of the project: set `repository`")?;
    let published =
        targets.iter().map(|target| find(product, *target, output)).collect::<Result<Vec<_>>>()?;
    let values = serde_json::json!({ "product": product, "targets": published });
    let templates = Templates::new()?;
    let mut written = Vec::new();
    let released = if product.is_prerelease { &[] } else { RELEASED };
    for (template, file) in MANIFESTS.iter().chain(released) {
        let path = output.join(file);
        fs::write(&path, templates.render(template, &values)?)?;
        written.push(path);
    }
    Ok(written)
}

fn find(product: &Product, target: Target, output: &Path) -> Result<Published> {
    let stem = product.archive_stem(target.triple);
    let (archive, bundle) = (format!("{stem}{}", target.archive_ending()), format!("{stem}.mcpb"));
    Ok(Published {
        arch: target.triple.split_once('-').expect("a triple has parts").0,
        sha256: checksum(&output.join(&archive))?,
        bundle_sha256: checksum(&output.join(&bundle))?,
        target,
        stem,
        archive,
        bundle,
    })
}

#[cfg(test)]
mod tests {
    use super::super::target::TARGETS;
    use super::*;

    /// Writes the manifests of a version, with packages that are empty.
    fn written(version: &str) -> (tempfile::TempDir, Vec<String>) {
        let product = Product::of_version(version).expect("it is a version");
        let directory = tempfile::tempdir().expect("there is a directory for temporary files");
        for target in TARGETS {
            let stem = product.archive_stem(target.triple);
            for ending in [target.archive_ending(), ".mcpb"] {
                fs::write(directory.path().join(format!("{stem}{ending}")), "").expect("it can be written");
            }
        }
        let files = write(&product, TARGETS, directory.path()).expect("the templates can be filled");
        let name = |path: &PathBuf| path.file_name().expect("it has a name").to_string_lossy().into_owned();
        let names = files.iter().map(name).collect();
        (directory, names)
    }

    #[test]
    fn channels_with_one_version_get_no_version_before_a_release() {
        let (_, names) = written("1.2.0-rc.1");
        assert_eq!(names, ["install.sh", "install.ps1", "Containerfile"]);
        let (_, names) = written("1.2.0");
        assert_eq!(names.len(), MANIFESTS.len() + RELEASED.len());
        assert!(
            ["sscg-cli.rb", "sscg-cli.json", "PKGBUILD"].iter().all(|it| names.contains(&(*it).to_owned()))
        );
    }

    #[test]
    fn the_install_script_downloads_its_own_version() {
        let (directory, _) = written("1.2.0-rc.1");
        let script = fs::read_to_string(directory.path().join("install.sh")).expect("it is there");
        assert!(script.contains("/releases/download/v1.2.0-rc.1"), "{script}");
        assert!(script.contains("stem=sscg-1.2.0-rc.1-x86_64-unknown-linux-musl"), "{script}");
    }
}
