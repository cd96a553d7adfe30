//! Resolution of names to nodes of the graph, and back.

use std::borrow::Cow;
use std::collections::BTreeSet;

use sscg_core::{ChunkId, FileId, Id, NodeId, RelationSet, SymbolId, SymbolKind, quoted};
use sscg_format::Lines;
use sscg_graph::Node;
use sscg_graph::traverse::uses;
use sscg_index::Snapshot;
use sscg_retrieve::{
    Filters, Query, Standing, chunk_at_line, declaration_at_line, find_file, find_in_modules, find_symbols,
    standing, standing_of_file, suggest,
};

use crate::lookup::Range;
use crate::{Error, evidence};

/// Maximum number of declarations that may share a name; a more common name is too ambiguous.
const MOST_NAMESAKES: usize = 10;

/// Number of them that are listed.
const LISTED: usize = 5;

/// Returns the nodes that some names refer to, in their order, without duplicates.
pub(crate) fn nodes(snapshot: &Snapshot, names: &[String]) -> Result<Vec<NodeId>, Error> {
    if names.is_empty() {
        return Err(Error::request("no node is named", NAMING));
    }
    let mut found: Vec<NodeId> = Vec::new();
    for name in names {
        for node in node(snapshot, name)? {
            if !found.contains(&node) {
                found.push(node);
            }
        }
    }
    Ok(found)
}

/// Returns the unique id of a node in answers: its label, with `~2` and so on appended for further nodes of that
/// label, in source order.
pub(crate) fn id(snapshot: &Snapshot, node: NodeId) -> String {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let label = graph.label(project, node);
    match graph.nodes_labeled(project, &label).iter().position(|alike| *alike == node) {
        None | Some(0) => label,
        Some(before) => format!("{label}~{}", before + 1),
    }
}

/// Returns the ids of the nodes that a name or any id refers to, as answers about the graph name them: declarations by
/// name, path or place (`Session > close`, `src/a.rs:12-40`), ids of chunks and of evidence, files, external symbols.
///
/// ```
/// use sscg::{Engine, EngineOptions, Storage, node_ids};
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::write(path.join("net.py"), "class Session:\n    def close(self): pass\n")?;
/// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
/// let (snapshot, _) = engine.refresh()?;
/// assert_eq!(node_ids(&snapshot, "Session > close")?, ["net.py::Session.close"]);
/// assert_eq!(node_ids(&snapshot, "net.py:2")?, ["net.py::Session.close"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If nothing has the name, or too many declarations have it.
pub fn node_ids(snapshot: &Snapshot, name: &str) -> Result<Vec<String>, Error> {
    Ok(node(snapshot, name)?.into_iter().map(|node| id(snapshot, node)).collect())
}

/// Returns the node of a numbered [id], such as `label~2`; `~1` is allowed, too.
fn numbered(snapshot: &Snapshot, name: &str) -> Option<NodeId> {
    let (label, number) = name.rsplit_once('~')?;
    let before = number.parse::<usize>().ok()?.checked_sub(1)?;
    snapshot.graph.nodes_labeled(&snapshot.project, label).get(before).copied()
}

/// Returns the node of an id of the service graph: `file::src/a.rs` or `symbol::src/a.rs::Outer.inner`, numbered like
/// an [id] except that implementation blocks come after the type that they are named for. `None` for other names, and
/// if there is no such node.
fn of_service_graph(snapshot: &Snapshot, name: &str) -> Option<NodeId> {
    let Snapshot { project, graph, .. } = snapshot;
    if let Some(path) = name.strip_prefix("file::") {
        return project.file_at(path).map(|file| graph.id(Node::File(file)));
    }
    let key = name.strip_prefix("symbol::")?;
    let number = |(key, number)| Some((key, str::parse::<usize>(number).ok()?));
    let (key, number) = key.rsplit_once('~').and_then(number).unwrap_or((key, 1));
    let mut symbols = project.symbols_with_key(key);
    symbols.sort_by_key(|symbol| project.symbol_kind(*symbol) == SymbolKind::Impl);
    symbols.get(number.checked_sub(1)?).map(|symbol| graph.id(Node::Symbol(*symbol)))
}

