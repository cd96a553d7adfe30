//! Links the facts of all files into one typed graph, and walks it.
//!
//! - [`link`] resolves every reference of a [`Project`](sscg_core::Project) and returns a [`CodeGraph`]:
//!   an immutable snapshot in which each edge says how sure it is, and what could not be resolved stands in
//!   the [ledger](CodeGraph::unresolved), never guessed and never hidden. Nodes are found by file, kind, name or
//!   [label](CodeGraph::nodes_labelled); graphs of one project are [merged](CodeGraph::merge) and
//!   [cut down](CodeGraph::induced);
//! - [`subgraph`] finds what connects a set of chunks, what lies just outside, and in which order to read
//!   them; [`connect()`] finds the cheapest paths between those that do not touch;
//! - [`traverse`] walks it: neighbours, what is near, paths, call trees, type hierarchies, impact; petgraph's
//!   algorithms run on it too.
//!
//! *Invariant:* pure; linking reads facts and nothing else, and the same project gives the same graph
//! whatever the number of threads.

mod compose;
mod connect;
mod error;
mod graph;
mod link;
mod lookup;
mod shown;
mod subgraph;
#[cfg(test)]
mod testing;
pub mod traverse;
pub mod visit;

pub use connect::{ConnectOptions, ConnectingPath, Connection, connect};
pub use error::{OtherProject, UnknownChunk, UnknownNode};
pub use graph::{Boundary, CodeGraph, Direction, Edge, Ledger, Node, Origin, Reason, Unresolved};
pub use link::{LiveGraph, link};
pub use subgraph::{BoundaryEdge, ChunkEdge, Subgraph, SubgraphOptions, subgraph};
