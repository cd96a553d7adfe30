//! Little projects for tests.

use std::fmt::Write;
use std::sync::Arc;

use sscg_core::{NodeId, Project, ProjectFile};

use crate::graph::{CodeGraph, Node};
use crate::link;

/// A project of these files, by path and text.
pub(crate) fn project(files: &[(&str, &str)]) -> Project {
    let file = |(path, text): &(&str, &str)| {
        let language = sscg_parse::language_of_path(path).expect("tests use known languages");
        let extension = sscg_parse::extension_of_path(path).expect("it has a language");
        let facts = Arc::new(sscg_parse::extract(language, extension, text));
        ProjectFile { path: (*path).into(), language, facts }
    };
    Project::new(files.iter().map(file).collect(), Vec::new())
}

/// A project of one file with functions `f0`, `f1` and so on, which are its symbols in this order, and the
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

/// The graph of [`functions`], with their nodes.
pub(crate) fn calls(count: usize, calls: &[(usize, usize)]) -> (CodeGraph, Vec<NodeId>) {
    let project = functions(count, calls);
    let graph = link(&project);
    let nodes = project.symbol_ids().map(|symbol| graph.id(Node::Symbol(symbol))).collect();
    (graph, nodes)
}
