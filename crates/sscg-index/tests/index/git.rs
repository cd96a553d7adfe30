//! Tests with branches and work trees of a real repository.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::tree::{Tree, declarations, edges, refresh};

/// Runs git with the settings given here and no others.
fn git(directory: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(directory).args(arguments).stdin(Stdio::null());
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    for who in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{who}_NAME"), "Someone")
            .env(format!("GIT_{who}_EMAIL"), "someone@localhost");
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().expect("git is installed");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Creates a repository of four files on `main`. On `other`, one of them differs, one is new and one is removed.
fn repository() -> Tree {
    let tree = Tree::new(&[
        ("a.py", "def one():\n    pass\n"),
        ("b.py", "from a import one\n\ndef two():\n    one()\n"),
        ("c.rs", "pub fn three() {}\n"),
        ("d.ts", "export function four() {}\n"),
    ]);
    let root = tree.root();
    git(&root, &["init", "--quiet", "--initial-branch", "main"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "--quiet", "--message", "First"]);
    git(&root, &["checkout", "--quiet", "-b", "other"]);
    tree.write("a.py", "def one():\n    return 1\n\ndef uno():\n    pass\n");
    tree.write("e.py", "def five():\n    pass\n");
    git(&root, &["rm", "--quiet", "d.ts"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "--quiet", "--message", "Second"]);
    git(&root, &["checkout", "--quiet", "main"]);
    tree
}

#[test]
fn a_branch_that_was_seen_before_is_not_parsed_again() {
    let tree = repository();
    let (on_main, report) = tree.index();
    assert_eq!((report.files, report.parsed), (4, 4));
    git(&tree.root(), &["checkout", "--quiet", "other"]);
    let (on_other, report) = tree.index();
    assert_eq!((report.files, report.parsed), (4, 2));
    assert!(declarations(&on_other).contains(&"a.py::uno".to_owned()));
    git(&tree.root(), &["checkout", "--quiet", "main"]);
    let (back, report) = tree.index();
    assert_eq!((report.files, report.parsed), (4, 0));
    assert_eq!(declarations(&back), declarations(&on_main));
    assert_eq!(edges(&back), edges(&on_main));
    git(&tree.root(), &["checkout", "--quiet", "other"]);
    assert_eq!(tree.index().1.parsed, 0);
}

#[test]
fn an_index_that_stays_open_follows_the_branches() {
    let tree = repository();
    let mut index = tree.open();
    let (on_main, _) = refresh(&mut index);
    for branch in ["other", "main", "other", "main"] {
        git(&tree.root(), &["checkout", "--quiet", branch]);
        let (snapshot, report) = refresh(&mut index);
        crate::tree::check_like_new(&snapshot);
        assert!(report.parsed <= 2, "{branch}: {report:?}");
        assert_eq!(branch == "main", declarations(&snapshot) == declarations(&on_main));
    }
    git(&tree.root(), &["checkout", "--quiet", "other"]);
    assert_eq!(refresh(&mut index).1.parsed, 0);
}

#[test]
fn a_second_work_tree_parses_what_differs() {
    let tree = repository();
    assert_eq!(tree.index().1.parsed, 4);
    let second = tree.beside("second");
    git(&tree.root(), &["worktree", "add", "--quiet", &second.to_string_lossy(), "other"]);
    let (snapshot, report) = refresh(&mut tree.open_tree(&second));
    assert_eq!((report.files, report.parsed), (4, 2));
    crate::tree::check_like_new(&snapshot);
    // The work trees do not affect each other.
    let (_, report) = tree.index();
    assert_eq!((report.files, report.parsed), (4, 0));
    assert_eq!(refresh(&mut tree.open_tree(&second)).1.parsed, 0);
}
