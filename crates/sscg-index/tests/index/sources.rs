//! Tests of edges from other sources than the linker.

use std::fs;
use std::sync::Arc;

use sscg_core::{Confidence, Provenance, Relation};
use sscg_graph::{
    Applied, CodeGraph, DeclarationSite, Edge, EdgeSource, FileOccurrences, Occurrence, Occurrences,
    SourceTree, Target,
};
use sscg_index::{Index, IndexOptions, Snapshot, Storage};

use crate::tree::{Tree, check_like_new, refresh};

const CALLER: &str = "from callees import A, B\n\ndef run(x):\n    x.grow()\n";
const CALLEES: &str = "class A:\n    def grow(self): pass\n\nclass B:\n    def grow(self): pass\n";

fn tree() -> Tree {
    Tree::new(&[("caller.py", CALLER), ("callees.py", CALLEES), ("other.py", "def other(): pass\n")])
}

/// Returns what a program found in the trees of these tests: the call is one of `B.grow`.
fn found() -> Occurrences {
    let hash = |text: &str| *blake3::hash(text.as_bytes()).as_bytes();
    let mut found = Occurrences::new(Provenance::Scip);
    let site = DeclarationSite { path: "callees.py".into(), line: 5, name: "grow".into() };
    found.targets.push(Target::Declared(vec![site]));
    let call = Occurrence { line: 4, name: "grow".into(), target: 0 };
    for (path, text, occurrences) in [("caller.py", CALLER, vec![call]), ("callees.py", CALLEES, Vec::new())]
    {
        found.files.push(FileOccurrences { path: path.into(), hash: hash(text), occurrences });
    }
    found.sort();
    found
}

/// Returns the calls as `target confidence provenance`.
fn calls(snapshot: &Snapshot) -> Vec<String> {
    let calls = snapshot.graph.edges().iter().filter(|edge| edge.relation == Relation::Calls);
    let label = |edge: &Edge| snapshot.graph.label(&snapshot.project, edge.target);
    calls.map(|edge| format!("{} {} {}", label(edge), edge.confidence, edge.provenance.as_str())).collect()
}

const DECIDED: [&str; 1] = ["callees.py::B.grow exact scip"];
const LINKED: [&str; 2] = ["callees.py::A.grow ambiguous name", "callees.py::B.grow ambiguous name"];

#[test]
fn what_a_program_found_is_applied_by_every_process_until_it_is_forgotten() {
    let tree = tree();
    let mut index = tree.open();
    assert_eq!(calls(&refresh(&mut index).0), LINKED);
    index.import(found()).expect("writable");
    let (snapshot, _) = refresh(&mut index);
    assert_eq!(calls(&snapshot), DECIDED);
    let [(Provenance::Scip, comparison)] = &*snapshot.comparisons else { panic!("one source") };
    assert_eq!((comparison.decided, comparison.agreed, comparison.stale), (1, 0, 0));
    let (same, _) = refresh(&mut index);
    assert!(Arc::ptr_eq(&snapshot, &same));
    index.save().expect("writable");

    let mut other = tree.open();
    assert_eq!(calls(&refresh(&mut other).0), DECIDED);
    assert!(other.forget(Provenance::Scip).expect("writable"));
    assert!(!other.forget(Provenance::Scip).expect("writable"));
    let (snapshot, _) = refresh(&mut other);
    assert_eq!((calls(&snapshot), snapshot.comparisons.len()), (LINKED.map(String::from).to_vec(), 0));
    check_like_new(&snapshot);
    // The first process finds that it is gone.
    assert_eq!(calls(&refresh(&mut index).0), LINKED);
}

#[test]
fn an_edit_elsewhere_keeps_it_and_an_edit_of_either_end_suspends_it() {
    let tree = tree();
    let mut index = tree.open();
    refresh(&mut index);
    index.import(found()).expect("writable");
    assert_eq!(calls(&refresh(&mut index).0), DECIDED);
    for (path, before, after, expected) in [
        ("other.py", "def other(): pass\n", "def changed(): pass\n", &DECIDED[..]),
        (
            "caller.py",
            CALLER,
            "from callees import A, B\n\ndef run(x):\n    # Later.\n    x.grow()\n",
            &LINKED[..],
        ),
        (
            "callees.py",
            CALLEES,
            "# Two classes.\n\nclass A:\n    def grow(self): pass\n\nclass B:\n    def grow(self): pass\n",
            &LINKED[..],
        ),
    ] {
        tree.write(path, after);
        assert_eq!(calls(&refresh(&mut index).0), expected, "{path}");
        // A new process continues from the stored graph of the linker.
        drop(std::mem::replace(&mut index, tree.open()));
        assert_eq!(calls(&refresh(&mut index).0), expected, "{path}");
        tree.write(path, before);
        assert_eq!(calls(&refresh(&mut index).0), DECIDED, "{path}");
    }
    index.forget(Provenance::Scip).expect("writable");
    check_like_new(&refresh(&mut index).0);
}

#[test]
fn damaged_results_are_a_warning_and_garbage_collection_keeps_whole_ones() {
    let tree = tree();
    let mut index = tree.open();
    refresh(&mut index);
    index.import(found()).expect("writable");
    let store = Arc::clone(index.store().expect("on disk"));
    drop(index);
    store.collect_garbage(0).expect("the store is whole");
    assert_eq!(calls(&refresh(&mut tree.open()).0), DECIDED);

    let is_ours = |path: &std::path::Path| path.extension().is_some_and(|it| it == "occurrences");
    let mut paths = fs::read_dir(store.place()).expect("it was made").map(|it| it.expect("readable").path());
    let path = paths.find(|path| is_ours(path)).expect("it was written");
    fs::write(&path, "damaged, and long enough for a hash").expect("ours");
    let (snapshot, report) = tree.open().refresh().expect("memory has no limit");
    assert_eq!(calls(&snapshot), LINKED);
    assert!(report.warnings[0].contains("import them again"), "{:?}", report.warnings);
}

/// Calls `other` from every function `run`.
#[derive(Debug)]
struct Plugin;

impl EdgeSource for Plugin {
    fn provenance(&self) -> Provenance {
        Provenance::Resolver
    }

    fn apply(&self, tree: &SourceTree<'_>, graph: Arc<CodeGraph>) -> Applied {
        let Some(target) = graph.nodes_named(tree.project, "other").next() else {
            return Applied::unchanged(graph);
        };
        let runs = graph.nodes_named(tree.project, "run");
        let edges = runs.map(|run| Edge::new(run, target, Relation::Calls, 1, self.provenance()));
        let graph = graph.with_edges(tree.project, edges.collect::<Vec<_>>()).expect("nodes of the graph");
        Applied::unchanged(Arc::new(graph))
    }
}

#[test]
fn custom_sources_are_applied_after_each_change() {
    let tree = tree();
    let options =
        IndexOptions::default().with_storage(Storage::Ephemeral).with_edge_sources(vec![Arc::new(Plugin)]);
    let mut index = Index::open(&tree.root(), &options).expect("the tree exists");
    let has_edge = |snapshot: &Snapshot| {
        let edges = snapshot.graph.edges().iter().filter(|edge| edge.confidence == Confidence::Exact);
        edges.filter(|edge| edge.relation == Relation::Calls).count()
    };
    assert_eq!(has_edge(&refresh(&mut index).0), 1);
    tree.write("more.py", "def run(): pass\n");
    assert_eq!(has_edge(&refresh(&mut index).0), 2);
    tree.write("other.py", "");
    assert_eq!(has_edge(&refresh(&mut index).0), 0);
}
