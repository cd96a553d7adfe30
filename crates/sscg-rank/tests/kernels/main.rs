//! The kernels, each against its oracles and its own laws.

mod reference;
