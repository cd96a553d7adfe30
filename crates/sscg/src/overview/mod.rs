//! Overview of a project: layers, entry points, hubs, and the commands that build and test it.

mod manifests;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use sscg_core::{Confidence, Corpus, FileId, SymbolId, TokenCounter};
use sscg_format::O200k;
use sscg_graph::{Direction, Edge, Node};
use sscg_index::Snapshot;
use sscg_retrieve::{Standing, is_product, standing_of_file};

use crate::context::nothing_to_search;
use crate::{Error, SearchRequest};

/// Default number of tokens of an overview.
pub const OVERVIEW_TOKENS: usize = 1_500;

/// Overview of a project. Tests, examples and copies count for the commands alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Overview {
    /// Source files by language, all of them.
    pub languages: BTreeMap<String, usize>,
    /// Directories, each with what is below it and not in a longer one, sorted by path.
    pub layers: Vec<OverviewLayer>,
    /// Functions and scripts that start a program, sorted by place.
    pub entry_points: Vec<EntryPoint>,
    /// Declarations that most other files refer to, at least two, most referenced first; at most 20.
    pub hubs: Vec<Hub>,
    /// Commands of the manifests in the root and up to two directories below it.
    pub commands: Vec<ManifestCommands>,
}

/// Directory of a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct OverviewLayer {
    /// Path relative to the root; empty for the root.
    pub path: String,
    /// Number of files.
    pub files: usize,
    /// Number of declarations.
    pub declarations: usize,
    /// Paths of the layers that it uses most, at most three.
    pub uses: Vec<String>,
}

/// Start of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EntryPoint {
    /// Qualified name of the function, or name of the script.
    pub name: String,
    /// Path of the file; of a script, the manifest that declares it.
    pub file: String,
    /// First line; 0 for a script.
    pub line: u32,
    /// Function or file that a script starts: `shop.cli:main`; empty for a function.
    pub target: String,
}

/// Declaration that many files refer to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Hub {
    /// Qualified name.
    pub name: String,
    /// Path of its file.
    pub file: String,
    /// First line.
    pub line: u32,
    /// Number of other files that refer to it.
    pub files: usize,
}

/// Commands that a manifest offers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ManifestCommands {
    /// Path of the manifest.
    pub manifest: String,
    /// Commands, to be run in its directory.
    pub commands: Vec<String>,
}

/// Maximum number of layers: more are merged into those above them.
const MOST_LAYERS: usize = 16;

/// Maximum number of layers that one is said to use.
const MOST_USED: usize = 3;

/// Maximum number of hubs.
const MOST_HUBS: usize = 20;

/// Minimum number of other files that refer to a hub.
const LEAST_FILES: usize = 2;

/// Tokens of the first line.
const HEAD_TOKENS: usize = 40;

/// Returns the overview of a project, and the same as text in at most `budget` tokens: what does not fit is counted.
/// Reads manifests in the tree, if there is one. O(symbols + edges).
///
/// ```
/// use sscg::{Engine, EngineOptions, OVERVIEW_TOKENS, Storage, overview};
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::create_dir(path.join("src"))?;
/// # std::fs::write(path.join("Cargo.toml"), "[package]\nname = \"shop\"\n")?;
/// # std::fs::write(path.join("src/main.rs"), "mod cart;\nfn main() { cart::total() }\n")?;
/// # std::fs::write(path.join("src/cart.rs"), "pub fn total() {}\n")?;
/// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
/// let (snapshot, _) = engine.refresh()?;
/// let (found, text) = overview(&snapshot, OVERVIEW_TOKENS)?;
/// assert_eq!(found.entry_points[0].file, "src/main.rs");
/// assert!(text.contains("cargo test"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the budget is below [`SearchRequest::MIN_BUDGET`], or the project has no source file.
pub fn overview(snapshot: &Snapshot, budget: usize) -> Result<(Overview, String), Error> {
    if budget < SearchRequest::MIN_BUDGET {
        return Err(Error::argument_of_request(
            "budget",
            format!("a budget of {budget} tokens holds no overview"),
            format!("give `budget` at least {}", SearchRequest::MIN_BUDGET),
        ));
    }
    let project = &snapshot.project;
    if project.files().is_empty() {
        return Err(nothing_to_search(snapshot, Corpus::Code));
    }
    let mut found = Overview::default();
    for file in project.files().iter() {
        *found.languages.entry(file.language.name.to_owned()).or_default() += 1;
    }
    let named = project.symbol_ids().filter(|symbol| !project.is_anonymous(*symbol));
    let own: Vec<SymbolId> = named.filter(|it| is_product(snapshot, project.chunk_of_symbol(*it))).collect();
    found.layers = layers(snapshot, &own);
    found.entry_points = own.iter().filter_map(|symbol| entry_point(snapshot, *symbol)).collect();
    found.hubs = hubs(snapshot, &own);
    let (commands, scripts) = manifests::read(snapshot);
    found.commands = commands;
    found.entry_points.extend(scripts);
    found.entry_points.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    let text = written(snapshot, &found, own.len(), budget);
    Ok((found, text))
}

