//! Tests of the real command in a clean environment: its output and its exit codes.

mod color;
mod completions;
mod concurrency;
mod configuration;
mod crash;
mod damage;
mod docs;
mod doctor;
mod documents;
mod errors;
mod explore;
mod export;
mod freshness;
mod gc;
mod graph;
mod install;
mod json;
mod knowledge;
mod log;
mod lookup;
mod machine;
mod mcp;
mod model;
mod odd_tree;
mod questions;
mod random;
mod rerank;
mod room;
mod samples;
mod sandbox;
mod search;
#[cfg(feature = "lancedb")]
mod shared;
mod sources;
mod store;
mod watch;
