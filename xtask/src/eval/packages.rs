//! Sources of published packages, fetched by the ordinary clients of their registries.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::dataset::read_json;
use crate::tools::Tools;
use crate::workspace::{cargo, copy_tree, metadata, output, run as run_command};

/// A version of a package.
#[derive(Deserialize)]
struct Package {
    registry: Registry,
    package: String,
    version: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum Registry {
    #[serde(rename = "crates.io")]
    CratesIo,
    #[serde(rename = "npm")]
    Npm,
    PyPI,
}

/// Returns the names of the packages of a folder, in order.
pub(crate) fn names(folder: &Path) -> Result<Vec<String>> {
    let packages: BTreeMap<String, Package> = read_json(&folder.join("packages.json"))?;
    Ok(packages.into_keys().collect())
}

/// Returns a directory with the sources of each package that `packages.json` of a folder lists. Missing sources are
/// fetched. A package that cannot be fetched is left out, with a note.
///
/// # Errors
/// If none can be fetched.
pub(crate) fn fetched(folder: &Path) -> Result<PathBuf> {
    let packages: BTreeMap<String, Package> = read_json(&folder.join("packages.json"))?;
    let root = metadata()?.target_directory.join("packages").into_std_path_buf();
    let mut count = 0;
    for (name, package) in &packages {
        let (target, mark) = (root.join(name), root.join(format!("{name}.version")));
        if target.is_dir() && fs::read_to_string(&mark).is_ok_and(|version| version == package.version) {
            count += 1;
            continue;
        }
        let scratch = root.join(format!("{name}.part"));
        for stale in [&target, &scratch] {
            let _ = fs::remove_dir_all(stale);
        }
        fs::create_dir_all(&scratch)?;
        match package.fetch(&scratch) {
            Ok(sources) => {
                copy_tree(&sources, &target)?;
                fs::write(&mark, &package.version)?;
                count += 1;
            }
            Err(error) => {
                println!("left out: {name} cannot be fetched from {:?}: {error:#}", package.registry)
            }
        }
        let _ = fs::remove_dir_all(&scratch);
    }
    ensure!(count > 0, "no package can be fetched: look at the messages above, and try again with a network");
    Ok(root)
}

impl Package {
    /// Fetches the package into an empty directory and returns the path of its sources.
    fn fetch(&self, directory: &Path) -> Result<PathBuf> {
        let Self { registry, package, version } = self;
        match registry {
            Registry::CratesIo => {
                let manifest = directory.join("Cargo.toml");
                let text = format!(
                    "[package]\nname = \"fetch\"\nedition = \"2024\"\n[workspace]\n\
                     [dependencies]\n{package} = {{ version = \"={version}\", default-features = false }}\n"
                );
                fs::write(&manifest, text)?;
                fs::create_dir(directory.join("src"))?;
                fs::write(directory.join("src/lib.rs"), "")?;
                let mut command = cargo(["metadata", "--quiet", "--format-version", "1", "--manifest-path"])?;
                let metadata: Value = serde_json::from_str(&output(command.arg(&manifest))?)?;
                let packages = metadata["packages"].as_array().context("cargo names no packages")?;
                let found = packages.iter().find(|found| found["name"] == package.as_str());
                let manifest = found.and_then(|found| found["manifest_path"].as_str());
                let sources = manifest.and_then(|manifest| Path::new(manifest).parent());
                Ok(sources.context("cargo does not name the package")?.to_owned())
            }
            Registry::Npm => {
                let mut command = Command::new("npm");
                command.args(["pack", "--silent", &format!("{package}@{version}")]);
                let archive = output(command.current_dir(directory))?;
                let mut command = Command::new("tar");
                run_command(command.args(["-xzf", archive.trim()]).current_dir(directory))?;
                Ok(directory.join("package"))
            }
            Registry::PyPI => {
                let tools = Tools::new()?;
                let mut command = tools.python_command();
                let wheel = ["--quiet", "--no-deps", "--only-binary", ":all:", "--platform", "any"];
                command.args(["-m", "pip", "download"]).args(wheel);
                run_command(command.arg(format!("{package}=={version}")).current_dir(directory))?;
                let files = fs::read_dir(directory)?.filter_map(Result::ok).map(|entry| entry.path());
                let wheel = files.into_iter().find(|path| path.extension().is_some_and(|end| end == "whl"));
                let wheel = wheel.context("pip fetched no wheel")?;
                let sources = directory.join("sources");
                let mut command = tools.python_command();
                run_command(command.args(["-m", "zipfile", "-e"]).args([&wheel, &sources]))?;
                Ok(sources)
            }
        }
    }
}
