//! Checks of `sscg doctor`.

use std::fs;

use expect_test::expect;
use serde_json::Value;

use crate::machine::Machine;
use crate::sandbox::Run;

/// Returns the output without lines that differ between machines.
fn plain(run: &Run) -> String {
    let lines =
        run.stdout.lines().filter(|line| !line.contains("  version ") && !line.contains("  indexes "));
    lines.map(|line| format!("{line}\n")).collect()
}

fn status_of<'r>(report: &'r Value, about: &str) -> Vec<(&'r str, &'r str)> {
    let checks = report["checks"].as_array().expect("it has checks");
    let of = checks.iter().filter(|check| check["about"] == about);
    of.map(|check| {
        (check["status"].as_str().expect("a status"), check["message"].as_str().expect("a message"))
    })
    .collect()
}

fn report(run: &Run) -> Value {
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
    assert_eq!(report["schema"], "sscg.doctor.v1");
    report
}

#[test]
fn a_sound_machine_is_called_sound() {
    let machine = Machine::new();
    machine.write("project/clock.py", "def tick(clock):\n    return clock.time + 1\n");
    machine.write("project/blob.py", b"\0\x01\x02");
    machine.write("user/.cursor/mcp.json", "{}");
    let run = machine.run(&["doctor"]);
    assert_eq!(run.code, 0, "{run:?}");
    if cfg!(target_os = "linux") {
        expect![[r#"
            ok    configuration  yours: none at [tmp]/user/.config/sscg/sscg.toml
            ok    configuration  the project's: none
            ok    project        [tmp]/project: 1 file: python 1
            ok    project        1 path skipped (1 binary); --verbose names them
            ok    index          none yet: the first search makes it, or `sscg index`
            ok    watching       1 directory tells of changes
            warn  agents         Cursor ([tmp]/user/.cursor/mcp.json) is not told of sscg
                                 hint: `sscg install --agent cursor`
            ok    agents         not on this machine: Claude Code, Codex, VS Code, Gemini CLI, OpenCode, Zed
        "#]]
        .assert_eq(&plain(&run));
    }
    assert!(
        run.stdout.starts_with(&format!("ok    version        sscg {}", env!("CARGO_PKG_VERSION"))),
        "{run:?}"
    );

    machine.run(&["index"]);
    machine.run(&["install"]);
    let run = machine.run(&["doctor", "--json"]);
    let report = report(&run);
    assert_eq!(run.code, 0, "{run:?}");
    let [(status, message)] = status_of(&report, "index")[..] else { panic!("{run:?}") };
    assert_eq!(status, "ok");
    assert!(message.starts_with("1 file, up to date; "), "{message}");
    assert_eq!(
        status_of(&report, "agents")[0],
        ("ok", "Cursor, [tmp]/user/.cursor/mcp.json: sscg mcp: 3 tools, look_up answers")
    );

    machine.write("project/clock.py", "def tock(clock):\n    return clock.time - 1\n");
    machine.write("project/shop.py", "def sell(clock):\n    return clock.price\n");
    machine.run(&["index"]);
    fs::remove_file(machine.path("project/shop.py")).expect("it is there");
    machine.write("project/clock.py", "def tack(clock):\n    return clock.time * 2\n");
    let before = machine.tree();
    let run = machine.run(&["doctor"]);
    assert!(run.stdout.contains("0 files, 1 file changed and 1 gone, as the next search finds"), "{run:?}");
    assert_eq!(machine.tree(), before, "nothing is indexed");
}

#[test]
fn what_does_not_work_is_said_and_is_the_exit_code() {
    let machine = Machine::new();
    machine.write("project/clock.py", "def tick(clock):\n    return clock.time + 1\n");
    let gone = "{ \"mcpServers\": { \"sscg\": { \"command\": \"/nowhere/sscg\", \"args\": [\"mcp\"] } } }";
    machine.write("user/.cursor/mcp.json", gone);
    machine.write("user/.gemini/settings.json", "{ broken");
    machine.write("user/.codex/config.toml", "[mcp_servers.sscg]\ncommand = \"npx\"\n");
    let run = machine.run(&["doctor", "--json"]);
    assert_eq!(run.code, 2, "{run:?}");
    let report = report(&run);
    let agents = status_of(&report, "agents");
    assert_eq!(
        agents[0],
        (
            "fail",
            "Cursor, [tmp]/user/.cursor/mcp.json: /nowhere/sscg mcp does not start: there is no such program"
        )
    );
    assert_eq!(agents[1], ("warn", "Codex, [tmp]/user/.codex/config.toml: sscg is another program there"));
    assert_eq!(agents[2].0, "fail", "{agents:?}");
    assert!(agents[2].1.starts_with("Gemini CLI, [tmp]/user/.gemini/settings.json: "), "{agents:?}");
    for check in report["checks"].as_array().expect("it has checks") {
        assert_eq!(check["status"] == "ok", check.get("hint").is_none(), "{check}");
    }
}

#[cfg(unix)]
#[test]
fn no_program_is_started_because_a_project_names_it() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    machine.write("project/clock.py", "def tick(clock):\n    return clock.time + 1\n");
    machine.write("project/sscg", format!("#!/bin/sh\n: > {}\n", machine.path("started").display()));
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(machine.path("project/sscg"), executable).expect("it is there");
    machine.write(
        "project/.mcp.json",
        r#"{ "mcpServers": { "sscg": { "command": "./sscg", "args": ["mcp"] } } }"#,
    );
    machine.write(
        "project/.cursor/mcp.json",
        r#"{ "mcpServers": { "sscg": { "command": "sscg", "args": ["mcp"] } } }"#,
    );
    let report = report(&machine.run(&["doctor", "--json"]));
    assert!(!machine.path("started").exists());
    let agents = status_of(&report, "agents");
    let (status, message) = agents[0];
    assert_eq!(status, "warn", "{agents:?}");
    assert!(message.contains("./sscg mcp is not the sscg of this machine, and was not started"), "{message}");
    assert_eq!(agents[1].0, "ok", "{agents:?}");
}

#[cfg(unix)]
#[test]
fn a_program_that_leaves_another_behind_is_not_waited_for() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    machine.write("project/clock.py", "def tick(clock):\n    return clock.time + 1\n");
    machine.write("user/old/sscg", "#!/bin/sh\n/bin/sleep 300 &\necho $! > \"$0.pid\"\necho sscg 0.0.0\n");
    let program = machine.path("user/old/sscg");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is there");
    let server = serde_json::json!({ "command": program, "args": ["mcp"] });
    machine
        .write("user/.cursor/mcp.json", serde_json::json!({ "mcpServers": { "sscg": server } }).to_string());
    let report = report(&machine.run(&["doctor", "--json"]));
    let (status, message) = status_of(&report, "agents")[0];
    assert_eq!(status, "warn", "{message}");
    assert!(message.contains(" is sscg 0.0.0, and this is "), "{message}");
    // The program is still running: the command did not wait for it.
    let left = machine.read("user/old/sscg.pid");
    let killed = std::process::Command::new("kill").arg(left.trim()).status().expect("kill is there");
    assert!(killed.success());
}

