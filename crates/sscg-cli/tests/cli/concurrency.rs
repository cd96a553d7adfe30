//! Several processes on one index.

use std::process::Child;
use std::thread;
use std::time::Duration;

use sscg::index::Store;

use crate::sandbox::{Run, Sandbox};

/// Number of files, enough to start other processes before they are all indexed.
const FILES: usize = 1_500;

const QUESTION: [&str; 2] = ["search", "work of number 77"];

/// Waits until `done` returns true or the process has ended.
fn wait_until(child: &mut Child, done: impl Fn() -> bool) {
    while !done() && child.try_wait().expect("it is ours").is_none() {
        thread::sleep(Duration::from_millis(2));
    }
}

/// Starts indexing and returns when files are being parsed.
fn start_indexing(sandbox: &Sandbox) -> Child {
    let mut child = sandbox.spawn(&["index"]);
    wait_until(&mut child, || {
        sandbox.store().is_some_and(|store| store.progress(&sandbox.tree_name()).is_some())
    });
    child
}

fn check_well(run: &Run) {
    assert_eq!((run.code, &*run.stderr), (0, ""), "{}", run.stdout);
}

fn ephemeral(sandbox: &Sandbox) -> Run {
    sandbox.run(&[&QUESTION[..], &["--ephemeral"]].concat())
}

#[test]
fn readers_answer_while_one_process_writes() {
    let sandbox = Sandbox::new();
    sandbox.write_many(0..FILES);
    let writer = start_indexing(&sandbox);
    let waiting: Vec<Child> = (0..3).map(|_| sandbox.spawn(&QUESTION)).collect();
    let hasty: Vec<Child> =
        (0..3).map(|_| sandbox.spawn(&[&QUESTION[..], &["--no-wait"]].concat())).collect();
    for child in hasty {
        let run = sandbox.finish(child);
        let is_note = |line: &str| line.starts_with("note: another process is indexing, ");
        let is_known = run.code < 2 || run.stderr.contains("\nerror: another process indexes [tmp]/tree");
        assert!(is_known && !run.stderr.contains("warning"), "{}", run.transcript());
        assert!(run.code != 0 || run.stderr.lines().all(is_note), "{}", run.transcript());
    }
    let answer = ephemeral(&sandbox);
    for child in waiting {
        assert_eq!(sandbox.finish(child), answer);
    }
    check_well(&sandbox.finish(writer));
    assert_eq!(sandbox.run(&QUESTION), answer);
}

#[test]
fn a_second_indexer_waits_and_uses_what_the_first_made() {
    let sandbox = Sandbox::new();
    sandbox.write_many(0..FILES);
    let first = start_indexing(&sandbox);
    let second = sandbox.finish(sandbox.spawn(&["index"]));
    check_well(&second);
    assert!(
        second.stdout.starts_with(&format!("{FILES} files indexed, 0 parsed, in [tmp]/tree\n")),
        "{second:?}"
    );
    let first = sandbox.finish(first);
    check_well(&first);
    assert!(
        first.stdout.starts_with(&format!("{FILES} files indexed, {FILES} parsed, in [tmp]/tree\n")),
        "{first:?}"
    );
}

#[test]
fn a_lock_is_waited_for_or_answered_around() {
    let sandbox = Sandbox::new();
    sandbox.write_many(0..100);
    check_well(&sandbox.run(&["index"]));
    sandbox.write_many(100..200);
    let store = sandbox.store().expect("it was made");
    let lock = store.lock(&sandbox.tree_name()).expect("ours").expect("no one has it");
    lock.report(12, 100);

    let note = "note: another process is indexing, 100 of 200 files are ready\n";
    let hasty = sandbox.run(&[&QUESTION[..], &["--no-wait"]].concat());
    assert_eq!((hasty.code, &*hasty.stderr), (0, note));
    assert!(
        hasty.stdout.contains("\nIndexing, 100 of 200 files: the rest was not searched\n"),
        "{}",
        hasty.stdout
    );
    let index = sandbox.run(&["index", "--no-wait"]);
    assert_eq!((index.code, &*index.stderr), (0, note));
    let status = sandbox.run(&["status", "--no-wait"]);
    assert!(status.stdout.contains("\nindexing    100 of 200 files are ready\n"), "{}", status.stdout);
    assert!(status.stdout.contains("; consistent\n"), "{}", status.stdout);

    let mut patient = sandbox.spawn(&QUESTION);
    thread::sleep(Duration::from_millis(200));
    assert!(patient.try_wait().expect("ours").is_none(), "it waits");
    drop(lock);
    assert_eq!(sandbox.finish(patient), ephemeral(&sandbox));
}

#[test]
fn without_anything_ready_the_answer_is_what_to_do() {
    let sandbox = Sandbox::new();
    sandbox.write_many(0..100);
    let name = sandbox.tree_name();
    check_well(&sandbox.run(&["index"]));
    let place = sandbox.store().expect("it was made");
    std::fs::remove_dir_all(place.directory()).expect("ours");
    let lock = place.lock(&name).expect("ours").expect("no one has it");
    let run = sandbox.run(&[&QUESTION[..], &["--no-wait"]].concat());
    assert_eq!((run.code, &*run.stdout), (2, ""));
    assert!(run.stderr.contains("error: another process indexes [tmp]/tree, and nothing is ready yet"));
    assert!(run.stderr.contains("hint: ask again in a moment"), "{}", run.stderr);
    let status = sandbox.run(&["status", "--no-wait"]);
    assert!(status.code == 0 && status.stdout.contains("indexing    0 of 100 files are ready"), "{status:?}");
    drop(lock);
}

#[test]
fn what_a_killed_process_had_written_is_used() {
    let sandbox = Sandbox::new();
    sandbox.write_many(0..FILES);
    let mut first = start_indexing(&sandbox);
    wait_until(&mut first, || {
        let store = sandbox.store().expect("it is made");
        store.progress(&sandbox.tree_name()).is_none_or(|(done, _)| done > 300)
            && store.usage().expect("whole").facts > 0
    });
    first.kill().expect("ours");
    first.wait().expect("it ends");
    let kept = sandbox.store().expect("it is made").usage().expect("whole").facts;
    assert!(kept > 0);
    let second = sandbox.run(&["index"]);
    check_well(&second);
    let parsed = FILES - kept;
    assert!(
        second.stdout.starts_with(&format!("{FILES} files indexed, {parsed} parsed, in [tmp]/tree\n")),
        "{second:?}"
    );
    assert_eq!(sandbox.run(&QUESTION), ephemeral(&sandbox));
}
