//! `kill -9` at random moments of indexing costs nothing but time.
//!
//! `cargo xtask crash` runs this with more rounds: `SSCG_CRASH_ROUNDS`, `SSCG_CRASH_SEED`, and `SSCG_CRASH_TREE`, a
//! directory that is copied and edited instead of the one made here.

#![allow(clippy::print_stdout, reason = "the table is what `cargo xtask crash` is for")]

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use sscg::index::Store;

use crate::random::Random;
use crate::sandbox::Sandbox;

/// Number of files, more than one batch of parsing.
const FILES: usize = 400;

const QUESTION: [&str; 4] = ["search", "work of number 77", "--format", "verbose"];

/// Phase of a process when it was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Looking,
    Parsing,
    Linking,
    Replacing,
    Ended,
}

/// Moment of the kill.
enum Moment {
    /// After this long.
    After(Duration),
    /// A new file is about to replace an old one.
    Replacing,
    /// The process has reported this many parsed files.
    Parsed(usize),
}

fn setting(name: &str, default: usize) -> usize {
    env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

#[test]
fn a_process_killed_at_any_moment_leaves_a_good_index() {
    let rounds = setting("SSCG_CRASH_ROUNDS", 8);
    let mut random = Random(setting("SSCG_CRASH_SEED", 1) as u64);
    let sandbox = match env::var_os("SSCG_CRASH_TREE") {
        Some(tree) => Sandbox::copy_of(Path::new(&tree)),
        None => {
            let sandbox = Sandbox::new();
            sandbox.write_many(0..FILES);
            sandbox
        }
    };
    let started = Instant::now();
    assert_eq!(sandbox.run(&["index"]).code, 0);
    // Durations of a run with little to do, and of one with much.
    let mut usual = [started.elapsed() / 4, started.elapsed()];
    let mut phases: BTreeMap<Phase, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for round in 0..rounds {
        let edits = edit(&sandbox, &mut random, round);
        let usual = &mut usual[usize::from(edits > FILES / 4)];
        let moment = match round % 4 {
            0 => Moment::Replacing,
            1 => Moment::Parsed(random.within(1..edits + 1)),
            _ => Moment::After(usual.mul_f64(random.fraction() * 1.1)),
        };
        let started = Instant::now();
        let phase = kill(&sandbox, if round % 3 == 0 { &QUESTION } else { &["index"] }, &moment);
        if phase == Phase::Ended {
            *usual = started.elapsed();
        }
        *phases.entry(phase).or_default() += 1;
        let mut fail = |what: String| failures.push(format!("round {round}, killed while {phase:?}: {what}"));
        let check_status = |fail: &mut dyn FnMut(String)| {
            let status = sandbox.run(&["status"]);
            if status.code != 0 || !status.stderr.is_empty() || !status.stdout.contains("; consistent\n") {
                fail(status.transcript());
            }
        };
        // Alternate: either the search or `status` is the first to find the remains.
        if round % 2 == 0 {
            check_status(&mut fail);
        }
        let (answer, fresh) =
            (sandbox.run(&QUESTION), sandbox.run(&[&QUESTION[..], &["--ephemeral"]].concat()));
        if answer != fresh {
            fail(format!("{}\nbut afresh\n{}", answer.transcript(), fresh.transcript()));
        }
        if round % 2 == 1 {
            check_status(&mut fail);
        }
    }
    println!("{:<12}{:>6}", "killed while", "times");
    phases
        .iter()
        .for_each(|(phase, times)| println!("{:<12}{times:>6}", format!("{phase:?}").to_lowercase()));
    println!("{:<12}{rounds:>6}\n{:<12}{:>6}", "rounds", "failures", failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Changes some files, or many, and sometimes deletes the index. Returns the maximum number of files to index.
fn edit(sandbox: &Sandbox, random: &mut Random, round: usize) -> usize {
    let forgets = random.within(0..4) == 0;
    if forgets {
        _ = fs::remove_dir_all(sandbox.index());
    }
    let edits = if random.within(0..3) == 0 { FILES } else { random.within(1..20) };
    for _ in 0..edits {
        let number = random.within(0..FILES);
        let path = format!("part_{}/file_{number}.py", number % 10);
        match random.within(0..10) {
            0 => _ = fs::remove_file(sandbox.tree().join(&path)),
            1 => {
                _ = fs::rename(sandbox.tree().join(&path), sandbox.tree().join(path.replace("file", "moved")))
            }
            2 => sandbox.write_many(number..number + 1),
            _ => sandbox.write(
                &path,
                format!(
                    "def task_{number}(state, step):\n    \"\"\"Work of number {number} in {round}.\"\"\"\n"
                ),
            ),
        }
    }
    if forgets { FILES } else { edits }
}

/// Starts the command and kills it at the moment. Returns its phase.
fn kill(sandbox: &Sandbox, arguments: &[&str], moment: &Moment) -> Phase {
    let started = Instant::now();
    // Last progress of a process that was killed before.
    let before = progress(sandbox);
    let parsed = || progress(sandbox).filter(|now| Some(*now) != before).map(|(done, _)| done);
    let mut command = sandbox.command();
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the command starts");
    let has_ended = |child: &mut Child| child.try_wait().expect("it is ours").is_some();
    let mut has_parsed = false;
    let mut phase;
    loop {
        phase = if is_replacing(sandbox) {
            Phase::Replacing
        } else {
            match parsed() {
                Some(_) => Phase::Parsing,
                None if has_parsed => Phase::Linking,
                None => Phase::Looking,
            }
        };
        has_parsed |= phase == Phase::Parsing;
        let is_due = match moment {
            Moment::After(time) => started.elapsed() >= *time,
            Moment::Replacing => phase == Phase::Replacing,
            Moment::Parsed(count) => parsed().is_some_and(|done| done >= *count),
        };
        if has_ended(&mut child) {
            phase = Phase::Ended;
        }
        if is_due || phase == Phase::Ended {
            break;
        }
        // A file is replaced faster than any sleep.
        if matches!(moment, Moment::After(_)) {
            thread::sleep(Duration::from_micros(200));
        }
    }
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    phase
}

/// True if a file is being written beside its place.
fn is_replacing(sandbox: &Sandbox) -> bool {
    let Some(store) = sandbox.store() else { return false };
    let entries = fs::read_dir(store.directory()).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| {
        let is_temporary = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".tmp"));
        // Skip the remains of a process that was killed before.
        is_temporary
            && fs::metadata(&path)
                .and_then(|file| file.modified())
                .is_ok_and(|time| time.elapsed().is_ok_and(|age| age < Duration::from_millis(500)))
    })
}

/// Returns the progress of a process, or its last progress before it was killed.
fn progress(sandbox: &Sandbox) -> Option<(usize, usize)> {
    sandbox.store()?.progress(&sandbox.tree_name())
}
