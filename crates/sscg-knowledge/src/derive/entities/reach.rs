//! What the code that answers requests leads to.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use sscg_graph::{Direction, Node};

use crate::Site;
use crate::derive::code::Code;

/// How many uses there are at most between a handler and what it works on: a service, a store, and what it keeps.
const STEPS: u32 = 5;

/// The declarations and files of a service that the code of handlers uses, directly or through other code of it, with
/// how many steps away. O(edges of the service).
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
            // What a type consists of belongs to it; where code stands says nothing.
            let is_part = matches!((node, target), (Node::Symbol(_), Node::Symbol(_)));
            let file = match target {
                Node::Symbol(symbol) => code.project.symbol_file(symbol),
                Node::File(_) | Node::Boundary(_) => continue,
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
