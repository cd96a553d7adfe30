//! Packages and module resolution settings from the manifests of a tree.

use std::collections::BTreeMap;

use sscg_core::{Manifest, Manifests, ModuleSystem, Package, Using};

/// True if a file at this path is a manifest that [`read_manifests`] uses: `Cargo.toml`, `go.mod`, `pyproject.toml`,
/// `setup.cfg`, `package.json`, `tsconfig.json` and variants such as `tsconfig.base.json`, `jsconfig.json`,
/// `*.csproj`, `Directory.Build.props` and `Directory.Build.targets`.
pub fn is_manifest(path: &str) -> bool {
    let name = file_name(path);
    matches!(name, "Cargo.toml" | "go.mod" | "pyproject.toml" | "setup.cfg")
        || has_settings(name)
        || has_usings(name)
}

/// True if a manifest of this name may import namespaces for all C# files below its directory.
fn has_usings(name: &str) -> bool {
    name.ends_with(".csproj") || matches!(name, "Directory.Build.props" | "Directory.Build.targets")
}

/// True if a manifest of this name has settings for module resolution.
fn has_settings(name: &str) -> bool {
    let is_config = |name: &str| name.starts_with("tsconfig.") && name.ends_with(".json");
    matches!(name, "package.json" | "jsconfig.json") || is_config(name)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Reads the packages and settings of a tree from its manifests. Linking needs them to find the files of other packages.
/// A malformed `Cargo.toml` declares no package; of a malformed `package.json` only the name is read. O(bytes).
///
/// ```
/// use sscg_core::{Manifest, Project};
/// use sscg_graph::{link, read_manifests};
///
/// let files = [("a/src/lib.rs", "pub fn area() {}\n"), ("b/src/lib.rs", "pub fn draw() { a::area() }\n")];
/// let files = files.iter().filter_map(|(path, text)| sscg_parse::project_file(path, text)).collect();
/// let manifests = [("a/Cargo.toml", "[package]\nname = \"a\"\n"), ("b/Cargo.toml", "[package]\nname = \"b\"\n")];
/// let manifests = manifests.map(|(path, text)| Manifest { path: path.into(), text: text.into() });
/// let project = Project::new(files, read_manifests(manifests));
/// let graph = link(&project);
/// let [edge] = *graph.edges().iter().filter(|it| it.relation.as_str() == "calls").collect::<Vec<_>>() else {
///     panic!("one call");
/// };
/// assert_eq!(graph.label(&project, edge.target), "a/src/lib.rs::area");
/// ```
pub fn read_manifests(files: impl IntoIterator<Item = Manifest>) -> Manifests {
    let mut manifests = Manifests::default();
    // Renamed dependencies of a workspace apply to its members.
    let mut of_workspaces: Vec<Renamed> = Vec::new();
    let mut libraries: Vec<Renamed> = Vec::new();
    for manifest in files {
        let dir = manifest.path.rsplit_once('/').map_or("", |(dir, _)| dir);
        match file_name(&manifest.path) {
            "Cargo.toml" => {
                let Ok(table) = manifest.text.parse::<toml::Table>() else { continue };
                let name_in = |section: &str| table.get(section)?.get("name")?.as_str();
                if let (Some(package), Some(library)) = (name_in("package"), name_in("lib")) {
                    libraries.push((package.into(), library.into()));
                }
                manifests.packages.extend(crate_package(dir, &table));
                let workspace = table.get("workspace").and_then(toml::Value::as_table);
                of_workspaces.extend(workspace.into_iter().flat_map(renamed));
            }
            "go.mod" => manifests.packages.extend(go_module(dir, &manifest.text)),
            name @ ("pyproject.toml" | "setup.cfg") => {
                manifests.packages.extend(python_packages(dir, name, &manifest.text));
            }
            "package.json" => manifests.packages.extend(es_package(dir, &manifest.text)),
            name if has_usings(name) => manifests.usings.extend(usings(dir, &manifest.text)),
            _ => {}
        }
        if has_settings(file_name(&manifest.path)) {
            manifests.settings.push(manifest);
        }
    }
    // A Python package may have several manifests.
    manifests.packages.sort_unstable();
    manifests.packages.dedup();
    // Code refers to a package by the name of its library.
    let libraries: BTreeMap<Box<str>, Box<str>> = libraries.into_iter().collect();
    let of_library = |(alias, package): Renamed| (alias, libraries.get(&package).cloned().unwrap_or(package));
    let crates = manifests.packages.iter_mut().filter(|it| it.modules == ModuleSystem::RustCrates);
    for package in crates {
        let own = std::mem::take(&mut package.renamed).into_vec();
        package.renamed = own.into_iter().chain(of_workspaces.iter().cloned()).map(of_library).collect();
    }
    manifests
}

/// Name in code, and the package it refers to.
type Renamed = (Box<str>, Box<str>);

/// Returns the package that a `Cargo.toml` describes, if it names one.
fn crate_package(dir: &str, manifest: &toml::Table) -> Option<Package> {
    let name_in = |table: &str| manifest.get(table)?.get("name")?.as_str();
    let name = name_in("lib").or_else(|| name_in("package"))?;
    let for_targets = manifest.get("target").and_then(toml::Value::as_table);
    let for_targets = for_targets.into_iter().flatten().filter_map(|(_, target)| target.as_table());
    let renamed = std::iter::once(manifest).chain(for_targets).flat_map(renamed).collect();
    let (features, modules) = (default_features(manifest), ModuleSystem::RustCrates);
    Some(Package { dir: dir.into(), name: name.into(), modules, features, renamed })
}

/// Returns the module that a `go.mod` describes.
fn go_module(dir: &str, text: &str) -> Option<Package> {
    let name = text.lines().find_map(|line| line.trim().strip_prefix("module ")).map(str::trim)?;
    let name = name.split("//").next().unwrap_or(name).trim().trim_matches('"');
    let (features, renamed) = Default::default();
    Some(Package {
        dir: dir.into(),
        name: name.into(),
        modules: ModuleSystem::DirectoryPackages,
        features,
        renamed,
    })
}

/// Returns a package for each directory that has modules of a Python distribution, by its manifest: those that setuptools,
/// Poetry, Hatch, PDM, Maturin and uv read from it, or its own directory.
fn python_packages(dir: &str, name: &str, text: &str) -> Vec<Package> {
    let roots = match name {
        "pyproject.toml" => text.parse().map(|table| roots_of_table(&table)).unwrap_or_default(),
        _ => roots_of_lines(text),
    };
    let is_inside = |root: &&String| !root.starts_with('/') && !root.split('/').any(|part| part == "..");
    let roots =
        roots.iter().filter(is_inside).map(|root| root.trim_start_matches("./").trim_end_matches('/'));
    let mut roots: Vec<&str> = roots.map(|root| if root == "." { "" } else { root }).collect();
    if roots.is_empty() {
        roots.push("");
    }
    let package = |root: &str| Package {
        name: file_name(dir).into(),
        dir: match (dir, root) {
            (dir, "") => dir.into(),
            ("", root) => root.into(),
            (dir, root) => format!("{dir}/{root}").into(),
        },
        modules: ModuleSystem::PythonPackages,
        features: Box::default(),
        renamed: Box::default(),
    };
    roots.into_iter().map(package).collect()
}

/// Returns the directories of modules in a `pyproject.toml`, relative to it.
fn roots_of_table(table: &toml::Table) -> Vec<String> {
    let at = |path: &str| {
        let mut keys = path.split('.');
        let first = table.get(keys.next()?)?;
        keys.try_fold(first, |value, key| value.get(key))
    };
    let texts = |value: &toml::Value| -> Vec<String> {
        let of_list = value.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
        value.as_str().into_iter().chain(of_list).map(str::to_owned).collect()
    };
    let parent =
        |path: String| path.rsplit_once('/').map_or_else(String::new, |(parent, _)| parent.to_owned());
    let mut roots: Vec<String> = [
        "tool.setuptools.packages.find.where",
        "tool.pdm.build.package-dir",
        "tool.maturin.python-source",
        "tool.uv.build-backend.module-root",
        "tool.hatch.build.sources",
        "tool.hatch.build.targets.wheel.sources",
    ]
    .into_iter()
    .filter_map(at)
    .flat_map(texts)
    .collect();
    let wheel = at("tool.hatch.build.targets.wheel.packages").map(texts).unwrap_or_default();
    roots.extend(wheel.into_iter().map(parent));
    let poetry = at("tool.poetry.packages").and_then(toml::Value::as_array).into_iter().flatten();
    roots.extend(poetry.filter_map(|package| Some(package.get("from")?.as_str()?.to_owned())));
    // The directory of a package, or of all of them under an empty name.
    let named = at("tool.setuptools.package-dir").and_then(toml::Value::as_table).into_iter().flatten();
    let named = named.filter_map(|(name, dir)| {
        let dir = dir.as_str()?.to_owned();
        Some(if name.is_empty() { dir } else { parent(dir) })
    });
    roots.extend(named);
    roots
}

/// Returns the directories of modules in a `setup.cfg`: `where = lib`, and ` = lib` as an item of `package_dir`.
fn roots_of_lines(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        let value = value.trim().trim_start_matches('=').trim();
        (matches!(key.trim(), "where" | "package_dir" | "") && !value.is_empty()).then(|| value.to_owned())
    });
    lines.collect()
}

