//! Every case under `fixtures/snapshot/<language>/` against its snapshots (`<case>/snapshots.expected`).
//!
//! A case is a directory of source files, with a file `targets`: paragraphs, of which each is one snapshot. Its first
//! line is the path of a file; those below it are targets in that file, each a declaration by its qualified name or a
//! statement at the root by its line, and a level. Everything is read again by the parser, and must be no more broken
//! than the file is.
//!
//! A new case is one directory; `cargo xtask fixtures --bless` writes its snapshots, for you to read.

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use sscg_core::{ChunkId, Corpus, FileId, Project, ProjectFile, Shown};
use sscg_format::snapshot;
use sscg_graph::link;

#[test]
fn every_case_has_the_snapshots_in_the_file_beside_it() {
    for case in cases() {
        let project = project(&case);
        let graph = link(&project);
        let targets = fs::read_to_string(case.join("targets")).expect("a case has targets");
        let mut out = String::new();
        for paragraph in targets.split("\n\n") {
            let (path, targets) = paragraph.split_once('\n').expect("targets stand below a path");
            let file = project.file_at(path).expect("targets are in a file of the case");
            let source = fs::read_to_string(case.join(path)).expect("fixtures are readable");
            let chunks: Vec<(ChunkId, Shown)> =
                targets.lines().map(|target| chunk(&project, file, target)).collect();
            let snapshot = snapshot(&project, &graph, file, &source, &chunks);
            check_text(path, &source, &snapshot.text);
            out += &format!("-- {}\n{}", targets.trim_end().replace('\n', ", "), snapshot.text);
        }
        expect_file![case.join("snapshots.expected")].assert_eq(&out);
    }
}

/// What is shown reads as well as the file that it is of.
fn check_text(path: &str, source: &str, shown: &str) {
    let (language, extension) = claim(path).expect("only sources have snapshots");
    let wrong = |text: &str| sscg_parse::extract(language, extension, text).diagnostics;
    assert!(wrong(shown).len() <= wrong(source).len(), "{path}: {:?} in\n{shown}", wrong(shown));
}

/// A target by its line in a case's list.
fn chunk(project: &Project, file: FileId, target: &str) -> (ChunkId, Shown) {
    let (name, level) = target.rsplit_once(' ').expect("a target has a level");
    let level = Shown::ALL.into_iter().find(|shown| shown.as_str() == level).expect("there is such a level");
    let facts = &project.files()[file].facts;
    let line: Option<u32> = name.parse().ok();
    let is_meant = |chunk: &sscg_core::Chunk| match (line, chunk.symbol) {
        (Some(line), None) => chunk.parent.is_none() && chunk.lines.contains(line),
        (None, Some(symbol)) => facts.qualified_name(symbol) == name,
        _ => false,
    };
    let found = facts.chunks.iter_enumerated().find(|(_, chunk)| is_meant(chunk));
    let (chunk, _) = found.unwrap_or_else(|| panic!("no chunk is called {name}"));
    (project.chunk_id(file, chunk), level)
}

fn claim(path: &str) -> Option<(sscg_core::Language, &'static str)> {
    [Corpus::Code, Corpus::Documents].into_iter().find_map(|corpus| sscg_parse::claim(corpus, path))
}

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/snapshot");
    let cases: Vec<PathBuf> = entries(&root).iter().flat_map(|language| entries(language)).collect();
    assert!(!cases.is_empty(), "no fixtures under {}", root.display());
    cases
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).expect("fixtures are readable");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths
}

fn project(case: &Path) -> Project {
    let mut files = Vec::new();
    let mut rest = vec![case.to_owned()];
    while let Some(dir) = rest.pop() {
        for path in entries(&dir) {
            if path.is_dir() {
                rest.push(path);
                continue;
            }
            let relative = path.strip_prefix(case).expect("it is below the case");
            let relative = relative.to_str().expect("fixture paths are UTF-8");
            let Some((language, extension)) = claim(relative) else { continue };
            let text = fs::read_to_string(&path).expect("fixtures are readable");
            let facts = sscg_parse::extract(language, extension, &text).into();
            files.push(ProjectFile { path: relative.into(), language, facts });
        }
    }
    Project::new(files, Vec::new())
}
