//! Tests of an index that lives longer than one refresh.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex};

use sscg_index::{Index, IndexError, IndexOptions, Progress, Snapshot, Storage};

use crate::tree::{Tree, check_like_new, refresh};

#[test]
fn an_unchanged_tree_keeps_its_snapshot_and_readers_keep_theirs() {
    let tree = Tree::new(&[("a.py", "def one(): pass\n")]);
    let mut index = tree.open();
    let (first, report) = refresh(&mut index);
    assert_eq!((report.files, report.parsed), (1, 1));
    let (same, _) = refresh(&mut index);
    assert!(Arc::ptr_eq(&first, &same));

    tree.write("a.py", "def two(): pass\n");
    let (second, report) = refresh(&mut index);
    assert_eq!((report.files, report.parsed), (1, 1));
    assert_eq!(
        (first.project.definitions_named("one").count(), first.project.definitions_named("two").count()),
        (1, 0)
    );
    assert_eq!(
        (second.project.definitions_named("one").count(), second.project.definitions_named("two").count()),
        (0, 1)
    );
}

/// Returns the keys of the declarations of each name, ignoring case and underscores.
fn by_name(snapshot: &Snapshot, names: &[&str]) -> Vec<Vec<String>> {
    let project = &snapshot.project;
    let keys = |name: &&str| {
        project.definitions_named(name).map(|symbol| project.symbol_key(symbol)).collect::<Vec<_>>()
    };
    names.iter().map(keys).collect()
}

#[test]
fn names_are_found_after_each_edit() {
    let tree = Tree::new(&[("a.py", ""), ("b.py", "def two(): pass\ndef fly_away(): pass\n"), ("c.py", "")]);
    let many: String = (0..100).map(|n| format!("def f{n}(): pass\n")).collect();
    let edits = [
        ("b.py", "def flyAway(): pass\n"),
        ("a.py", "class Two:\n    def fly_away(self): pass\n\ndef one(): pass\n"),
        ("c.py", "def one(): pass\ndef one(): pass\n"),
        ("a.py", "def one():\n    return 1\n"),
        ("b.py", ""),
        ("c.py", &many),
        ("a/d.py", "def two(): pass\n"),
        ("b.py", "def f7(): pass\n"),
        ("c.py", "def two(): pass\n"),
    ];
    let names = ["one", "two", "flyaway", "f7", "f99"];
    let mut index = tree.open();
    by_name(&refresh(&mut index).0, &names);
    for (path, text) in edits {
        tree.write(path, text);
        let (snapshot, _) = refresh(&mut index);
        let options = IndexOptions::default().with_storage(Storage::Ephemeral);
        let (new, _) = refresh(&mut Index::open(&tree.root(), &options).expect("the tree exists"));
        assert_eq!(by_name(&snapshot, &names), by_name(&new, &names), "after {path} became {text}");
    }
}

#[test]
fn what_an_open_index_learned_is_there_for_others_once_it_is_saved() {
    let tree = Tree::new(&[("a.py", "def one(): pass\n"), ("b.py", "def two(): pass\n")]);
    let mut index = tree.open();
    refresh(&mut index);
    tree.write("a.py", "def three(): pass\n");
    assert_eq!(refresh(&mut index).1.parsed, 1);
    index.save().expect("writable");
    assert_eq!(refresh(&mut tree.open()).1.parsed, 0);
}

#[test]
fn a_package_that_changes_its_name_is_linked_anew() {
    let tree = Tree::new(&[
        ("app/src/main.rs", "fn main() { engine::start(); }\n"),
        ("app/Cargo.toml", "[package]\nname = \"app\"\n"),
        ("lib/src/lib.rs", "pub fn start() {}\n"),
        ("lib/Cargo.toml", "[package]\nname = \"other\"\n"),
    ]);
    let mut index = tree.open();
    let edges = |index: &mut sscg_index::Index| {
        let (snapshot, _) = refresh(index);
        let calls = |edge: &&sscg_graph::Edge| edge.relation == sscg_core::Relation::Calls;
        let in_project = |edge: &&sscg_graph::Edge| {
            !matches!(snapshot.graph.node(edge.target), sscg_graph::Node::External(_))
        };
        snapshot.graph.edges().iter().filter(calls).filter(in_project).count()
    };
    assert_eq!(edges(&mut index), 0);
    tree.write("lib/Cargo.toml", "[package]\nname = \"engine\"\n");
    assert_eq!(edges(&mut index), 1);
}

#[test]
fn source_is_that_of_the_snapshot_or_none() {
    let tree = Tree::new(&[("a.py", "def one(): pass\n")]);
    let (snapshot, _) = refresh(&mut tree.open());
    let file = snapshot.project.files().ids().next().expect("one file");
    assert_eq!(snapshot.source(file).as_deref(), Some("def one(): pass\n"));
    tree.write("a.py", "def two(): pass\n");
    assert_eq!(snapshot.source(file), None);
}

#[test]
fn a_store_that_goes_damaged_meanwhile_is_replaced() {
    let tree = Tree::new(&[("a.py", "def one(): pass\n")]);
    let mut index = tree.open();
    refresh(&mut index);
    let store = Path::new(&index.store().expect("on disk").place()).join("facts-v2.redb");
    fs::write(&store, b"garbage").expect("writable");
    tree.write("b.py", "def two(): pass\n");
    let (snapshot, report) = index.refresh().expect("memory has no limit");
    assert_eq!((report.files, report.parsed, report.warnings.len()), (2, 1, 1));
    assert_eq!(snapshot.project.definitions_named("two").count(), 1);
    assert_eq!(refresh(&mut tree.open()).1.files, 2);
}

