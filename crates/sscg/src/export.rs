//! Export of an index for other programs: the graph in formats of graph tools, the rows as tables.

mod graph;
#[cfg(feature = "arrow")]
mod tables;

pub use graph::{GraphFormat, write_graph};
#[cfg(feature = "arrow")]
pub use tables::{TableFormat, write_tables};
