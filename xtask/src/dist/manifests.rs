//! Files that name the files of all targets with their checksums: install scripts, and manifests of package managers, of
//! containers and of the MCP registry.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;

use super::checksum;
use super::product::{Product, Templates};
use super::target::Target;

/// Templates and the files made of them.
const MANIFESTS: &[(&str, &str)] = &[
    ("install/install.sh", "install.sh"),
    ("install/install.ps1", "install.ps1"),
    ("homebrew/sscg.rb", "sscg-cli.rb"),
    ("scoop/sscg.json", "sscg-cli.json"),
    ("aur/PKGBUILD", "PKGBUILD"),
    ("nix/flake.nix", "flake.nix"),
    ("container/Containerfile", "Containerfile"),
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
    for (template, file) in MANIFESTS {
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
