//! How central nodes are: by their edges, by their distances, by the shortest paths through them.
//!
//! All of them count edges and not weights, but for [`degree()`] where it is asked to: a weight here says how
//! sure or how strong an edge is, which is no length.

mod betweenness;
mod closeness;
mod degree;
mod dependencies;

pub use betweenness::{BetweennessOptions, betweenness, betweenness_samples};
pub use closeness::closeness;
pub use degree::{DegreeOptions, degree};

/// Which edges of a node count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Those that lead to it.
    Incoming,
    /// Those that start at it.
    Outgoing,
    /// All of them.
    #[default]
    Both,
}
