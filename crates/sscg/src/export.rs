//! Export of an index for other programs: the graph in formats of graph tools and as a SCIP index, the rows as
//! tables.

mod graph;
#[cfg(feature = "scip")]
mod scip;
#[cfg(feature = "arrow")]
mod tables;

pub use graph::{GraphFormat, write_graph};
#[cfg(feature = "scip")]
pub use scip::write_scip;
#[cfg(feature = "arrow")]
pub use tables::{TableFormat, write_tables};
