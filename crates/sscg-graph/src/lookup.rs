//! Lookup of nodes by file, kind, name and label.

use sscg_core::{FileId, Id, NodeId, Project, SymbolKind};

use crate::error::UnknownNode;
use crate::graph::{CodeGraph, Node, Unresolved};

/// Lookups. Each takes the project that the graph was linked from.
impl CodeGraph {
    /// Returns the nodes of a file's symbols, in source order.
    pub fn nodes_in_file(&self, project: &Project, file: FileId) -> impl Iterator<Item = NodeId> {
        project.symbols_of(file).map(|symbol| self.id(Node::Symbol(symbol)))
    }

    /// Returns the nodes of the symbols of a kind, in file order. O(symbols).
    pub fn nodes_of_kind(&self, project: &Project, kind: SymbolKind) -> impl Iterator<Item = NodeId> {
        project.symbols_of_kind(kind).map(|symbol| self.id(Node::Symbol(symbol)))
    }

    /// Returns the nodes of the symbols declared by exactly this name, in file order; see [`Project::symbols_named`].
    pub fn nodes_named(&self, project: &Project, name: &str) -> impl Iterator<Item = NodeId> {
        project.symbols_named(name).map(|symbol| self.id(Node::Symbol(symbol)))
    }

    /// Returns the nodes that have this [label](CodeGraph::label): a file by its path, symbols by their qualified id
    /// (`relative/path.ext::Outer.inner`), external symbols by their name. Empty if there is none. O(log files + log
    /// external symbols + symbols of the file).
    pub fn nodes_labeled(&self, project: &Project, label: &str) -> Vec<NodeId> {
        let file = project.file_at(label).map(|file| self.id(Node::File(file)));
        let symbols = project.symbols_with_key(label).into_iter().map(|symbol| self.id(Node::Symbol(symbol)));
        let externals = self.externals();
        let start = externals.partition_point(|external| &*external.name < label);
        let outside = externals[start..].iter().take_while(|external| &*external.name == label);
        let outside = outside.enumerate().map(|(at, _)| self.id(Node::External((start + at) as u32)));
        file.into_iter().chain(symbols).chain(outside).collect()
    }

    /// Returns the uses of names in a file's code that no rule resolved, by name. O(unresolved references).
    pub fn unresolved_in_file(
        &self,
        project: &Project,
        file: FileId,
    ) -> impl Iterator<Item = Unresolved<'_>> {
        self.unresolved_references().iter().filter(move |entry| match self.node(entry.source) {
            Node::File(source) => source == file,
            Node::Symbol(symbol) => project.symbol_file(symbol) == file,
            Node::External(_) => false,
        })
    }

    /// Checks that the graph has a node of this id.
    ///
    /// # Errors
    /// Returns an error if it has none.
    pub(crate) fn known(&self, node: NodeId) -> Result<(), UnknownNode> {
        if node.index() < self.node_count() { Ok(()) } else { Err(UnknownNode(node)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link;
    use crate::testing::project;

    const STORE: &str = "\
import json

class Store:
    def save(self):
        json.dumps(1)

    class Key:
        def save(self):
            pass


def save():
    pass
";

    #[test]
    fn nodes_are_found_by_file_kind_and_name() {
        let project = project(&[("a.py", "def load():\n    pass\n"), ("b/store.py", STORE)]);
        let graph = link(&project);
        let labels = |nodes: &mut dyn Iterator<Item = NodeId>| -> Vec<String> {
            nodes.map(|node| graph.label(&project, node)).collect()
        };
        let file = project.file_at("a.py").expect("a file of the project");
        assert_eq!(labels(&mut graph.nodes_in_file(&project, file)), ["a.py::load"]);
        let classes = labels(&mut graph.nodes_of_kind(&project, SymbolKind::Class));
        assert_eq!(classes, ["b/store.py::Store", "b/store.py::Store.Key"]);
        let saves = labels(&mut graph.nodes_named(&project, "save"));
        assert_eq!(saves, ["b/store.py::Store.save", "b/store.py::Store.Key.save", "b/store.py::save"]);
        assert_eq!(graph.nodes_of_kind(&project, SymbolKind::Trait).next(), None);
        for name in ["", "sav", "savee", "Save", "zzz"] {
            assert_eq!(graph.nodes_named(&project, name).count(), 0, "{name}");
        }
        assert_eq!(project.file_at("c.py"), None);
    }

    #[test]
    fn unresolved_references_are_found_by_file() {
        let project = project(&[("a.py", "gone()\n\ndef f():\n    lost()\n"), ("b.py", "missing()\n")]);
        let graph = link(&project);
        let names = |path: &str| {
            let file = project.file_at(path).expect("a file of the project");
            graph.unresolved_in_file(&project, file).map(|it| it.name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names("a.py"), ["gone", "lost"]);
        assert_eq!(names("b.py"), ["missing"]);
    }

    #[test]
    fn every_node_is_found_by_its_label() {
        let rust =
            "struct File;\nimpl File {\n    fn open() {}\n}\n#[cfg(unix)]\nfn twin() {}\nfn twin() {}\n";
        let project = project(&[("b/store.py", STORE), ("c::d.rs", rust)]);
        let graph = link(&project);
        for node in (0..graph.node_count()).map(NodeId::new) {
            let label = graph.label(&project, node);
            let found = graph.nodes_labeled(&project, &label);
            assert!(found.contains(&node), "{label}");
            assert!(found.iter().all(|found| graph.label(&project, *found) == label), "{label}");
        }
        assert_eq!(graph.nodes_labeled(&project, "c::d.rs::twin").len(), 2);
        assert_eq!(graph.nodes_labeled(&project, "c::d.rs::File").len(), 2, "the type and its block");
        for label in
            ["", "::", "b/store.py::", "b/store.py::ave", "b/store.py::Key.save", "json.dump", "store.py"]
        {
            assert_eq!(graph.nodes_labeled(&project, label), [], "{label}");
        }
    }
}
