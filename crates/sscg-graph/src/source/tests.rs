use std::sync::Arc;

use proptest::prelude::*;
use sscg_core::{Confidence, FileId, Id, NodeId, Project, Provenance, Relation};

use super::*;
use crate::conformance::check_edge_source;
use crate::graph::{ExternalSymbol, Node, Origin};
use crate::testing::{functions, project};

/// Hash of every text in these tests, unless it is another one.
const HASH: [u8; 32] = [1; 32];

/// Creates the occurrences of one file: line, name, and site of the declaration as path, line and name.
fn occurrences(path: &str, found: &[(u32, &str, (&str, u32, &str))]) -> Occurrences {
    let mut occurrences = Occurrences::new(Provenance::Scip);
    let mut in_file = Vec::new();
    for (line, name, (path, at, declared)) in found {
        let site = DeclarationSite { path: (*path).into(), line: *at, name: (*declared).into() };
        in_file.push(Occurrence {
            line: *line,
            name: (*name).into(),
            target: occurrences.targets.len() as u32,
        });
        occurrences.targets.push(Target::Declared(vec![site]));
    }
    occurrences.files.push(FileOccurrences { path: path.into(), hash: HASH, occurrences: in_file });
    occurrences.compact();
    occurrences
}

fn apply(project: &Project, occurrences: &Occurrences) -> Applied {
    check_edge_source(occurrences, project, &|_| Some(HASH));
    occurrences.apply(&SourceTree::new(project, &|_| Some(HASH)), Arc::new(link(project)))
}

/// Lists the edges with a relation as `target confidence provenance @lines`.
fn edges(project: &Project, graph: &CodeGraph, relation: Relation) -> Vec<String> {
    let nodes = (0..graph.node_count()).map(NodeId::new);
    let sites = nodes.flat_map(|node| graph.sites_at(node, crate::Direction::Outgoing));
    sites
        .filter(|edge| edge.relation == relation)
        .map(|edge| {
            let (target, provenance) = (graph.label(project, edge.target), edge.provenance.as_str());
            format!("{target} {} {provenance} @{}", edge.confidence, edge.line)
        })
        .collect()
}

fn unresolved(graph: &CodeGraph) -> Vec<&str> {
    graph.unresolved_references().iter().map(|entry| entry.name).collect()
}

fn counts(Comparison { agreed, decided, added, contradicted, stale, unused }: &Comparison) -> [usize; 6] {
    [*agreed, *decided, *added, contradicted.len(), *stale, *unused]
}

/// Methods of two classes with one name, called on a value of unknown type.
const AMBIGUOUS: &str = "\
class A:
    def grow(self):
        pass

class B:
    def grow(self):
        pass

def f(x):
    x.grow()
";

#[test]
fn an_edge_that_both_found_is_exact() {
    let text = "class A:\n    def grow(self):\n        pass\n\ndef f(x):\n    x.grow()\n";
    let project = project(&[("a.py", text)]);
    let before = link(&project);
    assert_eq!(edges(&project, &before, Relation::Calls), ["a.py::A.grow inferred name @6"]);
    let applied = apply(&project, &occurrences("a.py", &[(6, "grow", ("a.py", 2, "grow"))]));
    assert_eq!(edges(&project, &applied.graph, Relation::Calls), ["a.py::A.grow exact scip @6"]);
    assert_eq!(counts(&applied.comparison), [1, 0, 0, 0, 0, 0]);
}

#[test]
fn one_of_several_candidates_is_decided() {
    let project = project(&[("a.py", AMBIGUOUS)]);
    let before = edges(&project, &link(&project), Relation::Calls);
    assert_eq!(before, ["a.py::A.grow ambiguous name @10", "a.py::B.grow ambiguous name @10"]);
    let applied = apply(&project, &occurrences("a.py", &[(10, "grow", ("a.py", 6, "grow"))]));
    assert_eq!(edges(&project, &applied.graph, Relation::Calls), ["a.py::B.grow exact scip @10"]);
    assert_eq!(counts(&applied.comparison), [0, 1, 0, 0, 0, 0]);
}

