//! Code by name, or by file and lines.

use std::{fs, iter};

use schemars::JsonSchema;
use serde::Serialize;
use sscg_core::{LineIndex, LineRange, NodeId, quoted};
use sscg_format::Lines;
use sscg_graph::Node;
use sscg_index::{MAX_FILE_BYTES, Snapshot, is_admitted};
use sscg_retrieve::{Standing, find_file};

use super::page::{Page, count};
use super::{check, told};
use crate::answer::elsewhere::block_around;
use crate::explore::names;
use crate::{Error, evidence};

/// Lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Excerpt {
    /// Path of the file.
    pub file: String,
    /// First and last line.
    pub lines: Lines,
    /// Kind and name of the declaration; empty for lines requested by number.
    pub name: String,
    /// True if an id of evidence was given, and its code is no longer in the file: these are the lines as they are now.
    pub changed: bool,
    /// Lines as in the file. Empty for declarations in tests, examples, builds and copies if the project's own code
    /// declares the same name: request these by file and line.
    pub text: String,
}

/// Returns code as it is in its files: declarations by name, whole; `src/a.rs:12`, the innermost one around a line,
/// or the block if the file is not indexed; `src/a.rs:12-40`, these lines; `src/a.rs:12-40@3f9c2a1b`, the code with this id
/// of [evidence](sscg_format::Evidence), wherever it is in the file now; `src/a.rs`, the whole file. Any text file
/// of the project can be given, relative to the root. The text numbers each line. If the project's own code declares
/// a name, declarations of that name in tests, examples, builds and copies are only named. Code that does not fit the
/// budget is named; the first is always shown. A place that does not exist is reported in the text. O(bytes of the
/// files).
///
/// ```
/// use sscg::{Engine, EngineOptions, LOOKUP_TOKENS, Storage, show};
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::write(path.join("net.py"), "class Session:\n    def close(self): pass\n\ndef connect(): pass\n")?;
/// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
/// let (snapshot, _) = engine.refresh()?;
/// let places = ["Session > close", "net.py:4", "net.py:1-2"].map(str::to_owned);
/// let (found, _) = show(&snapshot, &places, LOOKUP_TOKENS)?;
/// assert_eq!((found[0].lines.start, found[0].text.trim()), (2, "def close(self): pass"));
/// assert_eq!((&*found[1].name, found[1].text.trim()), ("function connect", "def connect(): pass"));
/// assert_eq!(found[2].text.lines().next(), Some("class Session:"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If no place is given, none exists as text, or the budget is below
/// [`SearchRequest::MIN_BUDGET`](crate::SearchRequest).
pub fn show(snapshot: &Snapshot, places: &[String], budget: usize) -> Result<(Vec<Excerpt>, String), Error> {
    check(places, "declaration or place", budget)?;
    let (found, mut failures) = code_at(snapshot, places);
    if found.is_empty() {
        return Err(failures.swap_remove(0));
    }
    let mut page = Page::new(budget);
    let left_out = write(&mut page, &found, true);
    if !left_out.is_empty() {
        page.always(&format!("Left out, the budget is spent: {}", left_out.join("; ")));
    }
    failures.iter().for_each(|failure| page.always(&told(failure)));
    Ok((found, page.end()))
}

/// Returns the code at some places, without duplicates, and the errors of the other places.
pub(crate) fn code_at(snapshot: &Snapshot, places: &[String]) -> (Vec<Excerpt>, Vec<Error>) {
    let mut found: Vec<Excerpt> = Vec::new();
    let mut failures = Vec::new();
    for place in places.iter().map(|place| names::plain_id(place)).filter(|place| !place.is_empty()) {
        let place = &*place;
        if let Some(opened) = opened(snapshot, place) {
            found.extend(Some(opened).filter(|opened| !found.contains(opened)));
            continue;
        }
        let shown = match Range::parse(place) {
            Some(range) => match file(snapshot, range.path) {
                Some((path, source)) => range.shown(&path, &source).map(|shown| vec![shown]),
                None => declarations(snapshot, place),
            },
            None => declarations(snapshot, place).or_else(|error| block(snapshot, place).ok_or(error)),
        };
        match shown {
            Ok(shown) => {
                let fresh: Vec<Excerpt> = shown.into_iter().filter(|shown| !found.contains(shown)).collect();
                found.extend(fresh);
            }
            Err(error) => failures.push(error),
        }
    }
    (found, failures)
}

