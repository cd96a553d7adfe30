//! Every line with a text.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, SearcherBuilder};
use schemars::JsonSchema;
use serde::Serialize;
use sscg_core::{Corpus, quoted};
use sscg_index::{Snapshot, map_files, parts_of, words};
use sscg_retrieve::{Filters, chunk_at_line, is_product, is_test};

use super::check;
use super::page::{Page, count, numbers};
use crate::Error;
use crate::long_lines::around;

/// The lines with a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct TextFound {
    /// What was looked for, as it was given.
    pub pattern: String,
    /// Whether only letters of another case were found.
    pub other_case: bool,
    /// The number of lines that have it, and that of files.
    pub lines: usize,
    /// See `lines`.
    pub files: usize,
    /// Those lines, of each file at most 1,000: in the project's own code, then in other text, then in tests and examples;
    /// by file and line.
    pub places: Vec<TextPlace>,
}

/// A line with a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct TextPlace {
    /// The path of the file.
    pub file: String,
    /// Its number.
    pub line: u32,
    /// The declaration around it, with those it stands in; empty where there is none.
    pub name: String,
    /// The line without what is around it; of a long one what is near the text.
    pub text: String,
    /// Whether it is the project's own code, and not of tests or examples, generated or other text.
    pub own: bool,
    /// Whether it is code of tests.
    pub test: bool,
    /// Whether its file says at its start that it is generated, or is a lock file.
    pub generated: bool,
}

/// The most lines of a file that are listed.
const MOST_IN_FILE: usize = 1_000;

/// The most characters of a line.
const MOST_CHARS: usize = 160;

/// Of files behind so many lines the numbers are listed alone: who looks for what is everywhere reads no more of it.
const MOST_WITH_TEXT: usize = 60;

/// Of more lines that are not the project's own code, as of translations and recorded output, the numbers are listed. Of those
/// in tests they always are, beside own code.
const MOST_OTHERS: usize = 30;

/// The lines of a file that have a text, and how many there are.
struct Found {
    path: String,
    /// Whether it says that no person wrote it.
    is_generated: bool,
    count: usize,
    lines: Vec<(u32, String)>,
}

/// Lists every line of a project with some texts: as they stand, or as a regular expression between slashes, `/get_\w+/`. All
/// files are read that are text, whatever the language, but ignored and hidden ones; capital letters count unless
/// nothing is found otherwise. `paths` are files, directories or globs to look in; all if there are none. O(bytes of the project).
///
/// # Errors
/// If no text is given, one is no regular expression, a path no glob, the budget is below
/// [`SearchRequest::MIN_BUDGET`](crate::SearchRequest), or the snapshot has no tree.
pub fn text(
    snapshot: &Snapshot,
    patterns: &[String],
    paths: &[String],
    budget: usize,
) -> Result<(Vec<TextFound>, String), Error> {
    let filters = Filters::new(Vec::new(), paths)?;
    find(snapshot, patterns, budget, |pattern| {
        let found = lines_with(snapshot, &filters, &matcher(pattern, false)?);
        if !found.is_empty() {
            return Ok((found, false));
        }
        let found = lines_with(snapshot, &filters, &matcher(pattern, true)?);
        let other_case = !found.is_empty();
        Ok((found, other_case))
    })
}

/// Lists every line of a project that has some names, however they are spelled: `retry_limit` stands for `RetryLimit`, `RETRY_LIMIT`
/// and `retry-limit`, too; a name of one word for itself. Not as part of a longer name. Of `Outer > inner` the last name counts.
/// Code, documents, settings and tests are read as by [`text`], in the order that it gives them; files that say that they are
/// generated come last. What a hyphen joins to more counts too. O(bytes of the project).
///
/// # Errors
/// As [`text`].
pub fn mentions(
    snapshot: &Snapshot,
    names: &[String],
    paths: &[String],
    budget: usize,
) -> Result<(Vec<TextFound>, String), Error> {
    let filters = Filters::new(Vec::new(), paths)?;
    find(snapshot, names, budget, |name| Ok((lines_with(snapshot, &filters, &spellings(name)?), false)))
}

