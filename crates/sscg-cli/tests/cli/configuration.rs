//! User settings: files, environment variables, flags.

use std::fs;

use expect_test::expect;

use crate::sandbox::{Run, Sandbox};

/// Project of two files, with the user's file beside it.
struct Setting {
    sandbox: Sandbox,
    users: std::path::PathBuf,
}

impl Setting {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("clock.py", "def tick(clock):\n    return clock.time + 1\n");
        sandbox.write("shop.py", "def sell(clock):\n    return clock.price\n");
        let users = sandbox.tree().with_file_name("own").join("sscg.toml");
        fs::create_dir(users.parent().expect("it stands in a directory")).expect("writable");
        Self { sandbox, users }
    }

    fn users(&self, text: &str) {
        fs::write(&self.users, text).expect("writable");
    }

    fn projects(&self, text: &str) {
        self.sandbox.write("sscg.toml", text);
    }

    fn run(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Run {
        let mut command = self.sandbox.command();
        if self.users.exists() {
            command.env("SSCG_CONFIG", &self.users);
        }
        command.envs(variables.iter().copied()).args(arguments);
        self.sandbox.read(command.output().expect("the command starts"))
    }

    /// Returns the effective value of a key, with its origin.
    fn shown(&self, key: &str, variables: &[(&str, &str)], flags: &[&str]) -> String {
        let run = self.run(variables, &[&["config", "show"], flags].concat());
        assert_eq!(run.code, 0, "{run:?}");
        let line = run.stdout.lines().find(|line| line.starts_with(&format!("{key} = ")));
        line.unwrap_or_else(|| panic!("{run:?}")).to_owned()
    }
}

#[test]
fn the_nearest_of_five_places_counts() {
    let setting = Setting::new();
    let budget = |variables: &[(&str, &str)], flags: &[&str]| setting.shown("budget", variables, flags);
    assert_eq!(budget(&[], &[]), "budget = 8000 # default");
    setting.users("[search]\n\nbudget = 7000\nlimit = 3\n");
    assert_eq!(budget(&[], &[]), "budget = 7000 # [tmp]/own/sscg.toml:3");
    setting.projects("search.budget = 6000\n");
    assert_eq!(budget(&[], &[]), "budget = 6000 # [tmp]/tree/sscg.toml:1");
    let variable = [("SSCG_BUDGET", "5000")];
    assert_eq!(budget(&variable, &[]), "budget = 5000 # SSCG_BUDGET");
    assert_eq!(budget(&variable, &["--budget", "4000"]), "budget = 4000 # --budget");
    // A key that one place does not set may be set by another.
    assert_eq!(setting.shown("limit", &variable, &[]), "limit = 3 # [tmp]/own/sscg.toml:4");
    assert_eq!(budget(&[("SSCG_BUDGET", "")], &[]), "budget = 6000 # [tmp]/tree/sscg.toml:1");

    let found = setting.run(&variable, &["search", "what does the clock do"]);
    assert!(found.stdout.contains("/5,000 tokens"), "{found:?}");
    let found = setting.run(&variable, &["search", "what does the clock do", "--limit", "1"]);
    assert!(found.stdout.contains("| 1 result |"), "{found:?}");
}

#[test]
fn extents_of_graph_queries_are_keys_and_flags_count_before_them() {
    let setting = Setting::new();
    let text = "def a():\n    pass\n\ndef b():\n    a()\n\ndef c():\n    b()\n\ndef d():\n    a()\n";
    setting.sandbox.write("chain.py", text);
    setting.projects(
        "[graph]\nimpact_depth = 1\nimpact_limit = 1\ndepth = 1\ntrace_depth = 1\npack_count = 1\n",
    );
    let check = |arguments: &[&str], expected: &str| {
        let run = setting.run(&[], arguments);
        assert!(run.stdout.contains(expected), "{arguments:?}: {run:?}");
    };
    check(&["impact", "a"], "| 2 affected, 1 shown in 1 file |");
    check(&["impact", "a", "--limit", "5"], "| 2 affected in 1 file |");
    check(&["impact", "a", "--limit", "5", "--depth", "2"], "| 3 affected in 1 file |");
    check(&["expand", "a", "--direction", "incoming"], "| 2 nodes around |");
    check(&["expand", "a", "--direction", "incoming", "--depth", "2"], "| 3 nodes around |");
    check(&["trace", "c", "a"], "No way leads from one to the other");
    check(&["trace", "c", "a", "--depth", "2"], "| 1 path of 2 steps |");
    check(&["pack"], "Pack: 1 node ");
    check(&["pack", "--count", "2"], "Pack: 2 nodes ");
    let run = setting.run(&[], &["impact", "a", "--limit", "0"]);
    assert!(
        run.code == 2 && run.stderr.contains("graph.impact_limit is a whole number, at least 1"),
        "{run:?}"
    );
}

