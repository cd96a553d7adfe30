//! Runs the real command in an environment of its own, and looks at what it prints and how it ends.

mod errors;
mod freshness;
mod odd_tree;
mod sandbox;
mod search;
mod store;
