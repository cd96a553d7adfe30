//! Sources of edges: the linker, and the results of other programs that read the same code.
//!
//! A source takes the graph of the sources before it and returns one with its own findings. The first is
//! [`LinkerSource`]; [`Occurrences`] is the form in which the results of an indexer or a language server are applied
//! after it.

mod apply;
mod occurrences;
mod position;
mod site;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use sscg_core::{FileId, Project, Provenance, Relation};

use crate::graph::CodeGraph;
use crate::link;
pub use occurrences::{DeclarationSite, FileOccurrences, Occurrence, Occurrences, Target};
pub use position::{Encoding, Position, TextPositions};

/// Source of edges of the code graph.
///
/// Programs that embed SSCG add edges that only they can know, such as those of a plug-in registry, by sources of their
/// own in `IndexOptions::edge_sources`. Their edges are applied after each update of the graph, in the order of the
/// sources, and are part of every answer.
///
/// *Contract*, which `conformance::check_edge_source` (feature `conformance`) checks: the result has the files and
/// symbols of the project, and its containment edges; applying the source to the result again changes nothing; the same
/// input gives the same result.
///
/// The trait has one method, from graph to graph, because sources differ in what they know: the linker needs no earlier
/// graph, an indexer decides between candidates of the linker, and a plug-in may only add edges
/// ([`CodeGraph::with_edges`]).
///
/// ```
/// use std::sync::Arc;
///
/// use sscg_core::{Manifests, Project, Provenance, Relation};
/// use sscg_graph::{Applied, CodeGraph, Edge, EdgeSource, SourceTree, link};
///
/// /// Registers `plugin.py::start` as a callee of `app.py::run`.
/// #[derive(Debug)]
/// struct Registry;
///
/// impl EdgeSource for Registry {
///     fn provenance(&self) -> Provenance {
///         Provenance::Resolver
///     }
///
///     fn apply(&self, tree: &SourceTree<'_>, graph: Arc<CodeGraph>) -> Applied {
///         let node = |label| graph.nodes_labeled(tree.project, label).first().copied();
///         let (Some(run), Some(start)) = (node("app.py::run"), node("plugin.py::start")) else {
///             return Applied::unchanged(graph);
///         };
///         let edge = Edge::new(run, start, Relation::Calls, 1, self.provenance());
///         let graph = graph.with_edges(tree.project, [edge]).expect("nodes of the graph");
///         Applied::unchanged(Arc::new(graph))
///     }
/// }
///
/// let texts = [("app.py", "def run(): pass\n"), ("plugin.py", "def start(): pass\n")];
/// let files = texts.iter().filter_map(|(path, text)| sscg_parse::project_file(path, text)).collect();
/// let project = Project::new(files, Manifests::default());
/// let tree = SourceTree::new(&project, &|_| None);
/// let graph = Registry.apply(&tree, Arc::new(link(&project))).graph;
/// assert!(graph.edges().iter().any(|edge| edge.relation == Relation::Calls));
/// ```
pub trait EdgeSource: fmt::Debug + Send + Sync {
    /// Returns the provenance of the edges that the source adds.
    fn provenance(&self) -> Provenance;

    /// Applies the source to the graph of the sources before it. Called once per state of the project.
    fn apply(&self, tree: &SourceTree<'_>, graph: Arc<CodeGraph>) -> Applied;
}

/// State of a project, as sources of edges see it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct SourceTree<'a> {
    /// Facts of all files.
    pub project: &'a Project,
    hash: &'a dyn Fn(FileId) -> Option<[u8; 32]>,
}

impl<'a> SourceTree<'a> {
    /// Creates the state of a project from its facts and the BLAKE3 hashes of its texts; `None` where a hash is not
    /// known.
    pub fn new(project: &'a Project, hash: &'a dyn Fn(FileId) -> Option<[u8; 32]>) -> Self {
        Self { project, hash }
    }

    /// Returns the BLAKE3 hash of a file's text, if it is known.
    pub fn hash(&self, file: FileId) -> Option<[u8; 32]> {
        (self.hash)(file)
    }
}

/// Graph with the edges of a source.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Applied {
    /// Resulting graph.
    pub graph: Arc<CodeGraph>,
    /// Comparison of the source with the graph before.
    pub comparison: Comparison,
}

impl Applied {
    /// Creates a result without a comparison.
    pub fn unchanged(graph: Arc<CodeGraph>) -> Self {
        Self { graph, comparison: Comparison::default() }
    }
}

/// Comparison of a source with the graph that it was applied to. Counts are of sites: a name on a line, with one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// Number of sites where the graph had an edge to the same target.
    pub agreed: usize,
    /// Number of sites where the target was one of several candidates of the graph, and is now the only one.
    pub decided: usize,
    /// Number of sites where the graph had no edge.
    pub added: usize,
    /// Sites where the graph had an edge to another target, which the source replaced, by file and line.
    pub contradicted: Vec<Contradiction>,
    /// Number of occurrences that were not used because the text of their file, or of the file of their target, is
    /// another one.
    pub stale: usize,
    /// Number of sites without effect: no reference of the graph is there, or the target is not in the graph, such as a
    /// parameter.
    pub unused: usize,
}

/// Site where two sources disagree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Contradiction {
    /// Path of the file.
    pub path: Box<str>,
    /// 1-based line.
    pub line: u32,
    /// Name as written.
    pub name: Box<str>,
    /// Relation of the replaced edges.
    pub relation: Relation,
    /// [Labels](CodeGraph::label) of the targets in the graph before, in order.
    pub before: Vec<String>,
    /// Label of the target by the source.
    pub after: String,
}

/// Linker of SSCG as a source of edges. It starts from the facts, whatever the graph before is.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkerSource;

impl EdgeSource for LinkerSource {
    fn provenance(&self) -> Provenance {
        Provenance::Resolver
    }

    fn apply(&self, tree: &SourceTree<'_>, _graph: Arc<CodeGraph>) -> Applied {
        Applied::unchanged(Arc::new(link(tree.project)))
    }
}

impl EdgeSource for Occurrences {
    fn provenance(&self) -> Provenance {
        self.provenance
    }

    /// Confirms, decides, adds and replaces edges at the sites of the occurrences; see [`Comparison`]. All edges that it
    /// changes are [exact](sscg_core::Confidence::Exact), except calls of a variable, which may hold any function.
    ///
    /// An occurrence counts only if the texts of its file and of its target's file are the ones that it was found in.
    /// It has the relation of the reference at the site; where the graph has none, no edge is made. O(occurrences +
    /// edges, if one changes).
    fn apply(&self, tree: &SourceTree<'_>, graph: Arc<CodeGraph>) -> Applied {
        apply::apply(self, tree, graph)
    }
}
