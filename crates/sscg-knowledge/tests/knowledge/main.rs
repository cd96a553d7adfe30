//! What the crate finds in whole projects, from outside.

mod boundaries;
mod build;
mod code;
mod context;
mod engine;
mod graph;
mod inputs;
mod matching;
mod passed;
mod properties;
mod routes;
mod search;
mod shop;
mod shop_graph;
mod snapshot;
mod support;