/// Returns the node at a line of a file, as in `src/a.rs:12`: the innermost declaration, or the file itself. `None`
/// if the name has another form.
fn at_line(snapshot: &Snapshot, name: &str) -> Result<Option<NodeId>, Error> {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let place = name
        .rsplit_once(':')
        .and_then(|(path, line)| Some((path, line.parse::<u32>().ok()?)))
        .and_then(|(path, line)| Some((find_file(&snapshot.project, path)?, line)));
    let Some((file, line)) = place else { return Ok(None) };
    if chunk_at_line(project, file, line).is_none() {
        return Err(Error::request(format!("there is no code at {}", quoted(name)), NAMING));
    }
    let node = declaration_at_line(project, file, line).map_or(Node::File(file), Node::Symbol);
    Ok(Some(graph.id(node)))
}

/// Returns the node at some lines of a file, as in `src/a.rs:12-40`, or with an id of evidence, as in
/// `src/a.rs:12-40@3f9c2a1b`: the innermost declaration around the lines, or the file. `None` if the name has another form.
fn at_lines(snapshot: &Snapshot, name: &str) -> Option<NodeId> {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let (place, hash) = evidence::parse_id(name).map_or((name, None), |(place, hash)| (place, Some(hash)));
    let Range { path, lines } = Range::parse(place)?;
    let (start, end) = lines.filter(|(start, end)| (1..=*end).contains(start))?;
    let file = find_file(project, path)?;
    let mut lines = Lines { start, end };
    if let Some((hash, source)) = hash.and_then(|hash| Some((hash, snapshot.source(file)?))) {
        lines = evidence::open(snapshot, path, &source, lines, hash).lines;
    }
    let chunks = project.chunks_of(file);
    let around = (chunks.start.index()..chunks.end.index()).map(ChunkId::new).filter(|chunk| {
        let chunk = project.chunk_lines(*chunk);
        chunk.contains(lines.start) && chunk.contains(lines.end)
    });
    let chunk = around.min_by_key(|chunk| project.chunk_lines(*chunk).count());
    let symbol = chunk.and_then(|chunk| project.symbol_of_chunk(chunk));
    Some(graph.id(symbol.map_or(Node::File(file), Node::Symbol)))
}

/// Returns the id in an entry of an answer, as a caller may copy it: `src/a.rs:12-40` of `src/a.rs: open 12-40`, of
/// `open — src/a.rs:12-40` and of `open (src/a.rs:12-40)`, and `open` of `open 12-40`. Other names stay as they are.
pub(crate) fn plain_id(name: &str) -> Cow<'_, str> {
    let name = name.trim();
    let is_range = |text: &str| {
        let (first, end) = text.split_once('-').unwrap_or((text, text));
        [first, end].iter().all(|number| !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit()))
    };
    let is_place = |text: &&str| text.rsplit_once(':').is_some_and(|(_, lines)| is_range(lines));
    let in_brackets = || name.strip_suffix(')')?.rsplit_once(" (").map(|(_, place)| place);
    let behind_dash = || name.rsplit_once(" — ").map(|(_, place)| place.trim_start());
    if let Some(place) = behind_dash().or_else(in_brackets).filter(is_place) {
        return place.into();
    }
    match name.rsplit_once(' ').filter(|(_, lines)| is_range(lines)) {
        Some((entry, lines)) => match entry.split_once(": ") {
            Some((path, _)) => format!("{path}:{lines}").into(),
            None => entry.trim_end().into(),
        },
        None => name.into(),
    }
}

