//! Packages of a project, from the manifests of their languages.

use std::collections::BTreeMap;

use serde_json::Value;

use super::stack::{self, Role};
use crate::Problem;
use crate::input::interest::{Kind, Manifest, kind};
use crate::input::text::{Tree, split, strings, without_version};

/// Directories whose packages support the project and are not deployed.
const BESIDE: &[&str] = &["docs", "scripts", "tools", "website", "xtask"];

/// Directory with a manifest.
#[derive(Debug, Default)]
pub(super) struct Package {
    /// Name, if the manifest gives one.
    pub(super) name: Option<String>,
    /// First manifest.
    pub(super) file: String,
    /// Technology stack.
    pub(super) stack: BTreeMap<Box<str>, Vec<Box<str>>>,
    /// Likelihood that the package is a program.
    pub(super) program: Program,
    /// True if the manifest only lists other packages.
    pub(super) is_workspace: bool,
    /// Further names that other services use, such as that of a Spring application.
    pub(super) hosts: Vec<String>,
}

/// Likelihood that a package is a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Program {
    /// Library without an entry point.
    #[default]
    No,
    /// Package that can be started, like a command-line tool.
    Starts,
    /// Package that serves requests.
    Serves,
}

/// Returns the packages by directory.
pub(super) fn read(tree: &Tree<'_>, problems: &mut Vec<Problem>) -> BTreeMap<String, Package> {
    let mut packages: BTreeMap<String, Package> = BTreeMap::new();
    for path in tree.paths() {
        let Some(Kind::Package(manifest)) = kind(path) else { continue };
        let dir = split(path).0;
        if dir.split('/').any(|part| BESIDE.contains(&part)) {
            continue;
        }
        let value = match manifest {
            Manifest::Cargo | Manifest::Npm | Manifest::Pyproject => match tree.documents(path) {
                Ok(documents) => documents.first().cloned().unwrap_or_default(),
                Err(problem) => {
                    problems.push(problem);
                    Value::Null
                }
            },
            _ => Value::Null,
        };
        let package = packages.entry(dir.to_owned()).or_default();
        if package.file.is_empty() {
            package.file = path.to_owned();
        }
        match manifest {
            Manifest::Cargo => cargo(package, &value, tree, dir),
            Manifest::Npm => npm(package, &value, tree, dir),
            Manifest::Pyproject => pyproject(package, &value),
            Manifest::Requirements => requirements(package, tree.text(path)),
            Manifest::Other(language) => {
                package.uses(Role::Language, language);
                match language {
                    "go" => go(package, tree, path),
                    "java" => java(package, tree, path),
                    "csharp" => csharp(package, tree.text(path), split(path).1),
                    _ => {}
                }
            }
        }
    }
    for path in tree.paths().filter(|path| kind(path) == Some(Kind::Entry)) {
        // The package is in the same directory, or in the one above its sources.
        let dir = split(path).0;
        let outer = dir.strip_suffix("src").map(|dir| dir.trim_end_matches('/'));
        let root = [Some(dir), outer].into_iter().flatten().find(|dir| packages.contains_key(*dir));
        if let Some(package) = root.and_then(|root| packages.get_mut(root)) {
            package.program = package.program.max(Program::Starts);
        }
    }
    packages
}

impl Package {
    fn uses(&mut self, role: Role, what: &str) {
        let all = self.stack.entry(role.as_str().into()).or_default();
        if all.iter().all(|known| **known != *what) {
            all.push(what.into());
        }
    }

    fn depends(&mut self, language: &str, names: impl IntoIterator<Item = impl AsRef<str>>) {
        for name in names {
            let Some((role, what)) = stack::of_dependency(language, name.as_ref()) else { continue };
            self.uses(role, what);
        }
    }

    /// True if it depends on a framework that serves requests.
    fn has_framework(&self) -> bool {
        self.stack.contains_key(Role::Framework.as_str())
    }
}

fn keys<'v>(value: &'v Value, pointer: &str) -> impl Iterator<Item = &'v str> {
    value.pointer(pointer).and_then(Value::as_object).into_iter().flatten().map(|(key, _)| key.as_str())
}

