//! Links the facts of all files into one typed graph, and traverses it.
//!
//! Use it to find callers, paths between declarations, type hierarchies or the impact of a change.
//! [`sscg-parse`](https://docs.rs/sscg-parse) extracts the facts.
//!
//! *Invariant:* linking is pure. It reads only facts, and the same project gives the same graph for any number of
//! threads, whether it is linked at once or updated edit by edit.
//!
//! # Overview
//!
//! - [`link`] resolves every reference of a [`Project`](sscg_core::Project) and returns a [`CodeGraph`]: an immutable
//!   snapshot in which each edge has a confidence. [`LiveGraph`] updates it after edits.
//! - [`read_manifests`] reads the packages of a tree, by which files of one package refer to those of another.
//! - [`CodeGraph`] finds nodes by file, kind, name or [label](CodeGraph::nodes_labeled), and lists references that
//!   could not be resolved as [unresolved](CodeGraph::unresolved). Graphs of one project can be
//!   [merged](CodeGraph::merge) and [reduced to a set of nodes](CodeGraph::induced).
//! - [`traverse`] has walks: neighbors, expansion, paths, call trees, type hierarchies, uses, impact.
//! - [`subgraph()`] returns the edges among a set of chunks, those that leave it, and a reading order; [`connect()`]
//!   finds the cheapest paths between chunks that are not adjacent.
//! - [`EdgeSource`] is the interface of sources of edges: the linker, the [`Occurrences`] that an indexer or a language
//!   server found, and those of an embedding program.
//! - [`visit`] lets petgraph's algorithms run on the graph. The kernels of [`sscg-rank`](https://docs.rs/sscg-rank) run
//!   on its [`Adjacency`], whose page ranks declarations by their calls, or, both ways, on a [`Walk`].
//!
//! # Example
//!
//! ```
//! use sscg_core::{Confidence, Manifests, Project, Relation};
//!
//! let texts = [("a.py", "def helper(): pass\n"), ("b.py", "from a import helper\n\ndef main(): helper()\n")];
//! let files = texts.iter().filter_map(|(path, text)| sscg_parse::project_file(path, text)).collect();
//! let project = Project::new(files, Manifests::default());
//! let graph = sscg_graph::link(&project);
//!
//! let call = graph.edges().iter().find(|edge| edge.relation == Relation::Calls).unwrap();
//! assert_eq!(graph.label(&project, call.source), "b.py::main");
//! assert_eq!(graph.label(&project, call.target), "a.py::helper");
//! assert_eq!(call.confidence, Confidence::Exact);
//! ```
//!
//! # Design
//!
//! - **An edge claims no more than is known.** A mere match of names never yields an
//!   [exact](sscg_core::Confidence::Exact) edge. A reference that no rule resolves is recorded as unresolved, neither
//!   guessed nor dropped. Languages that are read by their lines ([`LanguageDef::is_linked`](sscg_core::LanguageDef::is_linked))
//!   have declarations, but no references.
//! - **Languages differ in their module systems, not in name lookup.** Where declared types do not determine a callee,
//!   values are traced back to their origins.
//! - **The incremental graph records what each pass read.** An edit links again only files that read something that
//!   changed. In django, effect and tokio, an edit visible only to its own file takes 0.8 to 3 ms.
//! - **Name lookup has a budget** of 1,000 steps per name and 1,000 values per call. Without it, one project of 1,771
//!   files took more than three minutes to link.
//! - **oxc_resolver resolves specifiers** of JavaScript and TypeScript, on a tree in memory: `exports`, `paths` and
//!   `references` are a specification of their own, and linking stays pure.
//! - **Connecting paths are the least accidental ones.** The cost of a path is the number of bits that distinguish it
//!   from others, so a symbol that everything uses connects nothing.

mod compose;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod connect;
mod error;
mod graph;
mod link;
mod lookup;
mod manifests;
mod shown;
mod source;
mod subgraph;
#[cfg(test)]
mod testing;
pub mod traverse;
pub mod visit;
mod walk;

pub use connect::{ConnectOptions, ConnectingPath, Connection, connect};
pub use error::{OtherProject, UnknownChunk, UnknownNode};
pub use graph::{
    CodeGraph, Direction, Edge, ExternalSymbol, Node, Origin, Reason, Unresolved, UnresolvedReferences,
};
pub use link::{LiveGraph, link};
pub use manifests::{is_manifest, read_manifests};
pub use shown::collapse_anonymous;
pub use source::{
    Applied, Comparison, Contradiction, DeclarationSite, EdgeSource, Encoding, FileOccurrences, LinkerSource,
    Occurrence, Occurrences, Position, SourceTree, Target, TextPositions,
};
pub use subgraph::{BoundaryEdge, ChunkEdge, Subgraph, SubgraphOptions, dependencies_first, subgraph};
pub use walk::Walk;

#[doc(no_inline)]
pub use sscg_core::Adjacency;
