//! Drawings of parts of the graph: the subgraph of an answer, or the contents of a module.

mod rolled;
mod services;

use std::collections::{BTreeMap, BTreeSet};

use derive_setters::Setters;
use sscg_core::{ChunkId, Confidence, FileId, NodeId, Relation, RelationSet, SymbolKind};
use sscg_format::{
    Community, DRAWING_SCHEMA, Drawing, DrawnEdge, DrawnNode, Lines, ResultOrigin, Role, SubgraphNode,
};
use sscg_graph::traverse::{EdgeFilter, members, pack};
use sscg_graph::{BoundaryEdge, Direction, Node, Subgraph, SubgraphOptions, subgraph};
use sscg_index::Snapshot;
use sscg_retrieve::Filters;

use crate::structure::CommunityMap;
use crate::{Error, Response};

pub use services::draw_services;

/// Options of a drawing.
#[derive(Clone, Copy, Debug, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct DrawingOptions {
    /// Maximum number of nodes of a module (default 300). The most informative declarations are kept, or the largest files or
    /// directories.
    pub nodes: usize,
    /// Unit of the nodes of a module; by default the finest of which all nodes fit the limit, and declarations with
    /// `boundary`.
    pub unit: Option<DrawnUnit>,
    /// Edges to draw, in either direction (default all).
    pub edges: EdgeFilter,
    /// Set to also draw edges to code outside of the drawing, the three most informative of each declaration.
    pub boundary: bool,
    /// Set to draw the declarations of a module beyond the limit of nodes, up to 60,000, for a page that rolls them up. Without
    /// effect on modules within the limit, or with a `unit`, or with `boundary`. More than 2,000 have no source code.
    pub expandable: bool,
}

/// Maximum number of declarations in an expandable drawing.
const MOST_EXPANDABLE: usize = 60_000;

/// Maximum number of declarations in an expandable drawing with their source code.
const MOST_WITH_CODE: usize = 2_000;

/// Maximum number of neighbors in [`draw_neighbors`].
const MOST_NEIGHBORS: usize = 60;

impl Default for DrawingOptions {
    fn default() -> Self {
        let edges = EdgeFilter::default().with_relations(RelationSet::ALL);
        Self { nodes: 300, unit: None, edges, boundary: false, expandable: false }
    }
}

/// Unit of a drawn module: a node stands for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DrawnUnit {
    /// Declaration.
    Declaration,
    /// File with all of its declarations.
    File,
    /// Directory with the files below it. The largest are drawn as their own files and the directories in them, each apart, as
    /// long as all fit the limit of nodes.
    Directory,
}

impl DrawnUnit {
    /// All units, the finest first.
    pub const ALL: [Self; 3] = [Self::Declaration, Self::File, Self::Directory];

    /// Returns the wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Declaration => "declaration",
            Self::File => "file",
            Self::Directory => "directory",
        }
    }
}

sscg_core::parsed_by_name! { DrawnUnit, "unit of a drawing", Self::ALL.into_iter(); }

impl Response {
    /// Returns the subgraph of the answer, with the code of its nodes. Reads their files: O(bytes of those files).
    pub fn drawing(&self, options: &DrawingOptions) -> Drawing {
        let project = &self.snapshot.project;
        let drawn = |node: &SubgraphNode| {
            let role = match node.source {
                ResultOrigin::Search => Role::Result,
                ResultOrigin::Connection => Role::Connection,
                _ => Role::Neighbor,
            };
            Some((project.chunk_with_key(&node.id)?, role))
        };
        let chunks: Vec<(ChunkId, Role)> = self.answer.subgraph_nodes.iter().filter_map(drawn).collect();
        Sketch { snapshot: &self.snapshot, chunks: &chunks, options }
            .finished()
            .with_title(self.answer.query.clone())
            .with_omitted_nodes(self.answer.omitted_results)
    }
}