#[test]
fn an_unresolved_use_gets_an_edge_and_leaves_the_list() {
    let text =
        "class A:\n    def append(self, it):\n        pass\n\ndef f(x):\n    x.append(1)\n    x.lost()\n";
    let project = project(&[("a.py", text)]);
    assert_eq!(unresolved(&link(&project)), ["append", "lost"]);
    let applied = apply(&project, &occurrences("a.py", &[(6, "append", ("a.py", 2, "append"))]));
    assert_eq!(edges(&project, &applied.graph, Relation::Calls), ["a.py::A.append exact scip @6"]);
    assert_eq!(unresolved(&applied.graph), ["lost"]);
    assert_eq!(counts(&applied.comparison), [0, 0, 1, 0, 0, 0]);
}

#[test]
fn an_edge_to_another_declaration_is_replaced_and_listed() {
    let text = "\
class A:
    def grow(self):
        pass

class B:
    def grow(self):
        pass

def f(a: A):
    a.grow()
";
    let project = project(&[("a.py", text)]);
    let applied = apply(&project, &occurrences("a.py", &[(10, "grow", ("a.py", 6, "grow"))]));
    assert_eq!(edges(&project, &applied.graph, Relation::Calls), ["a.py::B.grow exact scip @10"]);
    let contradiction = Contradiction {
        path: "a.py".into(),
        line: 10,
        name: "grow".into(),
        relation: Relation::Calls,
        before: vec!["a.py::A.grow".to_owned()],
        after: "a.py::B.grow".to_owned(),
    };
    assert_eq!(applied.comparison.contradicted, [contradiction]);
}

#[test]
fn a_class_that_replaces_a_function_is_constructed_not_called() {
    let text = "\
class A:
    def grow(self):
        pass

class B:
    class grow:
        pass

def f(a: A):
    a.grow()
";
    let project = project(&[("a.py", text)]);
    let applied = apply(&project, &occurrences("a.py", &[(10, "grow", ("a.py", 6, "grow"))]));
    assert_eq!(edges(&project, &applied.graph, Relation::Instantiates), ["a.py::B.grow exact scip @10"]);
    assert!(edges(&project, &applied.graph, Relation::Calls).is_empty());
}

#[test]
fn references_of_one_name_on_a_line_are_compared_together() {
    let text = "class A:\n    def grow(self):\n        pass\n\nclass B:\n    def grow(self):\n        pass\n\ndef f(a: A, b: B):\n    a.grow(b.grow())\n";
    let project = project(&[("a.py", text)]);
    let both = [(10, "grow", ("a.py", 2, "grow")), (10, "grow", ("a.py", 6, "grow"))];
    let applied = apply(&project, &occurrences("a.py", &both));
    assert_eq!(counts(&applied.comparison), [2, 0, 0, 0, 0, 0]);
    // The other reference may have been left out.
    let applied = apply(&project, &occurrences("a.py", &both[..1]));
    assert_eq!(counts(&applied.comparison), [1, 0, 0, 0, 0, 0]);
    assert_eq!(*applied.graph, link(&project));
    // Two references lead to one declaration.
    let applied = apply(&project, &occurrences("a.py", &[both[0], both[0]]));
    assert_eq!(counts(&applied.comparison), [1, 0, 0, 0, 0, 0]);
}

#[test]
fn a_class_stands_for_its_constructor_and_a_signature_for_its_function() {
    let text = "class A:\n    def __init__(self):\n        pass\n\ndef f():\n    A()\n";
    let python = project(&[("a.py", text)]);
    for target in [("a.py", 1, "A"), ("a.py", 2, "__init__")] {
        let applied = apply(&python, &occurrences("a.py", &[(6, "A", target)]));
        assert_eq!(counts(&applied.comparison), [1, 0, 0, 0, 0, 0], "{target:?}");
    }
    let text = "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any) {}\nf(1);\n";
    let typescript = project(&[("a.ts", text)]);
    for line in 1..=3 {
        let applied = apply(&typescript, &occurrences("a.ts", &[(4, "f", ("a.ts", line, "f"))]));
        assert_eq!(counts(&applied.comparison), [1, 0, 0, 0, 0, 0], "{line}");
    }
}