/// Returns the code that an id of [evidence](sscg_format::Evidence) refers to; `None` if the text is none, or its file is
/// gone.
fn opened(snapshot: &Snapshot, id: &str) -> Option<Excerpt> {
    let (place, hash) = evidence::parse_id(id)?;
    let Range { path, lines: range } = Range::parse(place)?;
    let (start, end) = range.filter(|(start, end)| (1..=*end).contains(start))?;
    let (path, source) = file(snapshot, path)?;
    let opened = evidence::open(snapshot, &path, &source, Lines { start, end }, hash);
    // An empty file has no lines.
    let count = LineIndex::new(&source).line_count().max(1);
    let Lines { start, end } = opened.lines;
    let (start, end) = (start.clamp(1, count), end.clamp(1, count));
    Some(Excerpt { changed: !opened.is_same, ..lines(&path, &source, start, end.max(start), String::new()) })
}

/// Lines requested by number, or a whole file.
pub(crate) struct Range<'p> {
    pub(crate) path: &'p str,
    pub(crate) lines: Option<(u32, u32)>,
}

impl Excerpt {
    /// Returns true if the text is left out.
    pub(crate) fn is_only_named(&self) -> bool {
        self.text.is_empty() && !self.name.is_empty()
    }
}

impl<'p> Range<'p> {
    /// Parses `src/a.rs:12-40`, `src/a.rs#L12-L40` and `src/a.rs`; `src/a.rs:12` refers to a declaration instead.
    pub(crate) fn parse(place: &'p str) -> Option<Self> {
        let place = place.trim_start_matches("./");
        let Some((path, lines)) = place.rsplit_once([':', '#']) else {
            return Some(Self { path: place, lines: None });
        };
        let (first, last) = lines.split_once(['-', ','])?;
        let number = |text: &str| text.trim_start_matches('L').parse::<u32>().ok();
        Some(Self { path, lines: Some((number(first)?, number(last)?)) })
    }

    fn shown(&self, path: &str, source: &str) -> Result<Excerpt, Error> {
        let count = LineIndex::new(source).line_count();
        let (start, end) = self.lines.unwrap_or((1, count));
        if start == 0 || start > end || start > count.max(1) {
            return Err(Error::request(
                format!("{path} has no lines {start} to {end}"),
                format!("it has lines 1 to {count}"),
            ));
        }
        Ok(lines(path, source, start, end.min(count), String::new()))
    }
}

/// Returns the block around a line of a file that is not indexed, as in `deploy.yaml:12`.
fn block(snapshot: &Snapshot, place: &str) -> Option<Vec<Excerpt>> {
    let (path, line) = place.trim_start_matches("./").rsplit_once(':')?;
    let ((path, source), line) = (file(snapshot, path)?, line.parse().ok()?);
    if !(1..=LineIndex::new(&source).line_count()).contains(&line) {
        return None;
    }
    let LineRange { start, end } = block_around(&source, line);
    Some(vec![lines(&path, &source, start, end, String::new())])
}

/// Returns the path and the text of a file of the tree, indexed or not; `None` if the project ignores it, it is not
/// text or it is too large. For an indexed file a unique suffix of the path suffices.
fn file(snapshot: &Snapshot, path: &str) -> Option<(String, String)> {
    if let Some(file) = find_file(&snapshot.project, path) {
        return Some((snapshot.project.files()[file].path.to_string(), snapshot.source(file)?));
    }
    if !is_admitted(&snapshot.root, path) {
        return None;
    }
    let at = snapshot.root.join(path);
    let is_small = fs::metadata(&at).is_ok_and(|metadata| metadata.len() <= MAX_FILE_BYTES);
    let text = is_small.then(|| fs::read_to_string(at).ok()).flatten();
    text.filter(|text| !text.contains('\0')).map(|text| (path.to_owned(), text))
}

