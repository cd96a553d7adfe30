//! Virtual file system for the resolver: the project's source files and manifests, its packages as if they were
//! installed, and build outputs as if they were built.

use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use oxc_resolver::{FileMetadata, FileSystem, ResolveError};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};
use sscg_core::{Manifest, ModuleSystem, Project};

use super::{ENDINGS, normalize};
use crate::link::languages::{ancestors, directory, join};

/// Root of the project. It need not exist: nothing is read from it.
pub(super) const ROOT: &str = if cfg!(windows) { "C:\\" } else { "/" };

/// Directory of installed packages, below the root.
const INSTALLED: &str = "node_modules";

/// Conventional names of build output directories.
const OUTPUTS: &[&str] =
    &["build", "cjs", "dist", "dts", "es", "esm", "lib", "module", "node", "out", "types"];

/// File extensions of build outputs.
const BUILT: &[&str] = &[".d.ts", ".d.mts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs"];

/// Paths and manifests of one project, relative to its root and with forward slashes.
#[derive(Default)]
pub(super) struct Tree {
    files: FxHashSet<Box<str>>,
    directories: FxHashSet<Box<str>>,
    manifests: FxHashMap<Box<str>, Box<str>>,
    /// Package names with their directories, longer names first.
    packages: Vec<(Box<str>, Box<str>)>,
    /// Build output directories with their source directories.
    outputs: Vec<(String, String)>,
    /// Prefixes of specifiers that `paths` maps to files of the project.
    aliases: FxHashSet<Box<str>>,
}

impl Tree {
    pub(super) fn new(project: &Project) -> Self {
        let mut tree = Self::default();
        let sources = project.files().iter().filter(|file| file.language.modules == ModuleSystem::EsModules);
        tree.files = sources.map(|file| file.path.clone()).collect();
        let packages = project.packages().iter().filter(|it| it.modules == ModuleSystem::EsModules);
        tree.packages = packages.map(|package| (package.name.clone(), package.dir.clone())).collect();
        tree.packages.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        let paths: FxHashSet<&str> =
            project.manifests().settings.iter().map(|manifest| &*manifest.path).collect();
        for manifest in &project.manifests().settings {
            tree.add(manifest, &paths);
        }
        for path in tree.files.iter().chain(tree.manifests.keys()) {
            tree.directories.extend(ancestors(path).map(Box::from));
        }
        tree
    }

    /// Adds a manifest, without entries that would only make the resolver fail.
    fn add(&mut self, Manifest { path, text }: &Manifest, manifests: &FxHashSet<&str>) {
        let mut text = text.trim_start_matches('\u{feff}').to_owned();
        let (dir, name) = (directory(path), path.rsplit('/').next().unwrap_or(path));
        if name == "package.json" {
            if let Ok(Value::Object(_)) = serde_json::from_str(&text) {
                self.manifests.insert(path.clone(), text.into());
            }
            return;
        }
        if json_strip_comments::strip(&mut text).is_err() {
            return;
        }
        let Ok(Value::Object(mut config)) = serde_json::from_str::<Value>(&text) else { return };
        let is_there = |specifier: &str| {
            if !specifier.starts_with('.') {
                return self.packages.iter().any(|(name, _)| specifier.starts_with(&**name));
            }
            let Some(path) = normalize(dir, specifier) else { return false };
            let endings = ["", ".json", "/tsconfig.json"];
            endings.iter().any(|ending| manifests.contains(&*format!("{path}{ending}")))
        };
        match config.get_mut("extends") {
            Some(Value::String(base)) if !is_there(base) => {
                config.remove("extends");
            }
            Some(Value::Array(bases)) => bases.retain(|base| base.as_str().is_some_and(is_there)),
            _ => {}
        }
        if let Some(Value::Array(references)) = config.get_mut("references") {
            let path = |reference: &Value| reference.get("path")?.as_str().map(|path| format!("./{path}"));
            references.retain(|reference| path(reference).is_some_and(|path| is_there(&path)));
        }
        widen(&mut config, matches!(name, "tsconfig.json" | "jsconfig.json"));
        self.note_options(dir, &config);
        let text = Value::Object(config).to_string().into_boxed_str();
        self.manifests.insert(path.clone(), text.clone());
        // JavaScript projects use this name. A `tsconfig.json` comes later in path order and takes precedence.
        if name == "jsconfig.json" {
            self.manifests.insert(join(dir, "tsconfig.json").into(), text);
        }
    }

    fn note_options(&mut self, dir: &str, config: &Map<String, Value>) {
        let Some(options) = config.get("compilerOptions") else { return };
        if let Value::Object(paths) = &options["paths"] {
            let own = paths.iter().filter(|(_, places)| !places.to_string().contains(INSTALLED));
            let prefixes = own.map(|(pattern, _)| pattern.split('*').next().unwrap_or(pattern));
            self.aliases.extend(prefixes.filter(|prefix| !prefix.is_empty()).map(Box::from));
        }
        let place = |option: &str| options[option].as_str().and_then(|path| normalize(dir, path));
        let source = place("rootDir").unwrap_or_else(|| join(dir, "src"));
        for output in ["outDir", "declarationDir"].into_iter().filter_map(place) {
            if output != dir && output != source {
                self.outputs.push((output, source.clone()));
            }
        }
    }

