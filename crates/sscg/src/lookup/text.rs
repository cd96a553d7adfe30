//! Search for every line with a text.

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
use sscg_core::{Corpus, parts_of, quoted};
use sscg_graph::Node;
use sscg_index::{Snapshot, map_files, words};
use sscg_retrieve::{Filters, chunk_at_line, is_product, is_test};

use super::check;
use super::page::{Page, count, numbers};
use crate::Error;
use crate::explore::names;
use crate::long_lines::around;

/// Lines with a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct TextFound {
    /// Search pattern, as given.
    pub pattern: String,
    /// Set if only matches in another case were found.
    pub other_case: bool,
    /// Number of lines with a match.
    pub lines: usize,
    /// Number of files with a match.
    pub files: usize,
    /// Matching lines, at most 1,000 per file: own code, other text, tests and examples, generated files; each by
    /// file and line.
    pub places: Vec<TextPlace>,
}

/// Line with a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct TextPlace {
    /// Path of the file.
    pub file: String,
    /// Line number.
    pub line: u32,
    /// Qualified name of the enclosing declaration; empty if none.
    pub name: String,
    /// Trimmed line; of a long one the part near the text.
    pub text: String,
    /// True for the project's own code, not tests, examples, generated or other text.
    pub own: bool,
    /// True for test code.
    pub test: bool,
    /// True if the file is marked as generated at its start, or is a lock file.
    pub generated: bool,
}

/// Maximum number of listed lines per file.
const MOST_IN_FILE: usize = 1_000;

/// Maximum number of characters of a line.
const MOST_CHARS: usize = 160;

/// Number of listed lines after which only line numbers are listed: a ubiquitous text is not read any further.
const MOST_WITH_TEXT: usize = 60;

/// Number of lines outside of the project's own code, such as translations and recorded output, above which only line
/// numbers are listed. Next to own code, tests are always listed by number.
const MOST_OTHERS: usize = 30;

/// Matching lines of a file, and their total number.
struct FileMatches {
    path: String,
    /// Set if the file is marked as generated.
    is_generated: bool,
    count: usize,
    lines: Vec<(u32, String)>,
}

/// Lists every line of a project with some texts: literal, or a regular expression between slashes, `/get_\w+/`. All
/// text files are read, in any language, except ignored and hidden ones. The search is case-sensitive unless that
/// finds nothing. `paths` are files, directories or globs to search; all if empty. O(bytes of the project).
///
/// ```
/// use sscg::{Engine, EngineOptions, LOOKUP_TOKENS, Storage, text};
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::write(path.join("a.py"), "MAX_RETRIES = 3\n\ndef next_retry(): pass\n")?;
/// # std::fs::write(path.join("notes.md"), "Set MAX_RETRIES.\n")?;
/// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
/// let (snapshot, _) = engine.refresh()?;
/// let patterns = ["MAX_RETRIES", "/[a-z]+_retry/"].map(str::to_owned);
/// let (found, _) = text(&snapshot, &patterns, &[], LOOKUP_TOKENS)?;
/// assert_eq!((found[0].lines, found[0].files), (2, 2));
/// assert_eq!((&*found[1].places[0].name, found[1].places[0].line), ("next_retry", 3));
/// // Only in Markdown files.
/// let (found, _) = text(&snapshot, &patterns[..1], &["**/*.md".to_owned()], LOOKUP_TOKENS)?;
/// assert_eq!(found[0].places[0].text, "Set MAX_RETRIES.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If no text is given, a regular expression or a glob is invalid, the budget is below
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