/// Returns the declarations of a name, each whole.
fn declarations(snapshot: &Snapshot, name: &str) -> Result<Vec<Excerpt>, Error> {
    let nodes: Vec<NodeId> = names::node(snapshot, name)?;
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let is_own = |node: &NodeId| names::standing_of(snapshot, *node) == Standing::Product;
    let has_own = nodes.iter().any(is_own);
    let mut found = Vec::new();
    for node in nodes {
        let (file, range, name) = match graph.node(node) {
            Node::Symbol(symbol) => {
                let (file, local) = project.local_symbol(symbol);
                let declared = &project.files()[file].facts.symbols[local];
                let name = format!("{} {}", declared.kind, project.qualified_name(symbol));
                (file, Some((declared.lines.start, declared.lines.end)), name)
            }
            Node::File(file) => (file, None, String::new()),
            Node::External(_) => {
                return Err(Error::request(
                    format!("{} is not part of the project", quoted(name)),
                    "show what the project declares",
                ));
            }
        };
        let path = &project.files()[file].path;
        let source = snapshot.source(file).ok_or_else(|| {
            Error::request(format!("{path} cannot be read, or has just changed"), "ask again")
        })?;
        let (start, end) = range.unwrap_or_else(|| (1, LineIndex::new(&source).line_count()));
        let mut shown = lines(path, &source, start, end, name);
        if has_own && !is_own(&node) {
            shown.text.clear();
        }
        found.push(shown);
    }
    Ok(found)
}

fn lines(path: &str, source: &str, start: u32, end: u32, name: String) -> Excerpt {
    let text: Vec<&str> = source.lines().skip(start as usize - 1).take((end + 1 - start) as usize).collect();
    Excerpt {
        file: path.to_owned(),
        lines: Lines { start, end },
        name,
        changed: false,
        text: text.join("\n"),
    }
}

/// Writes code while it fits, the first always if `has_first`, then the declarations that are only named; returns the
/// names of those that do not fit.
fn write(page: &mut Page, found: &[Excerpt], has_first: bool) -> Vec<String> {
    let mut left_out = Vec::new();
    let head = |Excerpt { file, lines, name, changed, .. }: &Excerpt| {
        let name = if name.is_empty() { String::new() } else { format!(" {name}") };
        let changed = if *changed { " (changed since)" } else { "" };
        format!("{file}:{lines}{name}{changed}")
    };
    let (named, whole): (Vec<&Excerpt>, Vec<&Excerpt>) =
        found.iter().partition(|shown| shown.is_only_named());
    for (at, shown) in whole.into_iter().enumerate() {
        let Excerpt { lines, text, .. } = shown;
        let head = head(shown);
        let mut block = head.clone();
        for (number, line) in (lines.start..).zip(text.split('\n')) {
            block += &format!("\n{number}\t{line}");
        }
        if at == 0 && has_first {
            page.always(&block);
        } else if !page.line(&block) {
            left_out.push(head);
            page.next_list();
        }
    }
    if !named.is_empty() {
        let named: Vec<String> = named.into_iter().map(head).collect();
        page.always(&format!("Also declared, not the project's own code: {}", named.join("; ")));
    }
    left_out
}

/// Writes the code of declarations, or around places such as `src/a.rs:12`, after an empty line: each once, as far as
/// it fits.
pub(super) fn write_bodies(page: &mut Page, snapshot: &Snapshot, places: &[String]) {
    // A place without a declaration has no body.
    let (found, _) = code_at(snapshot, places);
    page.begin(iter::empty());
    page.always("");
    let left_out = write(page, &found, false);
    if !left_out.is_empty() {
        let code = count(left_out.len(), "declaration", "declarations");
        page.always(&format!("Left out, the budget is spent: the code of {code}"));
    }
}
