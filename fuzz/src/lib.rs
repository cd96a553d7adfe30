//! What the fuzz targets share: any bytes, read as a source file, give facts of which the rules hold.

use sscg_parse::check::{Rule, check};
use sscg_parse::{Corpus, claim};

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
