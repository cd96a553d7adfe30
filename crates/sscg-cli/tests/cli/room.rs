//! Without space or permission, the answer comes with a warning and a hint.
//!
//! Needs a file system of its own, which only root may mount. Elsewhere these tests are skipped with a message.

#![allow(clippy::print_stdout, reason = "a test that looked at nothing says so")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::sandbox::{Run, Sandbox};

const QUESTION: [&str; 2] = ["search", "how is the shortest path found"];
const HINT: &str = "hint: make room or give permission there, keep indexes elsewhere with --index-dir, or none with \
                    --ephemeral\n";

/// File system in memory at the place of the index directory, unmounted when dropped.
struct Mount(PathBuf);

impl Mount {
    fn new(sandbox: &Sandbox, options: &str) -> Option<Self> {
        let place = sandbox.index();
        fs::create_dir(&place).expect("ours");
        let mounted = mount(&["-t", "tmpfs", "-o", options, "tmpfs"], &place);
        if !mounted {
            println!("skipped: no permission to mount a file system");
        }
        mounted.then_some(Self(place))
    }

    fn remount(&self, options: &str) {
        assert!(mount(&["-o", &format!("remount,{options}")], &self.0), "{options}");
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        _ = Command::new("umount").arg(&self.0).status();
    }
}

fn mount(arguments: &[&str], place: &PathBuf) -> bool {
    let output = Command::new("mount").args(arguments).arg(place).output();
    output.is_ok_and(|output| output.status.success())
}

/// Checks that the answer is complete, with one warning about the problem and a hint.
fn check_warned(run: &Run, answer: &Run, warning: &str) {
    assert_eq!((run.code, &run.stdout), (0, &answer.stdout), "{}", run.stderr);
    assert!(run.stderr.starts_with("warning: cannot ") && run.stderr.contains(warning), "{}", run.stderr);
    assert!(run.stderr.ends_with(HINT), "{}", run.stderr);
}

#[test]
fn a_full_disk_costs_a_warning() {
    let sandbox = Sandbox::of_project("parcel");
    let ephemeral = [&QUESTION[..], &["--ephemeral"]].concat();
    let Some(mount) = Mount::new(&sandbox, "size=16k") else { return };
    let answer = sandbox.run(&ephemeral);
    assert_eq!((answer.code, &*answer.stderr), (0, ""));
    for _ in 0..2 {
        check_warned(&sandbox.run(&QUESTION), &answer, "no space left on device");
        let index = sandbox.run(&["index"]);
        assert_eq!(index.code, 2, "{}", index.transcript());
        assert!(index.stderr.ends_with(HINT), "{}", index.stderr);
        assert_eq!(sandbox.run(&ephemeral), answer);
    }
    // With space, the index works as usual.
    mount.remount("size=16m");
    assert_eq!(sandbox.run(&QUESTION), answer);
    assert!(sandbox.run(&["index"]).stdout.starts_with("22 files indexed, 0 parsed, in [tmp]/tree\n"));
    // Full again, with an index to read.
    let left = fs::File::create(mount.0.join("filler")).expect("ours");
    let mut filler = std::io::BufWriter::new(left);
    while std::io::Write::write_all(&mut filler, &[0; 4096]).is_ok() {}
    drop(filler);
    sandbox.write("notes.py", "def unrelated():\n    pass\n");
    check_warned(&sandbox.run(&QUESTION), &sandbox.run(&ephemeral), "no space left on device");
    fs::remove_file(mount.0.join("filler")).expect("ours");
    assert_eq!(sandbox.run(&QUESTION), sandbox.run(&ephemeral));
}

#[test]
fn a_directory_without_permission_to_write_costs_a_warning() {
    let sandbox = Sandbox::of_project("parcel");
    let ephemeral = [&QUESTION[..], &["--ephemeral"]].concat();
    let Some(mount) = Mount::new(&sandbox, "size=16m") else { return };
    let answer = sandbox.run(&ephemeral);
    mount.remount("ro");
    check_warned(&sandbox.run(&QUESTION), &answer, "read-only");
    assert_eq!(sandbox.run(&ephemeral), answer);
    mount.remount("rw");
    assert_eq!(sandbox.run(&QUESTION), answer);
    mount.remount("ro");
    // A stored index can still be read.
    let run = sandbox.run(&QUESTION);
    assert_eq!((run.code, &run.stdout), (0, &answer.stdout), "{}", run.stderr);
    sandbox.write("notes.py", "def unrelated():\n    pass\n");
    check_warned(&sandbox.run(&QUESTION), &sandbox.run(&ephemeral), "read-only");
    assert_eq!(sandbox.run(&["index"]).code, 2);
    mount.remount("rw");
    assert!(sandbox.run(&["index"]).stdout.starts_with("23 files indexed, 1 parsed, in [tmp]/tree\n"));
    assert!(sandbox.run(&["index"]).stdout.starts_with("23 files indexed, 0 parsed, in [tmp]/tree\n"));
}

#[test]
fn indexing_stops_where_memory_ends() {
    let sandbox = Sandbox::of_project("parcel");
    let answer = sandbox.run(&QUESTION);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let limited =
        |flags: &[&str]| sandbox.run(&[&QUESTION[..], &["--ephemeral", "--max-memory"], flags].concat());
    let refused = limited(&["1"]);
    assert_eq!((refused.code, &*refused.stdout), (2, ""));
    let [error, hint] = refused.stderr.lines().collect::<Vec<_>>()[..] else { panic!("{}", refused.stderr) };
    assert!(
        error.starts_with("error: indexing needs ") && error.contains(" and may take 1: 0 of "),
        "{error}"
    );
    assert!(hint.starts_with("hint: allow more with --max-memory or SSCG_MAX_MEMORY, "), "{hint}");
    let enough = limited(&["4000"]);
    assert_eq!((enough.code, &enough.stdout), (0, &answer.stdout));
    // With an index that is up to date, the limit does not matter.
    let known = sandbox.run(&[&QUESTION[..], &["--max-memory", "1"]].concat());
    assert_eq!((known.code, &known.stdout), (0, &answer.stdout));
}
