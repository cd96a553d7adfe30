//! What a chunk is worth before anything is asked.

use sscg_core::{ChunkId, ChunkKind, FileId, Modifiers, Project};
use sscg_index::words;

/// What the place of a file says of its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Source,
    Test,
    Example,
    Bench,
    Vendored,
}

/// The factor on a chunk's fused score: tests, examples and copies of other projects' code stand back unless
/// the question asks for them, and so do imports and bare comments.
pub(crate) fn prior(project: &Project, chunk: ChunkId, wanted: Wanted) -> f64 {
    let file = project.chunk_file(chunk);
    let role = match role(project, file) {
        Role::Source => 1.0,
        Role::Test if wanted.tests => 1.0,
        Role::Example | Role::Bench if wanted.examples => 1.0,
        Role::Test | Role::Example => 0.4,
        Role::Bench => 0.5,
        Role::Vendored => 0.6,
    };
    let in_test_code = project.symbol_of_chunk(chunk).is_some_and(|symbol| {
        let mut around = project.self_and_ancestors(symbol);
        around.any(|symbol| project.symbol_modifiers(symbol).contains(Modifiers::TEST))
    });
    let test = if in_test_code && role == 1.0 && !wanted.tests { 0.4 } else { 1.0 };
    let kind = match project.chunk_kind(chunk) {
        ChunkKind::Symbol(_) => 1.0,
        ChunkKind::Expression => 0.7,
        ChunkKind::Comment => 0.5,
        ChunkKind::Import | ChunkKind::ReExport => 0.3,
    };
    let declarations_only = project.files()[file].path.ends_with(".d.ts");
    role * test * kind * if declarations_only { 0.7 } else { 1.0 }
}

/// What a question asks for beyond the code itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    tests: bool,
    examples: bool,
}

impl Wanted {
    /// Reads it from the question's words.
    pub(crate) fn new(question: &str) -> Self {
        let mut wanted = Self::default();
        for word in words(question) {
            match word.to_lowercase().as_str() {
                "test" | "tests" | "tested" | "testing" | "fixture" | "fixtures" | "mock" | "mocks" => {
                    wanted.tests = true;
                }
                "example" | "examples" | "demo" | "bench" | "benches" | "benchmark" | "benchmarks" => {
                    wanted.examples = true;
                }
                _ => {}
            }
        }
        wanted
    }
}

fn role(project: &Project, file: FileId) -> Role {
    let path = &project.files()[file].path;
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    for directory in directories.split('/') {
        match directory {
            "test" | "tests" | "__tests__" | "testing" | "spec" | "specs" | "test_utils" | "__mocks__" => {
                return Role::Test;
            }
            "example" | "examples" | "demo" | "demos" | "docs" | "docs_src" | "samples" => {
                return Role::Example;
            }
            "bench" | "benches" | "benchmark" | "benchmarks" => return Role::Bench,
            "vendor" | "vendored" | "third_party" | "node_modules" | "_vendor" => return Role::Vendored,
            _ => {}
        }
    }
    let stem = name.split('.').next().unwrap_or(name);
    let is_test = stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem == "tests"
        || stem == "conftest"
        || name.contains(".test.")
        || name.contains(".spec.");
    if is_test { Role::Test } else { Role::Source }
}
