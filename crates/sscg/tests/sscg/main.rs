//! What a program that embeds SSCG relies on.

mod configuration;
mod content;
mod engine;
mod subgraph;
mod tree;
mod workspace;
