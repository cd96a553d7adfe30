//! Behavior that programs embedding SSCG rely on.

mod anchor;
mod cancel;
mod configuration;
mod content;
mod custom;
mod engine;
mod explore;
mod hostile;
mod knowledge;
mod lines;
mod more;
mod names;
mod overview;
mod subgraph;
mod tree;
mod types;
mod without_graph;
mod words;
mod workspace;
