//! Small source trees written for a test.

use std::fs;

use sscg::{Engine, EngineOptions, Response, SearchRequest, Storage};
use sscg_format::{Answer, ResultItem};

/// Temporary directory with its engine.
pub(crate) struct Tree {
    directory: tempfile::TempDir,
    pub(crate) engine: Engine,
}

impl Tree {
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("temporary directory");
        let options = EngineOptions::stored_in(Storage::Ephemeral);
        let engine = Engine::open_with(directory.path(), options).expect("the directory exists");
        let tree = Self { directory, engine };
        files.iter().for_each(|(path, text)| tree.write(path, text));
        tree
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().expect("files stand in directories")).expect("writable");
        fs::write(path, text).expect("writable");
    }

    pub(crate) fn ask(&mut self, request: &SearchRequest) -> Response {
        self.engine.search(request).expect("a valid request")
    }

    pub(crate) fn answer(&mut self, request: &SearchRequest) -> Answer {
        self.ask(request).answer
    }
}

pub(crate) fn result<'a>(answer: &'a Answer, name: &str) -> &'a ResultItem {
    let names: Vec<&str> = answer.results.iter().map(|result| result.name.as_str()).collect();
    let found = answer.results.iter().find(|result| result.name == name);
    found.unwrap_or_else(|| panic!("no {name} among {names:?}"))
}

/// Returns the edges as `source relation target`, by name; ends outside of the subgraph by id.
pub(crate) fn edges(answer: &Answer) -> Vec<String> {
    let name = |id: &str| {
        let node = answer.subgraph_nodes.iter().find(|node| node.id == id);
        node.map_or_else(|| id.to_owned(), |node| node.name.clone())
    };
    let boundary = |is_boundary| if is_boundary { " (boundary)" } else { "" };
    let shown = answer.subgraph_edges.iter();
    shown
        .map(|edge| {
            format!("{} {} {}{}", name(&edge.src), edge.rel, name(&edge.tgt), boundary(edge.boundary))
        })
        .collect()
}

/// Returns the names of the nodes, dependencies first.
pub(crate) fn order(answer: &Answer) -> Vec<&str> {
    let name = |id: &String| {
        let node = answer.subgraph_nodes.iter().find(|node| node.id == *id);
        node.map_or("no node", |node| node.name.as_str())
    };
    answer.subgraph_order.iter().map(name).collect()
}