/// Lists every line of a project with some names in any spelling: `retry_limit` also matches `RetryLimit`,
/// `RETRY_LIMIT` and `retry-limit`; a name of one word matches only itself. Parts of longer names do not match,
/// except those joined by hyphens. Of `Outer > inner` the last name counts. Code, documents, settings and tests are
/// read as by [`text`], and listed in its order; files that are marked as generated come last. O(bytes of the
/// project).
///
/// ```
/// use sscg::{Engine, EngineOptions, LOOKUP_TOKENS, Storage, mentions};
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::write(path.join("a.py"), "RETRY_LIMIT = 3\nretry_limits = []\n")?;
/// # std::fs::write(path.join("app.ini"), "retry-limit = 3\n")?;
/// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
/// let (snapshot, _) = engine.refresh()?;
/// let (found, _) = mentions(&snapshot, &["retry_limit".to_owned()], &[], LOOKUP_TOKENS)?;
/// // `retry_limits` is another name.
/// let lines: Vec<&str> = found[0].places.iter().map(|place| &*place.text).collect();
/// assert_eq!(lines, ["RETRY_LIMIT = 3", "retry-limit = 3"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    find(snapshot, names, budget, |name| {
        let declared = name_of_id(snapshot, name);
        let name = declared.as_deref().unwrap_or(name);
        Ok((lines_with(snapshot, &filters, &spellings(name)?), false))
    })
}

/// Returns the name of the declaration with an id that ends in no name, such as `src/a.rs:12`; `None` for other texts.
fn name_of_id(snapshot: &Snapshot, id: &str) -> Option<String> {
    let id = names::plain_id(id);
    let is_place = id.rsplit_once(':').is_some_and(|(_, end)| end.starts_with(|c: char| c.is_ascii_digit()));
    let nodes = if is_place { names::node(snapshot, &id).ok()? } else { return None };
    nodes.iter().find_map(|node| match snapshot.graph.node(*node) {
        Node::Symbol(symbol) => Some(snapshot.project.symbol_name(symbol).to_owned()),
        Node::File(_) | Node::External(_) => None,
    })
}

/// Searches for each of several texts, and lists the matches.
fn find(
    snapshot: &Snapshot,
    patterns: &[String],
    budget: usize,
    lines: impl Fn(&str) -> Result<(Vec<FileMatches>, bool), Error>,
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

/// Returns a matcher for all equivalent spellings of a name.
fn spellings(name: &str) -> Result<RegexMatcher, Error> {
    let name = name.trim();
    let last = name.rsplit(['>', '.', ':', ' ', '/']).next().unwrap_or(name);
    let parts: Vec<&str> = words(last).flat_map(parts_of).collect();
    match parts[..] {
        [] => Err(Error::request(format!("{} is no name", quoted(name)), "give names; text finds all else")),
        // A name of one word in any case would match ordinary words.
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

/// Returns the expression between slashes.
fn expression(pattern: &str) -> Option<&str> {
    pattern.strip_prefix('/')?.strip_suffix('/').filter(|it| !it.is_empty())
}

/// Returns the admitted files with a match, by path.
fn lines_with(snapshot: &Snapshot, filters: &Filters, matcher: &RegexMatcher) -> Vec<FileMatches> {
    let mut found = map_files(&snapshot.root, |path, at| {
        if !filters.admits_path(path) {
            return None;
        }
        let mut searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_terminator(LineTerminator::crlf())
            .line_number(true)
            .build();
        let mut of_file =
            FileMatches { path: path.to_owned(), is_generated: false, count: 0, lines: Vec::new() };
        let sink = Lossy(|number, line| {
            of_file.count += 1;
            if of_file.lines.len() < MOST_IN_FILE {
                of_file.lines.push((number as u32, trimmed_line(matcher, line)));
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

/// Number of bytes at the start of a file that are searched for the mark of a generator.
const GENERATED_BYTES: u64 = 2_000;

fn is_generated(path: &str, at: &Path) -> bool {
    let mut start = Vec::new();
    // Without its text, a file is judged by its path.
    let _ = File::open(at).and_then(|file| file.take(GENERATED_BYTES).read_to_end(&mut start));
    sscg_core::is_generated(path, &String::from_utf8_lossy(&start))
}

/// Returns a trimmed line; of a long one the part near the match.
fn trimmed_line(matcher: &RegexMatcher, line: &str) -> String {
    let line = line.trim();
    let at = matcher.find(line.as_bytes()).ok().flatten().map_or(0, |found| found.start());
    around(line, at, MOST_CHARS).into_owned()
}

fn places(snapshot: &Snapshot, found: Vec<FileMatches>) -> Vec<TextPlace> {
    let project = &snapshot.project;
    let mut places: Vec<(u8, TextPlace)> = Vec::new();
    for FileMatches { path, is_generated, lines, .. } in found {
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
