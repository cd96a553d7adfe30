//! Kernels against oracles and against their own laws.

mod community;