/// Returns the directories of the project's own files, cut to the greatest depth at which there are not too many.
fn layers(snapshot: &Snapshot, own: &[SymbolId]) -> Vec<OverviewLayer> {
    let Snapshot { project, graph, .. } = snapshot;
    let is_own = |file: &FileId| standing_of_file(snapshot, *file) == Standing::Product;
    let files: Vec<FileId> = project.files().iter_enumerated().map(|(file, _)| file).filter(is_own).collect();
    let cut = |file: FileId, depth: usize| {
        let directory = project.files()[file].path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let end = directory.match_indices('/').nth(depth.saturating_sub(1)).map(|(at, _)| at);
        if depth == 0 { "" } else { end.map_or(directory, |end| &directory[..end]) }
    };
    let count = |depth| files.iter().map(|file| cut(*file, depth)).collect::<BTreeSet<_>>().len();
    let deepest = files.iter().map(|file| project.files()[*file].path.matches('/').count()).max();
    let depth = (1..=deepest.unwrap_or(0)).rev().find(|depth| count(*depth) <= MOST_LAYERS).unwrap_or(1);
    let mut layers: BTreeMap<&str, OverviewLayer> = BTreeMap::new();
    for file in &files {
        layers.entry(cut(*file, depth)).or_default().files += 1;
    }
    let mut uses: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for symbol in own {
        let from = cut(project.symbol_file(*symbol), depth);
        layers.entry(from).or_default().declarations += 1;
        let edges = graph.edges_at(graph.id(Node::Symbol(*symbol)), Direction::Outgoing);
        for edge in edges.filter(|edge| !edge.relation.is_containment()) {
            let to = graph.node(edge.target).file(project).filter(is_own).map(|file| cut(file, depth));
            if let Some(to) = to.filter(|to| *to != from) {
                *uses.entry(from).or_default().entry(to).or_default() += 1;
            }
        }
    }
    let with_uses = |(path, layer): (&str, OverviewLayer)| {
        let mut used: Vec<(&str, usize)> = uses.remove(path).unwrap_or_default().into_iter().collect();
        used.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let uses = used.into_iter().take(MOST_USED).map(|(path, _)| path.to_owned()).collect();
        OverviewLayer { path: path.to_owned(), uses, ..layer }
    };
    layers.into_iter().map(with_uses).collect()
}

/// Returns a function with the name that languages give to the start of a program.
fn entry_point(snapshot: &Snapshot, symbol: SymbolId) -> Option<EntryPoint> {
    let project = &snapshot.project;
    let is_start = project.symbol_kind(symbol).is_callable()
        && matches!(project.symbol_name(symbol), "main" | "Main" | "WinMain" | "wmain");
    is_start.then(|| EntryPoint {
        name: project.qualified_name(symbol),
        file: project.files()[project.symbol_file(symbol)].path.to_string(),
        line: project.symbol(symbol).name_line,
        target: String::new(),
    })
}