/// Returns a few paths of files with the same file name as `path`, if that has an extension.
fn same_file_name<'s>(snapshot: &'s Snapshot, path: &str) -> Vec<&'s str> {
    let path = path.split([':', '#']).next().unwrap_or(path);
    if find_file(&snapshot.project, path).is_some() {
        return Vec::new();
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_same = |path: &&str| path.rsplit('/').next() == Some(name);
    let paths = snapshot.project.files().iter().map(|file| &*file.path);
    if name.contains('.') { paths.filter(is_same).take(LISTED).collect() } else { Vec::new() }
}

const NAMING: &str = "name a declaration (\"Outer > inner\", \"src/a.rs::Outer.inner\"), a file or a line of it (\"src/a.rs:12\")";

/// Returns the nodes that a name refers to: at least one, several if declarations share the name, the project's own
/// before those of tests, examples and copies.
pub(crate) fn node(snapshot: &Snapshot, name: &str) -> Result<Vec<NodeId>, Error> {
    let graph = &snapshot.graph;
    let name = plain_id(name);
    let name = name
        .strip_prefix("symbol")
        .and_then(|rest| rest.trim_start().strip_prefix('='))
        .unwrap_or(&name)
        .trim();
    if name.is_empty() {
        return Err(Error::request("the name of a node is empty", NAMING));
    }
    if let Some(node) = of_service_graph(snapshot, name).or_else(|| numbered(snapshot, name)) {
        return Ok(vec![node]);
    }
    if let Some(node) = at_line(snapshot, name)? {
        return Ok(vec![node]);
    }
    if let Some(node) = at_lines(snapshot, name) {
        return Ok(vec![node]);
    }
    let mut symbols = declared(snapshot, name);
    let standing = |symbol: &SymbolId| standing(snapshot, snapshot.project.chunk_of_symbol(*symbol));
    symbols.sort_by_cached_key(standing);
    let own = symbols.iter().filter(|symbol| standing(symbol) == Standing::Product).count();
    if own > MOST_NAMESAKES || own == 0 && symbols.len() > MOST_NAMESAKES {
        let listed: Vec<String> =
            symbols.iter().take(LISTED).map(|symbol| id(snapshot, graph.id(Node::Symbol(*symbol)))).collect();
        return Err(Error::request(
            format!("{} declarations are named {}", symbols.len(), quoted(name)),
            format!("say which: {}, ...", listed.join(", ")),
        ));
    }
    if !symbols.is_empty() {
        return Ok(symbols.into_iter().map(|symbol| graph.id(Node::Symbol(symbol))).collect());
    }
    if let Some(file) = snapshot.project.file_at(name.trim_start_matches("./")) {
        return Ok(vec![graph.id(Node::File(file))]);
    }
    let outside = (0..).zip(graph.externals()).find(|(_, external)| *external.name == *name);
    if let Some((external, _)) = outside {
        return Ok(vec![graph.id(Node::External(external))]);
    }
    if let Some(file) = find_file(&snapshot.project, name) {
        return Ok(vec![graph.id(Node::File(file))]);
    }
    let same = same_file_name(snapshot, name);
    if !same.is_empty() {
        return Err(Error::request(
            format!("there is no {}", quoted(name)),
            format!("did you mean {}?", same.join(" or ")),
        ));
    }
    let query = Query::parse(&format!("symbol = {name}"), Filters::default())?;
    let hint = match suggest(snapshot, &query, &[]).as_slice() {
        [] => NAMING.to_owned(),
        similar => {
            let names: Vec<String> =
                similar.iter().map(|query| format!("{:?}", query.trim_start_matches("symbol = "))).collect();
            format!("did you mean {}?", names.join(" or "))
        }
    };
    Err(Error::not_found(format!("nothing is named {}", quoted(name)), hint))
}