#[test]
fn another_text_makes_occurrences_stale() {
    let project =
        project(&[("a.py", "def f():\n    pass\n"), ("b.py", "from a import f\n\ndef g(x):\n    x.f()\n")]);
    let mut found = occurrences("b.py", &[(4, "f", ("a.py", 1, "f"))]);
    assert_eq!(counts(&apply(&project, &found).comparison)[..5], [0, 0, 1, 0, 0]);
    let declares = FileOccurrences { path: "a.py".into(), hash: [2; 32], occurrences: Vec::new() };
    found.files.push(declares.clone());
    found.sort();
    let applied = apply(&project, &found);
    assert_eq!(counts(&applied.comparison), [0, 0, 0, 0, 1, 0]);
    assert_eq!(*applied.graph, link(&project));
    found.files[0].hash = HASH;
    found.files[1].hash = [2; 32];
    assert_eq!(counts(&apply(&project, &found).comparison), [0, 0, 0, 0, 1, 0]);
}

#[test]
fn a_name_without_a_reference_gets_no_edge() {
    let text = "def f():\n    pass\n\ndef g(f):\n    f = 1\n    return f\n";
    let project = project(&[("a.py", text)]);
    let mut found = occurrences(
        "a.py",
        &[(5, "f", ("a.py", 4, "f")), (2, "pass", ("a.py", 1, "f")), (9, "f", ("a.py", 1, "f"))],
    );
    let applied = apply(&project, &found);
    assert_eq!(counts(&applied.comparison), [0, 0, 0, 0, 0, 3]);
    assert_eq!(*applied.graph, link(&project));
    assert_eq!(found.retain_references(&project), 3);
    assert!(found.is_empty());
}

#[test]
fn external_targets_confirm_resolve_and_replace() {
    let text = "import os\n\ndef f(x):\n    os.getcwd()\n    x.append(1)\n    g()\n\ndef g():\n    pass\n";
    let project = project(&[("a.py", text)]);
    let mut found =
        occurrences("a.py", &[(4, "getcwd", ("", 0, "")), (5, "append", ("", 0, "")), (6, "g", ("", 0, ""))]);
    let external = |name: &str| Target::External(ExternalSymbol::new(name, Origin::StandardLibrary));
    found.targets = vec![external("posix.getcwd"), external("builtins.list.append"), external("gi.g")];
    for (at, occurrence) in found.files[0].occurrences.iter_mut().enumerate() {
        occurrence.target = at as u32;
    }
    let applied = apply(&project, &found);
    assert_eq!(counts(&applied.comparison), [1, 0, 1, 1, 0, 0]);
    assert_eq!(
        edges(&project, &applied.graph, Relation::Calls),
        ["builtins.list.append exact scip @5", "gi.g exact scip @6", "os.getcwd exact flow @4"]
    );
    assert!(applied.graph.externals().is_sorted());
}

#[test]
fn a_variable_that_is_called_may_hold_any_function() {
    let text = "class A:\n    def __init__(self, run):\n        self.run = run\n\ndef f(a):\n    a.run()\n";
    let project = project(&[("a.py", text)]);
    let applied = apply(&project, &occurrences("a.py", &[(6, "run", ("a.py", 3, "run"))]));
    let calls = edges(&project, &applied.graph, Relation::Calls);
    assert!(calls.iter().all(|call| !call.contains("exact")), "{calls:?}");
}

