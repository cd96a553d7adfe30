//! Tests of change notification in real directories.

use std::fs;
use std::time::Duration;

use sscg_index::{Watch, WatchMode, WatchOptions};

use crate::tree::{Tree, refresh};

fn options() -> WatchOptions {
    WatchOptions::default().with_quiet(Duration::from_millis(20)).with_interval(Duration::from_millis(50))
}

/// Waits for changes until the index has `files` files.
fn wait_for(watch: &mut Watch, index: &mut sscg_index::Index, files: usize) {
    while refresh(index).1.files != files {
        assert!(watch.wait());
    }
}

#[test]
fn changes_are_told_also_in_directories_that_are_new() {
    let tree = Tree::new(&[("a.py", "def one(): pass\n"), ("lib/b.py", "def two(): pass\n")]);
    tree.write(".gitignore", "target/\n");
    tree.write("target/c.py", "def ignored(): pass\n");
    let mut watch = Watch::new(&tree.root(), options());
    assert_eq!(*watch.mode(), WatchMode::Notified { directories: 2 });
    let mut index = tree.open();
    assert_eq!(refresh(&mut index).1.files, 2);

    tree.write("lib/c.py", "def three(): pass\n");
    wait_for(&mut watch, &mut index, 3);
    tree.write("new/deep/d.py", "def four(): pass\n");
    wait_for(&mut watch, &mut index, 4);
    tree.write("new/deep/e.py", "def five(): pass\n");
    wait_for(&mut watch, &mut index, 5);
    fs::remove_dir_all(tree.root().join("new")).expect("ours");
    wait_for(&mut watch, &mut index, 3);
    // The same names again: the earlier watches were removed with the directories.
    tree.write("new/deep/d.py", "def four(): pass\n");
    wait_for(&mut watch, &mut index, 4);
    tree.write("new/deep/e.py", "def five(): pass\n");
    wait_for(&mut watch, &mut index, 5);
    fs::rename(tree.root().join("new"), tree.root().join("target/new")).expect("ours");
    wait_for(&mut watch, &mut index, 3);
}

#[test]
fn looking_is_no_change() {
    let tree = Tree::new(&[("a.py", "def one(): pass\n")]);
    let mut watch = Watch::new(&tree.root(), options());
    let stopper = watch.stopper();
    refresh(&mut tree.open());
    stopper.stop();
    assert!(!watch.wait(), "the first thing it is told is to stop");
}

#[test]
fn a_tree_with_too_many_directories_is_polled() {
    let tree = Tree::new(&[("a/a.py", "def one(): pass\n")]);
    let mut watch = Watch::new(&tree.root(), options().with_max_directories(2));
    assert_eq!(*watch.mode(), WatchMode::Notified { directories: 2 });
    let mut index = tree.open();
    refresh(&mut index);
    tree.write("b/b.py", "def two(): pass\n");
    wait_for(&mut watch, &mut index, 2);
    // The walk may have happened just before the directory was created.
    while matches!(watch.mode(), WatchMode::Notified { .. }) {
        assert!(watch.wait());
    }
    assert_eq!(*watch.mode(), WatchMode::Polling { reason: "more than 2 directories".to_owned() });
    tree.write("c/c.py", "def three(): pass\n");
    wait_for(&mut watch, &mut index, 3);
    watch.stopper().stop();
    assert!(!watch.wait());
}