/// Checks that one file can be indexed, and that a good file beside it is found.
fn check_nesting(name: &str, text: &str) {
    let tree = Tree::new(&[(name, text), ("good.py", "def good(): pass\n")]);
    let (snapshot, report) = refresh(&mut tree.open());
    assert_eq!((report.files, report.parsed), (2, 2), "{name}");
    assert_eq!(snapshot.project.definitions_named("good").count(), 1, "{name}");
    assert!(Path::new(&snapshot.root).is_absolute());
}

#[test]
fn brackets_without_end_do_not_exhaust_the_stack() {
    for name in ["deep.ts", "deep.tsx", "deep.js", "deep.py", "deep.rs"] {
        for open in ["[", "(", "{"] {
            check_nesting(name, &open.repeat(100_000));
        }
        check_nesting(name, &format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)));
    }
    // Exceeds the size that the stacks of the pool are made for.
    check_nesting("deep.ts", &"(".repeat(300_000));
}

#[test]
fn chains_without_end_do_not_exhaust_the_stack() {
    let calls = ".then(f)".repeat(20_000);
    check_nesting("chain.ts", &format!("a{calls};\n"));
    check_nesting("chain.py", &format!("a{calls}\n"));
    check_nesting("chain.rs", &format!("fn f() {{ a{calls}; }}\n"));
    let branches = "if (a) { b } else ".repeat(20_000);
    check_nesting("ladder.ts", &format!("{branches}{{}}\n"));
    check_nesting("ladder.rs", &format!("fn f() {{ {branches}{{}} }}\n"));
    check_nesting("ladder.py", &format!("if a:\n  b\n{}", "elif a:\n  b\n".repeat(20_000)));
}

#[test]
fn declarations_without_end_do_not_exhaust_stack_or_time() {
    check_nesting("deep.ts", &format!("{}{}", "function f() {".repeat(20_000), "}".repeat(20_000)));
    check_nesting("deep.ts", &format!("{}{}", "namespace n {".repeat(20_000), "}".repeat(20_000)));
    check_nesting("deep.rs", &format!("{}{}", "mod m {".repeat(20_000), "}".repeat(20_000)));
    let classes: Vec<String> = (0..1_400).map(|depth| format!("{}class C:\n", " ".repeat(depth))).collect();
    check_nesting("deep.py", &classes.concat());
}

#[test]
fn an_update_reports_its_phases_in_order() {
    let tree = Tree::new(&[("a.py", "def one(): pass\n"), ("b.py", "def two(): pass\n")]);
    let told = Mutex::new(Vec::new());
    let observer = |progress| {
        told.lock().expect("no panic").push(progress);
        ControlFlow::Continue(())
    };
    let mut index = tree.open();
    index.refresh_with_progress(&observer).expect("it goes on");
    let mut phases = std::mem::take(&mut *told.lock().expect("no panic"));
    // The second of two threads may report first.
    phases.sort_by_key(|progress| progress.counts());
    let parsing = |done| Progress::Parsing { done, total: 2 };
    assert_eq!(phases, [Progress::Reading, Progress::Linking, parsing(0), parsing(1), parsing(2)]);
    index.refresh_with_progress(&observer).expect("it goes on");
    assert_eq!(*told.lock().expect("no panic"), [Progress::Reading], "nothing has changed");
}

/// Returns an observer that cancels once `count` texts are parsed.
fn cancels_at(count: usize) -> impl Fn(Progress) -> ControlFlow<()> + Sync {
    move |progress| match progress {
        Progress::Parsing { done, .. } if done >= count => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    }
}

#[test]
fn an_update_canceled_before_it_links_keeps_its_facts() {
    let tree = Tree::new(&[("a.py", "def one(): pass\n"), ("b.py", "def two(): pass\n")]);
    let observer = |progress| match progress {
        Progress::Linking => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    tree.open().refresh_with_progress(&observer).expect_err("it is canceled");
    let (_, report) = tree.index();
    assert_eq!((report.files, report.parsed), (2, 0));
}

#[test]
fn a_canceled_update_keeps_what_is_done() {
    // Few files are written with the manifest, many batch by batch.
    for (files, parsed) in [(8, 3), (100, 40)] {
        let tree = Tree::new(&[]);
        (0..files).for_each(|n| tree.write(&format!("f{n}.py"), &format!("def f{n}(): pass\n")));
        let mut index = tree.open();
        let canceled = index.refresh_with_progress(&cancels_at(parsed)).expect_err("it is canceled");
        assert!(matches!(canceled, IndexError::Canceled), "{canceled}");
        let (_, report) = tree.index();
        assert_eq!(report.files, files);
        // Other threads finish the texts that they have begun.
        assert!((1..=files - parsed).contains(&report.parsed), "{report:?}");
        // The canceled index itself goes on, too.
        assert_eq!(refresh(&mut index).0.project.files().len(), files);

        // A canceled update of an open index leaves the previous state.
        tree.write("new.py", "def new(): pass\n");
        index.refresh_with_progress(&cancels_at(1)).expect_err("it is canceled");
        let (snapshot, report) = refresh(&mut index);
        assert_eq!((snapshot.project.files().len(), report.parsed), (files + 1, 0));
        check_like_new(&snapshot);
    }
}
