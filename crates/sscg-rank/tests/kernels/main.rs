//! The kernels against oracles, against their own laws, and against other libraries.

mod centrality;
mod community;
mod pagerank;
mod reference;
