//! Walks the code graph: callers of a function and their callers, with the confidence of each edge.
//!
//! ```sh
//! cargo run -p sscg-examples --example callers -- discover [PATH]
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::collections::BTreeSet;

use sscg::Engine;
use sscg::core::{NodeId, Relation};
use sscg::graph::{Direction, Node};
use sscg::index::Snapshot;

fn main() -> Result<(), sscg::Error> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "discover".to_owned());
    let path = arguments.next().unwrap_or_else(|| ".".to_owned());

    let engine = Engine::open(path)?;
    let (snapshot, _) = engine.refresh()?;
    for symbol in snapshot.project.definitions_named(&name) {
        let node = snapshot.graph.id(Node::Symbol(symbol));
        println!("{}", snapshot.graph.label(&snapshot.project, node));
        print_callers(&snapshot, node, &mut BTreeSet::from([node]), 1);
    }
    // "No callers" is only as reliable as the resolution of names.
    let unresolved = snapshot.graph.unresolved(&name).len();
    println!("{unresolved} uses of `{name}` could not be resolved");
    Ok(())
}

/// Prints the callers of `node` and, indented below each, its own callers. A caller that was printed before is not
/// followed again, so cycles end.
fn print_callers(snapshot: &Snapshot, node: NodeId, seen: &mut BTreeSet<NodeId>, depth: usize) {
    for edge in snapshot.graph.edges_at(node, Direction::Incoming) {
        if edge.relation != Relation::Calls {
            continue;
        }
        let caller = snapshot.graph.label(&snapshot.project, edge.source);
        println!("{}<- {caller}, line {} ({})", "  ".repeat(depth), edge.line, edge.confidence.as_str());
        if seen.insert(edge.source) {
            print_callers(snapshot, edge.source, seen, depth + 1);
        }
    }
}