/// Returns the standing of a node in the project; external code counts as secondary.
pub(crate) fn standing_of(snapshot: &Snapshot, node: NodeId) -> Standing {
    match snapshot.graph.node(node) {
        Node::Symbol(symbol) => standing(snapshot, snapshot.project.chunk_of_symbol(symbol)),
        Node::File(file) => standing_of_file(snapshot, file),
        Node::External(_) => Standing::Beside,
    }
}

/// Returns the declarations of a name: by key, by the id of the chunk that shows one, or by path.
fn declared(snapshot: &Snapshot, name: &str) -> Vec<SymbolId> {
    let project = &snapshot.project;
    let by_key = project.symbols_with_key(name);
    if !by_key.is_empty() {
        return by_key;
    }
    if let Some(symbol) = project.chunk_with_key(name).and_then(|chunk| project.symbol_of_chunk(chunk)) {
        return vec![symbol];
    }
    let path: Vec<String> = name.split('>').map(|part| part.trim().to_owned()).collect();
    match find_symbols(snapshot, &path) {
        found if found.is_empty() => find_in_modules(snapshot, &path),
        found => found,
    }
}

/// Returns the declarations that some names refer to, or that are in some files, directories or globs; `None` if
/// `names` is empty.
pub(super) fn declarations(snapshot: &Snapshot, names: &[String]) -> Result<Option<Vec<NodeId>>, Error> {
    if names.is_empty() {
        return Ok(None);
    }
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let mut found = BTreeSet::new();
    for name in names {
        let filters = Filters::new(Vec::new(), std::slice::from_ref(name));
        let admits = |symbol: &SymbolId| {
            filters
                .as_ref()
                .is_ok_and(|filters| filters.admits_chunk(project, project.chunk_of_symbol(*symbol)))
        };
        let within: Vec<SymbolId> = project.symbol_ids().filter(admits).collect();
        if within.is_empty() {
            found.extend(node(snapshot, name)?);
        } else {
            found.extend(within.into_iter().map(|symbol| graph.id(Node::Symbol(symbol))));
        }
    }
    Ok(Some(found.into_iter().collect()))
}

/// Returns the places of the unresolved uses that may be uses of some declarations, as `path:line`: those in the same file
/// first, then those of the project's own code, then by path.
pub(crate) fn unresolved_uses(snapshot: &Snapshot, nodes: &[NodeId]) -> Vec<String> {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let file_of = |node: NodeId| graph.node(node).file(project);
    let here: BTreeSet<FileId> = nodes.iter().filter_map(|node| file_of(*node)).collect();
    let mut places = BTreeSet::new();
    let mut resolved = BTreeSet::new();
    for node in nodes {
        let uses = uses(project, graph, *node, RelationSet::CODE).expect("names stand for nodes");
        for site in uses.known.iter().chain(&uses.possible) {
            let Some(file) = file_of(site.node) else { continue };
            if site.reason.is_none() {
                resolved.insert((file, site.line));
            } else {
                places.insert((!here.contains(&file), standing_of(snapshot, site.node), file, site.line));
            }
        }
    }
    places.retain(|(_, _, file, line)| !resolved.contains(&(*file, *line)));
    places.into_iter().map(|(_, _, file, line)| format!("{}:{line}", project.files()[file].path)).collect()
}

#[cfg(test)]
mod tests {
    use super::plain_id;

    #[test]
    fn ids_are_taken_out_of_entries_of_answers() {
        let cases = [
            ("src/a.rs: open 12-40", "src/a.rs:12-40"),
            ("Session.open — src/a.rs:12-40", "src/a.rs:12-40"),
            ("open (src/a.rs:12)", "src/a.rs:12"),
            ("open 12-40", "open"),
            ("Session > open", "Session > open"),
            (" src/my file.rs:12 ", "src/my file.rs:12"),
            ("std::vec::Vec", "std::vec::Vec"),
            ("impl Display for Amount", "impl Display for Amount"),
        ];
        for (name, id) in cases {
            assert_eq!(plain_id(name), id);
        }
    }
}
