//! Habits of command lines: a question without a command, `-C`, exit codes, the pager, and the check of the program.

use std::fs;
use std::process::Command;

use expect_test::expect;
use serde_json::Value;

use crate::sandbox::Sandbox;

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "clock.py",
        "def tick(clock):\n    return clock.time + 1\n\n\ndef tock(clock):\n    return tick(clock)\n",
    );
    sandbox.write("empty/.keep", "");
    sandbox
}

#[test]
fn several_words_in_the_place_of_a_command_are_a_question() {
    let sandbox = project();
    let searched = sandbox.run(&["search", "how does the clock tick", "--limit", "1"]);
    assert_eq!((searched.code, &*searched.stderr), (0, ""));
    for arguments in [
        &["how does the clock tick", "--limit", "1"][..],
        &["--color", "never", "how does the clock tick", "--limit", "1"],
        &["-C", ".", "how does the clock tick", "--limit", "1"],
    ] {
        assert_eq!(sandbox.run(arguments), searched, "{arguments:?}");
    }
    expect![[r#"
        --- stderr
        nothing found for "no elephants" in [tmp]/tree
        hint: ask in other words, or for a declaration: "symbol = Outer > inner"
        --- exit 1
    "#]]
    .assert_eq(&sandbox.run(&["no elephants"]).transcript());
    // A single word may be a misspelled command, whatever stands behind it.
    for arguments in [&["serch"][..], &["serch", "how does it tick"], &["elephants"]] {
        let run = sandbox.run(arguments);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains("unrecognized subcommand"), "{run:?}");
    }
    let tip = sandbox.run(&["serch"]).stderr;
    assert!(tip.contains("similar subcommand") && tip.contains("'search'"), "{tip}");
    let run = sandbox.run(&["how does it tick", "--colour"]);
    assert!(run.code == 2 && run.stderr.contains("unexpected argument '--colour'"), "{run:?}");
}

/// Commands on a directory, with an empty place for it.
const ON_A_DIRECTORY: &[&[&str]] = &[
    &["search", "tick"],
    &["docs", "tick"],
    &["symbol", "tick"],
    &["impact", "tick"],
    &["trace", "tock", "tick"],
    &["neighbors", "tick"],
    &["graph", "tick", "--json"],
    &["knowledge", "build"],
    &["index"],
    &["status"],
    &["export", "--format", "dot"],
    &["config", "show"],
    &["install", "--agent", "zed", "--scope", "project", "--dry-run"],
    &["uninstall", "--dry-run"],
    &["doctor"],
    &["overview"],
];

/// Commands whose last arguments are something else.
const ON_NAMES: &[&[&str]] = &[
    &["callers", "tick"],
    &["callees", "tock"],
    &["tests", "tick"],
    &["outline", "clock.py"],
    &["mentions", "tick"],
    &["text", "tick"],
    &["show", "tick"],
    &["expand", "tick"],
    &["pack", "tick"],
    &["vocabulary"],
];

#[test]
fn every_command_takes_the_directory_before_it_and_behind_it() {
    let sandbox = project();
    sandbox.write("other/README.md", "# Ticks\n\nEach tick is a second.\n");
    sandbox.write("other/clock.py", fs::read_to_string(sandbox.tree().join("clock.py")).expect("readable"));
    let home = sandbox.tree().join("home");
    let run = |arguments: &[&str]| {
        let output = sandbox.command().env("HOME", &home).env("USERPROFILE", &home).args(arguments).output();
        let run = sandbox.read(output.expect("the command starts"));
        // Times differ.
        let time = regex::Regex::new(r#"[0-9.]+( ms| s\b)|"seconds": [0-9.]+"#).expect("a pattern");
        (run.code, time.replace_all(&run.stdout, "").into_owned(), run.stderr)
    };
    for arguments in ON_A_DIRECTORY.iter().chain(ON_NAMES) {
        let behind = run(&[*arguments, &["-C", "other"]].concat());
        let before = run(&[&["-C", "other"], *arguments].concat());
        assert!(!behind.2.contains("unexpected argument"), "{arguments:?}: {}", behind.2);
        if arguments[0] != "index" && arguments[0] != "status" && arguments[0] != "doctor" {
            assert_eq!(before, behind, "{arguments:?}");
        }
        if !ON_NAMES.contains(arguments) {
            let last = run(&[*arguments, &["other"]].concat());
            assert_eq!(last.0, behind.0, "{arguments:?}");
        }
        let missing = run(&[*arguments, &["-C", "missing"]].concat());
        // The settings of a missing directory are those of the user, and there is nothing to uninstall in either.
        let is_same = ["config", "uninstall"].contains(&arguments[0]);
        assert!(missing.1 != behind.1 || is_same, "{arguments:?} ignores it");
    }
}

#[test]
fn exit_codes_mean_the_same_everywhere() {
    let sandbox = project();
    let code = |arguments: &[&str]| sandbox.run(arguments).code;
    for arguments in ON_NAMES.iter().filter(|arguments| arguments[0] != "tests") {
        assert_eq!(code(arguments), 0, "{arguments:?}");
    }
    let nothing: &[&[&str]] = &[
        &["search", "elephants"],
        &["symbol", "elephant"],
        &["callers", "elephant"],
        &["callees", "elephant"],
        &["tests", "elephant"],
        &["tests", "tick"],
        &["outline", "elephant"],
        &["mentions", "elephant"],
        &["text", "elephant"],
        &["show", "elephant"],
        &["impact", "elephant"],
        &["trace", "elephant", "tick"],
        &["neighbors", "elephant"],
        &["expand", "elephant"],
        &["pack", "elephant"],
        &["graph", "elephants"],
        &["index", "empty"],
        &["status", "empty"],
    ];
    for arguments in nothing {
        assert_eq!(code(arguments), 1, "{arguments:?}");
    }
    for arguments in
        ON_A_DIRECTORY.iter().chain(ON_NAMES).filter(|it| it[0] != "install" && it[0] != "uninstall")
    {
        assert_eq!(code(&[*arguments, &["--unknown"]].concat()), 2, "{arguments:?}");
        if !["config", "vocabulary", "text"].contains(&arguments[0]) {
            assert_eq!(code(&[*arguments, &["-C", "missing"]].concat()), 2, "{arguments:?}");
        }
    }
}

/// Runs a command line on a terminal, if there is a program for that. Returns its output.
#[cfg(target_os = "linux")]
fn on_terminal(sandbox: &Sandbox, variables: &[(&str, &str)], line: &str) -> Option<String> {
    let mut command = sandbox.command();
    let environment: Vec<_> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    command = Command::new("script");
    command.env_clear().current_dir(sandbox.tree()).stdin(std::process::Stdio::null());
    command.envs(environment.into_iter().filter_map(|(name, value)| Some((name, value?))));
    command.env("TERM", "xterm").envs(variables.iter().copied());
    // Progress stands on standard error.
    let line = format!("{} 2>/dev/null", line.replace("sscg", env!("CARGO_BIN_EXE_sscg")));
    command.args(["-qec", &line, "/dev/null"]);
    let output = command.output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"))
}

#[cfg(target_os = "linux")]
#[test]
fn answers_on_a_terminal_go_through_the_pager() {
    let sandbox = project();
    let plain = sandbox.run(&["text", "tick"]).stdout;
    let pager = ("SSCG_PAGER", "sed s/^/paged:/");
    let Some(paged) = on_terminal(&sandbox, &[pager, ("NO_COLOR", "1")], "sscg text tick") else { return };
    assert_eq!(paged.replace("paged:", ""), plain);
    assert_eq!(paged.matches("paged:").count(), plain.lines().count(), "{paged}");
    let without = [
        (vec![pager], "sscg --no-pager text tick"),
        (vec![pager], "sscg text tick --no-pager"),
        (vec![pager], "{ sscg text tick | cat; }"),
        (vec![pager, ("TERM", "dumb")], "sscg text tick"),
        (vec![pager], "sscg index"),
        (vec![("SSCG_PAGER", ""), ("PAGER", "sed s/^/paged:/")], "sscg text tick"),
        (vec![("SSCG_PAGER", "cat")], "sscg text tick"),
        (vec![("SSCG_PAGER", "no-such-program")], "sscg text tick"),
    ];
    for (variables, line) in without {
        let output = on_terminal(&sandbox, &variables, line).expect("it was there");
        assert!(
            !output.contains("paged:") && output.contains("clock.py") | output.contains("indexed"),
            "{line}: {output}"
        );
    }
    let output = on_terminal(&sandbox, &[("PAGER", "sed s/^/paged:/")], "sscg status").expect("it was there");
    assert!(output.contains("paged:"), "{output}");
    // A pager that is closed early is no failure, and exit codes stay.
    let output = on_terminal(&sandbox, &[("PAGER", "true")], "{ sscg text tick; echo code $?; }")
        .expect("it was there");
    assert!(output.contains("code 0"), "{output}");
    let output = on_terminal(&sandbox, &[("PAGER", "cat -A")], "{ sscg text elephant; echo code $?; }")
        .expect("it was there");
    assert!(output.contains("nowhere$") && output.contains("code 1"), "{output}");
}

#[test]
fn the_program_checks_itself_without_a_project() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["self-check"]);
    assert_eq!((run.code, &*run.stderr), (0, ""), "{run:?}");
    for about in ["version", "parsers", "tokens", "index", "search"] {
        assert!(
            run.stdout.contains(&format!("\nok    {about} ")) || run.stdout.starts_with("ok    version"),
            "{run:?}"
        );
    }
    assert!(!sandbox.index().exists(), "it keeps nothing");
    let report: Value = serde_json::from_str(&sandbox.run(&["self-check", "--json"]).stdout).expect("JSON");
    assert_eq!(report["schema"], "sscg.self-check.v1");
    assert_eq!(report["checks"].as_array().map(Vec::len), Some(5), "{report}");

    // Without a directory for temporary files it fails, and names the next step.
    if cfg!(unix) {
        let output =
            sandbox.command().env("TMPDIR", sandbox.tree().join("missing")).arg("self-check").output();
        let run = sandbox.read(output.expect("the command starts"));
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stdout.contains("fail  index") && run.stdout.contains("set TMPDIR"), "{run:?}");
    }
}

#[test]
fn indexing_ends_with_counts_and_its_time() {
    let sandbox = project();
    let run = sandbox.run(&["index"]);
    let last = run.stdout.lines().last().expect("there is output");
    let pattern = regex::Regex::new(r"^\d+ symbols?, \d+ edges?, \d+\.\d s$").expect("a pattern");
    assert!(run.stdout.starts_with("1 file indexed, 1 parsed, in ") && pattern.is_match(last), "{run:?}");
}
