//! What the manifests in a tree say of its packages and modules.

use std::fs;
use std::path::Path;

use sscg_core::{Manifest, ModuleSystem, Package};

/// What was read of a tree's manifests.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Manifests {
    /// The packages they name.
    pub(crate) packages: Vec<Package>,
    /// Those that say how modules are resolved.
    pub(crate) texts: Vec<Manifest>,
}

/// Whether a file of this name is a manifest.
pub(crate) fn is_manifest(name: &str) -> bool {
    name == "Cargo.toml" || resolves_modules(name)
}

/// Whether a manifest of this name says how modules are resolved.
fn resolves_modules(name: &str) -> bool {
    let is_config = |name: &str| name.starts_with("tsconfig.") && name.ends_with(".json");
    matches!(name, "package.json" | "jsconfig.json") || is_config(name)
}

/// The manifests at `paths` below `root`. One that cannot be read or parsed says nothing: code is searched all the
/// same.
pub(crate) fn read(root: &Path, paths: &[String]) -> Manifests {
    let mut manifests = Manifests::default();
    for path in paths {
        let Ok(text) = fs::read_to_string(root.join(path)) else { continue };
        let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        manifests.packages.extend(package(dir, name, &text));
        if resolves_modules(name) {
            manifests.texts.push(Manifest { path: path.as_str().into(), text: text.into() });
        }
    }
    manifests
}

/// The package that a manifest describes, if it names one.
fn package(dir: &str, file: &str, text: &str) -> Option<Package> {
    let (name, modules) = match file {
        "Cargo.toml" => {
            let manifest: toml::Table = text.parse().ok()?;
            let name_in = |table: &str| manifest.get(table)?.get("name")?.as_str();
            (name_in("lib").or_else(|| name_in("package"))?.to_owned(), ModuleSystem::RustCrates)
        }
        "package.json" => {
            let manifest: serde_json::Value = serde_json::from_str(text).ok()?;
            (manifest.get("name")?.as_str()?.to_owned(), ModuleSystem::EsModules)
        }
        _ => return None,
    };
    Some(Package { dir: dir.into(), name: name.into(), modules })
}
