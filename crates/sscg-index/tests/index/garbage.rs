//! Tests of garbage collection.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sscg_index::{Collected, Store, stores};

use crate::tree::{Tree, refresh, set_age};

const DAY: u64 = 86_400;

/// Creates two trees in one repository that share one of their files. Returns the directory of the second one, too.
fn two_trees() -> (Tree, PathBuf) {
    let shared = "def shared():\n    pass\n";
    let tree = Tree::new(&[(".git/HEAD", ""), ("shared.py", shared), ("own.py", "def own():\n    pass\n")]);
    let second = tree.root().join(".git/second");
    fs::create_dir(&second).expect("ours");
    fs::write(second.join("shared.py"), shared).expect("ours");
    fs::write(second.join("other.py"), "def other():\n    pass\n").expect("ours");
    assert_eq!(refresh(&mut tree.open()).1.parsed, 2);
    assert_eq!(refresh(&mut tree.open_tree(&second)).1.parsed, 1);
    (tree, second)
}

fn store(tree: &Tree) -> Arc<dyn Store> {
    Arc::clone(tree.open().store().expect("on disk"))
}

/// Returns the numbers of removed trees, facts and vectors.
fn collect(store: &dyn Store, unused_days: u32) -> (usize, usize, usize) {
    let Collected { trees, facts, vectors, .. } =
        store.collect_garbage(unused_days).expect("the store is whole");
    (trees, facts, vectors)
}

/// Returns the files of the store whose names end in `ending`.
fn files(store: &dyn Store, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(store.place()).expect("it was made");
    let paths = entries.map(|entry| entry.expect("readable").path());
    paths.filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

#[test]
fn what_a_manifest_names_stays() {
    let (tree, second) = two_trees();
    let store = store(&tree);
    for days in [30, 1, 0] {
        assert_eq!(collect(&*store, days), (0, 0, 0));
    }
    let usage = store.usage().expect("whole");
    assert_eq!((usage.trees.len(), usage.facts), (2, 3));
    assert_eq!(refresh(&mut tree.open()).1.parsed, 0);
    assert_eq!(refresh(&mut tree.open_tree(&second)).1.parsed, 0);
}

#[test]
fn what_no_manifest_names_any_more_stays_for_some_days() {
    let tree = Tree::new(&[("a.py", "def one():\n    pass\n"), ("b.py", "def two():\n    pass\n")]);
    tree.index();
    fs::remove_file(tree.root().join("b.py")).expect("ours");
    tree.index();
    let store = store(&tree);
    assert_eq!(collect(&*store, 30), (0, 0, 0));
    tree.write("b.py", "def two():\n    pass\n");
    assert_eq!(tree.index().1.parsed, 0);
    fs::remove_file(tree.root().join("b.py")).expect("ours");
    tree.index();
    assert_eq!(collect(&*store, 0), (0, 1, 0));
    tree.write("b.py", "def two():\n    pass\n");
    assert_eq!(tree.index().1.parsed, 1);
}

#[test]
fn a_tree_that_is_gone_is_forgotten_and_its_facts_some_days_later() {
    let (tree, second) = two_trees();
    let store = store(&tree);
    fs::remove_dir_all(&second).expect("ours");
    assert_eq!(collect(&*store, 30), (1, 0, 0));
    assert_eq!(store.usage().expect("whole").trees, [(tree.root().to_string_lossy().into_owned(), 2)]);
    assert_eq!(collect(&*store, 0), (0, 1, 0));
    assert_eq!(store.usage().expect("whole").facts, 2);
    assert_eq!(refresh(&mut tree.open()).1.parsed, 0);
}

#[test]
fn a_tree_that_no_one_asked_about_is_forgotten() {
    let (tree, second) = two_trees();
    let store = store(&tree);
    for manifest in files(&*store, ".manifest") {
        set_age(&manifest, 31 * DAY);
    }
    assert_eq!(collect(&*store, 40).0, 0);
    // A refresh counts as use.
    refresh(&mut tree.open());
    assert_eq!(collect(&*store, 30), (1, 0, 0));
    assert_eq!(refresh(&mut tree.open_tree(&second)).1.parsed, 0, "its facts were made today");
}

#[test]
fn what_belongs_to_nothing_is_removed() {
    let tree = Tree::new(&[("a.py", "def one():\n    pass\n")]);
    tree.index();
    let store = store(&tree);
    let stray = |name: &str| Path::new(&store.place()).join(name);
    let strays = [".tmpAb12Cd", "facts-v1.redb", "tree-0123456789abcdef.snapshot"];
    for name in strays {
        fs::write(stray(name), "left by another").expect("ours");
    }
    collect(&*store, 30);
    assert!(strays.iter().all(|name| stray(name).exists()), "they may be in the making");
    strays.iter().for_each(|name| set_age(&stray(name), 2 * DAY));
    collect(&*store, 30);
    assert_eq!(strays.map(|name| stray(name).exists()), [false, true, true]);
    strays[1..].iter().for_each(|name| set_age(&stray(name), 31 * DAY));
    collect(&*store, 30);
    assert_eq!(strays.map(|name| stray(name).exists()), [false, false, false]);
    assert_eq!(tree.index().1.parsed, 0);
}

#[test]
fn every_store_of_a_directory_is_found_and_an_empty_one_goes() {
    let (tree, _) = two_trees();
    let lone = tree.beside("lone");
    fs::create_dir(&lone).expect("ours");
    fs::write(lone.join("a.py"), "def alone():\n    pass\n").expect("ours");
    refresh(&mut tree.open_tree(&lone));
    let index = tree.beside("index");
    fs::create_dir(index.join("not-a-store")).expect("ours");
    fs::write(index.join("notes.txt"), "").expect("ours");
    let found = || stores(Some(&index)).expect("readable");
    assert_eq!(found().len(), 2);
    fs::remove_dir_all(&lone).expect("ours");
    for store in found() {
        store.collect_garbage(0).expect("whole");
    }
    let left = found();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].place(), store(&tree).place());
    assert!(stores(Some(&tree.beside("nowhere"))).expect("nothing there is no error").is_empty());
}
