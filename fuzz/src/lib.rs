//! Shared code of the fuzz targets. Invariant: any bytes, read as a source file, give facts that satisfy the parser's
//! rules, can be shown, and can be linked and searched together with other files.

use std::fs;
use std::path::Path;

use sscg::Storage;
use sscg::config::FILE_NAME;
use sscg::{Engine, EngineOptions, Layers, SearchRequest, UsesOptions};
use sscg_parse::check::{Rule, check};
use sscg_parse::{FileType, languages, syntax};

/// Parses `data` as a file with one of the `extensions`, selected by its first byte, and checks the parser's rules.
///
/// # Panics
/// Panics if a rule is violated, which is what fuzzing looks for.
pub fn parse(extensions: &[&str], data: &[u8]) {
    let Some(first) = data.first() else { return };
    let extension = extensions[usize::from(*first) % extensions.len()];
    let path = format!("file.{extension}");
    let file_type = FileType::of_path(&path).expect("the targets name known extensions");
    let (_, mut violations) = check(file_type, &String::from_utf8_lossy(data));
    // A declaration may have any number of tokens.
    violations.retain(|violation| violation.rule != Rule::TokenLimit);
    assert!(violations.is_empty(), "{path}: {violations:#?}");
}

/// Runs the highlighter, the display rules and the body analysis on `data`, read as source code of a language selected
/// by its first byte.
///
/// # Panics
/// Panics if a returned span is outside of the text or out of order.
pub fn show(data: &[u8]) {
    let Some((first, text)) = data.split_first() else { return };
    let language = languages()[usize::from(*first) % languages().len()];
    let extension = language.extensions[usize::from(*first) / languages().len() % language.extensions.len()];
    let source = String::from_utf8_lossy(text);
    let file_type = FileType { language, extension };
    let pieces = file_type.highlights(&source);
    let mut end = 0;
    for (piece, _) in &pieces {
        assert!(
            end <= piece.start && source.get(piece.start as usize..piece.end as usize).is_some(),
            "{pieces:?}"
        );
        end = piece.end;
    }
    file_type.wiring(&source);
    // Languages without a grammar have none.
    let Some(shows) = syntax(language) else { return };
    for comment in shows.comments(extension, &source) {
        assert!(source.get(comment.start as usize..comment.end as usize).is_some(), "{comment:?}");
    }
    shows.reduce_import(extension, &source, &|name| name.len() % 2 == 0);
}

/// Files of a project that import each other.
const SOURCES: [&str; 12] = [
    "src/lib.rs",
    "src/a.rs",
    "src/a/b.rs",
    "a.py",
    "b/__init__.py",
    "b/a.py",
    "index.ts",
    "a.ts",
    "b/a.tsx",
    "a.js",
    "a.md",
    "a.yaml",
];

/// Files that control how others are read, with default contents.
const MANIFESTS: [(&str, &str); 14] = [
    ("Cargo.toml", "[package]\nname = \"a\"\n"),
    ("Cargo.lock", "[[package]]\nname = \"serde\"\nversion = \"1.0.0\"\n"),
    ("package.json", "{\"name\": \"a\", \"exports\": \"./index.ts\", \"dependencies\": {\"c\": \"1\"}}"),
    ("package-lock.json", "{\"packages\": {\"node_modules/c\": {\"version\": \"1.0.0\"}}}"),
    ("pnpm-lock.yaml", "packages:\n  c@1.0.0: {}\n"),
    ("yarn.lock", "c@^1:\n  version \"1.0.0\"\n"),
    ("tsconfig.json", "{\"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"@/*\": [\"./*\"]}}}"),
    ("b/tsconfig.json", "{\"extends\": \"../tsconfig.json\"}"),
    ("pyproject.toml", "[project]\nname = \"a\"\n[tool.setuptools]\npackage-dir = {\"\" = \".\"}\n"),
    ("setup.cfg", "[options]\npackage_dir =\n    = .\n"),
    ("uv.lock", "[[package]]\nname = \"d\"\nversion = \"1.0.0\"\n"),
    (".gitignore", "target\n!a.py\n"),
    (".ignore", "*.log\n"),
    (FILE_NAME, "[search]\nbudget = 2000\n"),
];

/// Replaces one manifest of a small project, selected by the first byte of `data`, by the rest of it, reads the
/// configuration, and queries the project.
///
/// # Panics
/// Panics like [`ask`].
pub fn ask_by_manifest(data: &[u8]) {
    let Some((first, text)) = data.split_first() else { return };
    let project = tempfile::tempdir().expect("there is room for a project");
    for (file, text) in MANIFESTS {
        write(project.path(), file, text.as_bytes());
    }
    for (file, text) in [
        ("src/lib.rs", "mod a;\nuse serde::Serialize;\npub fn x() { a::x(); crate::a::y() }\n"),
        ("src/a.rs", "pub fn x() {}\npub fn y() { super::x() }\n"),
        ("a.py", "from b import x\nimport d\n\ndef a():\n    return x() + d.x()\n"),
        ("b/__init__.py", "def x():\n    return 1\n"),
        ("index.ts", "import { x } from '@/a';\nimport y from 'c';\nexport const a = () => x() + y();\n"),
        ("a.ts", "export function x() { return 1; }\n"),
        ("b/a.tsx", "import { x } from '../a';\nexport const y = () => <p>{x()}</p>;\n"),
    ] {
        write(project.path(), file, text.as_bytes());
    }
    let (file, _) = MANIFESTS[usize::from(*first) % MANIFESTS.len()];
    write(project.path(), file, text);
    // Invalid configuration is an error, not a panic.
    let _ = Layers::read(project.path(), None, |_| None).map(|layers| layers.config());
    question(project.path());
}

/// Writes a project whose files are separated by zero bytes, each named by its first byte, and runs several queries on
/// it. Any answer or error is accepted.
///
/// # Panics
/// Panics if the engine panics or the file system fails.
pub fn ask(data: &[u8]) {
    let directory = tempfile::tempdir().expect("there is room for a project");
    let names: Vec<&str> = SOURCES.into_iter().chain(MANIFESTS.map(|(file, _)| file)).collect();
    for file in data.split(|byte| *byte == 0) {
        let Some((first, text)) = file.split_first() else { continue };
        write(directory.path(), names[usize::from(*first) % names.len()], text);
    }
    question(directory.path());
}

fn write(project: &Path, file: &str, text: &[u8]) {
    let path = project.join(file);
    fs::create_dir_all(path.parent().expect("it is below the root")).expect("directories can be made");
    fs::write(path, text).expect("files can be written");
}

fn question(project: &Path) {
    let Ok(engine) = Engine::open_with(project, EngineOptions::stored_in(Storage::Ephemeral)) else {
        return;
    };
    for question in ["symbol = x", "how does x read its settings", "error: no such file"] {
        // No results are an error, too.
        let _ = engine.search(&SearchRequest::new(question));
    }
    let (snapshot, _) = engine.refresh().expect("memory has no limit");
    let _ = sscg::uses(&snapshot, &["x".to_owned(), "a".to_owned()], &UsesOptions::default());
    let _ = sscg::outline(&snapshot, &[".".to_owned()], 2_000);
}