/// Draws the code in any of some paths (files, directories or globs, as in
/// [`SearchRequest::paths`](crate::SearchRequest::paths)) and its connections: declarations, or files or directories with the
/// number of their declarations and of the edges between them. Of too many declarations, those that [`pack`] chooses; of too
/// many files or directories, the largest. Has no nodes if nothing is found there. Reads the files of drawn declarations.
///
/// ```
/// use sscg::{DrawingOptions, Engine, EngineOptions, Storage, draw_module};
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::create_dir(path.join("net"))?;
/// # std::fs::write(path.join("net/read.py"), "def read(): pass\n\ndef parse():\n    read()\n")?;
/// # std::fs::write(path.join("main.py"), "from net.read import parse\n\nparse()\n")?;
/// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
/// let (snapshot, _) = engine.refresh()?;
/// let drawing = draw_module(&snapshot, &["net".to_owned()], &DrawingOptions::default())?;
/// let names: Vec<&str> = drawing.nodes.iter().map(|node| &*node.name).collect();
/// assert_eq!(names, ["read", "parse"]);
/// let edge = &drawing.edges[0];
/// assert_eq!((names[edge.source], &*edge.relation, names[edge.target]), ("parse", "calls", "read"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If one of the paths is not a valid glob, the limit of nodes is 0, or the boundary of files or directories is asked for.
pub fn draw_module(
    snapshot: &Snapshot,
    paths: &[String],
    options: &DrawingOptions,
) -> Result<Drawing, Error> {
    if options.nodes == 0 {
        return Err(Error::argument_of_request(
            "limit",
            "a limit of 0 nodes asks for nothing",
            "give `limit` a positive number",
        ));
    }
    let Snapshot { project, graph, .. } = snapshot;
    let filters = Filters::new(Vec::new(), paths)?;
    let files: Vec<FileId> = project.files().ids().filter(|file| filters.admits(project, *file)).collect();
    // A declaration without code of its own is part of the chunk that shows it, and an implementation block is part
    // of its type.
    let is_drawn = |symbol: &_| {
        project.symbol_of_chunk(project.chunk_of_symbol(*symbol)) == Some(*symbol)
            && project.symbol_kind(*symbol) != SymbolKind::Impl
    };
    let symbols = files.iter().flat_map(|file| project.symbols_of(*file)).filter(is_drawn);
    let nodes: Vec<NodeId> = symbols.map(|symbol| graph.id(Node::Symbol(symbol))).collect();
    // Files and directories have no containment and no boundary.
    let relations = options.edges.relations;
    let is_containment = !Relation::ALL.iter().any(|it| relations.contains(*it) && !it.is_containment());
    let is_expandable = options.expandable && options.unit.is_none() && !options.boundary;
    let most = if is_expandable { options.nodes.max(MOST_EXPANDABLE) } else { options.nodes };
    let finest = if is_expandable || options.boundary || is_containment || nodes.len() <= most {
        DrawnUnit::Declaration
    } else if files.len() <= most {
        DrawnUnit::File
    } else {
        DrawnUnit::Directory
    };
    let unit = options.unit.unwrap_or(finest);
    if unit != DrawnUnit::Declaration && options.boundary {
        let message = "edges to the outside are drawn of declarations only";
        return Err(Error::argument_of_request(
            "boundary",
            message,
            "draw declarations, or leave out the boundary",
        ));
    }
    if unit != DrawnUnit::Declaration {
        let sketch = Sketch { snapshot, chunks: &[], options };
        let rolled = rolled::roll_up(snapshot, &files, &nodes, unit, options);
        return Ok(sketch
            .drawing(rolled.nodes, rolled.edges)
            .with_title(sketch.title(paths))
            .with_omitted_nodes(rolled.omitted));
    }
    let chosen: BTreeSet<NodeId> = if nodes.len() <= most {
        nodes.iter().copied().collect()
    } else {
        let packed = pack(project, graph, Some(&nodes), most).expect("they are nodes of the graph");
        packed.iter().map(|packed| packed.node).collect()
    };
    let chunk = |node: NodeId| match graph.node(node) {
        Node::Symbol(symbol) => Some((project.chunk_of_symbol(symbol), Role::Member)),
        Node::File(_) | Node::External(_) => None,
    };
    let chunks: Vec<(ChunkId, Role)> = chosen.into_iter().filter_map(chunk).collect();
    let sketch = Sketch { snapshot, chunks: &chunks, options };
    let packages = if chunks.len() > options.nodes { packages(snapshot) } else { BTreeMap::new() };
    Ok(sketch
        .finished()
        .with_title(sketch.title(paths))
        .with_packages(packages)
        .with_omitted_nodes(nodes.len() - chunks.len()))
}

