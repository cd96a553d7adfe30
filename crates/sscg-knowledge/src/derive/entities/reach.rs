//! Declarations that request handlers reach.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use sscg_graph::{Direction, Node};

use crate::Site;
use crate::derive::code::Code;

/// Maximum number of uses between a handler and its data: a service, a store, and the stored type.
const STEPS: u32 = 5;

/// Returns the handlers and the declarations of a service that they use, directly or through other code of it, with
/// their distances in steps. O(edges of the service).
pub(super) fn from(code: &Code<'_>, service: &str, handlers: &[Site]) -> FxHashMap<Node, u32> {
    let start = handlers.iter().map(|handler| handler.symbol.map_or(Node::File(handler.file), Node::Symbol));
    let mut reached: FxHashMap<Node, u32> = start.map(|node| (node, 0)).collect();
    let mut next: VecDeque<(Node, u32)> = reached.iter().map(|(node, steps)| (*node, *steps)).collect();
    while let Some((node, steps)) = next.pop_front() {
        if steps == STEPS {
            continue;
        }
        for edge in code.graph.edges_at(code.graph.id(node), Direction::Outgoing) {
            let target = code.graph.node(edge.target);
            // Members of a type belong to it; containment in a file does not count.
            let is_part = matches!((node, target), (Node::Symbol(_), Node::Symbol(_)));
            let file = match target {
                Node::Symbol(symbol) => code.project.symbol_file(symbol),
                Node::File(_) | Node::External(_) => continue,
            };
            let is_used = !edge.relation.is_containment() || is_part;
            if is_used && code.service_of(file) == Some(service) && !reached.contains_key(&target) {
                reached.insert(target, steps + 1);
                next.push_back((target, steps + 1));
            }
        }
    }
    reached
}