/// What a search for each of several texts finds, and the list of it.
fn find(
    snapshot: &Snapshot,
    patterns: &[String],
    budget: usize,
    lines: impl Fn(&str) -> Result<(Vec<Found>, bool), Error>,
) -> Result<(Vec<TextFound>, String), Error> {
    check(patterns, "text", budget)?;
    if !snapshot.root.is_dir() {
        return Err(Error::request(
            format!("{} is no directory", snapshot.root.display()),
            "look for text where the files are",
        ));
    }
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    for pattern in patterns.iter().filter(|pattern| !pattern.is_empty() && known.insert(*pattern)) {
        let (of_pattern, other_case) = lines(pattern)?;
        found.push(TextFound {
            pattern: pattern.clone(),
            other_case,
            lines: of_pattern.iter().map(|file| file.count).sum(),
            files: of_pattern.len(),
            places: places(snapshot, of_pattern),
        });
    }
    let text = page(&found, budget);
    Ok((found, text))
}

/// Finds a name in all spellings that mean the same.
fn spellings(name: &str) -> Result<RegexMatcher, Error> {
    let name = name.trim();
    let last = name.rsplit(['>', '.', ':', ' ', '/']).next().unwrap_or(name);
    let parts: Vec<&str> = words(last).flat_map(parts_of).collect();
    match parts[..] {
        [] => Err(Error::request(format!("{} is no name", quoted(name)), "give names; text finds all else")),
        // One word in any case would be any word.
        [_] => matcher(&format!("/\\b{}\\b/", words(last).next().unwrap_or(last)), false),
        _ => matcher(&format!("/\\b{}\\b/", parts.join("[_-]?")), true),
    }
}

fn matcher(pattern: &str, any_case: bool) -> Result<RegexMatcher, Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(any_case).crlf(true);
    let built = match expression(pattern) {
        Some(expression) => builder.build(expression),
        None => builder.fixed_strings(true).build(pattern),
    };
    built.map_err(|error| {
        let why = error.to_string();
        Error::request(
            format!(
                "{} cannot be looked for in lines: {}",
                quoted(pattern),
                why.lines().last().unwrap_or_default()
            ),
            "give a text of one line, or a regular expression of the crate `regex` between slashes",
        )
    })
}

/// What stands between slashes.
fn expression(pattern: &str) -> Option<&str> {
    pattern.strip_prefix('/')?.strip_suffix('/').filter(|it| !it.is_empty())
}

/// The files that are admitted and have a match, by path.
fn lines_with(snapshot: &Snapshot, filters: &Filters, matcher: &RegexMatcher) -> Vec<Found> {
    let mut found = map_files(&snapshot.root, |path, at| {
        if !filters.admits_path(path) {
            return None;
        }
        let mut searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_terminator(LineTerminator::crlf())
            .line_number(true)
            .build();
        let mut of_file = Found { path: path.to_owned(), is_generated: false, count: 0, lines: Vec::new() };
        let sink = Lossy(|number, line| {
            of_file.count += 1;
            if of_file.lines.len() < MOST_IN_FILE {
                of_file.lines.push((number as u32, excerpt(matcher, line)));
            }
            Ok(true)
        });
        // A file that cannot be read has no lines.
        let _ = searcher.search_path(matcher, at, sink);
        of_file.is_generated = of_file.count > 0 && is_generated(path, at);
        (of_file.count > 0).then_some(of_file)
    });
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// How files say that they are generated, in small letters.
const GENERATED: [&str; 5] =
    ["@generated", "do not edit", "automatically generated", "auto-generated", "autogenerated"];

/// Where they say so.
const GENERATED_BYTES: usize = 1_000;

fn is_generated(path: &str, at: &Path) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_lock = name.ends_with(".lock") || name.contains("-lock.") || name == "go.sum";
    let mut start = Vec::new();
    let read = File::open(at).and_then(|file| file.take(GENERATED_BYTES as u64).read_to_end(&mut start));
    let start = String::from_utf8_lossy(&start).to_lowercase();
    is_lock || read.is_ok() && GENERATED.iter().any(|mark| start.contains(mark))
}