/// Draws a declaration with its code, the 60 most informative of those that it is connected with, and the edges between all of
/// them; `None` if no chunk of the snapshot has the [key](sscg_core::Project::chunk_key).
pub fn draw_neighbors(snapshot: &Snapshot, key: &str, options: &DrawingOptions) -> Option<Drawing> {
    let Snapshot { project, graph, .. } = snapshot;
    let chunk = project.chunk_with_key(key)?;
    let surroundings = SubgraphOptions::default()
        .with_boundary_edges(MOST_NEIGHBORS)
        .with_min_confidence(options.edges.min_confidence);
    let around = subgraph(project, graph, &[chunk], &surroundings).expect("it is a chunk of the snapshot");
    let neighbor = |edge: &BoundaryEdge| match graph.node(edge.outside) {
        Node::Symbol(symbol) => Some(project.chunk_of_symbol(symbol)),
        Node::File(_) | Node::External(_) => None,
    };
    let admitted = around.boundary.iter().filter(|edge| options.edges.admits(&edge.edge));
    let mut chunks: BTreeSet<ChunkId> = admitted.filter_map(neighbor).collect();
    chunks.insert(chunk);
    let chunks: Vec<(ChunkId, Role)> = chunks.into_iter().map(|chunk| (chunk, Role::Member)).collect();
    Some(Sketch { snapshot, chunks: &chunks, options }.finished())
}

/// Returns the names of the packages by directory, as [`Drawing::packages`] has them.
fn packages(snapshot: &Snapshot) -> BTreeMap<String, String> {
    let packages = snapshot.project.packages().iter();
    packages.map(|package| (package.dir.to_string(), package.name.to_string())).collect()
}

/// Input of a drawing: the chunks with their roles.
struct Sketch<'a> {
    snapshot: &'a Snapshot,
    chunks: &'a [(ChunkId, Role)],
    options: &'a DrawingOptions,
}