#[test]
fn newer_occurrences_replace_those_of_the_same_files() {
    let mut known = occurrences("a.py", &[(1, "f", ("b.py", 1, "f")), (2, "g", ("b.py", 3, "g"))]);
    known.update(occurrences("c.py", &[(1, "f", ("b.py", 1, "f"))]));
    assert_eq!((known.len(), known.targets.len()), (3, 2));
    known.update(occurrences("a.py", &[(7, "h", ("b.py", 5, "h"))]));
    let paths: Vec<&str> = known.files.iter().map(|file| &*file.path).collect();
    assert_eq!((paths, known.len(), known.targets.len()), (vec!["a.py", "c.py"], 2, 2));
    let Target::Declared(sites) = &known.targets[known.files[0].occurrences[0].target as usize] else {
        panic!("a declaration")
    };
    assert_eq!((&*sites[0].name, sites[0].line), ("h", 5));
}

#[test]
fn the_linker_is_a_source() {
    let project = project(&[("a.py", AMBIGUOUS)]);
    check_edge_source(&LinkerSource, &project, &|_: FileId| None);
    let nothing = Arc::new(CodeGraph::default());
    let applied = LinkerSource.apply(&SourceTree::new(&project, &|_| None), nothing);
    assert_eq!(*applied.graph, link(&project));
}

proptest! {
    #[test]
    fn edges_of_the_linker_agree_with_themselves(calls in prop::collection::vec((0..6_usize, 0..6_usize), 0..20)) {
        let project = functions(6, &calls);
        let graph = link(&project);
        let mut found = Vec::new();
        for edge in graph.edges().iter().filter(|edge| edge.relation == Relation::Calls) {
            let Node::Symbol(callee) = graph.node(edge.target) else { unreachable!("functions call functions") };
            let symbol = project.symbol(callee);
            found.push((edge.line, symbol.name.to_string(), symbol.name_line));
        }
        let sites: Vec<_> = found.iter().map(|(line, name, at)| (*line, name.as_str(), ("f.py", *at, name.as_str()))).collect();
        let applied = apply(&project, &occurrences("f.py", &sites));
        prop_assert_eq!(counts(&applied.comparison), [found.len(), 0, 0, 0, 0, 0]);
        prop_assert!(applied.graph.edges().iter().all(|edge| edge.confidence == Confidence::Exact));
        prop_assert_eq!(&*applied.graph, &graph);
    }
}

#[test]
fn the_key_of_an_object_is_no_reference_and_a_bound_name_stays() {
    let text = "\
interface Options { cancel(): void; error: string }
interface Failed { error: string }
function make(failed: Failed): Options {
  const cancel = () => {}
  return { error: failed.error, cancel }
}
";
    let project = project(&[("a.ts", text)]);
    let before = link(&project);
    let keys = [
        (5, "error", ("a.ts", 1, "error")),
        (5, "error", ("a.ts", 2, "error")),
        (5, "cancel", ("a.ts", 1, "cancel")),
    ];
    let applied = apply(&project, &occurrences("a.ts", &keys));
    assert_eq!(counts(&applied.comparison), [1, 0, 0, 0, 0, 2]);
    assert_eq!(applied.graph.edges().len(), before.edges().len());
    let reads = edges(&project, &applied.graph, Relation::ReadsFrom);
    assert_eq!(reads, ["a.ts::Failed.error exact resolver @5"]);
}

#[test]
fn a_target_that_is_not_known_decides_nothing() {
    let text = "class A:\n    def grow(self):\n        pass\n\nclass B:\n    def grow(self):\n        pass\n\ndef f(a: A, b):\n    a.grow(b.grow())\n";
    let project = project(&[("a.py", text)]);
    let found = [(10, "grow", ("a.py", 6, "grow")), (10, "grow", ("a.py", 9, "b"))];
    let applied = apply(&project, &occurrences("a.py", &found));
    assert!(applied.comparison.contradicted.is_empty());
    let calls = edges(&project, &applied.graph, Relation::Calls);
    assert!(calls.contains(&"a.py::A.grow exact flow @10".to_owned()), "{calls:?}");
}
