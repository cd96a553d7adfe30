//! Tests of the public API on whole projects.

mod boundaries;
mod build;
mod code;
mod context;
mod contexts;
mod engine;
mod graph;
mod inputs;
mod matching;
mod passed;
mod passed_typed;
mod properties;
mod routes;
mod search;
mod settings;
mod shop;
mod shop_graph;
mod snapshot;
mod support;
