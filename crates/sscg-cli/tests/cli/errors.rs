//! Messages to users when a command cannot do what they ask.

use expect_test::{Expect, expect};

use crate::sandbox::Sandbox;

/// Runs the command in a project of a single file.
fn check(arguments: &[&str], expected: Expect) {
    let sandbox = Sandbox::new();
    sandbox.write("app.py", "def run():\n    pass\n");
    sandbox.write("empty/.keep", "");
    expected.assert_eq(&sandbox.run(arguments).transcript());
}

#[test]
fn nothing_to_search_is_said() {
    check(
        &["search", "run", "empty"],
        expect![[r#"
            --- stderr
            error: no source files in [tmp]/tree/empty
            hint: SSCG reads c, cpp, csharp, go, java, javascript, python, rust, typescript, and declarations of 29 other languages
            --- exit 2
        "#]],
    );
    check(
        &["index", "empty"],
        expect![[r#"
        0 files indexed, 0 parsed, in [tmp]/tree/empty
        --- stderr
        hint: `sscg status --verbose` says what else is there
        --- exit 1
    "#]],
    );
    check(
        &["search", "run", "missing"],
        expect![[r#"
        --- stderr
        error: cannot open missing: no such file or directory
        hint: check the path, and that you may read it
        --- exit 2
    "#]],
    );
    check(
        &["index", "missing"],
        expect![[r#"
        --- stderr
        error: cannot open missing: no such file or directory
        hint: check the path, and that you may read it
        --- exit 2
    "#]],
    );
    check(
        &["search", "run", "app.py"],
        expect![[r#"
        --- stderr
        error: app.py is not a directory
        hint: give the directory; a single file is chosen with --path
        --- exit 2
    "#]],
    );
}

#[test]
fn a_directory_of_other_files_says_what_it_can_read() {
    let sandbox = Sandbox::new();
    sandbox.write("notes.txt", "no code\n");
    sandbox.write("main.cob", "no code that SSCG knows\n");
    expect![[r#"
        --- stderr
        error: no source files in [tmp]/tree
        hint: SSCG reads c, cpp, csharp, go, java, javascript, python, rust, typescript, and declarations of 29 other languages; 2 files there are something else
        --- exit 2
    "#]]
    .assert_eq(&sandbox.run(&["search", "run"]).transcript());
}

#[test]
fn unknown_values_name_the_known_ones() {
    check(
        &["search", "run", "--format", "xml"],
        expect![[r#"
            --- stderr
            error: invalid value 'xml' for '--format <FORMAT>'
              [possible values: text, compact, toon, verbose, evidence]

            For more information, try '--help'.
            hint: `sscg --help` lists the commands, `sscg <COMMAND> --help` their options
            --- exit 2
        "#]],
    );
    check(
        &["search", "run", "--language", "cobol"],
        expect![[r#"
            --- stderr
            error: invalid value 'cobol' for '--language <NAME>'
              [possible values: c, clojure, cpp, crystal, csharp, dart, elixir, erlang, fsharp, go, graphql, groovy, haskell, hcl, java, javascript, julia, kotlin, lua, objective-c, ocaml, perl, php, powershell, protobuf, python, r, ruby, rust, scala, shell, solidity, sql, svelte, swift, typescript, vue, zig, csv, html, ini, json, log, markdown, pdf, restructuredtext, text, toml, xml, yaml]

              tip: a similar value exists: 'c'

            For more information, try '--help'.
            hint: `sscg --help` lists the commands, `sscg <COMMAND> --help` their options
            --- exit 2
        "#]],
    );
    check(
        &["search", "run", "--colour"],
        expect![[r#"
            --- stderr
            error: unexpected argument '--colour' found

              tip: a similar argument exists: '--color'

            Usage: sscg search --color <WHEN> <QUESTION> [PATH]...

            For more information, try '--help'.
            hint: `sscg search -- --colour` searches for it
            hint: `sscg --help` lists the commands, `sscg <COMMAND> --help` their options
            --- exit 2
        "#]],
    );
    check(
        &["serch", "run"],
        expect![[r#"
        --- stderr
        error: unrecognized subcommand 'serch'

          tip: some similar subcommands exist: 'self-check', 'search'

        Usage: sscg [OPTIONS] <COMMAND>

        For more information, try '--help'.
        hint: `sscg --help` lists the commands, `sscg <COMMAND> --help` their options
        --- exit 2
    "#]],
    );
}

#[test]
fn a_question_that_asks_nothing_is_refused() {
    check(
        &["search", ""],
        expect![[r#"
        --- stderr
        error: the question is empty
        hint: name what you look for: "how are retries scheduled", or a declaration: "symbol = Retry > next"
        --- exit 2
    "#]],
    );
    check(
        &["search", "  "],
        expect![[r#"
        --- stderr
        error: the question is empty
        hint: name what you look for: "how are retries scheduled", or a declaration: "symbol = Retry > next"
        --- exit 2
    "#]],
    );
    check(
        &["search", "what is it"],
        expect![[r#"
        --- stderr
        error: the question has only words that say nothing about code: "what is it"
        hint: name what you look for: "how are retries scheduled", or a declaration: "symbol = Retry > next"
        --- exit 2
    "#]],
    );
    check(
        &["search", "symbol = Outer > "],
        expect![[r#"
        --- stderr
        error: not a symbol path: "Outer >"
        hint: write it as "symbol = Outer > inner"
        --- exit 2
    "#]],
    );
}

#[test]
fn limits_that_hold_no_answer_are_refused() {
    check(
        &["search", "run", "--budget", "100"],
        expect![[r#"
        --- stderr
        error: --budget: search.budget is a whole number from 200 to 10000000, not 100
        hint: its default is 8000; `sscg config show` prints all keys
        --- exit 2
    "#]],
    );
    check(
        &["search", "run", "--limit", "0"],
        expect![[r#"
            --- stderr
            error: --limit: search.limit is a whole number, at least 1, not 0
            hint: its default is 50; `sscg config show` prints all keys
            --- exit 2
        "#]],
    );
    check(
        &["search", "run", "--budget", "many"],
        expect![[r#"
        --- stderr
        error: invalid value 'many' for '--budget <TOKENS>': invalid digit found in string

        For more information, try '--help'.
        hint: `sscg --help` lists the commands, `sscg <COMMAND> --help` their options
        --- exit 2
    "#]],
    );
    check(
        &["search", "run", "--path", "a["],
        expect![[r#"
        --- stderr
        error: not a path or glob: "a[": unclosed character class; missing ']'
        hint: give a file, a directory, or a glob such as 'src/**/*.rs'
        --- exit 2
    "#]],
    );
}

#[test]
fn a_question_longer_than_the_budget_is_not_repeated_in_full() {
    let sandbox = Sandbox::new();
    sandbox.write("app.py", "def run():\n    pass\n");
    let run = sandbox.run(&["search", &"run ".repeat(500), "--budget", "200"]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    assert!(run.stdout.contains("run run…") && run.stdout.contains("/200 tokens"), "{}", run.stdout);
}

#[test]
fn nothing_found_is_told_apart_from_an_error() {
    check(
        &["search", "elephants"],
        expect![[r#"
        --- stderr
        nothing found for "elephants" in [tmp]/tree
        hint: ask in other words, or for a declaration: "symbol = Outer > inner"
        --- exit 1
    "#]],
    );
    check(
        &["search", "elephants", "--terms", "trunk,tusk"],
        expect![[r#"
        --- stderr
        nothing found for "elephants" in [tmp]/tree
        hint: none of the terms is here either: `sscg vocabulary` lists names of this project
        --- exit 1
    "#]],
    );
    check(
        &["search", "run", "--language", "rust"],
        expect![[r#"
        --- stderr
        nothing found for "run" in [tmp]/tree
        hint: search without --language, --path and --kind, or in other words
        --- exit 1
    "#]],
    );
}
