//! The index on disk may be damaged, locked or out of reach; the answer is the same.

use std::fs;
use std::path::PathBuf;

use crate::sandbox::{Run, Sandbox};

fn ask(sandbox: &Sandbox) -> Run {
    sandbox.run(&["search", "how is the shortest path found", "--format", "verbose"])
}

/// Returns the database in the index directory.
fn database(sandbox: &Sandbox) -> PathBuf {
    sandbox.store().expect("it was made").directory().join("facts-v2.redb")
}

#[test]
fn a_damaged_store_is_replaced_and_the_answer_is_the_same() {
    let sandbox = Sandbox::of_project("parcel");
    let answer = ask(&sandbox);
    assert_eq!((answer.code, &*answer.stderr), (0, ""));
    let path = database(&sandbox);
    let whole = fs::read(&path).expect("readable");
    let noise = |from: usize, to: usize| {
        let mut bytes = whole.clone();
        bytes[from..to].iter_mut().enumerate().for_each(|(at, byte)| *byte = (at * 7 + at / 251) as u8);
        bytes
    };
    for (name, damaged) in [
        ("empty", Vec::new()),
        ("a few bytes", b"garbage".to_vec()),
        ("cut in the middle", whole[..whole.len() / 2].to_vec()),
        ("noise at the start", noise(0, 4096)),
        ("noise from the first page on", noise(4096, whole.len())),
        ("noise at the end", noise(whole.len() - 8192, whole.len())),
    ] {
        fs::write(&path, &damaged).expect("writable");
        let run = ask(&sandbox);
        assert_eq!((run.code, &run.stdout), (0, &answer.stdout), "{name}: {}", run.stderr);
        assert!(
            run.stderr.is_empty() || run.stderr.contains("is damaged; it is made anew"),
            "{}",
            run.stderr
        );
        assert_eq!(ask(&sandbox), answer, "{name}: the run after it");
    }
    // Any byte of a page with facts may be damaged.
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        fs::write(&path, &bytes).expect("writable");
        assert_eq!(ask(&sandbox).stdout, answer.stdout, "byte {at}");
    }
}

#[test]
fn an_index_that_cannot_be_written_costs_a_warning() {
    let sandbox = Sandbox::of_project("parcel");
    let answer = ask(&sandbox);
    // A file in place of the directory stops every user, root included.
    fs::remove_dir_all(sandbox.index()).expect("ours");
    fs::write(sandbox.index(), "").expect("writable");
    let run = ask(&sandbox);
    assert_eq!((run.code, &run.stdout), (0, &answer.stdout));
    assert!(run.stderr.starts_with("warning: cannot create the index at "), "{}", run.stderr);
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert!(lines.len() == 2 && lines[1].starts_with("hint: "), "{}", run.stderr);
}

#[test]
fn processes_that_start_at_once_all_answer() {
    let sandbox = Sandbox::of_project("parcel");
    let answers: Vec<Run> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| ask(&sandbox))).collect();
        runs.into_iter().map(|run| run.join().expect("it answered")).collect()
    });
    for answer in &answers {
        assert_eq!((answer.code, &answer.stdout), (0, &answers[0].stdout), "{}", answer.stderr);
    }
    assert_eq!(ask(&sandbox).stderr, "");
}