impl Sketch<'_> {
    fn finished(&self) -> Drawing {
        let Snapshot { project, graph, .. } = self.snapshot;
        let set: Vec<ChunkId> = self.chunks.iter().map(|(chunk, _)| *chunk).collect();
        let is_asked_for = |role: Role| matches!(role, Role::Member | Role::Result);
        let most = if self.options.boundary { SubgraphOptions::default().boundary_edges } else { 0 };
        let surroundings = SubgraphOptions::default()
            .with_boundary_edges(most)
            .with_results(self.chunks.iter().filter(|(_, role)| is_asked_for(*role)).count())
            .with_min_confidence(self.options.edges.min_confidence);
        let Subgraph { edges, boundary, boundary_omitted, order, .. } =
            subgraph(project, graph, &set, &surroundings).expect("they are chunks of the snapshot");
        let inside: BTreeSet<FileId> = set.iter().map(|chunk| project.chunk_file(*chunk)).collect();
        let is_drawn = |edge: &BoundaryEdge| {
            self.options.edges.admits(&edge.edge) && self.is_telling(edge.outside, &inside)
        };
        let boundary: Vec<BoundaryEdge> = boundary.into_iter().filter(is_drawn).collect();

        // Used nodes are placed before their users.
        let outside = |direction| {
            let edges = boundary.iter().filter(move |edge| edge.direction == direction);
            edges.map(|edge| edge.outside).collect::<BTreeSet<NodeId>>()
        };
        let used = outside(Direction::Outgoing);
        let users: BTreeSet<NodeId> = &outside(Direction::Incoming) - &used;
        let mut places: Vec<usize> = vec![0; set.len()];
        for (at, chunk) in order.iter().enumerate() {
            places[*chunk] = used.len() + at;
        }
        let around = used.iter().zip(0..).chain(users.iter().zip(used.len() + set.len()..));
        let place_outside: BTreeMap<NodeId, usize> = around.map(|(node, at)| (*node, at)).collect();

        let mut sources = Sources { snapshot: self.snapshot, texts: BTreeMap::new() };
        let mut nodes: Vec<DrawnNode> = used.iter().map(|node| self.outside(*node)).collect();
        nodes.extend(order.iter().map(|at| self.node(*at, &mut sources)));
        nodes.extend(users.iter().map(|node| self.outside(*node)));

        let mut drawn: Vec<(usize, usize, Relation, u32, Confidence)> = Vec::new();
        for edge in edges.iter().filter(|edge| self.options.edges.admits(&edge.edge)) {
            let (ends, edge) = ((places[edge.source], places[edge.target]), &edge.edge);
            drawn.push((ends.0, ends.1, edge.relation, edge.line, edge.confidence));
        }
        for BoundaryEdge { chunk, direction, outside, edge, .. } in &boundary {
            let (inside, outside) = (places[*chunk], place_outside[outside]);
            let (source, target) = match direction {
                Direction::Outgoing => (inside, outside),
                Direction::Incoming => (outside, inside),
            };
            drawn.push((source, target, edge.relation, edge.line, edge.confidence));
        }
        if self.options.edges.relations.contains(Relation::Contains) {
            let contained = self.contained().into_iter();
            drawn.extend(contained.map(|(outer, inner)| {
                (places[outer], places[inner], Relation::Contains, 0, Confidence::Exact)
            }));
        }
        drawn.sort_unstable();
        drawn.dedup();
        let edge =
            |(source, target, relation, line, confidence): &(usize, usize, Relation, u32, Confidence)| {
                DrawnEdge::default()
                    .with_source(*source)
                    .with_target(*target)
                    .with_relation(relation.as_str())
                    .with_line(*line)
                    .with_confidence(*confidence)
            };
        self.drawing(nodes, drawn.iter().map(edge).collect())
            .with_omitted_boundary_edges(if self.options.boundary { boundary_omitted } else { 0 })
    }

    /// Returns the drawing of some nodes and edges.
    fn drawing(&self, nodes: Vec<DrawnNode>, edges: Vec<DrawnEdge>) -> Drawing {
        let names = edges.iter().filter_map(|edge| edge.relation.parse::<Relation>().ok());
        let relations = names.map(|it| (it.as_str().to_owned(), it.reverse_name().to_owned())).collect();
        Drawing::default()
            .with_schema(DRAWING_SCHEMA)
            .with_project(self.project_name())
            .with_communities(self.communities(&nodes))
            .with_nodes(nodes)
            .with_relations(relations)
            .with_edges(edges)
    }

    /// Returns the subject of a drawing of some paths.
    fn title(&self, paths: &[String]) -> String {
        if paths.iter().any(|path| path == ".") { self.project_name() } else { paths.join(", ") }
    }

    /// Returns true if an outside node adds information: an implementation block adds nothing to its type, nor do the
    /// imports at the top of the drawn files.
    fn is_telling(&self, outside: NodeId, files: &BTreeSet<FileId>) -> bool {
        let Snapshot { project, graph, .. } = self.snapshot;
        match graph.node(outside) {
            Node::Symbol(symbol) => project.symbol_kind(symbol) != SymbolKind::Impl,
            Node::File(file) => !files.contains(&file),
            Node::External(_) => true,
        }
    }

    fn project_name(&self) -> String {
        let name = self.snapshot.root.file_name();
        name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Returns pairs of chunks of which the first directly contains the second; implementation blocks count as part
    /// of their type.
    fn contained(&self) -> Vec<(usize, usize)> {
        let Snapshot { project, graph, .. } = self.snapshot;
        let places: BTreeMap<ChunkId, usize> =
            self.chunks.iter().enumerate().map(|(at, (chunk, _))| (*chunk, at)).collect();
        let mut contained = Vec::new();
        for (chunk, outer) in &places {
            let Some(symbol) = project.symbol_of_chunk(*chunk) else { continue };
            let inside = members(project, graph, graph.id(Node::Symbol(symbol)));
            for node in inside.expect("a symbol has a node") {
                let Node::Symbol(member) = graph.node(node) else { continue };
                let inner = places.get(&project.chunk_of_symbol(member));
                contained.extend(inner.filter(|inner| *inner != outer).map(|inner| (*outer, *inner)));
            }
        }
        contained
    }

    fn node(&self, at: usize, sources: &mut Sources<'_>) -> DrawnNode {
        let (chunk, role) = self.chunks[at];
        let has_code = !self.options.expandable || self.chunks.len() <= MOST_WITH_CODE;
        let (code, omitted_lines) = if has_code { sources.beginning(chunk) } else { Default::default() };
        self.described(chunk).with_role(role).with_code(code).with_omitted_lines(omitted_lines)
    }

    /// Returns the kind and the location of a chunk.
    fn described(&self, chunk: ChunkId) -> DrawnNode {
        let project = &self.snapshot.project;
        let file = &project.files()[project.chunk_file(chunk)];
        let (lines, symbol) = (project.chunk_lines(chunk), project.symbol_of_chunk(chunk));
        let name = match symbol {
            Some(symbol) => project.qualified_name(symbol),
            None => project.chunk(chunk).name.to_string(),
        };
        let signature = symbol.map(|symbol| project.symbol(symbol).signature.to_string());
        DrawnNode::default()
            .with_id(project.chunk_key(chunk))
            .with_name(name)
            .with_kind(project.chunk_kind(chunk).to_string())
            .with_file(file.path.to_string())
            .with_lines(Some(Lines { start: lines.start, end: lines.end }))
            .with_language(file.language.name)
            .with_community(self.snapshot.derived(CommunityMap::of).get(self.snapshot, chunk))
            .with_signature(signature.unwrap_or_default())
    }

    fn outside(&self, node: NodeId) -> DrawnNode {
        let Snapshot { project, graph, .. } = self.snapshot;
        let label = graph.label(project, node);
        let outside = DrawnNode::default().with_id(label.clone()).with_role(Role::Outside);
        match graph.node(node) {
            Node::Symbol(symbol) => self
                .described(project.chunk_of_symbol(symbol))
                .with_id(outside.id)
                .with_role(outside.role)
                .with_name(project.qualified_name(symbol)),
            Node::File(_) => outside.with_name(label.clone()).with_kind("file").with_file(label),
            Node::External(_) => outside.with_name(label).with_kind("external"),
        }
    }

    fn communities(&self, nodes: &[DrawnNode]) -> BTreeMap<String, Community> {
        let map = self.snapshot.derived(CommunityMap::of);
        let mut communities: BTreeMap<String, Community> = BTreeMap::new();
        for number in nodes.iter().filter_map(|node| node.community) {
            let community = communities.entry(number.to_string()).or_default();
            community.count += 1;
            map.label(number).clone_into(&mut community.label);
        }
        communities
    }
}

