//! `--log`, `--log-file`, and `--full`.

use std::fs;

use crate::sandbox::Sandbox;

#[test]
fn nothing_is_logged_unless_asked_for() {
    let sandbox = Sandbox::of_project("parcel");
    assert_eq!(sandbox.run(&["index"]).stderr, "");
    let run = sandbox.run(&["index", "--full", "--log", "sscg_index=info"]);
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert!(lines[0].contains("INFO") && lines[0].contains("files linked"), "{run:?}");
    assert!(lines[1].contains("index updated") && lines[1].contains("parsed="), "{run:?}");
    let run = sandbox.run(&["index", "--log", "info"]);
    assert!(run.stderr.contains("stored graph loaded"), "{run:?}");
    assert!(!run.stderr.contains("DEBUG"), "{run:?}");
}

#[test]
fn events_are_appended_to_a_file() {
    let sandbox = Sandbox::of_project("parcel");
    let file = sandbox.tree().parent().expect("it is in a directory").join("events.log");
    let path = file.to_str().expect("UTF-8");
    for _ in 0..2 {
        assert_eq!(sandbox.run(&["index", "--full", "--log", "info", "--log-file", path]).stderr, "");
    }
    let text = fs::read_to_string(&file).expect("it was made");
    assert_eq!(text.matches("index updated").count(), 2, "{text}");
}

#[test]
fn a_filter_that_is_not_understood_is_an_error() {
    let run = Sandbox::of_project("parcel").run(&["index", "--log", "sscg=loud"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("the log filter \"sscg=loud\" is not understood"), "{run:?}");
    assert!(run.stderr.contains("hint: write a level, as in --log info"), "{run:?}");
}

#[test]
fn a_full_index_parses_every_file_again_and_gives_the_same() {
    let sandbox = Sandbox::of_project("parcel");
    let first = sandbox.run(&["index"]).stdout;
    let second = sandbox.run(&["index"]).stdout;
    assert!(second.contains(" 0 parsed"), "{second}");
    let full = sandbox.run(&["index", "--full"]).stdout;
    assert_eq!(full.lines().next(), first.lines().next());
}
