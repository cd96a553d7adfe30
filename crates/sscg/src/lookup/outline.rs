//! Outlines: declarations of files, directories and types.

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use sscg_core::{Corpus, FileId, NodeId, Project, SymbolId, SymbolKind};
use sscg_format::Lines;
use sscg_graph::Node;
use sscg_graph::traverse::members;
use sscg_index::Snapshot;
use sscg_retrieve::is_test_file;

use super::page::{Page, count as many};
use super::{check, told};
use crate::Error;
use crate::explore::names;

/// Declaration or file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Outlined {
    /// Path of the file.
    pub file: String,
    /// First and last line.
    pub lines: Lines,
    /// Kind: `function`, `file`.
    pub kind: String,
    /// Qualified name; empty for a file.
    pub name: String,
    /// Text without the body, on one line; empty for a file.
    pub signature: String,
    /// Depth below the requested node, which has 0.
    pub depth: usize,
}

/// Number of declarations above which a file or type is outlined by its top level, with counts of the others.
const MOST_OUTLINED: usize = 80;

/// Maximum number of characters of a signature or of the names in a line.
const MOST_CHARS: usize = 140;

/// Returns the contents of files, directories and declarations, in source order: the declarations in a file or
/// declaration, for a type also the members of its implementation blocks, and for a directory its files with their
/// top-level declarations. Directories and files are relative to the root, `.` is the root. Functions have no
/// contents. A place that does not exist is reported in the text. O(declarations of the files).
///
/// ```
/// use sscg::{Engine, EngineOptions, LOOKUP_TOKENS, Storage, outline};
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::write(path.join("net.py"), "class Session:\n    def close(self): pass\n\ndef connect(): pass\n")?;
/// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
/// let (snapshot, _) = engine.refresh()?;
/// let (found, text) = outline(&snapshot, &["net.py".to_owned()], LOOKUP_TOKENS)?;
/// let rows: Vec<_> = found.iter().map(|it| (it.depth, &*it.kind, &*it.name)).collect();
/// assert_eq!(rows[..2], [(0, "file", ""), (1, "class", "Session")]);
/// assert_eq!(rows[2..], [(2, "method", "Session.close"), (1, "function", "connect")]);
/// assert!(text.contains("def close(self)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If no place is given, none exists, or the budget is below [`SearchRequest::MIN_BUDGET`](crate::SearchRequest).
pub fn outline(
    snapshot: &Snapshot,
    places: &[String],
    budget: usize,
) -> Result<(Vec<Outlined>, String), Error> {
    check(places, "file, directory or declaration", budget)?;
    let (mut found, mut failures) = (Vec::new(), Vec::new());
    let mut page = Page::new(budget);
    for place in places.iter().map(|place| place.trim()).filter(|place| !place.is_empty()) {
        let path = place.trim_start_matches("./").trim_end_matches('/');
        let inside = files_in(snapshot, if path == "." { "" } else { path });
        if !inside.is_empty() {
            directory(snapshot, place, &inside, &mut found, &mut page);
            continue;
        }
        match names::node(snapshot, place) {
            Ok(nodes) => nodes.into_iter().for_each(|node| {
                let first = found.len();
                collect(snapshot, node, 0, &mut Children::default(), &mut found);
                write(&found[first..], &mut page);
            }),
            Err(error) => failures.push(error),
        }
    }
    if found.is_empty() {
        return Err(failures.swap_remove(0));
    }
    failures.iter().for_each(|failure| page.always(&told(failure)));
    Ok((found, page.end()))
}

/// Returns the code files in a directory, by path.
fn files_in(snapshot: &Snapshot, directory: &str) -> Vec<FileId> {
    let files = snapshot.project.files().iter_enumerated();
    let is_inside = |path: &str| match path.strip_prefix(directory) {
        Some(rest) => directory.is_empty() || rest.starts_with('/'),
        None => false,
    };
    let inside = files.filter(|(_, file)| file.language.corpus == Corpus::Code && is_inside(&file.path));
    let mut inside: Vec<FileId> = inside.map(|(file, _)| file).collect();
    inside.sort_by_key(|file| &snapshot.project.files()[*file].path);
    inside
}

/// Writes a line for each file of a directory.
fn directory(snapshot: &Snapshot, place: &str, files: &[FileId], found: &mut Vec<Outlined>, page: &mut Page) {
    page.always(&format!("{place}: {}", many(files.len(), "file", "files")));
    let mut left_out = 0;
    for file in files {
        let first = found.len();
        found.push(outlined(snapshot, snapshot.graph.id(Node::File(*file)), 0));
        let own = members(&snapshot.project, &snapshot.graph, snapshot.graph.id(Node::File(*file)));
        let own = own.expect("files have nodes").into_iter().map(|node| outlined(snapshot, node, 1));
        found.extend(own.filter(|member| member.kind != SymbolKind::Impl.as_str()));
        let test = if is_test_file(snapshot, *file) { " (test)" } else { "" };
        let names = found[first + 1..].iter().map(|member| &*member.name);
        let Outlined { file, lines, .. } = &found[first];
        left_out += usize::from(!page.line(format!("  {file}:{lines}{test} {}", joined(names)).trim_end()));
    }
    page.next_list();
    if left_out > 0 {
        let files = many(left_out, "file", "files");
        page.always(&format!("Cut: {files} left out, ask with a larger budget or for a smaller directory."));
    }
}

