//! What the manifests in a tree say of its packages' names.

use std::fs;
use std::path::Path;

use sscg_core::{ModuleSystem, Package};

/// Whether a file of this name is a manifest that [`read`] understands.
pub(crate) fn is_manifest(name: &str) -> bool {
    matches!(name, "Cargo.toml" | "package.json")
}

/// The package that the manifest at `relative` (below `root`) describes, if it names one. A manifest that
/// cannot be read or parsed names none: code is searched all the same.
pub(crate) fn read(root: &Path, relative: &str) -> Option<Package> {
    let text = fs::read_to_string(root.join(relative)).ok()?;
    let (dir, file) = relative.rsplit_once('/').unwrap_or(("", relative));
    let (name, modules) = match file {
        "Cargo.toml" => {
            let manifest: toml::Table = text.parse().ok()?;
            let name_in = |table: &str| manifest.get(table)?.get("name")?.as_str();
            (name_in("lib").or_else(|| name_in("package"))?.to_owned(), ModuleSystem::RustCrates)
        }
        _ => {
            let manifest: serde_json::Value = serde_json::from_str(&text).ok()?;
            (manifest.get("name")?.as_str()?.to_owned(), ModuleSystem::EsModules)
        }
    };
    Some(Package { dir: dir.into(), name: name.into(), modules })
}