#[test]
fn a_broken_configuration_does_not_keep_it_from_looking_at_the_rest() {
    let machine = Machine::new();
    machine.write("project/sscg.toml", "[search]\nlimt = 3\n");
    machine.write("user/.cursor/mcp.json", "{}");
    let run = machine.run(&["doctor"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(
        run.stdout.contains("fail  configuration  [tmp]/project/sscg.toml:2: there is no key search.limt"),
        "{run:?}"
    );
    assert!(run.stdout.contains("hint: did you mean search.limit?"), "{run:?}");
    assert!(run.stdout.contains("warn  agents         Cursor"), "{run:?}");
}

#[test]
fn an_index_that_is_damaged_or_cannot_be_kept_is_told() {
    let machine = Machine::new();
    machine.write("project/clock.py", "def tick(clock):\n    return clock.time + 1\n");
    let indexes = machine.path("indexes");
    let directory = indexes.to_string_lossy().into_owned();
    machine.run(&["index", "--index-dir", &directory]);
    let store =
        fs::read_dir(&indexes).expect("it was made").next().expect("a store").expect("readable").path();
    for file in fs::read_dir(&store).expect("readable").map(|file| file.expect("readable").path()) {
        fs::write(file, "nonsense").expect("writable");
    }
    let run = machine.run(&["doctor", "--index-dir", &directory]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("warn  index          the index at [tmp]/indexes/"), "{run:?}");

    machine.write("file", "no directory");
    let run = machine.run(&["doctor", "--index-dir", &machine.path("file").to_string_lossy()]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stdout.contains("fail  indexes        [tmp]/file cannot be written"), "{run:?}");
}

#[test]
fn a_model_that_does_not_answer_is_a_failure() {
    let machine = Machine::new();
    machine.write("project/clock.py", "def tick(clock):\n    return clock.time + 1\n");
    // The discard port has no listener.
    let run = machine.run(&[
        "doctor",
        "--json",
        "--model",
        "http://127.0.0.1:9/v1#m",
        "--rerank",
        "http://127.0.0.1:9",
    ]);
    assert_eq!(run.code, 2, "{run:?}");
    let report = report(&run);
    for about in ["model", "reranker"] {
        assert_eq!(status_of(&report, about)[0].0, "fail", "{about}: {run:?}");
    }
}

#[test]
fn few_watches_are_told() {
    let machine = Machine::new();
    machine.write("project/a/clock.py", "def tick(clock):\n    return clock.time + 1\n");
    machine.write("project/sscg.toml", "[watch]\nmax_directories = 1\n");
    let run = machine.run(&["doctor"]);
    assert!(run.stdout.contains("warn  watching"), "{run:?}");
    assert!(run.stdout.contains("because of more than 1 directories"), "{run:?}");
}

#[test]
fn a_server_is_started_and_called_as_its_agent_does() {
    let machine = Machine::new();
    machine.write("project/clock.py", "def tick(clock):\n    return clock.time + 1\n");
    for (agent, tools) in [("cursor", "docs"), ("gemini", "index"), ("zed", "knowledge"), ("codex", "all")] {
        machine.run(&["install", "--agent", agent, "--tools", tools]);
    }
    machine.run(&["install", "--agent", "opencode"]);
    let moved =
        machine.read("user/.config/opencode/opencode.json").replace("\"mcp\"]", "\"mcp\", \"/nowhere\"]");
    machine.write("user/.config/opencode/opencode.json", moved);
    // Whoever wrote the project may let the server write files.
    machine.write(
        "project/.mcp.json",
        r#"{ "mcpServers": { "sscg": { "command": "sscg", "args": ["mcp", "--record", "written"] } } }"#,
    );
    let before = machine.tree();
    let run = machine.run(&["doctor", "--json"]);
    assert_eq!((run.code, machine.tree()), (2, before), "{run:?}");
    let report = report(&run);
    let agents = status_of(&report, "agents");
    let about =
        |name: &str| agents.iter().find(|(_, message)| message.starts_with(name)).expect("it is checked");
    assert!(about("Cursor").1.ends_with("sscg mcp --tools docs: 1 tool, doc_search answers"), "{agents:?}");
    assert!(about("Gemini").1.ends_with(" tools, index_status answers"), "{agents:?}");
    assert_eq!(about("Zed").0, "ok", "{agents:?}");
    assert!(about("Codex").1.ends_with(" tools, look_up answers"), "{agents:?}");
    let (status, message) = about("OpenCode");
    assert_eq!(*status, "fail");
    assert!(
        message.contains("ends instead of answering initialize (error: cannot open /nowhere"),
        "{message}"
    );
    assert!(
        about("Claude Code").1.ends_with("not started with these arguments of the project"),
        "{agents:?}"
    );
}
