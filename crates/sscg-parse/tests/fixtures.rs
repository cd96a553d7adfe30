//! Every source file under `fixtures/parse/` against the outline beside it (`<file>.outline`).
//!
//! A new case is one dropped file; `cargo xtask fixtures --bless` writes its outline, for you to read.

#![allow(clippy::disallowed_methods, reason = "the crate is pure, its tests read the fixtures")]

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect_file;

#[test]
fn every_fixture_has_the_facts_in_its_outline() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/parse");
    let mut sources = Vec::new();
    collect(&root, &mut sources);
    assert!(!sources.is_empty(), "no fixtures under {}", root.display());
    for source in sources {
        let path = source.to_str().expect("fixture paths are UTF-8");
        let language = sscg_parse::language_of_path(path).expect("only sources are collected");
        let extension = sscg_parse::extension_of_path(path).expect("only sources are collected");
        let text = fs::read_to_string(&source).expect("fixtures are readable");
        let facts = sscg_parse::extract(language, extension, &text);
        expect_file![format!("{path}.outline")].assert_eq(&sscg_parse::outline(&facts, language, &text));
    }
}

fn collect(dir: &Path, sources: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(dir).into_iter().flatten().map(|entry| entry.expect("readable").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, sources);
        } else if path.to_str().is_some_and(|path| sscg_parse::language_of_path(path).is_some()) {
            sources.push(path);
        }
    }
}