/// Joins names while they fit a line.
fn joined<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let (mut line, mut left_out) = (String::new(), 0);
    for name in names {
        if line.chars().count() + name.chars().count() > MOST_CHARS {
            left_out += 1;
        } else {
            line += if line.is_empty() { "" } else { ", " };
            line += name;
        }
    }
    if left_out > 0 { format!("{line}, {left_out} more") } else { line }
}

/// Direct children of each declaration, by file.
type Children = FxHashMap<FileId, FxHashMap<SymbolId, Vec<SymbolId>>>;

/// Collects a node and its contents.
fn collect(
    snapshot: &Snapshot,
    node: NodeId,
    depth: usize,
    children: &mut Children,
    found: &mut Vec<Outlined>,
) {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    found.push(outlined(snapshot, node, depth));
    let held = match graph.node(node) {
        Node::Symbol(symbol) if !project.symbol_kind(symbol).has_members() => Vec::new(),
        // Below the root, an implementation block is listed where it is, and a type has only the members in its own
        // braces.
        Node::Symbol(symbol) if depth > 0 => {
            let file = project.symbol_file(symbol);
            let of_file = children.entry(file).or_insert_with(|| children_in(project, file));
            let held = of_file.remove(&symbol).unwrap_or_default().into_iter();
            held.map(|member| graph.id(Node::Symbol(member))).collect()
        }
        Node::File(_) | Node::Symbol(_) => members(project, graph, node).expect("it has a node"),
        Node::External(_) => Vec::new(),
    };
    held.into_iter().for_each(|member| collect(snapshot, member, depth + 1, children, found));
}

/// Returns the direct children of each declaration of a file, in source order. O(declarations of the file).
fn children_in(project: &Project, file: FileId) -> FxHashMap<SymbolId, Vec<SymbolId>> {
    let mut children: FxHashMap<SymbolId, Vec<SymbolId>> = FxHashMap::default();
    for symbol in project.symbols_of(file) {
        if let Some(parent) = project.parent(symbol) {
            children.entry(parent).or_default().push(symbol);
        }
    }
    children
}

fn outlined(snapshot: &Snapshot, node: NodeId, depth: usize) -> Outlined {
    let project = &snapshot.project;
    match snapshot.graph.node(node) {
        Node::Symbol(symbol) => {
            let (file, local) = project.local_symbol(symbol);
            let declared = &project.files()[file].facts.symbols[local];
            Outlined {
                file: project.files()[file].path.to_string(),
                lines: Lines { start: declared.lines.start, end: declared.lines.end },
                kind: declared.kind.to_string(),
                name: project.qualified_name(symbol),
                signature: declared.signature.to_string(),
                depth,
            }
        }
        Node::File(file) => Outlined {
            file: project.files()[file].path.to_string(),
            lines: Lines { start: 1, end: project.files()[file].facts.lines },
            kind: "file".to_owned(),
            depth,
            ..Outlined::default()
        },
        Node::External(_) => Outlined { name: names::id(snapshot, node), depth, ..Outlined::default() },
    }
}

/// Writes a line for each declaration; successive fields or enum members share one.
fn write(found: &[Outlined], page: &mut Page) {
    let Some((root, rest)) = found.split_first() else { return };
    let name = if root.name.is_empty() { String::new() } else { format!(" {} {}", root.kind, root.name) };
    page.always(&format!("{}:{}{name}", root.file, root.lines));
    let is_small = |it: &Outlined| ["field", "enum_member"].contains(&&*it.kind);
    // The outline of a long file serves to choose a type to query next.
    let of_types = |at: usize| rest[at + 1..].iter().take_while(|it| it.depth > rest[at].depth).count();
    let is_long = rest.len() > MOST_OUTLINED;
    let (mut at, mut file, mut left_out) = (0, &root.file, 0);
    while let Some(first) = rest.get(at) {
        if is_long && first.depth > 1 {
            at += 1;
            continue;
        }
        let alike = |it: &&Outlined| is_small(it) && it.kind == first.kind && it.depth == first.depth;
        let count = rest[at..].iter().take_while(alike).count().max(1);
        if first.file != *file {
            page.heading(&format!("{}:", first.file));
            file = &first.file;
        }
        let indent = "  ".repeat(first.depth);
        let text = if is_small(first) {
            let names = rest[at..at + count].iter().map(|it| it.name.rsplit('.').next().unwrap_or_default());
            format!("{indent}{} {}", first.lines.start, joined(names))
        } else {
            let signature: String = first.signature.chars().take(MOST_CHARS).collect();
            let inside = match of_types(at) {
                members if is_long && members > 0 => format!(" ({})", many(members, "member", "members")),
                _ => String::new(),
            };
            format!("{indent}{} {signature}{inside}", first.lines)
        };
        left_out += if page.line(&text) { 0 } else { count };
        at += count;
    }
    page.next_list();
    if left_out > 0 {
        let declarations = many(left_out, "declaration", "declarations");
        page.always(&format!("Cut: {declarations} left out, ask with a larger budget."));
    }
}