/// Returns the types and functions that most other files refer to.
fn hubs(snapshot: &Snapshot, own: &[SymbolId]) -> Vec<Hub> {
    let Snapshot { project, graph, .. } = snapshot;
    let hub = |symbol: &SymbolId| {
        let kind = project.symbol_kind(*symbol);
        let file = project.symbol_file(*symbol);
        let edges = graph.edges_at(graph.id(Node::Symbol(*symbol)), Direction::Incoming);
        // Names alone make anything called `run` a hub.
        let is_use =
            |edge: &&Edge| !edge.relation.is_containment() && edge.confidence > Confidence::Ambiguous;
        let users = edges.filter(is_use);
        let users = users.filter_map(|edge| graph.node(edge.source).file(project));
        let files = users.filter(|user| *user != file).collect::<BTreeSet<_>>().len();
        // A function inside of another is only used from there.
        let is_nested = project.parent(*symbol).is_some_and(|it| project.symbol_kind(it).is_callable());
        let is_hub = files >= LEAST_FILES && !is_nested && (kind.is_type() || kind.is_callable());
        is_hub.then(|| Hub {
            name: project.qualified_name(*symbol),
            file: project.files()[file].path.to_string(),
            line: project.symbol(*symbol).name_line,
            files,
        })
    };
    let mut hubs: Vec<Hub> = own.iter().filter_map(hub).collect();
    hubs.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| (&a.file, a.line).cmp(&(&b.file, b.line))));
    hubs.truncate(MOST_HUBS);
    hubs
}

/// Writes an overview. Each part gets an equal share of the tokens that the parts before it have left.
fn written(snapshot: &Snapshot, found: &Overview, declarations: usize, budget: usize) -> String {
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let layer = |layer: &OverviewLayer| {
        let path = if layer.path.is_empty() { "." } else { &layer.path };
        let uses =
            if layer.uses.is_empty() { String::new() } else { format!(" → {}", layer.uses.join(", ")) };
        let (files, declared) = (counted(layer.files, "file"), counted(layer.declarations, "declaration"));
        format!("{path}: {files}, {declared}{uses}")
    };
    let entry = |entry: &EntryPoint| match entry.line {
        0 => format!("{} = {} ({})", entry.name, entry.target, entry.file),
        line => format!("{} — {}:{line}", entry.name, entry.file),
    };
    let hub =
        |hub: &Hub| format!("{} — {}:{} ({})", hub.name, hub.file, hub.line, counted(hub.files, "file"));
    let commands = |it: &ManifestCommands| format!("{}: {}", it.manifest, it.commands.join(" | "));
    let parts: [(&str, Vec<String>); 4] = [
        ("Build and test", found.commands.iter().map(commands).collect()),
        ("Layers, with those they use", found.layers.iter().map(layer).collect()),
        ("Entry points", found.entry_points.iter().map(entry).collect()),
        ("Most referenced, by other files", found.hubs.iter().map(hub).collect()),
    ];
    let mut left = budget - HEAD_TOKENS;
    let mut text = String::new();
    for (at, (title, lines)) in parts.iter().enumerate().filter(|(_, (_, lines))| !lines.is_empty()) {
        let mut share = left / (parts.len() - at);
        let mut part = format!("\n{title}:\n");
        for (number, line) in lines.iter().enumerate() {
            let rest = format!("... and {} more\n", lines.len() - number);
            let line = format!("{line}\n");
            let is_last = number + 1 == lines.len();
            if O200k.count(&format!("{part}{line}{}", if is_last { "" } else { &rest })) > share {
                part += &rest;
                break;
            }
            part += &line;
        }
        share = O200k.count(&part);
        left = left.saturating_sub(share);
        text += &part;
    }
    let mut languages: Vec<(&String, &usize)> = found.languages.iter().collect();
    languages.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let languages: Vec<String> =
        languages.into_iter().take(3).map(|(name, files)| format!("{name} {files}")).collect();
    let name = snapshot.root.file_name().unwrap_or_default().to_string_lossy();
    let files = counted(snapshot.project.files().len(), "file");
    let head = format!(
        "Overview of {name}: {files} ({}), {} of its own code",
        languages.join(", "),
        counted(declarations, "declaration")
    );
    let whole = |tokens: usize| format!("{head} | {tokens}/{budget} tokens\n{text}");
    whole(O200k.count(&whole(budget)))
}