fn cargo(package: &mut Package, manifest: &Value, tree: &Tree<'_>, dir: &str) {
    let Some(about) = manifest.get("package") else {
        package.is_workspace = true;
        return;
    };
    package.name = about.get("name").and_then(Value::as_str).map(Into::into);
    package.uses(Role::Language, "rust");
    package.depends("rust", keys(manifest, "/dependencies"));
    let starts = manifest.get("bin").is_some() || tree.own_path(&below(dir, "src/main.rs")).is_some();
    // Libraries also depend on frameworks.
    package.program = match (starts, package.has_framework()) {
        (true, true) => Program::Serves,
        (true, false) => Program::Starts,
        (false, _) => Program::No,
    };
}

fn npm(package: &mut Package, manifest: &Value, tree: &Tree<'_>, dir: &str) {
    package.name = package.name.take().or(manifest.get("name").and_then(Value::as_str).map(Into::into));
    let scripts = manifest.get("scripts").and_then(Value::as_object).into_iter().flatten();
    let mut words = scripts.flat_map(|(_, script)| script.as_str().unwrap_or_default().split_whitespace());
    let typed = tree.own_path(&below(dir, "tsconfig.json")).is_some()
        || words.any(|word| matches!(word, "tsc" | "tsx" | "ts-node") || word.ends_with(".ts"));
    package.uses(Role::Language, if typed { "typescript" } else { "javascript" });
    package.depends("javascript", keys(manifest, "/dependencies"));
    let starts = manifest.pointer("/scripts/start").is_some();
    let is_shown = manifest.get("exports").is_some() || manifest.get("types").is_some();
    package.program = match (starts, package.has_framework()) {
        (true, true) => Program::Serves,
        (false, true) if !is_shown => Program::Serves,
        (true, false) => Program::Starts,
        _ if manifest.get("bin").is_some() => Program::Starts,
        _ => Program::No,
    }
    .max(package.program);
    let lists = manifest.get("workspaces").is_some();
    package.is_workspace |= lists && manifest.get("dependencies").is_none() && !starts;
}

fn pyproject(package: &mut Package, manifest: &Value) {
    let poetry = manifest.pointer("/tool/poetry");
    let about = manifest.get("project").or(poetry);
    let name = about.and_then(|about| about.get("name")).and_then(Value::as_str);
    let Some(name) = name else {
        // Settings of tools for the surrounding directory.
        package.is_workspace |= package.stack.is_empty();
        return;
    };
    package.name = package.name.take().or(Some(name.into()));
    package.uses(Role::Language, "python");
    let listed = manifest.pointer("/project/dependencies");
    package.depends("python", strings(listed).into_iter().map(requirement));
    package.depends("python", keys(manifest, "/tool/poetry/dependencies"));
    let scripts = ["/project/scripts", "/tool/poetry/scripts"];
    if scripts.iter().any(|pointer| keys(manifest, pointer).next().is_some()) {
        package.program = package.program.max(Program::Starts);
    }
    if package.has_framework() {
        package.program = Program::Serves;
    }
    let lists = manifest.pointer("/tool/uv/workspace").is_some();
    package.is_workspace |= lists && listed.is_none() && package.program == Program::No;
}

fn go(package: &mut Package, tree: &Tree<'_>, path: &str) {
    let text = tree.text(path);
    let module = text.lines().find_map(|line| line.strip_prefix("module "));
    package.name = package.name.take().or(module.map(|module| split(module.trim()).1.to_owned()));
    let direct = text.lines().filter(|line| !line.contains("// indirect"));
    let required = direct.map(|line| line.trim_start_matches("require").trim());
    package.depends("go", required.filter_map(|line| Some(without_version(line.split_once(' ')?.0))));
    // Libraries also depend on frameworks.
    let is_main = |path: &str| split(path).1 == "main.go";
    if package.has_framework() && has_file(tree, split(path).0, is_main) {
        package.program = package.program.max(Program::Serves);
    }
}

