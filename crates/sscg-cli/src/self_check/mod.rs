//! Checks of the program itself, without a project: the parsers, the token counter, a temporary index, and answers from it.

use std::fs;
use std::path::Path;
use std::time::Instant;

use sscg::core::TokenCounter;
use sscg::format::O200k;
use sscg::parse::{extract, formats, languages};
use sscg::{Corpus, Engine, EngineOptions, Error, SearchRequest, Storage};

use crate::doctor::Check;
use crate::text::count;

/// A file in each language: after a line with its name, its text. It declares [`NAME`], unless the name of the file begins with
/// [`TEXT`], for languages whose declarations are not read. This is data, so that no code here names a language.
const SAMPLES: &str = include_str!("samples.txt");

/// Start of the line with the name of a sample.
const SEPARATOR: &str = "==> ";

/// Declaration in each sample, in any case.
const NAME: &str = "total";

/// Start of the names of samples without a declaration that is read.
const TEXT: &str = "text.";

/// Document beside the samples, and its text.
const DOCUMENT: (&str, &str) =
    ("README.md", "# Invoices\n\nThe total of an invoice is the sum of its lines.\n");

/// Text with a known number of tokens.
const COUNTED: (&str, usize) = ("hello world", 2);

/// Hint for a program that does not work.
const HINT: &str = "install it again; if that does not help, report it with the output of `sscg self-check`";

/// Runs all checks.
pub(crate) fn checks() -> Vec<Check> {
    let mut checks = vec![check_parsers(), check_counter()];
    match check_index() {
        Ok(of_index) => checks.extend(of_index),
        Err(error) => checks.push(Check::error("index", &error)),
    }
    checks
}

/// Returns the samples: name and text.
fn samples() -> impl Iterator<Item = (&'static str, &'static str)> {
    SAMPLES.split(SEPARATOR).filter_map(|sample| sample.split_once('\n'))
}

/// Returns true if a sample is read, with its declaration if it has one.
fn is_read(name: &str, text: &str) -> bool {
    let facts = extract(name, text);
    facts.is_some_and(|facts| {
        name.starts_with(TEXT) || facts.symbols.iter().any(|symbol| symbol.name.eq_ignore_ascii_case(NAME))
    })
}

fn check_parsers() -> Check {
    let unread: Vec<&str> =
        samples().filter(|(name, text)| !is_read(name, text)).map(|(name, _)| name).collect();
    let known = format!("{}, {}", count(languages().len(), "language"), count(formats().len(), "format"));
    if unread.is_empty() {
        Check::ok("parsers", known)
    } else {
        Check::fail("parsers", format!("{known}; no declaration found in {}", unread.join(", ")), HINT)
    }
}

fn check_counter() -> Check {
    let (text, expected) = COUNTED;
    match O200k.count(text) {
        counted if counted == expected => Check::ok("tokens", "counted by o200k_base"),
        counted => Check::fail("tokens", format!("{text:?} has {counted} tokens, not {expected}"), HINT),
    }
}

/// Indexes the samples in a temporary directory, opens the index again, and searches it.
fn check_index() -> Result<Vec<Check>, Error> {
    let failed = |error: std::io::Error| {
        let message = format!("no temporary directory: {}", sscg::index::describe(&error));
        Error::project(message, "set TMPDIR to a directory that you may write to")
    };
    let directory = tempfile::tempdir().map_err(failed)?;
    let (root, index) = (directory.path().join("project"), directory.path().join("index"));
    fs::create_dir(&root).map_err(failed)?;
    for (name, text) in samples().chain([DOCUMENT]) {
        fs::write(root.join(name), text).map_err(failed)?;
    }
    let start = Instant::now();
    let engine = open(&root, &index)?;
    let (_, report) = engine.refresh()?;
    engine.save()?;
    drop(engine);
    let engine = open(&root, &index)?;
    let (_, again) = engine.refresh()?;
    let seconds = start.elapsed().as_secs_f64();
    let stored = if report.files == 0 || again.parsed > 0 {
        let message = format!("{} indexed, {} of them stored", report.files, again.files - again.parsed);
        Check::fail("index", message, HINT)
    } else {
        Check::ok(
            "index",
            format!("{} indexed, stored and opened again, {seconds:.1} s", count(report.files, "file")),
        )
    };
    let start = Instant::now();
    let code = engine.search(&SearchRequest::new(format!("symbol = {NAME}")))?;
    let documents = engine.search(&SearchRequest::new("sum of an invoice").with_corpus(Corpus::Documents))?;
    let milliseconds = start.elapsed().as_millis();
    let found = [code, documents].map(|response| response.answer.results.len());
    let searched = if found.contains(&0) {
        Check::fail("search", format!("{} of code and {} of documents found", found[0], found[1]), HINT)
    } else {
        Check::ok("search", format!("code and documents found, {milliseconds} ms"))
    };
    Ok(vec![stored, searched])
}

fn open(root: &Path, index: &Path) -> Result<Engine, Error> {
    Engine::open_with(root, EngineOptions::stored_in(Storage::Directory(index.to_owned())))
}

#[cfg(test)]
mod tests {
    use sscg::parse::FileType;

    use super::*;

    #[test]
    fn every_language_has_a_sample_that_is_read() {
        for language in languages() {
            let of_language = |name: &str| FileType::of_path(name).is_some_and(|it| it.language == *language);
            assert!(samples().any(|(name, _)| of_language(name)), "{} needs a sample", language.name);
        }
        for (name, text) in samples() {
            assert!(is_read(name, text), "{name}: {:?}", extract(name, text).map(|facts| facts.symbols));
        }
    }
}