/// A line without the white space around it; of a long one what is near the match.
fn excerpt(matcher: &RegexMatcher, line: &str) -> String {
    let line = line.trim();
    let at = matcher.find(line.as_bytes()).ok().flatten().map_or(0, |found| found.start());
    around(line, at, MOST_CHARS).into_owned()
}

fn places(snapshot: &Snapshot, found: Vec<Found>) -> Vec<TextPlace> {
    let project = &snapshot.project;
    let mut places: Vec<(u8, TextPlace)> = Vec::new();
    for Found { path, is_generated, lines, .. } in found {
        let file =
            project.file_at(&path).filter(|file| project.files()[*file].language.corpus == Corpus::Code);
        for (line, text) in lines {
            let chunk = file.and_then(|file| chunk_at_line(project, file, line));
            let symbol = chunk.and_then(|chunk| project.symbol_of_chunk(chunk));
            let name = symbol.map_or_else(String::new, |symbol| project.qualified_name(symbol));
            let test = chunk.is_some_and(|chunk| is_test(snapshot, chunk));
            let rank = match chunk {
                _ if is_generated => 3,
                Some(chunk) if is_product(snapshot, chunk) => 0,
                None => 1,
                Some(_) => 2,
            };
            places.push((
                rank,
                TextPlace {
                    file: path.clone(),
                    line,
                    name,
                    text,
                    own: rank == 0,
                    test,
                    generated: is_generated,
                },
            ));
        }
    }
    places.sort();
    places.into_iter().map(|(_, place)| place).collect()
}

fn page(found: &[TextFound], budget: usize) -> String {
    let mut page = Page::new(budget);
    for (at, of) in found.iter().enumerate() {
        page.begin(found[at + 1..].iter().map(|of| of.lines));
        let kind = if expression(&of.pattern).is_some() { " (regular expression)" } else { "" };
        let case = if of.other_case { ", in other letters" } else { "" };
        let sum = match of.lines {
            0 => "nowhere".to_owned(),
            lines => {
                format!("{} in {}{case}", count(lines, "line", "lines"), count(of.files, "file", "files"))
            }
        };
        page.always(&format!("{}{kind}: {sum}", quoted(&of.pattern)));
        let others = of.places.iter().filter(|place| !place.own).count();
        let has_own = others < of.places.len();
        let mut listed = 0;
        for of_file in of.places.chunk_by(|a, b| (&a.file, a.own) == (&b.file, b.own)) {
            let first = &of_file[0];
            let kind = match first {
                TextPlace { generated: true, .. } => " (generated)",
                TextPlace { test: true, .. } => " (test)",
                _ => "",
            };
            let is_aside = !first.own && (others > MOST_OTHERS || first.test && has_own);
            if listed > MOST_WITH_TEXT || is_aside {
                let lines: Vec<u32> = of_file.iter().map(|place| place.line).collect();
                let line = format!("{}{kind} {}", first.file, numbers(&lines));
                listed += if page.line(&line) { lines.len() } else { 0 };
                continue;
            }
            page.heading(&format!("{}{kind}", first.file));
            for place in of_file {
                let name = if place.name.is_empty() { String::new() } else { format!(" {}", place.name) };
                listed += usize::from(page.line(&format!("  {}{name}: {}", place.line, place.text)));
            }
        }
        page.next_list();
        if listed < of.lines {
            let left_out = count(of.lines - listed, "line", "lines");
            page.always(&format!("Cut: {left_out} left out, ask with a larger budget or for a longer text."));
        }
    }
    page.end()
}