/// True if a directory contains such a file, however deep.
fn has_file(tree: &Tree<'_>, dir: &str, is_meant: impl Fn(&str) -> bool) -> bool {
    let dir = below(dir, "");
    tree.paths().any(|path| path.starts_with(&dir) && is_meant(path))
}

/// Plugins of Maven that make programs, and the packaging of applications for a server.
const MAVEN_PROGRAMS: &[&str] =
    &["<packaging>war<", "micronaut-maven-plugin", "quarkus-maven-plugin", "spring-boot-maven-plugin"];

/// Plugins of Gradle that make programs.
const GRADLE_PROGRAMS: &[&str] =
    &["application", "io.micronaut.application", "io.quarkus", "org.springframework.boot", "war"];

/// True if a build file makes a program.
fn makes_program(text: &str) -> bool {
    let is_quoted =
        |name: &&str| [format!("'{name}'"), format!("\"{name}\"")].iter().any(|it| text.contains(it));
    MAVEN_PROGRAMS.iter().any(|part| text.contains(part)) || GRADLE_PROGRAMS.iter().any(is_quoted)
}

/// Reads a build file of Maven or Gradle. Its dependencies are the artifacts that it names.
fn java(package: &mut Package, tree: &Tree<'_>, path: &str) {
    let text = tree.text(path);
    let is_name = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.');
    package.depends("java", text.split(|char| !is_name(char)).filter(|word| word.contains('-')));
    package.is_workspace |= text.contains("<modules>");
    let dir = split(path).0;
    let names = ["application.yml", "application.yaml", "bootstrap.yml"];
    let settings = names.map(|name| tree.own_path(&below(dir, &format!("src/main/resources/{name}"))));
    let is_class = |path: &str| path.ends_with("Application.java");
    let starts = makes_program(text)
        || settings.iter().any(Option::is_some)
        || has_file(tree, &below(dir, "src/main"), is_class);
    // Libraries also depend on frameworks.
    package.program = match (starts, package.has_framework() && !package.is_workspace) {
        (true, true) => Program::Serves,
        (true, false) => package.program.max(Program::Starts),
        (false, _) => package.program,
    };
    // The name that a Spring application registers under.
    for settings in settings {
        let documents = settings.and_then(|path| tree.documents(path).ok()).unwrap_or_default();
        let names =
            documents.iter().filter_map(|it| it.pointer("/spring/application/name").and_then(Value::as_str));
        package.hosts.extend(names.filter(|name| !name.contains('$')).map(str::to_owned));
    }
}

/// Reads a project file of .NET, which is named after the program.
fn csharp(package: &mut Package, text: &str, file: &str) {
    let name = file.trim_end_matches(".csproj").to_lowercase().replace('.', "-");
    package.name.get_or_insert(name);
    let parts = text.split("<PackageReference").skip(1);
    let names = parts.filter_map(|part| part.split_once("Include=\"")?.1.split('"').next());
    package.depends("csharp", names);
    let is_host = text.contains("Aspire.AppHost");
    if !is_host && ["Sdk.Web\"", "Sdk.Worker\""].iter().any(|sdk| text.contains(sdk)) {
        package.program = Program::Serves;
        package.uses(Role::Framework, "aspnetcore");
    } else if text.contains("<OutputType>Exe<") && !is_host {
        package.program = package.program.max(Program::Starts);
    }
}

fn requirements(package: &mut Package, text: &str) {
    package.is_workspace = false;
    package.uses(Role::Language, "python");
    package.depends("python", text.lines().map(requirement));
    if package.has_framework() {
        package.program = Program::Serves;
    }
}

/// Joins a directory and a relative path.
fn below(dir: &str, path: &str) -> String {
    if dir.is_empty() { path.to_owned() } else { format!("{dir}/{path}") }
}

/// Returns the name in a requirement such as `psycopg[binary]>=3.2`.
fn requirement(text: &str) -> String {
    let name = text.trim().split(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).next();
    name.unwrap_or_default().to_lowercase().replace('_', "-")
}
