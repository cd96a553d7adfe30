//! Runs the real command in an environment of its own, and looks at what it prints and how it ends.

mod concurrency;
mod errors;
mod freshness;
mod gc;
mod odd_tree;
mod sandbox;
mod search;
mod store;
mod watch;
