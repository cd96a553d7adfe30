//! Links the facts of all files into one typed graph, and traverses it.
//!
//! - [`read_manifests`] reads the packages of a tree, by which files of one package refer to those of another;
//! - [`link`] resolves every reference of a [`Project`](sscg_core::Project) and returns a [`CodeGraph`]: an immutable
//!   snapshot in which each edge has a confidence. References that cannot be resolved are recorded as
//!   [unresolved](CodeGraph::unresolved), never guessed and never hidden. Nodes are found by file, kind, name or
//!   [label](CodeGraph::nodes_labeled); graphs of one project can be [merged](CodeGraph::merge) and
//!   [reduced to a set of nodes](CodeGraph::induced);
//! - [`subgraph`] returns the edges among a set of chunks, the edges that leave it, and a reading order; [`connect()`]
//!   finds the cheapest paths between chunks that are not adjacent;
//! - [`traverse`] provides walks: neighbors, expansion, paths, call trees, type hierarchies, impact. petgraph's
//!   algorithms run on the graph too, and so do the kernels of `sscg-rank`, by its [`Adjacency`] or both ways on a
//!   [`Walk`].
//!
//! *Invariant:* linking is pure. It reads only facts, and the same project gives the same graph for any number of
//! threads.

mod compose;
mod connect;
mod error;
mod graph;
mod link;
mod lookup;
mod manifests;
mod shown;
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
pub use subgraph::{BoundaryEdge, ChunkEdge, Subgraph, SubgraphOptions, subgraph};
pub use walk::Walk;

#[doc(no_inline)]
pub use sscg_core::Adjacency;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
