//! What the manifests in a tree say of its packages and modules.

use std::fs;
use std::path::Path;

use sscg_core::{Manifest, ModuleSystem, Package};

use crate::discovery::Seen;

/// What was read of a tree's manifests.
#[derive(Debug, Default)]
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

/// The manifests in these files below `root`. One that cannot be read or parsed says nothing: code is searched all the
/// same.
pub(crate) fn read(root: &Path, files: &[Seen]) -> Manifests {
    let mut manifests = Manifests::default();
    for Seen { path, .. } in files {
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
    let (name, modules, features) = match file {
        "Cargo.toml" => {
            let manifest: toml::Table = text.parse().ok()?;
            let name_in = |table: &str| manifest.get(table)?.get("name")?.as_str();
            let name = name_in("lib").or_else(|| name_in("package"))?.to_owned();
            (name, ModuleSystem::RustCrates, default_features(&manifest))
        }
        "package.json" => {
            let manifest: serde_json::Value = serde_json::from_str(text).ok()?;
            (manifest.get("name")?.as_str()?.to_owned(), ModuleSystem::EsModules, Box::default())
        }
        _ => return None,
    };
    Some(Package { dir: dir.into(), name: name.into(), modules, features })
}

/// The features that `default` turns on, with those that they turn on in turn.
fn default_features(manifest: &toml::Table) -> Box<[Box<str>]> {
    let all = manifest.get("features").and_then(toml::Value::as_table);
    let mut on: Vec<Box<str>> = vec!["default".into()];
    let mut next = 0;
    while let Some(feature) = on.get(next) {
        let turned_on = all.and_then(|all| all.get(&**feature)?.as_array());
        let turned_on = turned_on.into_iter().flatten().filter_map(toml::Value::as_str);
        // `dep:name` and `name/feature` are of dependencies.
        let more: Vec<Box<str>> = turned_on
            .filter(|it| !it.contains([':', '/']) && !on.iter().any(|on| **on == **it))
            .map(Into::into)
            .collect();
        on.extend(more);
        next += 1;
    }
    on.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_features_turn_on_others() {
        let manifest =
            "[features]\ndefault = [\"std\"]\nstd = [\"alloc\", \"dep:libc\", \"other/std\"]\nextra = []\n";
        let manifest: toml::Table = manifest.parse().expect("it is a table");
        let features: Vec<_> = default_features(&manifest).iter().map(|it| it.to_string()).collect();
        assert_eq!(features, ["default", "std", "alloc"]);
    }
}