/// Maximum number of imports of one manifest.
const MOST_USINGS: usize = 256;

/// Returns the imports of an MSBuild file: `<Using Include="Namespace" />`. Conditions are not evaluated.
fn usings(dir: &str, text: &str) -> Vec<Using> {
    let elements = text.split("<Using ").skip(1).filter_map(|rest| rest.split('>').next());
    let modules = elements.filter_map(|element| {
        let (_, value) = element.split_once("Include=")?;
        let quote = value.chars().next().filter(|it| matches!(it, '"' | '\''))?;
        let (modules, _) = value[1..].split_once(quote)?;
        let is_alias = element.contains("Alias=");
        (!is_alias && !modules.contains('$')).then_some(modules)
    });
    let modules = modules.flat_map(|modules| modules.split(';')).map(str::trim).filter(|it| !it.is_empty());
    modules.take(MOST_USINGS).map(|module| Using { dir: dir.into(), module: module.into() }).collect()
}

/// Returns the package that a `package.json` describes, if it names one.
fn es_package(dir: &str, text: &str) -> Option<Package> {
    let name = match serde_json::from_str::<serde_json::Value>(text) {
        Ok(manifest) => manifest.get("name")?.as_str()?.to_owned(),
        Err(_) => name_in_broken(text)?.to_owned(),
    };
    let (features, renamed) = Default::default();
    Some(Package { dir: dir.into(), name: name.into(), modules: ModuleSystem::EsModules, features, renamed })
}

