//! Every line with a text.

use std::collections::BTreeSet;

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, SearcherBuilder};
use schemars::JsonSchema;
use serde::Serialize;
use sscg_core::{Corpus, quoted};
use sscg_index::{Snapshot, map_files};
use sscg_retrieve::{chunk_at_line, is_product, is_test};

use super::check;
use super::page::{Page, count};
use crate::Error;

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
    /// Whether it is code of tests.
    pub test: bool,
}

/// The most lines of a file that are listed.
const MOST_IN_FILE: usize = 1_000;

/// The most characters of a line.
const MOST_CHARS: usize = 160;

/// The lines of a file that have a text, and how many there are.
struct Found {
    path: String,
    count: usize,
    lines: Vec<(u32, String)>,
}

/// Lists every line of a project with some texts: as they stand, or as a regular expression between slashes, `/get_\w+/`. All
/// files are read that are text, whatever the language, but ignored and hidden ones; capital letters count unless
/// nothing is found otherwise. O(bytes of the project).
///
/// # Errors
/// If no text is given, one is no regular expression, the budget is below
/// [`SearchRequest::MIN_BUDGET`](crate::SearchRequest), or the snapshot has no tree.
pub fn text(
    snapshot: &Snapshot,
    patterns: &[String],
    budget: usize,
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
        let mut of_pattern = lines_with(snapshot, &matcher(pattern, false)?);
        let mut other_case = false;
        if of_pattern.is_empty() {
            of_pattern = lines_with(snapshot, &matcher(pattern, true)?);
            other_case = !of_pattern.is_empty();
        }
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

/// The files with a match, by path.
fn lines_with(snapshot: &Snapshot, matcher: &RegexMatcher) -> Vec<Found> {
    let mut found = map_files(&snapshot.root, |path, at| {
        let mut searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_terminator(LineTerminator::crlf())
            .line_number(true)
            .build();
        let mut of_file = Found { path: path.to_owned(), count: 0, lines: Vec::new() };
        let sink = Lossy(|number, line| {
            of_file.count += 1;
            if of_file.lines.len() < MOST_IN_FILE {
                of_file.lines.push((number as u32, excerpt(matcher, line)));
            }
            Ok(true)
        });
        // A file that cannot be read has no lines.
        let _ = searcher.search_path(matcher, at, sink);
        (of_file.count > 0).then_some(of_file)
    });
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// A line without the white space around it; of a long one what is near the match.
fn excerpt(matcher: &RegexMatcher, line: &str) -> String {
    let line = line.trim();
    if line.chars().nth(MOST_CHARS).is_none() {
        return line.to_owned();
    }
    let at = matcher.find(line.as_bytes()).ok().flatten().map_or(0, |found| found.start());
    let before = line.get(..at).map_or(0, |before| before.chars().count());
    let skipped = before.saturating_sub(MOST_CHARS / 4);
    let shown: String = line.chars().skip(skipped).take(MOST_CHARS).collect();
    let start = if skipped > 0 { "…" } else { "" };
    format!("{start}{shown}…")
}

fn places(snapshot: &Snapshot, found: Vec<Found>) -> Vec<TextPlace> {
    let project = &snapshot.project;
    let mut places: Vec<(u8, TextPlace)> = Vec::new();
    for Found { path, lines, .. } in found {
        let file =
            project.file_at(&path).filter(|file| project.files()[*file].language.corpus == Corpus::Code);
        for (line, text) in lines {
            let chunk = file.and_then(|file| chunk_at_line(project, file, line));
            let symbol = chunk.and_then(|chunk| project.symbol_of_chunk(chunk));
            let name = symbol.map_or_else(String::new, |symbol| project.qualified_name(symbol));
            let test = chunk.is_some_and(|chunk| is_test(snapshot, chunk));
            let rank = match chunk {
                Some(chunk) if is_product(snapshot, chunk) => 0,
                None => 1,
                Some(_) => 2,
            };
            places.push((rank, TextPlace { file: path.clone(), line, name, text, test }));
        }
    }
    places.sort();
    places.into_iter().map(|(_, place)| place).collect()
}

fn page(found: &[TextFound], budget: usize) -> String {
    let mut page = Page::new(budget);
    for of in found {
        let kind = if expression(&of.pattern).is_some() { " (regular expression)" } else { "" };
        let case = if of.other_case { ", in other letters" } else { "" };
        let sum = match of.lines {
            0 => "nowhere".to_owned(),
            lines => {
                format!("{} in {}{case}", count(lines, "line", "lines"), count(of.files, "file", "files"))
            }
        };
        page.always(&format!("{}{kind}: {sum}", quoted(&of.pattern)));
        let mut last = "";
        let mut listed = 0;
        for place in &of.places {
            if place.file != last {
                page.heading(&format!("{}{}", place.file, if place.test { " (test)" } else { "" }));
                last = &place.file;
            }
            let name = if place.name.is_empty() { String::new() } else { format!(" {}", place.name) };
            listed += usize::from(page.line(&format!("  {}{name}: {}", place.line, place.text)));
        }
        page.next_list();
        if listed < of.lines {
            let left_out = count(of.lines - listed, "line", "lines");
            page.always(&format!("Cut: {left_out} left out, ask with a larger budget or for a longer text."));
        }
    }
    page.end()
}
