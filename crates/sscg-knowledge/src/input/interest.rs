//! Selection of input files and their kinds, by name alone.

use sscg_core::FileRole;

use super::text::split;

/// Maximum size of a contract in bytes. Hand-written contracts have a few thousand lines; the largest published ones
/// have several megabytes.
const MAX_CONTRACT_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum size of any other input in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// Kind of a file, as far as its name determines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Service map at the root.
    ServiceMap,
    /// Contract.
    Contract,
    /// Protocol Buffers, which are a contract if they declare services.
    Protobuf,
    /// YAML or JSON that may be a contract, a Kubernetes manifest, or neither.
    Candidate,
    /// docker-compose file.
    Compose,
    /// Dockerfile.
    Dockerfile,
    /// Package manifest.
    Package(Manifest),
    /// Entry point of a program. Only its presence matters.
    Entry,
    /// TypeScript settings. Only their presence matters.
    TypeScript,
    /// Environment variables, a line each: `.env`, `orders.env`.
    Environment,
}

/// Package manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manifest {
    Cargo,
    Npm,
    Pyproject,
    Requirements,
    /// Manifest of a language that is detected by the presence of the file alone.
    Other(&'static str),
}

/// Returns the maximum size in bytes at which a file of this path is read; 0 if only its presence matters, `None` if
/// the file is no input.
pub fn input_limit(path: &str) -> Option<u64> {
    Some(match kind(path)? {
        Kind::Entry | Kind::TypeScript => 0,
        Kind::Contract => MAX_CONTRACT_BYTES,
        Kind::Candidate if !path.ends_with(".json") => MAX_CONTRACT_BYTES,
        _ => MAX_BYTES,
    })
}

/// Further directories with third-party code, examples and test inputs. In source code, these names have other meanings.
const ASIDE: &[&str] = &["fixture", "sample", "target", "venv"];

/// True if a directory of this name has tests. Unlike in rankings, a first word `test` is not enough: a service may be
/// named `test-results`.
pub(crate) fn has_tests(directory: &str) -> bool {
    FileRole::of_directory(directory) == Some(FileRole::Test)
        && !["test-", "test_"].iter().any(|start| directory.starts_with(start))
}

/// True if the programs and contracts in a directory of this name are third-party, examples or tests.
fn is_aside(directory: &str) -> bool {
    let role = FileRole::of_directory(directory);
    ASIDE.contains(&directory)
        || has_tests(directory)
        || matches!(role, Some(FileRole::Example | FileRole::Benchmark | FileRole::Vendored))
}

/// True if the name of a directory suggests that its programs are not the project's own: `api-examples`.
pub(super) fn is_like_aside(dir: &str) -> bool {
    dir.split(['/', '-', '_']).any(|word| is_aside(word) || word == "fuzz")
}

/// Lock files and settings of tools, which are never contracts.
const TOOLS: &[&str] = &[
    "composer.lock",
    "deno.json",
    "lerna.json",
    "nx.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "turbo.json",
];

/// Entry points of programs, in a package's root or its sources.
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

/// Returns the kind of a file; `None` if it is no input.
pub(super) fn kind(path: &str) -> Option<Kind> {
    let (dir, name) = split(path);
    if dir.split('/').any(is_aside) {
        return None;
    }
    if name == ".env" || name.starts_with(".env.") || name.ends_with(".env") {
        return Some(Kind::Environment);
    }
    if name.starts_with('.') {
        return None;
    }
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    if dir.is_empty() && stem == "sscg-services" && matches!(ending, "toml" | "yaml" | "yml" | "json") {
        return Some(Kind::ServiceMap);
    }
    if let Some(manifest) = manifest(name) {
        return Some(Kind::Package(manifest));
    }
    if ENTRIES.contains(&name) || name.ends_with("Application.java") {
        return Some(Kind::Entry);
    }
    if name.ends_with(".proto") {
        return Some(Kind::Protobuf);
    }
    if stem == "Dockerfile" || ending == "Dockerfile" {
        return Some(Kind::Dockerfile);
    }
    of_data(name)
}

/// Returns the package manifest with this file name.
fn manifest(name: &str) -> Option<Manifest> {
    Some(match name {
        "Cargo.toml" => Manifest::Cargo,
        "package.json" => Manifest::Npm,
        "pyproject.toml" => Manifest::Pyproject,
        "requirements.txt" => Manifest::Requirements,
        "go.mod" => Manifest::Other("go"),
        "pom.xml" | "build.gradle" => Manifest::Other("java"),
        "build.gradle.kts" => Manifest::Other("kotlin"),
        "composer.json" => Manifest::Other("php"),
        "Gemfile" => Manifest::Other("ruby"),
        "mix.exs" => Manifest::Other("elixir"),
        "CMakeLists.txt" => Manifest::Other("cpp"),
        _ if name.ends_with(".csproj") => Manifest::Other("csharp"),
        _ => return None,
    })
}