/// Returns the name in a `package.json` that does not parse: the value of the first key `name`, if no object or list
/// comes before it.
fn name_in_broken(text: &str) -> Option<&str> {
    let (before, rest) = text.split_once("\"name\"")?;
    let is_first_level = before.matches(['{', '[']).count() == 1;
    let value = rest.trim_start().strip_prefix(':').filter(|_| is_first_level)?;
    Some(value.trim_start().strip_prefix('"')?.split_once('"')?.0)
}

/// Returns the renamed dependencies of a table: `proto = { package = "quinn-proto" }`.
fn renamed(table: &toml::Table) -> Vec<Renamed> {
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let dependencies = kinds.iter().filter_map(|kind| table.get(*kind)?.as_table()).flatten();
    let renamed = dependencies.filter_map(|(name, dependency)| {
        let package = dependency.get("package")?.as_str()?;
        (package != name).then(|| (name.replace('-', "_").into(), package.into()))
    });
    renamed.collect()
}

/// Returns `default` and the features that it enables, transitively.
fn default_features(manifest: &toml::Table) -> Box<[Box<str>]> {
    let all = manifest.get("features").and_then(toml::Value::as_table);
    let mut on: Vec<Box<str>> = vec!["default".into()];
    let mut next = 0;
    while let Some(feature) = on.get(next) {
        let turned_on = all.and_then(|all| all.get(&**feature)?.as_array());
        let turned_on = turned_on.into_iter().flatten().filter_map(toml::Value::as_str);
        // `dep:name` and `name/feature` refer to dependencies.
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

    #[test]
    fn manifests_of_python_say_where_modules_are() {
        let roots = |name, text| {
            let packages = python_packages("a", name, text);
            packages.iter().map(|it| it.dir.to_string()).collect::<Vec<_>>().join(" ")
        };
        let table = |text| roots("pyproject.toml", text);
        assert_eq!(
            table("[tool.setuptools.package-dir]\n\"\" = \"lib\"\ncore = \"./base/core\""),
            "a/lib a/base"
        );
        assert_eq!(table("[tool.setuptools.packages.find]\nwhere = [\"src\", \"../b\", \"/c\"]"), "a/src");
        assert_eq!(
            table("[tool.poetry]\npackages = [{ include = \"core\", from = \"lib\" }, { include = \"x\" }]"),
            "a/lib"
        );
        assert_eq!(
            table("[tool.hatch.build.targets.wheel]\npackages = [\"python/core\", \"x\"]"),
            "a/python a"
        );
        assert_eq!(table("[tool.maturin]\npython-source = \"python\""), "a/python");
        assert_eq!(table("name = "), "a");
        assert_eq!(
            roots("setup.cfg", "[options]\npackage_dir =\n    = lib\n[options.packages.find]\nwhere = lib\n"),
            "a/lib a/lib"
        );
    }

    #[test]
    fn an_msbuild_file_imports_namespaces() {
        let text = "<Project>\n<ItemGroup>\n<Using Include=\"A.B; C\" />\n<Using Include='D.E' Static=\"true\"/>\n\
                    <Using Remove=\"F\" />\n<Using Include=\"G\" Alias=\"H\" />\n<Using Include=\"$(I)\" />";
        let found: Vec<_> = usings("a", text).iter().map(|it| format!("{}: {}", it.dir, it.module)).collect();
        assert_eq!(found, ["a: A.B", "a: C", "a: D.E"]);
    }

    #[test]
    fn a_name_is_read_from_a_broken_manifest_if_it_can_only_be_that_of_the_package() {
        let name = |text| es_package("a", text).map(|package| package.name.to_string());
        assert_eq!(name("{ \"private\": true, \"name\" : \"app\", \"exports\": {").as_deref(), Some("app"));
        assert_eq!(name("{ \"author\": { \"name\": \"react\" }, \"name\": \"app\", <<<"), None);
        assert_eq!(name("{ \"type\": \"name\", \"name\": \"app\", <<<"), None);
        assert_eq!(name("[{ \"name\": \"app\", <<<"), None);
    }

    #[test]
    fn dependencies_may_have_names_of_their_own() {
        let manifest = "[package]\nname = \"post\"\n[dependencies]\nserde = \"1\"\nwire-format = { package = \"post-wire\", path = \"../wire\" }\n\
                        [target.'cfg(unix)'.dependencies]\nunix = { package = \"post-unix\" }\n";
        let manifest: toml::Table = manifest.parse().expect("it is a table");
        let package = crate_package("a", &manifest).expect("it has a name");
        let renamed: Vec<_> = package.renamed.iter().map(|(name, of)| format!("{name}={of}")).collect();
        assert_eq!(renamed, ["wire_format=post-wire", "unix=post-unix"]);
    }
}
