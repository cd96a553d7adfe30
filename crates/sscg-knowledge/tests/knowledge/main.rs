//! What the service graph is held to.

mod boundaries;
mod build;
mod context;
mod engine;
mod graph;
mod matching;
mod properties;
mod search;
mod shop;
mod snapshot;
mod support;
