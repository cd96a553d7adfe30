use proptest::prelude::*;

use super::*;
use crate::link;
use crate::testing::{functions, project};

fn nodes(graph: &CodeGraph) -> impl Iterator<Item = NodeId> + use<> {
    (0..graph.node_count()).map(NodeId::new)
}

proptest! {
    #[test]
    fn both_directions_hold_every_edge_once(
        calls in proptest::collection::vec((0..9_usize, 0..9_usize), 0..30),
    ) {
        let graph = link(&functions(9, &calls));
        let key = |edge: &Edge| (edge.source, edge.target, edge.relation, edge.line);
        let all: Vec<_> = graph.edges().iter().map(key).collect();
        prop_assert!(all.is_sorted());
        let mut outgoing = Vec::new();
        for node in nodes(&graph) {
            outgoing.extend(graph.edges_at(node, Direction::Outgoing).map(key));
        }
        prop_assert_eq!(&outgoing, &all);
        let mut incoming = Vec::new();
        for node in nodes(&graph) {
            let edges = graph.edges_at(node, Direction::Incoming);
            prop_assert_eq!(edges.len(), edges.filter(|edge| edge.target == node).count());
            let sources: Vec<_> = graph.edges_at(node, Direction::Incoming).map(|edge| edge.source).collect();
            prop_assert!(sources.is_sorted());
            incoming.extend(graph.edges_at(node, Direction::Incoming).map(key));
        }
        incoming.sort_unstable();
        prop_assert_eq!(incoming, all);
    }
}

#[test]
fn nodes_and_ids_are_each_others_inverse() {
    let graph = link(&project(&[("a.py", "import os\n\ndef f():\n    os.getcwd()\n")]));
    assert_eq!(graph.externals().len(), 2);
    for id in nodes(&graph) {
        assert_eq!(graph.id(graph.node(id)), id);
    }
}

#[test]
fn of_equal_edges_the_surest_stays_with_its_first_line() {
    let text = "class A:\n    def grow(self):\n        pass\n\n\ndef f(x, a: A):\n    x.grow()\n    a.grow()\n    a.grow()\n";
    let project = project(&[("a.py", text)]);
    let graph = link(&project);
    let calls: Vec<_> = graph.edges().iter().filter(|edge| edge.relation == Relation::Calls).collect();
    assert_eq!(calls.len(), 1);
    assert_eq!((calls[0].confidence, calls[0].line), (Confidence::Exact, 8));
    let sites = graph.sites_at(calls[0].target, Direction::Incoming);
    let sites: Vec<_> = sites
        .filter(|site| site.relation == Relation::Calls)
        .map(|site| (site.line, site.confidence))
        .collect();
    assert_eq!(sites, [(8, Confidence::Exact), (7, Confidence::Inferred), (9, Confidence::Exact)]);
}

#[test]
fn unresolved_references_are_found_by_name() {
    let graph = link(&project(&[("a.py", "def f():\n    lost()\n    gone()\n    lost()\n")]));
    assert_eq!(graph.unresolved("lost").map(|entry| entry.line).collect::<Vec<_>>(), [2, 4]);
    assert_eq!(graph.unresolved("los").len(), 0);
    assert_eq!(graph.unresolved_references().len(), 3);
}

/// Returns the ambiguous edges from `main`, as targets with the number of candidates, and the unresolved calls there.
fn unsure(path: &str, text: &str) -> (Vec<(String, u16)>, Vec<String>) {
    let project = project(&[(path, text)]);
    let graph = link(&project);
    let main = graph.nodes_labeled(&project, &format!("{path}::main"));
    let edges = graph.edges_at(main[0], Direction::Outgoing);
    let edges = edges.filter(|edge| edge.confidence == Confidence::Ambiguous);
    let edges = edges.map(|edge| (graph.label(&project, edge.target), edge.candidates)).collect();
    let open = graph.unresolved_references().iter().filter(|it| it.source == main[0]);
    (edges, open.map(|it| format!("{}: {}", it.name, it.reason)).collect())
}

#[test]
fn overrides_beyond_the_limit_are_told() {
    let subtypes = |count: usize| {
        let class = |nth| format!("class S{nth}(Base):\n    def run(self):\n        pass\n\n");
        let classes: String = (0..count).map(class).collect();
        format!(
            "class Base:\n    def run(self):\n        pass\n\n{classes}def main(base: Base):\n    base.run()\n"
        )
    };
    let (edges, open) = unsure("a.py", &subtypes(40));
    assert_eq!(edges.len(), 40);
    assert!(edges.iter().all(|(_, candidates)| *candidates == 40), "{edges:?}");
    assert!(open.is_empty(), "{open:?}");
    let (edges, open) = unsure("a.py", &subtypes(70));
    assert_eq!(edges.len(), 64);
    assert_eq!(open, ["run: too many steps or results"]);
}

#[test]
fn stores_beyond_the_limit_are_told() {
    let stores = |count: usize| {
        let function = |nth| format!("def f{nth}():\n    pass\n\nTABLE['k{nth}'] = f{nth}\n\n");
        let functions: String = (0..count).map(function).collect();
        format!("TABLE = {{}}\n\n{functions}def main(key):\n    TABLE[key]()\n")
    };
    assert_eq!(unsure("a.py", &stores(40)).1, [""; 0]);
    assert_eq!(unsure("a.py", &stores(70)).1, ["__call__: too many steps or results"]);
}

#[test]
fn members_beyond_the_limit_are_told() {
    let members = |count: usize| {
        let function = |nth| format!("function f{nth}() {{}}\nTABLE.k{nth} = f{nth};\n");
        let functions: String = (0..count).map(function).collect();
        format!("const TABLE = {{}};\n{functions}function main(key) {{\n  TABLE[key]();\n}}\n")
    };
    assert_eq!(unsure("a.js", &members(40)).1, [""; 0]);
    assert_eq!(unsure("a.js", &members(70)).1, ["(): too many steps or results"]);
}
