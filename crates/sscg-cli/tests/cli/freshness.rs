//! Answers follow the tree, and known content is not parsed again.

use std::fs;

use crate::sandbox::Sandbox;

/// Returns the first line of `sscg index`, without the path.
fn index(sandbox: &Sandbox) -> String {
    let run = sandbox.run(&["index"]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    run.stdout.lines().next().unwrap_or_default().replace(", in [tmp]/tree", "")
}

#[test]
fn only_content_that_was_never_seen_is_parsed() {
    let sandbox = Sandbox::of_project("parcel");
    let before = sandbox.listing();
    assert_eq!(index(&sandbox), "22 files indexed, 22 parsed");
    assert_eq!(index(&sandbox), "22 files indexed, 0 parsed");
    assert_eq!(sandbox.listing(), before, "nothing is written into the tree");

    let edited =
        fs::read_to_string(sandbox.tree().join("billing/tax.py")).expect("readable") + "\nZERO = 0\n";
    sandbox.write("billing/tax.py", edited);
    assert_eq!(index(&sandbox), "22 files indexed, 1 parsed");

    let (from, to) = (sandbox.tree().join("web/src/format.ts"), sandbox.tree().join("web/src/weight.ts"));
    fs::rename(from, to).expect("writable");
    assert_eq!(index(&sandbox), "22 files indexed, 0 parsed");

    fs::remove_file(sandbox.tree().join("router/src/retry.rs")).expect("writable");
    assert_eq!(index(&sandbox), "21 files indexed, 0 parsed");
}

#[test]
fn a_change_of_the_same_length_right_after_a_run_is_seen() {
    let sandbox = Sandbox::new();
    for name in ["alpha", "gamma", "delta", "omega"] {
        sandbox.write("app.py", format!("def {name}():\n    pass\n"));
        let run = sandbox.run(&["search", &format!("symbol = {name}")]);
        assert_eq!(run.code, 0, "{name}: {}", run.stderr);
    }
}

#[test]
fn an_answer_knows_moved_and_deleted_files() {
    let sandbox = Sandbox::of_project("parcel");
    let find = |question: &str| sandbox.run(&["search", question]);
    assert!(find("symbol = backoff").stdout.contains("router/src/retry.rs"));
    fs::rename(sandbox.tree().join("router/src/retry.rs"), sandbox.tree().join("router/src/patience.rs"))
        .expect("writable");
    let moved = find("symbol = backoff");
    assert!(moved.stdout.contains("router/src/patience.rs") && !moved.stdout.contains("retry.rs:"));
    fs::remove_file(sandbox.tree().join("router/src/patience.rs")).expect("writable");
    assert_eq!(find("symbol = backoff").code, 1);
    let others = sandbox.run(&["search", "retry policy backoff", "--format", "verbose"]);
    assert!(!others.stdout.contains("patience.rs"));
}

#[test]
fn ignore_files_decide_what_is_searched() {
    let sandbox = Sandbox::of_project("parcel");
    sandbox.write(".gitignore", "web/\n");
    sandbox.write(".ignore", "tests/\n");
    sandbox.write("billing/.sscgignore", "tax.py\n");
    sandbox.write(".hidden/secret.py", "def secret():\n    pass\n");
    assert_eq!(index(&sandbox), "13 files indexed, 13 parsed");
}

#[test]
fn the_work_trees_of_a_repository_share_what_was_parsed() {
    let sandbox = Sandbox::of_project("parcel");
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(index(&sandbox), "22 files indexed, 22 parsed");
    let own = sandbox.tree().join(".git/worktrees/other");
    fs::create_dir_all(&own).expect("writable");
    fs::write(own.join("commondir"), "../..\n").expect("writable");
    let other = tempfile::tempdir().expect("temporary directory");
    fs::write(other.path().join(".git"), format!("gitdir: {}\n", own.display())).expect("writable");
    fs::copy(sandbox.tree().join("billing/tax.py"), other.path().join("tax.py")).expect("writable");
    let run = sandbox.run(&["index", &other.path().to_string_lossy()]);
    assert!(run.stdout.starts_with("1 file indexed, 0 parsed"), "{}", run.stdout);
}