#[test]
fn the_projects_file_is_the_nearest_in_the_repository() {
    let setting = Setting::new();
    let shown = |path: &str| setting.shown("limit", &[], &[path]);
    setting.sandbox.write("part/inner/a.py", "def a():\n    pass\n");
    setting.projects("[search]\nlimit = 1\n");
    assert_eq!(shown("part/inner"), "limit = 50 # default");
    fs::create_dir(setting.sandbox.tree().join(".git")).expect("writable");
    assert_eq!(shown("part/inner"), "limit = 1 # [tmp]/tree/sscg.toml:2");
    setting.sandbox.write("part/sscg.toml", "[search]\nlimit = 2\n");
    assert_eq!(shown("part/inner"), "limit = 2 # [tmp]/tree/part/sscg.toml:2");
    fs::create_dir(setting.sandbox.tree().join("part/inner/.git")).expect("writable");
    assert_eq!(shown("part/inner"), "limit = 50 # default");
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_line() {
    let setting = Setting::new();
    let check = |text: &str, expected: expect_test::Expect| {
        setting.projects(text);
        expected.assert_eq(&setting.run(&[], &["search", "tick"]).stderr);
    };
    check(
        "[rank.weights]\n# less\ngrahp = 0.1\n",
        expect![[r#"
        error: [tmp]/tree/sscg.toml:3: there is no key rank.weights.grahp
        hint: did you mean rank.weights.graph?
    "#]],
    );
    check(
        "[serch]\nlimit = 3\n",
        expect![[r#"
        error: [tmp]/tree/sscg.toml:1: there is no key serch
        hint: did you mean search?
    "#]],
    );
    check(
        "[search]\nlimit = 3\nblend = 1\n",
        expect![[r#"
            error: [tmp]/tree/sscg.toml:3: there is no key search.blend
            hint: did you mean rerank.blend?
        "#]],
    );
    check(
        "[rank.lexical.body]\nsize = 1.0\n",
        expect![[r#"
            error: [tmp]/tree/sscg.toml:2: there is no key rank.lexical.body.size
            hint: rank.lexical.body has weight, length
        "#]],
    );
    check(
        "[rank]\nchunk_decay = 1.5\n",
        expect![[r#"
        error: [tmp]/tree/sscg.toml:2: rank.chunk_decay is a number from 0 to 1, not 1.5
        hint: its default is 0.7; `sscg config show` prints all keys
    "#]],
    );
    check(
        "[rank.weights]\ngraph = -0.1\n",
        expect![[r#"
            error: [tmp]/tree/sscg.toml:2: rank.weights.graph is a number, at least 0, not -0.1
            hint: its default is 0.0; `sscg config show` prints all keys
        "#]],
    );
    check(
        "rank.weights.graph = nan\n",
        expect![[r#"
            error: [tmp]/tree/sscg.toml:1: rank.weights.graph is a number, at least 0, not nan
            hint: its default is 0.0; `sscg config show` prints all keys
        "#]],
    );
    check(
        "[rank]\nfiles = 1.5\n",
        expect![[r#"
        error: [tmp]/tree/sscg.toml:2: rank.files is a whole number from 1 to 1000000, not 1.5
        hint: its default is 200; `sscg config show` prints all keys
    "#]],
    );
    check(
        "[search]\nformat = \"xml\"\n",
        expect![[r#"
            error: [tmp]/tree/sscg.toml:2: search.format is one of text, compact, toon, verbose, evidence, not "xml"
            hint: its default is "text"; `sscg config show` prints all keys
        "#]],
    );
    check(
        "rank = { weights = 1 }\n",
        expect![[r#"
        error: [tmp]/tree/sscg.toml:1: rank.weights is a section, not 1
        hint: write its keys below [rank.weights]
    "#]],
    );
    check(
        "[search]\nlimit = 3\nlimit = 4\n",
        expect![[r#"
        error: [tmp]/tree/sscg.toml:3: duplicate key
        hint: the file is TOML: https://toml.io
    "#]],
    );
    check(
        "[search\n",
        expect![[r#"
        error: [tmp]/tree/sscg.toml:1: unclosed table, expected `]`
        hint: the file is TOML: https://toml.io
    "#]],
    );
    setting.projects("");
    fs::remove_file(setting.sandbox.tree().join("sscg.toml")).expect("it is there");
    let stderr = |variables: &[(&str, &str)], arguments: &[&str]| setting.run(variables, arguments).stderr;
    expect![[r#"
        error: SSCG_LIMIT: search.limit is a whole number, at least 1, not "many"
        hint: its default is 50; `sscg config show` prints all keys
    "#]]
    .assert_eq(&stderr(&[("SSCG_LIMIT", "many")], &["search", "tick"]));
    expect![[r#"
        error: --limit: search.limit is a whole number, at least 1, not 0
        hint: its default is 50; `sscg config show` prints all keys
    "#]]
    .assert_eq(&stderr(&[], &["search", "tick", "--limit", "0"]));
    expect![[r#"
        error: there is no nowhere.toml, which SSCG_CONFIG names
        hint: `sscg config init --user` makes it
    "#]]
    .assert_eq(&stderr(&[("SSCG_CONFIG", "nowhere.toml")], &["search", "tick"]));
}

#[test]
fn a_file_that_comes_with_the_code_names_no_provider_and_no_directory() {
    let setting = Setting::new();
    let theirs = "[model]\nname = \"http://127.0.0.1:1/v1#spy\"\n[index]\ndirectory = \"/elsewhere\"\n";
    setting.projects(theirs);
    let run = setting.run(&[], &["search", "what does the clock do", "--ephemeral"]);
    assert_eq!(run.code, 0, "{run:?}");
    expect![[r#"
        warning: [tmp]/tree/sscg.toml:2: model.name is not taken from a file that comes with the code; set it in your own sscg.toml, or give SSCG_MODEL, or give --model
        warning: [tmp]/tree/sscg.toml:4: index.directory is not taken from a file that comes with the code; set it in your own sscg.toml, or give SSCG_INDEX_DIR, or give --index-dir
    "#]].assert_eq(&run.stderr);
    setting.users("model.name = \"nowhere\"\n");
    let run = setting.run(&[], &["search", "what does the clock do", "--ephemeral"]);
    assert!(run.stderr.contains("there is no model \"nowhere\""), "{run:?}");
    assert_eq!(setting.shown("name", &[], &["--model", ""]), "name = \"\" # --model");
    // The user's own file stays the user's, even inside of a project.
    fs::copy(&setting.users, setting.sandbox.tree().join("sscg.toml")).expect("writable");
    let run = setting.run(&[("SSCG_CONFIG", "sscg.toml")], &["config", "show"]);
    assert_eq!(run.stderr, "", "{run:?}");
}

#[test]
fn a_key_is_accepted_under_its_earlier_name_with_a_warning() {
    let setting = Setting::new();
    setting.projects("[watch]\npatience_ms = 3000\n");
    let shown = setting.shown("max_delay_ms", &[], &[]);
    assert_eq!(shown, "max_delay_ms = 3000 # [tmp]/tree/sscg.toml:2");
    let warning = "[tmp]/tree/sscg.toml:2: watch.patience_ms is now watch.max_delay_ms";
    assert!(setting.run(&[], &["config", "show"]).stderr.contains(warning));
}

#[test]
fn a_signal_that_weighs_nothing_has_no_say() {
    let setting = Setting::new();
    setting
        .sandbox
        .write("tower.py", "def bell(hour):\n    \"\"\"The clock, the clock.\"\"\"\n    return hour\n");
    let ranked = || {
        let run = setting.run(&[], &["search", "clock", "--explain"]);
        assert_eq!(run.code, 0, "{run:?}");
        run.stdout
    };
    let before = ranked();
    assert!(before.contains("  lexical ") && before.contains("  path "), "{before}");
    setting.projects("[rank.weights]\nlexical = 0\nmeaning = 0\nwindow = 0\n");
    let after = ranked();
    assert!(!after.contains("lexical") && !after.contains("window"), "{after}");
    let first = |text: &str| text.lines().find(|line| line.starts_with("[1] ")).map(str::to_owned);
    let order =
        |text: &str| text.lines().filter(|line| line.starts_with('[')).map(str::to_owned).collect::<Vec<_>>();
    assert!(first(&before).is_some() && order(&before) != order(&after), "{before}{after}");
}

#[test]
fn a_new_file_changes_nothing_and_no_file_is_replaced() {
    let setting = Setting::new();
    let before = setting.run(&[], &["config", "show"]);
    let run = setting.run(&[], &["config", "init"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    assert_eq!(setting.run(&[], &["config", "show"]), before);
    expect![[r#"
        --- stderr
        error: ./sscg.toml is there already
        hint: edit it; `sscg config show` prints what counts
        --- exit 2
    "#]]
    .assert_eq(&setting.run(&[], &["config", "init"]).transcript());
    let own = [("SSCG_CONFIG", "../own/deep/sscg.toml")];
    assert_eq!(setting.run(&own, &["config", "init", "--user"]).code, 0);
    // Every commented-out line is a valid setting.
    let text = fs::read_to_string(setting.sandbox.tree().join("sscg.toml")).expect("it was written");
    let uncommented: Vec<&str> = text
        .lines()
        .map(|line| {
            line.strip_prefix("# ").filter(|line| line.split(' ').nth(1) == Some("=")).unwrap_or(line)
        })
        .collect();
    setting.users(&uncommented.join("\n"));
    fs::remove_file(setting.sandbox.tree().join("sscg.toml")).expect("it is there");
    let shown = setting.run(&[], &["config", "show"]).stdout;
    assert!(!shown.contains("# default"), "{shown}");
    let values =
        |text: &str| text.lines().map(|line| line.split(" # ").next().map(str::to_owned)).collect::<Vec<_>>();
    assert_eq!(values(&shown), values(&before.stdout));
}