/// Returns the kind of a YAML or JSON file, by its name.
fn of_data(name: &str) -> Option<Kind> {
    let is_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    if TOOLS.contains(&name) || !is_yaml && !name.ends_with(".json") {
        return None;
    }
    let stem = name.split('.').next().unwrap_or(name);
    let is_variant =
        |of: &&str| stem.strip_prefix(*of).is_some_and(|rest| matches!(rest.as_bytes(), [] | [b'-', ..]));
    let is_contract = |of: &&str| stem == *of || name.contains(&format!(".{of}."));
    Some(if is_yaml && ["docker-compose", "compose"].iter().any(is_variant) {
        Kind::Compose
    } else if CONTRACTS.iter().any(is_contract) || name.contains(".schema.") {
        Kind::Contract
    } else if stem == "tsconfig" {
        Kind::TypeScript
    } else {
        Kind::Candidate
    })
}

/// True if a file has the settings of programs, by its path: `appsettings.json` of ASP.NET Core, JSON in `config/`.
pub(super) fn has_settings(path: &str) -> bool {
    let (dir, name) = split(path);
    let is_variant = |of: &str| name.strip_prefix(of).is_some_and(|rest| rest.starts_with('.'));
    name.ends_with(".json")
        && (is_variant("appsettings") || name == "local.settings.json" || split(dir).1 == "config")
}

/// True if a file has the values of a Helm chart, by its name: `values.yaml`, `values-prod.yaml`.
pub(super) fn has_chart_values(path: &str) -> bool {
    let name = split(path).1;
    let is_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    is_yaml && name.strip_prefix("values").is_some_and(|rest| rest.starts_with(['.', '-', '_']))
}

/// Names of contracts, alone or before another ending: `orders.openapi.yaml`.
const CONTRACTS: &[&str] = &["asyncapi", "openapi", "swagger"];

/// True if the first lines of a text identify it as a contract, although its name does not.
pub(super) fn looks_like_contract(text: &str) -> bool {
    let mut head = text.lines().take(MAX_HEAD_LINES);
    let is_flow = text.trim_start().starts_with('{');
    let is_said = |line: &&str| !line.trim_start().is_empty() && !line.trim_start().starts_with(['#', '-']);
    let first = text.lines().find(is_said).unwrap_or_default();
    let indent = &first[..first.len() - first.trim_start().len()];
    head.any(|line| {
        // A top-level key, which in YAML has the indentation of the first key.
        let line = if is_flow {
            line.trim_start_matches(['{', ' ', '\t'])
        } else {
            line.strip_prefix(indent).unwrap_or_default()
        };
        let key = line.split_once(':').map(|(key, _)| key.trim_end().trim_matches(['"', '\'']));
        match key {
            Some(key) if CONTRACTS.contains(&key) => true,
            Some("$schema") => line.contains("//json-schema.org/"),
            _ => false,
        }
    })
}

/// Number of lines that are searched for the key that identifies a contract: it follows comments and metadata only.
const MAX_HEAD_LINES: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contracts_are_known_by_their_first_lines() {
        for text in [
            "# ours\n---\nopenapi: 3.0.0\n",
            "{\"info\": 1,\n  \"swagger\": \"2.0\"}",
            "{\"asyncapi\": \"3.0.0\"}",
            "\"swagger\": \"2.0\"\n",
            "---\n  swagger: \"2.0\"\n  info:\n",
            "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\"",
        ] {
            assert!(looks_like_contract(text), "{text}");
        }
        for text in
            ["{\"$schema\": \"https://json.schemastore.org/tsconfig\"}", "tools:\n  openapi: on\n", ""]
        {
            assert!(!looks_like_contract(text), "{text}");
        }
    }

    #[test]
    fn names_say_what_is_read() {
        let kind = |path| kind(path).map_or("nothing".to_owned(), |kind| format!("{kind:?}"));
        for (path, expected) in [
            ("sscg-services.yml", "ServiceMap"),
            ("a/sscg-services.yml", "Candidate"),
            ("api/openapi.v2.yaml", "Contract"),
            ("order.schema.json", "Contract"),
            ("compose.prod.yaml", "Compose"),
            (".env", "Environment"),
            ("a/.env.example", "Environment"),
            ("a/orders.env", "Environment"),
            ("a/.compose.yaml", "nothing"),
            ("a/docker-compose-load.yml", "Compose"),
            ("a/orders.Dockerfile", "Dockerfile"),
            ("a/tests/package.json", "nothing"),
            ("package-lock.json", "nothing"),
            ("src/lib.rs", "nothing"),
            ("src/main.rs", "Entry"),
            ("src/main/java/shop/OrdersApplication.java", "Entry"),
            ("proto/shop/v1/cart.proto", "Protobuf"),
        ] {
            assert_eq!(kind(path), expected, "{path}");
        }
        assert_eq!(input_limit("src/main.rs"), Some(0));
        assert_eq!(input_limit("openapi.json"), Some(MAX_CONTRACT_BYTES));
        assert_eq!(input_limit("data.json"), Some(MAX_BYTES));
    }
}
