//! `sscg gc`, and the store in the output of `sscg status`.

use std::fs;

use crate::sandbox::Sandbox;

/// Returns the value of a line of `sscg status`.
fn status(sandbox: &Sandbox, label: &str) -> String {
    let run = sandbox.run(&["status"]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    let line = run.stdout.lines().find_map(|line| line.strip_prefix(label)).map(str::trim_start);
    line.unwrap_or_else(|| panic!("no {label} in {}", run.stdout)).to_owned()
}

/// Replaces sizes, which depend on the database.
fn without_sizes(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    while let Some(at) =
        words.iter().position(|word| ["B", "KiB", "MiB"].contains(&word.trim_end_matches([';', ','])))
    {
        words.splice(at - 1..=at, ["[size]"]);
    }
    words.join(" ")
}

#[test]
fn status_says_what_is_stored_and_whether_it_is_whole() {
    let sandbox = Sandbox::of_project("parcel");
    let stored = without_sizes(&status(&sandbox, "stored"));
    assert_eq!(stored, "22 texts of 1 work tree, [size] consistent");
    fs::remove_file(sandbox.tree().join("billing/tax.py")).expect("ours");
    let stored = without_sizes(&status(&sandbox, "stored"));
    assert_eq!(
        stored, "22 texts of 1 work tree, [size] consistent",
        "what is not needed is kept for a while"
    );
    let run = sandbox.run(&["status", "--ephemeral"]);
    assert!(run.code == 0 && !run.stdout.contains("stored"), "{}", run.stdout);
}

#[test]
fn gc_says_what_went_and_how_much_that_was() {
    let sandbox = Sandbox::of_project("parcel");
    let nothing = sandbox.run(&["gc"]);
    let said = "0 work trees forgotten, 0 texts and 0 vectors removed, 0 B freed, from 0 indexes\n";
    assert_eq!((&*nothing.stdout, nothing.code), (said, 0));

    sandbox.run(&["index"]);
    fs::remove_file(sandbox.tree().join("billing/tax.py")).expect("ours");
    sandbox.run(&["index"]);
    let run = sandbox.run(&["gc"]);
    let said = "0 work trees forgotten, 0 texts and 0 vectors removed, [size] freed, from 1 index\n";
    assert_eq!((&*without_sizes(run.stdout.lines().last().expect("a sum")), run.code), (said.trim_end(), 0));

    let run = sandbox.run(&["gc", ".", "--unused-days", "0"]);
    let said = "0 work trees forgotten, 1 text and 0 vectors removed, [size] freed, from 1 index";
    assert_eq!((&*without_sizes(run.stdout.lines().last().expect("a sum")), run.code), (said, 0));
    assert!(status(&sandbox, "stored").starts_with("21 texts of 1 work tree"));

    fs::remove_dir_all(sandbox.tree()).expect("ours");
    fs::create_dir(sandbox.tree()).expect("ours");
    let elsewhere = tempfile::tempdir().expect("temporary directory");
    fs::remove_dir(sandbox.tree()).expect("ours");
    let output = sandbox.command().current_dir(elsewhere.path()).args(["gc", "--unused-days", "0"]).output();
    let output = output.expect("the command starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("1 work tree forgotten, 21 texts and 0 vectors removed"), "{said}");
    assert_eq!(fs::read_dir(sandbox.index()).expect("it stays").count(), 0, "an empty store goes");
}

#[cfg(unix)]
#[test]
fn gc_of_what_cannot_be_cleaned_says_so_and_goes_on() {
    let sandbox = Sandbox::of_project("parcel");
    sandbox.run(&["index"]);
    let broken = sandbox.index().join("broken-0123456789abcdef");
    fs::create_dir(&broken).expect("ours");
    std::os::unix::fs::symlink("/dev/null", broken.join("facts-v2.redb")).expect("ours");
    let run = sandbox.run(&["gc"]);
    assert_eq!(run.code, 2, "{}", run.transcript());
    assert!(run.stderr.contains("error: cannot clean the index at [tmp]/index/broken-"), "{}", run.stderr);
    assert!(run.stderr.contains("hint: "), "{}", run.stderr);
    assert!(run.stdout.ends_with("from 2 indexes\n"), "{}", run.stdout);
}
