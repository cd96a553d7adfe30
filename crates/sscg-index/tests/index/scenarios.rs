//! Tests of the files that a new process parses and hashes after each kind of change.

use std::fs;

use sscg_index::RefreshReport;

use crate::tree::{Tree, chunks_with, declarations, edges, paths, set_age};

const SHAPES: &str = "def area(side):\n    return side * side\n";
const REPORT: &str = "from shapes import area\n\ndef summary():\n    return area(2)\n";

/// Creates five files with old modification times.
fn five_files() -> Tree {
    let tree = Tree::new(&[
        ("shapes.py", SHAPES),
        ("report.py", REPORT),
        ("lib/clock.rs", "pub fn tick() -> u64 {\n    1\n}\n"),
        ("web/page.ts", "import { title } from './title';\nexport const page = () => title();\n"),
        ("web/title.ts", "export function title() {\n  return 'Zebra';\n}\n"),
    ]);
    for path in ["shapes.py", "report.py", "lib/clock.rs", "web/page.ts", "web/title.ts"] {
        set_age(&tree.root().join(path), 1_000);
    }
    tree
}

/// Returns the numbers of files, of parsed and of hashed ones.
fn counts(report: &RefreshReport) -> (usize, usize, usize) {
    assert_eq!(report.pending, 0);
    (report.files, report.parsed, report.hashed)
}

#[test]
fn the_first_index_parses_every_file() {
    let tree = five_files();
    let (snapshot, report) = tree.index();
    assert_eq!(counts(&report), (5, 5, 5));
    let expected = ["lib/clock.rs", "report.py", "shapes.py", "web/page.ts", "web/title.ts"];
    assert_eq!(paths(&snapshot), expected);
    assert!(edges(&snapshot).contains(&"report.py::summary calls shapes.py::area".to_owned()));
}

#[test]
fn an_unchanged_tree_is_neither_parsed_nor_read() {
    let tree = five_files();
    tree.index();
    assert_eq!(counts(&tree.index().1), (5, 0, 0));
}

#[test]
fn a_new_time_costs_a_hash_once() {
    let tree = five_files();
    tree.index();
    set_age(&tree.root().join("shapes.py"), 500);
    assert_eq!(counts(&tree.index().1), (5, 0, 1));
    assert_eq!(counts(&tree.index().1), (5, 0, 0));
}

#[test]
fn a_new_content_replaces_the_old_one() {
    let tree = five_files();
    tree.index();
    tree.write("shapes.py", "def volume(side):\n    return side ** 3\n");
    let (snapshot, report) = tree.index();
    assert_eq!(counts(&report), (5, 1, 1));
    let names = declarations(&snapshot);
    assert!(names.contains(&"shapes.py::volume".to_owned()), "{names:?}");
    assert!(!names.contains(&"shapes.py::area".to_owned()), "{names:?}");
    assert!(!edges(&snapshot).contains(&"report.py::summary calls shapes.py::area".to_owned()));
}

#[test]
fn another_process_links_what_an_edit_reaches() {
    let tree = five_files();
    assert_eq!(tree.index().1.linked, 5);
    tree.write("shapes.py", "def area(side):\n    # Squared.\n    return side ** 2\n");
    assert_eq!(tree.index().1.linked, 1);
    tree.write("shapes.py", "def area(side, unit):\n    return side ** 2\n");
    assert_eq!(tree.index().1.linked, 2, "the file that calls it, too");
    assert_eq!(tree.index().1.linked, 0);
}

#[test]
fn a_new_file_is_the_only_one_parsed() {
    let tree = five_files();
    tree.index();
    tree.write("more.py", "from shapes import area\n\ndef double(side):\n    return 2 * area(side)\n");
    let (snapshot, report) = tree.index();
    assert_eq!(counts(&report), (6, 1, 1));
    assert!(edges(&snapshot).contains(&"more.py::double calls shapes.py::area".to_owned()));
}

#[test]
fn a_removed_file_leaves_nothing_behind() {
    let tree = five_files();
    let (before, _) = tree.index();
    assert_eq!(chunks_with(&before, "zebra"), 1);
    fs::remove_file(tree.root().join("web/title.ts")).expect("ours");
    let (snapshot, report) = tree.index();
    assert_eq!(counts(&report), (4, 0, 0));
    assert_eq!(snapshot.project.definitions_named("title").count(), 0);
    let names = [declarations(&snapshot), edges(&snapshot)].concat();
    assert!(names.iter().all(|name| !name.contains("title.ts")), "{names:?}");
    assert_eq!(chunks_with(&snapshot, "zebra"), 0);
}

#[test]
fn a_renamed_file_is_not_parsed() {
    let tree = five_files();
    tree.index();
    fs::rename(tree.root().join("shapes.py"), tree.root().join("figures.py")).expect("ours");
    let (snapshot, report) = tree.index();
    assert_eq!((report.files, report.parsed), (5, 0));
    let names = declarations(&snapshot);
    assert!(names.contains(&"figures.py::area".to_owned()), "{names:?}");
    assert!(!names.contains(&"shapes.py::area".to_owned()), "{names:?}");
}

#[test]
fn a_file_of_another_dialect_is_parsed_again() {
    let tree = five_files();
    tree.index();
    fs::rename(tree.root().join("web/title.ts"), tree.root().join("web/title.tsx")).expect("ours");
    let (_, report) = tree.index();
    assert_eq!((report.files, report.parsed), (5, 1));
}
