//! Which files are read at all, and as what, by their names alone.

use super::text::split;

/// How large a contract may be. Those that people write have a few thousand lines; the largest that are published have
/// some megabytes.
const MAX_CONTRACT_BYTES: u64 = 16 * 1024 * 1024;

/// How large anything else may be.
const MAX_BYTES: u64 = 1024 * 1024;

/// What a file is, as far as its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The service map at the root.
    ServiceMap,
    /// A contract.
    Contract,
    /// YAML or JSON that may be a contract, a Kubernetes manifest, or nothing of the kind.
    Candidate,
    /// A file of docker-compose.
    Compose,
    /// How a container is built.
    Dockerfile,
    /// The manifest of a package.
    Package(Manifest),
    /// A file that programs start with. That it is there is enough.
    Entry,
    /// Settings of TypeScript. That they are there is enough.
    TypeScript,
}

/// The manifests of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manifest {
    Cargo,
    Npm,
    Pyproject,
    Requirements,
    /// Of a language that is known by the presence of the file alone.
    Other(&'static str),
}

/// How many bytes a file of this path may have to be read; 0 if it counts only that it is there, `None` if the file says
/// nothing of services.
pub fn input_limit(path: &str) -> Option<u64> {
    Some(match kind(path)? {
        Kind::Entry | Kind::TypeScript => 0,
        Kind::Contract => MAX_CONTRACT_BYTES,
        Kind::Candidate if !path.ends_with(".json") => MAX_CONTRACT_BYTES,
        _ => MAX_BYTES,
    })
}

/// Directories whose programs and contracts are not the project's own, or not real.
const ASIDE: &[&str] = &[
    "__tests__",
    "benches",
    "benchmarks",
    "e2e",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "node_modules",
    "sample",
    "samples",
    "target",
    "test",
    "testdata",
    "testing",
    "tests",
    "third_party",
    "vendor",
    "venv",
];

/// Whether a directory is called like one whose programs are not the project's own: `tests-integration`.
pub(super) fn is_like_aside(dir: &str) -> bool {
    dir.split(['/', '-', '_']).any(|word| ASIDE.contains(&word) || word == "fuzz")
}

/// JSON that tools write or read for themselves, which is no contract.
const TOOLS: &[&str] = &[
    "composer.lock",
    "deno.json",
    "lerna.json",
    "nx.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "turbo.json",
];

/// Files that programs start with, in a package's root or its sources.
const ENTRIES: &[&str] = &[
    "__main__.py",
    "app.py",
    "asgi.py",
    "main.go",
    "main.py",
    "main.rs",
    "manage.py",
    "server.js",
    "server.py",
    "server.ts",
    "wsgi.py",
];

/// What a file of this path is; `None` if it says nothing of services.
pub(super) fn kind(path: &str) -> Option<Kind> {
    let (dir, name) = split(path);
    if dir.split('/').any(|part| ASIDE.contains(&part)) {
        return None;
    }
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    let last = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if dir.is_empty() && stem == "sscg-services" && matches!(ending, "toml" | "yaml" | "yml" | "json") {
        return Some(Kind::ServiceMap);
    }
    let manifest = match name {
        "Cargo.toml" => Some(Manifest::Cargo),
        "package.json" => Some(Manifest::Npm),
        "pyproject.toml" => Some(Manifest::Pyproject),
        "requirements.txt" => Some(Manifest::Requirements),
        "go.mod" => Some(Manifest::Other("go")),
        "pom.xml" | "build.gradle" => Some(Manifest::Other("java")),
        "build.gradle.kts" => Some(Manifest::Other("kotlin")),
        "composer.json" => Some(Manifest::Other("php")),
        "Gemfile" => Some(Manifest::Other("ruby")),
        "mix.exs" => Some(Manifest::Other("elixir")),
        "CMakeLists.txt" => Some(Manifest::Other("cpp")),
        _ if last == "csproj" => Some(Manifest::Other("csharp")),
        _ => None,
    };
    if let Some(manifest) = manifest {
        return Some(Kind::Package(manifest));
    }
    if ENTRIES.contains(&name) {
        return Some(Kind::Entry);
    }
    if stem == "Dockerfile" || ending == "Dockerfile" {
        return Some(Kind::Dockerfile);
    }
    if TOOLS.contains(&name) || !matches!(last, "json" | "yaml" | "yml") {
        return None;
    }
    let is_compose =
        ["docker-compose", "compose"].iter().any(|it| stem == *it || stem.starts_with(&format!("{it}-")));
    if is_compose && last != "json" {
        return Some(Kind::Compose);
    }
    let is_contract = matches!(stem, "openapi" | "swagger" | "asyncapi") || name.contains(".schema.");
    if is_contract || ["openapi", "swagger", "asyncapi"].iter().any(|it| name.contains(&format!(".{it}."))) {
        return Some(Kind::Contract);
    }
    Some(if stem == "tsconfig" { Kind::TypeScript } else { Kind::Candidate })
}

/// The contracts that a text may be by what its first lines say, though its name does not.
pub(super) fn looks_like_contract(text: &str) -> bool {
    let head: String = text.lines().take(40).flat_map(|line| [line, "\n"]).take(200).collect();
    let starts =
        |key: &str| head.lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')));
    let quoted = |key: &str| head.contains(&format!("\"{key}\":")) || head.contains(&format!("\"{key}\" :"));
    ["openapi", "swagger", "asyncapi"]
        .iter()
        .any(|key| starts(key) || text.trim_start().starts_with('{') && quoted(key))
        || (head.contains("$schema") && head.contains("//json-schema.org/"))
}
