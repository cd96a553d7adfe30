//! Look-ups: complete lists for names, without a question in words.
//!
//! Each takes several names, and returns data and the same as text within a number of tokens. Omitted entries are
//! counted.

mod builds;
mod callees;
mod named;
mod outline;
mod page;
mod show;
mod tests_of;
mod text;
mod uses;
mod written;

pub use callees::{Callee, DeclarationCalls, callees};
pub use outline::{Outlined, outline};
pub use show::{Excerpt, show};
pub(crate) use show::{Range, code_at};
pub use tests_of::{DeclarationTests, TestPlace, tests};
pub use text::{TextFound, TextPlace, mentions, text};
pub use uses::{DeclarationUses, UsePlace, UsesOptions, uses};

use std::collections::BTreeSet;

use derive_setters::Setters;
use sscg_core::{Corpus, NodeId};
use sscg_format::Lines;
use sscg_graph::Node;
use sscg_index::Snapshot;

use crate::context::nothing_to_search;
use crate::explore::names;
use crate::{Error, SearchRequest};

/// Default number of tokens of a look-up.
pub const LOOKUP_TOKENS: usize = 8_000;

/// Options for lists of callers or callees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct ListOptions {
    /// Maximum number of tokens of text (default [`LOOKUP_TOKENS`]). The first line and the verdict of each list are
    /// always included; the data is always complete.
    pub budget: usize,
    /// Call depth: 1 (default) for direct callers or callees; 2 for a list of each of these, too.
    pub depth: u32,
    /// Set to append the code of the listed declarations, as much as fits (default `false`).
    pub bodies: bool,
}

impl Default for ListOptions {
    fn default() -> Self {
        Self { budget: LOOKUP_TOKENS, depth: 1, bodies: false }
    }
}

/// Returns the nodes that some names refer to, without duplicates, and the errors of the names that refer to none.
///
/// # Errors
/// If no name refers to a node, or the project has no source file.
fn named_nodes(snapshot: &Snapshot, declarations: &[String]) -> Result<(Vec<NodeId>, Vec<String>), Error> {
    if snapshot.project.files().is_empty() {
        return Err(nothing_to_search(snapshot, Corpus::Code));
    }
    let (mut nodes, mut failures) = (Vec::new(), Vec::new());
    for name in declarations {
        match names::node(snapshot, name) {
            Ok(found) => nodes.extend(found),
            Err(error) => failures.push(error),
        }
    }
    let mut known = BTreeSet::new();
    nodes.retain(|node| known.insert(*node));
    if nodes.is_empty() {
        return Err(failures.swap_remove(0));
    }
    Ok((nodes, failures.iter().map(told).collect()))
}

/// Returns the path of a node's file and its lines; lines are 0 for a file, and both are empty for external code.
fn place(snapshot: &Snapshot, node: NodeId) -> (String, Lines) {
    let project = &snapshot.project;
    match snapshot.graph.node(node) {
        Node::Symbol(symbol) => {
            let (file, local) = project.local_symbol(symbol);
            let lines = project.files()[file].facts.symbols[local].lines;
            (project.files()[file].path.to_string(), Lines { start: lines.start, end: lines.end })
        }
        Node::File(file) => (project.files()[file].path.to_string(), Lines::default()),
        Node::External(_) => Default::default(),
    }
}

/// Collects the results for some nodes and, up to `depth`, for the nodes that they lead to; each once, nearest first.
/// A result that `is_empty` is kept only for a requested node.
fn levels<T>(
    nodes: Vec<NodeId>,
    depth: u32,
    mut of: impl FnMut(NodeId) -> (T, Vec<NodeId>),
    is_empty: impl Fn(&T) -> bool,
) -> Vec<T> {
    let mut known: BTreeSet<NodeId> = nodes.iter().copied().collect();
    let mut found = Vec::new();
    let mut level = nodes;
    for step in 0..depth.max(1) {
        let mut next = Vec::new();
        for node in level {
            let (said, leads_to) = of(node);
            if step == 0 || !is_empty(&said) {
                found.push(said);
            }
            next.extend(leads_to.into_iter().filter(|node| known.insert(*node)));
        }
        level = next;
    }
    found
}

/// Formats the error of one of several names as a line.
pub(crate) fn told(error: &Error) -> String {
    format!("error: {error}; {}", error.hint())
}

/// Validates the arguments common to all look-ups.
fn check(names: &[String], what: &str, budget: usize) -> Result<(), Error> {
    if budget < SearchRequest::MIN_BUDGET {
        return Err(Error::argument_of_request(
            "budget",
            format!("a budget of {budget} tokens holds no list"),
            format!("give `budget` at least {}", SearchRequest::MIN_BUDGET),
        ));
    }
    if names.iter().all(|name| name.trim().is_empty()) {
        return Err(Error::request(format!("no {what} is given"), format!("give at least one {what}")));
    }
    Ok(())
}