    /// Returns true if the project's `paths` cover a specifier.
    pub(super) fn is_alias(&self, specifier: &str) -> bool {
        self.aliases.iter().any(|alias| match alias.ends_with('/') {
            true => specifier.starts_with(&**alias),
            false => *specifier == **alias,
        })
    }

    /// Returns the project file for a path from the resolver.
    pub(super) fn file(&self, path: &Path) -> Option<String> {
        let path = self.inside(path)?;
        if self.files.contains(&*path) { Some(path) } else { self.source(&path) }
    }

    /// Converts a path from the resolver to a path in the project.
    fn inside(&self, path: &Path) -> Option<String> {
        let path = path.strip_prefix(ROOT).ok()?.to_str()?;
        let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
        let Some(installed) = path.strip_prefix(INSTALLED).and_then(|rest| rest.strip_prefix('/')) else {
            return Some(path);
        };
        self.packages.iter().find_map(|(name, dir)| match installed.strip_prefix(&**name)? {
            "" => Some(dir.to_string()),
            rest => Some(join(dir, rest.strip_prefix('/')?)),
        })
    }

    /// Returns the source file that a file is built from.
    fn source(&self, path: &str) -> Option<String> {
        let stem = BUILT.iter().find_map(|ending| path.strip_suffix(ending))?;
        let configured = self.outputs.iter().filter_map(|(output, source)| {
            let rest = stem.strip_prefix(&**output)?.strip_prefix('/')?;
            Some(join(source, rest))
        });
        let package = self.packages.iter().map(|(_, dir)| &**dir).filter(|dir| is_below(stem, dir));
        let conventional = package.max_by_key(|dir| dir.len()).into_iter().flat_map(|dir| {
            let rest = stem[dir.len()..].trim_start_matches('/');
            let kept = without_outputs(rest);
            let candidates = [join(dir, &join("src", kept)), join(dir, kept)];
            candidates.into_iter().filter(move |_| kept.len() < rest.len())
        });
        configured.chain(conventional).find_map(|stem| {
            let paths = ENDINGS.iter().map(|ending| format!("{stem}{ending}"));
            paths.into_iter().find(|path| self.files.contains(&**path))
        })
    }

    fn metadata_of(&self, path: &Path) -> Option<FileMetadata> {
        const FILE: FileMetadata = FileMetadata::new(true, false, false);
        const DIRECTORY: FileMetadata = FileMetadata::new(false, true, false);
        if path == Path::new(ROOT).join(INSTALLED) {
            return Some(DIRECTORY);
        }
        let Some(inside) = self.inside(path) else {
            // Directory of the packages in one npm scope.
            let is_scope = path.file_name()?.to_str()?.starts_with('@');
            return is_scope.then_some(DIRECTORY);
        };
        if self.files.contains(&*inside) || self.manifests.contains_key(&*inside) {
            Some(FILE)
        } else if self.directories.contains(&*inside) {
            Some(DIRECTORY)
        } else {
            self.source(&inside).map(|_| FILE)
        }
    }
}

/// Makes a configuration apply to JavaScript, to tests and to all files around it, unless its references select other
/// configurations by what they include: the set of files given to a compiler does not change their imports.
fn widen(config: &mut Map<String, Value>, is_nearest: bool) {
    let options = config.entry("compilerOptions").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(options) = options {
        options.insert("allowJs".to_owned(), Value::Bool(true));
    }
    config.remove("exclude");
    let chooses = config.get("references").and_then(Value::as_array).is_some_and(|them| !them.is_empty());
    if is_nearest && !chooses {
        config.remove("files");
        config.remove("include");
    }
}

fn is_below(path: &str, dir: &str) -> bool {
    dir.is_empty() || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
}

/// Removes build output directories from the start of a path.
fn without_outputs(mut path: &str) -> &str {
    while let Some((first, rest)) = path.split_once('/') {
        if !OUTPUTS.contains(&first) {
            break;
        }
        path = rest;
    }
    path
}

/// Tree that a resolver shares with its callers.
#[derive(Clone, Default)]
pub(super) struct Disk(pub(super) Arc<Tree>);

impl FileSystem for Disk {
    fn new() -> Self {
        Self::default()
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        self.read_to_string(path).map(String::into_bytes)
    }

    fn read_to_string(&self, path: &Path) -> Result<String> {
        let text = self.0.inside(path).and_then(|path| self.0.manifests.get(&*path));
        text.map(|text| text.to_string()).ok_or_else(|| Error::from(ErrorKind::NotFound))
    }

    fn metadata(&self, path: &Path) -> Result<FileMetadata> {
        self.0.metadata_of(path).ok_or_else(|| Error::from(ErrorKind::NotFound))
    }

    fn symlink_metadata(&self, path: &Path) -> Result<FileMetadata> {
        self.metadata(path)
    }

    fn read_link(&self, path: &Path) -> std::result::Result<PathBuf, ResolveError> {
        Ok(path.to_owned())
    }

    fn canonicalize(&self, path: &Path) -> Result<PathBuf> {
        Ok(path.to_owned())
    }
}
