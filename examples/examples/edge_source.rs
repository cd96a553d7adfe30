//! Adds edges that only a convention of the project gives: calls of all functions `handle_..` by `dispatch`. Prints
//! what `dispatch` calls.
//!
//! ```sh
//! cargo run -p sscg-examples --example edge_source -- [PATH]
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::sync::Arc;

use sscg::core::{Confidence, Provenance, Relation, SymbolId};
use sscg::graph::{Applied, CodeGraph, Direction, Edge, EdgeSource, Node, SourceTree};
use sscg::{Engine, EngineOptions, IndexOptions, Storage};

/// Calls of functions named `handle_..` by every function `dispatch`, which looks them up by name.
#[derive(Debug)]
pub(crate) struct Handlers;

impl EdgeSource for Handlers {
    fn provenance(&self) -> Provenance {
        Provenance::Resolver
    }

    fn apply(&self, tree: &SourceTree<'_>, graph: Arc<CodeGraph>) -> Applied {
        let project = tree.project;
        let is_handler = |symbol: &SymbolId| project.symbol_name(*symbol).starts_with("handle_");
        let mut edges = Vec::new();
        for dispatcher in project.symbols_named("dispatch") {
            let line = project.symbol(dispatcher).name_line;
            for handler in project.symbol_ids().filter(is_handler) {
                let [source, target] = [dispatcher, handler].map(|symbol| graph.id(Node::Symbol(symbol)));
                let mut edge = Edge::new(source, target, Relation::Calls, line, self.provenance());
                // A rule about names is usually right, not always.
                edge.confidence = Confidence::Inferred;
                edges.push(edge);
            }
        }
        let graph = graph.with_edges(project, edges).expect("nodes of the graph");
        Applied::unchanged(Arc::new(graph))
    }
}

fn main() -> Result<(), sscg::Error> {
    let path = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let index =
        IndexOptions::default().with_storage(Storage::Ephemeral).with_edge_sources(vec![Arc::new(Handlers)]);
    let engine = Engine::open_with(path, EngineOptions::default().with_index(index))?;
    let (snapshot, _) = engine.refresh()?;
    for dispatcher in snapshot.graph.nodes_named(&snapshot.project, "dispatch") {
        for edge in snapshot.graph.edges_at(dispatcher, Direction::Outgoing) {
            let label = |node| snapshot.graph.label(&snapshot.project, node);
            println!("{} {} {}", label(edge.source), edge.relation, label(edge.target));
        }
    }
    Ok(())
}