/// Maximum number of lines of a node's code in a drawing, which may have many nodes.
const MOST_LINES: usize = 60;

/// Maximum number of bytes of that code, for very long lines.
const MOST_BYTES: usize = 6_000;

/// Texts of files that have been read.
struct Sources<'a> {
    snapshot: &'a Snapshot,
    texts: BTreeMap<FileId, Option<String>>,
}

impl Sources<'_> {
    /// Returns the beginning of a chunk's own code, and the number of lines that follow; nothing if its file has
    /// changed.
    fn beginning(&mut self, chunk: ChunkId) -> (String, usize) {
        let project = &self.snapshot.project;
        let (file, local) = project.local_chunk(chunk);
        let Some(source) = self.texts.entry(file).or_insert_with(|| self.snapshot.source(file)) else {
            return (String::new(), 0);
        };
        let entry = &project.files()[file];
        beginning(&entry.facts.chunk_text(local, source, entry.language.stub))
    }
}

fn beginning(text: &str) -> (String, usize) {
    let within = &text[..text.floor_char_boundary(MOST_BYTES)];
    let mut lines: Vec<&str> = within.lines().take(MOST_LINES).collect();
    if within.len() < text.len() && lines.len() > 1 {
        // A partial line is of little use.
        lines.pop();
    }
    (lines.join("\n"), text.lines().count() - lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_long_code_the_beginning_is_shown_and_the_rest_is_counted() {
        assert_eq!(beginning("a\n  b\n"), ("a\n  b".to_owned(), 0));
        let (shown, omitted) = beginning(&"line\n".repeat(100));
        assert_eq!((shown.lines().count(), omitted), (MOST_LINES, 100 - MOST_LINES));
        let (shown, omitted) = beginning(&format!("short\n{}\nend\n", "ü".repeat(MOST_BYTES)));
        assert_eq!((&*shown, omitted), ("short", 2));
        let (shown, omitted) = beginning(&"ü".repeat(MOST_BYTES));
        assert_eq!((shown.len(), omitted), (MOST_BYTES, 0));
    }
}
