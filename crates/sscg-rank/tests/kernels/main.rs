//! The kernels against slow and plain solutions, and against their own laws.

mod centrality;
