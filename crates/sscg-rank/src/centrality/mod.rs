//! Centrality of nodes: by their edges, by their distances, by the shortest paths through them.
//!
//! All measures count edges and ignore weights, except [`degree()`] with `weighted`: a weight here is the confidence
//! or strength of an edge, not a length.

mod betweenness;
mod closeness;
mod degree;
mod dependencies;

pub use betweenness::{BetweennessOptions, betweenness, betweenness_samples};
pub use closeness::{closeness, closeness_sampled};
pub use degree::{DegreeOptions, degree};

/// Edges of a node that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EdgeDirection {
    /// Edges that lead to the node.
    Incoming,
    /// Edges that start at the node.
    Outgoing,
    /// Edges of both directions.
    #[default]
    Both,
}
