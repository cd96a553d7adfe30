//! What the fuzz targets share: any bytes, read as a source file, give facts of which the rules hold, can be shown, and
//! are linked and searched with whatever stands beside them.

use std::fs;

use sscg::index::Storage;
use sscg::{Engine, EngineOptions, SearchRequest, UsesOptions};
use sscg_parse::check::{Rule, check};
use sscg_parse::{Corpus, claim, highlights, languages, syntax, wiring};

/// Reads `data` as a source file with one of the `extensions`, which its first byte picks, and checks the parser's
/// rules on it.
///
/// # Panics
/// If a rule does not hold; that is what fuzzing looks for.
pub fn parse(extensions: &[&str], data: &[u8]) {
    parse_as(Corpus::Code, extensions, data);
}

/// The same for documents.
///
/// # Panics
/// As [`parse`].
pub fn parse_document(extensions: &[&str], data: &[u8]) {
    parse_as(Corpus::Documents, extensions, data);
}

fn parse_as(corpus: Corpus, extensions: &[&str], data: &[u8]) {
    let Some(first) = data.first() else { return };
    let extension = extensions[usize::from(*first) % extensions.len()];
    let path = format!("file.{extension}");
    let (language, extension) = claim(corpus, &path).expect("the targets name known endings");
    let (_, mut violations) = check(language, extension, &String::from_utf8_lossy(data));
    // A text may hold a declaration as long as it likes.
    violations.retain(|violation| violation.rule != Rule::TokenLimit);
    assert!(violations.is_empty(), "{path}: {violations:#?}");
}

/// Takes `data`, read as source code of a language that its first byte picks, apart for those who show it and for service
/// graphs.
///
/// # Panics
/// If what is found is no part of the text, or out of order.
pub fn show(data: &[u8]) {
    let Some((first, text)) = data.split_first() else { return };
    let language = languages()[usize::from(*first) % languages().len()];
    let extension = language.extensions[usize::from(*first) / languages().len() % language.extensions.len()];
    let source = String::from_utf8_lossy(text);
    let pieces = highlights(language, extension, &source);
    let mut end = 0;
    for (piece, _) in &pieces {
        assert!(
            end <= piece.start && source.get(piece.start as usize..piece.end as usize).is_some(),
            "{pieces:?}"
        );
        end = piece.end;
    }
    wiring(language, extension, &source);
    let shows = syntax(language).expect("source code is shown");
    for comment in shows.comments(extension, &source) {
        assert!(source.get(comment.start as usize..comment.end as usize).is_some(), "{comment:?}");
    }
    shows.reduce_import(extension, &source, &|name| name.len() % 2 == 0);
}

/// Names of the files of a project that fuzzing writes: sources that name each other, and what says how they are read.
const NAMES: [&str; 17] = [
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
    "Cargo.toml",
    "package.json",
    "tsconfig.json",
    "pyproject.toml",
    ".gitignore",
];

/// Writes a project, its files apart by zero bytes and each called after its first byte, and asks about it in several ways.
/// Any answer or error will do.
///
/// # Panics
/// If the engine does, or the file system fails.
pub fn ask(data: &[u8]) {
    let directory = tempfile::tempdir().expect("there is room for a project");
    for file in data.split(|byte| *byte == 0) {
        let Some((first, text)) = file.split_first() else { continue };
        let path = directory.path().join(NAMES[usize::from(*first) % NAMES.len()]);
        fs::create_dir_all(path.parent().expect("it is below the root")).expect("directories can be made");
        fs::write(path, text).expect("files can be written");
    }
    let Ok(mut engine) = Engine::open_with(directory.path(), EngineOptions::stored_in(Storage::Ephemeral))
    else {
        return;
    };
    for question in ["symbol = x", "how does x read its settings", "error: no such file"] {
        // Nothing found is an error, too.
        let _ = engine.search(&SearchRequest::new(question));
    }
    let (snapshot, _) = engine.refresh(&|_, _| {});
    let _ = sscg::uses(&snapshot, &["x".to_owned(), "a".to_owned()], &UsesOptions::default());
    let _ = sscg::outline(&snapshot, &[".".to_owned()], 2_000);
}
