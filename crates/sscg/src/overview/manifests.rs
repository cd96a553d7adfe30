//! Commands and scripts that manifests of build tools declare.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use sscg_index::{MAX_FILE_BYTES, Snapshot};

use super::{EntryPoint, ManifestCommands};
use crate::files::read_regular;

/// Maximum depth of directories whose manifests are read.
const MOST_DEPTH: usize = 2;

/// Maximum number of commands of one manifest.
const MOST_COMMANDS: usize = 8;

/// Maximum number of directories whose manifests are read.
const MOST_DIRECTORIES: usize = 200;

/// Reader of a manifest: its commands, and scripts as names with their targets.
type Reader = fn(&Path, &str) -> (Vec<String>, Vec<(String, String)>);

/// Manifests by file name. A directory may have several.
const MANIFESTS: [(&str, Reader); 12] = [
    ("Cargo.toml", cargo),
    ("package.json", package_json),
    ("pyproject.toml", pyproject),
    ("tox.ini", |_, _| (vec!["tox".to_owned()], Vec::new())),
    ("go.mod", |_, _| (own(["go build ./...", "go test ./..."]), Vec::new())),
    ("Makefile", |_, text| (targets("make", text), Vec::new())),
    ("justfile", |_, text| (targets("just", text), Vec::new())),
    ("pom.xml", |_, _| (own(["mvn package", "mvn test"]), Vec::new())),
    ("build.gradle", |_, _| (own(["gradle build", "gradle test"]), Vec::new())),
    ("build.gradle.kts", |_, _| (own(["gradle build", "gradle test"]), Vec::new())),
    ("CMakeLists.txt", |_, _| {
        (own(["cmake -B build", "cmake --build build", "ctest --test-dir build"]), Vec::new())
    }),
    ("composer.json", |_, text| (scripts("composer run ", text, "scripts"), Vec::new())),
];

fn own<const N: usize>(commands: [&str; N]) -> Vec<String> {
    commands.map(str::to_owned).to_vec()
}

/// Reads the manifests of a tree. A manifest below one of the same name is a part of its project, and left out.
pub(super) fn read(snapshot: &Snapshot) -> (Vec<ManifestCommands>, Vec<EntryPoint>) {
    let mut directories = BTreeSet::from([""]);
    for file in snapshot.project.files().iter() {
        let ends = file.path.match_indices('/').map(|(at, _)| at).take(MOST_DEPTH);
        directories.extend(ends.map(|at| &file.path[..at]));
    }
    let (mut commands, mut entries) = (Vec::new(), Vec::new());
    let mut known: Vec<(&str, &str)> = Vec::new();
    for directory in directories.into_iter().take(MOST_DIRECTORIES) {
        for (name, reader) in MANIFESTS {
            let is_above = |(above, other): &(&str, &str)| {
                *other == name && (above.is_empty() || directory.starts_with(&format!("{above}/")))
            };
            let at = snapshot.root.join(directory);
            if known.iter().any(is_above) {
                continue;
            }
            let Some(text) = read_regular(&at.join(name), MAX_FILE_BYTES) else { continue };
            known.push((directory, name));
            let manifest = if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
            let (mut found, scripts) = reader(&at, &text);
            found.truncate(MOST_COMMANDS);
            entries.extend(scripts.into_iter().map(|(name, target)| EntryPoint {
                name,
                target,
                file: manifest.clone(),
                line: 0,
            }));
            if !found.is_empty() {
                commands.push(ManifestCommands { manifest, commands: found });
            }
        }
    }
    (commands, entries)
}

fn cargo(_: &Path, text: &str) -> (Vec<String>, Vec<(String, String)>) {
    let is_workspace = toml::from_str::<toml::Table>(text).is_ok_and(|it| it.contains_key("workspace"));
    let all = if is_workspace { " --workspace" } else { "" };
    (vec![format!("cargo build{all}"), format!("cargo test{all}")], Vec::new())
}

fn package_json(directory: &Path, text: &str) -> (Vec<String>, Vec<(String, String)>) {
    let locks = [("pnpm-lock.yaml", "pnpm run "), ("yarn.lock", "yarn run "), ("bun.lock", "bun run ")];
    let runner = locks.iter().find(|(lock, _)| directory.join(lock).is_file()).map_or("npm run ", |it| it.1);
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let bin = match &value["bin"] {
        Value::String(target) => {
            let name = value["name"].as_str().unwrap_or_default();
            vec![(name.to_owned(), target.clone())]
        }
        Value::Object(all) => {
            let target =
                |(name, target): (&String, &Value)| Some((name.clone(), target.as_str()?.to_owned()));
            all.iter().filter_map(target).collect()
        }
        _ => Vec::new(),
    };
    (scripts(runner, text, "scripts"), bin)
}

fn pyproject(directory: &Path, text: &str) -> (Vec<String>, Vec<(String, String)>) {
    let table: toml::Table = toml::from_str(text).unwrap_or_default();
    let at = |path: &[&str]| {
        let mut value = table.get(path[0])?;
        for key in &path[1..] {
            value = value.get(key)?;
        }
        Some(value)
    };
    let mut commands = Vec::new();
    if at(&["build-system"]).is_some() {
        commands.push("python -m build".to_owned());
    }
    if at(&["tool", "pytest"]).is_some() || text.contains("pytest") || directory.join("tests").is_dir() {
        commands.push("pytest".to_owned());
    }
    let declared = [&["project", "scripts"][..], &["tool", "poetry", "scripts"]];
    let scripts = declared.iter().filter_map(|path| at(path)?.as_table());
    let scripts =
        scripts.flatten().filter_map(|(name, target)| Some((name.clone(), target.as_str()?.into())));
    (commands, scripts.collect())
}

/// Returns the commands that run the scripts of a JSON manifest: those that build, test and check first.
fn scripts(runner: &str, text: &str, key: &str) -> Vec<String> {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let mut names: Vec<&String> = value[key].as_object().into_iter().flat_map(|all| all.keys()).collect();
    let first = ["build", "test", "check", "lint", "typecheck", "start", "dev"];
    let place = |name: &str| first.iter().position(|it| name.split(':').next() == Some(it));
    names.sort_by_key(|name| place(name).unwrap_or(first.len()));
    names.into_iter().map(|name| format!("{runner}{name}")).collect()
}

/// Returns the commands that make the targets of a makefile or justfile, in their order.
fn targets(program: &str, text: &str) -> Vec<String> {
    let target = |line: &str| {
        let (name, rest) = line.split_once(':')?;
        let name = name.split_whitespace().next().filter(|it| !it.is_empty())?;
        let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        let is_target = is_name && !rest.starts_with('=') && !line.starts_with(char::is_whitespace);
        is_target.then(|| format!("{program} {name}"))
    };
    let mut seen = BTreeSet::new();
    text.lines().filter_map(target).filter(|command| seen.insert(command.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_lines_with_a_name_and_a_colon() {
        let text = "CC := gcc\nall: lib test\n\tmake x: y\n.PHONY: all\ntest: all\nall: more\n%.o: %.c\n";
        assert_eq!(targets("make", text), ["make all", "make test"]);
    }

    #[test]
    fn scripts_that_build_and_test_come_first() {
        let text = r#"{"scripts": {"release": "", "test:unit": "", "build": ""}}"#;
        assert_eq!(
            scripts("npm run ", text, "scripts"),
            ["npm run build", "npm run test:unit", "npm run release"]
        );
    }
}
