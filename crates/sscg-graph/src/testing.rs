//! Small projects for tests.

use std::fmt::Write;

use sscg_core::{Confidence, Id, Manifests, NodeId, Project, Provenance, Relation};
use sscg_parse::project_file;

use crate::graph::{CodeGraph, Edge, Node, UnresolvedReferences};
use crate::link;

/// Returns a project of these files, by path and text.
pub(crate) fn project(files: &[(&str, &str)]) -> Project {
    let file = |(path, text): &(&str, &str)| project_file(path, text).expect("tests use known languages");
    Project::new(files.iter().map(file).collect(), Manifests::default())
}

/// Returns a project of one file with functions `f0`, `f1` and so on, which are its symbols in this order, and the
/// given calls.
pub(crate) fn functions(count: usize, calls: &[(usize, usize)]) -> Project {
    let mut text = String::new();
    for function in 0..count {
        writeln!(text, "def f{function}():\n    pass").expect("writing to a string does not fail");
        for (_, callee) in calls.iter().filter(|(caller, _)| *caller == function) {
            writeln!(text, "    f{callee}()").expect("writing to a string does not fail");
        }
        text.push('\n');
    }
    project(&[("f.py", &text)])
}

/// Returns the graph of [`functions`], with their nodes.
pub(crate) fn calls(count: usize, calls: &[(usize, usize)]) -> (CodeGraph, Vec<NodeId>) {
    let project = functions(count, calls);
    let graph = link(&project);
    let nodes = project.symbol_ids().map(|symbol| graph.id(Node::Symbol(symbol))).collect();
    (graph, nodes)
}

/// Returns the graph of one file with `count` symbols and the given calls among them, with their nodes. There is no
/// text, so that it may be large.
pub(crate) fn large(count: usize, calls: impl Iterator<Item = (usize, usize)>) -> (CodeGraph, Vec<NodeId>) {
    let nodes: Vec<NodeId> = (1..=count).map(NodeId::new).collect();
    let edges = calls.map(|(source, target)| Edge {
        source: nodes[source],
        target: nodes[target],
        relation: Relation::Calls,
        line: 1,
        confidence: Confidence::Exact,
        provenance: Provenance::Resolver,
        candidates: 1,
    });
    (CodeGraph::of_size((1, count), Vec::new(), edges.collect(), UnresolvedReferences::default), nodes)
}
