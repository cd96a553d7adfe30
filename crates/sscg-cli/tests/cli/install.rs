//! Registration of the server with agents, and its removal.

use std::fs;

use expect_test::expect;
use jsonc_parser::cst::CstRootNode;
use serde_json::{Value, json};

use crate::machine::Machine;

/// Agent, its file for all projects, its file for one, and the key path to its servers.
type Agent = (&'static str, &'static str, &'static str, &'static [&'static str]);

#[cfg(target_os = "linux")]
const APPLICATIONS: &str = "user/.config";
#[cfg(target_os = "macos")]
const APPLICATIONS: &str = "user/Library/Application Support";
#[cfg(target_os = "windows")]
const APPLICATIONS: &str = "user/AppData/Roaming";

fn agents() -> Vec<Agent> {
    let code: &str = Box::leak(format!("{APPLICATIONS}/Code/User/mcp.json").into_boxed_str());
    let zed = if cfg!(windows) {
        "user/AppData/Roaming/Zed/settings.json"
    } else {
        "user/.config/zed/settings.json"
    };
    vec![
        ("claude-code", "user/.claude.json", "project/.mcp.json", &["mcpServers"]),
        ("cursor", "user/.cursor/mcp.json", "project/.cursor/mcp.json", &["mcpServers"]),
        ("codex", "user/.codex/config.toml", "project/.codex/config.toml", &["mcp_servers"]),
        ("vscode", code, "project/.vscode/mcp.json", &["servers"]),
        ("gemini", "user/.gemini/settings.json", "project/.gemini/settings.json", &["mcpServers"]),
        ("opencode", "user/.config/opencode/opencode.json", "project/opencode.json", &["mcp"]),
        ("zed", zed, "project/.zed/settings.json", &["context_servers"]),
    ]
}

fn is_toml(agent: &Agent) -> bool {
    agent.1.ends_with(".toml")
}

/// Parses a configuration as a value; null if it is empty.
fn parse(agent: &Agent, text: &str) -> Value {
    let text = text.trim_start_matches('\u{feff}');
    if is_toml(agent) {
        return toml_edit::de::from_str(text).expect("it is TOML");
    }
    let root = CstRootNode::parse(text, &Default::default()).expect("it is JSON");
    root.to_serde_value().unwrap_or(json!({}))
}

/// Returns realistic configurations: a name for messages, and the text. `SERVERS` is the key of the servers.
fn configurations(agent: &Agent) -> Vec<(&'static str, String)> {
    let texts: Vec<(&str, &str)> = if is_toml(agent) {
        vec![
            ("empty", ""),
            ("a line break", "\n"),
            ("a comment", "# mine\n"),
            ("other keys", "model = \"o3\" # the best\n\n[profiles.a]\nx = 1\n"),
            ("another server", "[SERVERS.other]\ncommand = \"other\"\n\n[SERVERS.other.env]\nA = \"b\"\n"),
            ("a header", "[SERVERS]\n\n[tools]\nx = true\n"),
            ("a comment at the end", "[SERVERS.other]\ncommand = \"other\"\n\n# the end\n"),
            ("CRLF", "# mine\r\n[SERVERS.other]\r\ncommand = \"other\"\r\n"),
            ("a byte order mark", "\u{feff}model = \"o3\"\n"),
            ("no final line break", "model = \"o3\""),
        ]
    } else {
        vec![
            ("empty", ""),
            ("a line break", "\n"),
            ("an empty object", "{}"),
            ("an empty object and a line break", "{}\n"),
            ("an empty object in lines", "{\n}\n"),
            ("a comment", "// mine\n"),
            ("one line", "{\"a\":1,\"b\":{\"c\":[1,2]}}"),
            ("other keys", "{\n  \"a\": 1, // one\n  /* two */\n  \"b\": { \"c\": [1, 2,], },\n}\n"),
            (
                "another server",
                "{\n  \"SERVERS\": {\n    \"other\": { \"command\": \"other\", \"args\": [] }\n  },\n  \"z\": 1\n}\n",
            ),
            (
                "a trailing comma",
                "{\n\t\"SERVERS\": {\n\t\t// ours\n\t\t\"other\": { \"command\": \"other\" }, // yes\n\t},\n}\n",
            ),
            ("no server", "{\n  \"SERVERS\": {},\n  \"z\": 1\n}\n"),
            ("no server in lines", "{\n  \"SERVERS\": {\n  }\n}\n"),
            (
                "CRLF",
                "{\r\n  // mine\r\n  \"SERVERS\": {\r\n    \"other\": { \"command\": \"other\" }\r\n  }\r\n}\r\n",
            ),
            ("a byte order mark", "\u{feff}{\n  \"a\": 1\n}\n"),
            ("no final line break", "{\n    \"a\": 1\n}"),
        ]
    };
    texts.into_iter().map(|(name, text)| (name, text.replace("SERVERS", agent.3[0]))).collect()
}

fn server<'v>(agent: &Agent, document: &'v Value) -> Option<&'v Value> {
    agent.3.iter().try_fold(document, |value, key| value.get(key))?.get("sscg")
}

/// Returns the document without the server and the hook, and without objects that hold nothing else.
fn rest(agent: &Agent, mut document: Value) -> Value {
    let servers = document.get_mut(agent.3[0]).and_then(Value::as_object_mut);
    if let Some(servers) = servers {
        servers.remove("sscg");
        if servers.is_empty() {
            document.as_object_mut().expect("it has servers").remove(agent.3[0]);
        }
    }
    // Gemini CLI has hooks in the same file.
    if agent.0 == "gemini" {
        document.as_object_mut().expect("it is an object").remove("hooks");
    }
    document
}

#[test]
fn every_file_is_as_before_to_the_byte_after_uninstalling() {
    for agent in agents() {
        let (name, file, ..) = agent;
        for (shape, text) in configurations(&agent) {
            let machine = Machine::new();
            machine.write(file, &text);
            let before = machine.tree();
            let what = format!("{name}, {shape}");
            let run = machine.run(&["install", "--agent", name]);
            assert_eq!(run.code, 0, "{what}: {run:?}");

            let installed = machine.read(file);
            let document = parse(&agent, &installed);
            assert!(server(&agent, &document).is_some(), "{what}: {installed}");
            assert_eq!(rest(&agent, document), rest(&agent, parse(&agent, &text)), "{what}");
            for comment in
                ["# mine", "// mine", "// one", "/* two */", "// ours", "// yes", "# the best", "# the end"]
            {
                assert_eq!(
                    installed.matches(comment).count(),
                    text.matches(comment).count(),
                    "{what}: {installed}"
                );
            }
            let lone = installed.replace("\r\n", "").contains('\n');
            assert!(!(text.contains("\r\n") && lone), "{what}: mixed line breaks: {installed:?}");

            let once = machine.tree();
            let run = machine.run(&["install", "--agent", name]);
            assert!(run.stdout.contains("already in"), "{what}: {run:?}");
            assert_eq!(machine.tree(), once, "{what}");
            let run = machine.run(&["uninstall"]);
            assert_eq!(run.code, 0, "{what}: {run:?}");
            assert_eq!(machine.tree(), before, "{what}");
        }
    }
}

#[test]
fn nothing_is_left_where_there_was_nothing() {
    let machine = Machine::new();
    let before = machine.tree();
    for (name, user, project, _) in agents() {
        for (scope, file) in [("user", user), ("project", project)] {
            let run = machine.run(&["install", "--agent", name, "--scope", scope, "--instructions"]);
            assert_eq!(run.code, 0, "{run:?}");
            assert!(machine.path(file).exists(), "{name} {scope}: {run:?}");
        }
    }
    let run = machine.run(&["uninstall"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(machine.tree(), before, "{run:?}");
    let run = machine.run(&["uninstall"]);
    assert_eq!(run.stdout, "nothing to remove: no agent has the server\n");
}

/// The record may be lost, or come from another machine.
#[test]
fn without_the_record_only_the_server_goes() {
    for agent in agents() {
        let (name, file, ..) = agent;
        for (shape, text) in configurations(&agent) {
            let machine = Machine::new();
            machine.write(file, &text);
            machine.run(&["install", "--agent", name]);
            let data = if cfg!(windows) { "user/AppData/Roaming/sscg" } else { "user/.local/share/sscg" };
            fs::remove_dir_all(machine.path(data)).expect("it was made");
            let run = machine.run(&["uninstall", "--agent", name]);
            assert_eq!(run.code, 0, "{name}, {shape}: {run:?}");
            let left = machine.read(file);
            let document = parse(&agent, &left);
            assert_eq!(server(&agent, &document), None, "{name}, {shape}: {left}");
            assert_eq!(rest(&agent, document), rest(&agent, parse(&agent, &text)), "{name}, {shape}: {left}");
            for comment in
                ["# mine", "// mine", "// one", "/* two */", "// ours", "// yes", "# the best", "# the end"]
            {
                assert_eq!(
                    left.matches(comment).count(),
                    text.matches(comment).count(),
                    "{name}, {shape}: {left}"
                );
            }
        }
    }
}

#[test]
fn what_was_written_since_stays() {
    let machine = Machine::new();
    machine.write("user/.claude.json", "{\n  \"a\": 1\n}\n");
    machine.run(&["install", "--agent", "claude-code"]);
    // The agent rewrites its file, as it does all the time.
    let mut document: Value = serde_json::from_str(&machine.read("user/.claude.json")).expect("it is JSON");
    document["b"] = json!(2);
    document["mcpServers"]["other"] = json!({ "command": "other" });
    machine.write("user/.claude.json", serde_json::to_string(&document).expect("plain data"));
    let run = machine.run(&["uninstall"]);
    assert_eq!(run.code, 0, "{run:?}");
    let left: Value = serde_json::from_str(&machine.read("user/.claude.json")).expect("it is JSON");
    assert_eq!(left, json!({ "a": 1, "b": 2, "mcpServers": { "other": { "command": "other" } } }));
}

#[test]
fn other_arguments_replace_those_before() {
    for agent in agents() {
        let (name, file, ..) = agent;
        let machine = Machine::new();
        let (_, text) = configurations(&agent).swap_remove(4);
        machine.write(file, &text);
        let before = machine.tree();
        machine.run(&["install", "--agent", name]);
        let run = machine.run(&["install", "--agent", name, "--tools", "search,docs"]);
        assert!(run.stdout.contains("updated in"), "{run:?}");
        let document = parse(&agent, &machine.read(file));
        let registered = server(&agent, &document).expect("it is registered").to_string();
        assert!(registered.contains(r#""mcp","--tools","search,docs""#), "{registered}");
        machine.run(&["uninstall"]);
        assert_eq!(machine.tree(), before, "{name}");
    }
}

#[test]
fn what_the_user_added_to_the_server_stays() {
    let machine = Machine::new();
    let own = "{\n  \"mcpServers\": {\n    // with a token\n    \"sscg\": {\n      \"type\": \"stdio\",\n      \
               \"command\": \"sscg\",\n      \"args\": [\"mcp\", \"/srv/shop\"], // the shop\n      \
               \"env\": { \"A\": \"b\" },\n      \"disabled\": true\n    }\n  }\n}\n";
    machine.write("user/.cursor/mcp.json", own);
    let codex = "[mcp_servers.sscg]\n# the shop\ncommand = \"sscg\"\nargs = [\"mcp\", \"/srv/shop\"] # one\n\n\
                 [mcp_servers.sscg.env]\nA = \"b\"\n";
    machine.write("user/.codex/config.toml", codex);
    let before = machine.tree();
    let run = machine.run(&["install", "--no-hooks", "--no-skills"]);
    assert_eq!(run.stdout.matches("already in").count(), 2, "{run:?}");
    assert_eq!(machine.tree(), before);

    // Only the requested change is made.
    for (sets, given) in [("search,docs", "\"--tools\""), ("all", "\"--tools\"")] {
        let run = machine.run(&["install", "--tools", sets, "--no-hooks", "--no-skills"]);
        assert_eq!(run.stdout.matches("updated in").count(), 2, "{run:?}");
        let document: Value = jsonc(&machine.read("user/.cursor/mcp.json"));
        let server = json!({
            "type": "stdio", "command": "sscg", "args": ["mcp", "/srv/shop", "--tools", sets],
            "env": { "A": "b" }, "disabled": true,
        });
        assert_eq!(document["mcpServers"]["sscg"], server);
        let text = machine.read("user/.cursor/mcp.json");
        assert!(text.contains("// with a token") && text.contains("// the shop"), "{text}");
        let text = machine.read("user/.codex/config.toml");
        let given = format!("args = [\"mcp\", \"/srv/shop\", {given}, \"{sets}\"] # one");
        assert_eq!(text, codex.replace("args = [\"mcp\", \"/srv/shop\"] # one", &given));
    }

    // The path of the program is updated, too.
    let moved = machine.read("user/.cursor/mcp.json").replace("\"sscg\",", "\"/old/sscg\",");
    machine.write("user/.cursor/mcp.json", &moved);
    machine.run(&["install", "--agent", "cursor"]);
    assert_eq!(machine.read("user/.cursor/mcp.json"), moved.replace("/old/sscg", "sscg"));
    let run = machine.run(&["uninstall"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!machine.read("user/.cursor/mcp.json").contains("sscg"));
    assert!(!machine.read("user/.codex/config.toml").contains("sscg"));
}

fn jsonc(text: &str) -> Value {
    let root = CstRootNode::parse(text, &Default::default()).expect("it is JSON");
    root.to_serde_value().expect("it says something")
}

#[test]
fn another_program_of_the_name_is_replaced_by_force_and_comes_back() {
    let machine = Machine::new();
    let text = "{\n  \"mcpServers\": {\n    \"sscg\": { \"command\": \"npx\", \"args\": [\"sscg\"] }, // mine\n    \"b\": {}\n  }\n}\n";
    machine.write("user/.cursor/mcp.json", text);
    let before = machine.tree();
    expect![[r#"
        --- stderr
        error: [tmp]/user/.cursor/mcp.json has a server of this name that is another program
        hint: give --force to replace it; `sscg uninstall` brings it back
        --- exit 2
    "#]]
    .assert_eq(&machine.run(&["install"]).transcript());
    assert_eq!(machine.tree(), before);
    expect![[r#"
        Cursor: another program has the name in [tmp]/user/.cursor/mcp.json
        nothing to remove: no agent has the server
        --- exit 0
    "#]]
    .assert_eq(&machine.run(&["uninstall"]).transcript());
    let run = machine.run(&["install", "--force"]);
    assert!(run.stdout.contains("updated in"), "{run:?}");
    machine.run(&["install", "--tools", "all"]);
    machine.run(&["uninstall"]);
    assert_eq!(machine.tree(), before);
}

#[test]
fn a_file_that_cannot_be_understood_stays_as_it_is() {
    let machine = Machine::new();
    machine.write("user/.cursor/mcp.json", "{\n  \"mcpServers\": {\n");
    machine.write("user/.gemini/settings.json", "[1, 2]\n");
    machine.write("user/.codex/config.toml", "model = \"o3\"\nmcp_servers = { a = { command = \"a\" } }\n");
    machine.write("user/.claude.json", "{ \"mcpServers\": 3 }");
    machine.write("user/.config/zed/settings.json", b"{ \"a\": \"\xe4\" }");
    machine.write("user/.config/opencode/opencode.json", "{ \"a\": 1 }");
    let before = machine.tree();
    let run = machine.run(&["install", "--dry-run"]);
    expect![[r#"
        error: cannot change [tmp]/user/.claude.json: "mcpServers" is something else than an object
        hint: it stays as it is; mend it, or write by hand what --print-config prints
        error: cannot change [tmp]/user/.cursor/mcp.json: Unterminated object on line 2 column 17
        hint: it stays as it is; mend it, or write by hand what --print-config prints
        error: cannot change [tmp]/user/.codex/config.toml: there is no way to add to it that changes nothing else
        hint: it stays as it is; mend it, or write by hand what --print-config prints
        error: cannot change [tmp]/user/.gemini/settings.json: it holds something else than an object
        hint: it stays as it is; mend it, or write by hand what --print-config prints
        error: [tmp]/user/.config/zed/settings.json is not UTF-8
        hint: it stays as it is; save it as UTF-8
    "#]]
    .assert_eq(&run.stderr);
    assert_eq!(run.code, 2);
    assert_eq!(machine.tree(), before, "a dry run writes nothing");
    // The other agents are still handled.
    let run = machine.run(&["install"]);
    assert!(
        run.stdout.starts_with("OpenCode: added to [tmp]/user/.config/opencode/opencode.json\n"),
        "{run:?}"
    );
    assert!(
        run.stdout.lines().all(|line| line.starts_with("OpenCode")),
        "nothing about a missing server: {run:?}"
    );
    machine.run(&["uninstall"]);
    assert_eq!(machine.tree(), before);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let machine = Machine::new();
    machine.write("user/dotfiles/zed.json", "{\n  \"a\": 1\n}\n");
    machine.write("user/.cursor/mcp.json", "{}");
    machine.write("user/.gemini/settings.json", "{}");
    fs::create_dir_all(machine.path("user/.config/zed")).expect("writable");
    let link = machine.path("user/.config/zed/settings.json");
    symlink("../../dotfiles/zed.json", &link).expect("writable");
    let permit = |path: &str, mode| {
        fs::set_permissions(machine.path(path), fs::Permissions::from_mode(mode)).expect("it is there");
    };
    permit("user/dotfiles/zed.json", 0o640);
    permit("user/.cursor/mcp.json", 0o600);
    permit("user/.gemini/settings.json", 0o444);
    let before = machine.tree();
    let run = machine.run(&["install"]);
    expect![[r#"
        Cursor: added to [tmp]/user/.cursor/mcp.json
        Cursor, hook: added to [tmp]/user/.cursor/hooks.json
        Zed: added to [tmp]/user/dotfiles/zed.json
        Cursor, skill: added to [tmp]/user/.cursor/skills/sscg/SKILL.md
        Cursor, subagent: added to [tmp]/user/.cursor/agents/sscg.md
        Zed, skill: added to [tmp]/user/.agents/skills/sscg/SKILL.md
        --- stderr
        error: cannot write [tmp]/user/.gemini/settings.json: it is read-only
        hint: it is as it was; check that you may write there, and run the command again
        --- exit 2
    "#]]
    .assert_eq(&run.transcript());
    let now = machine.tree();
    for (path, (mode, _)) in &before {
        assert_eq!(now[path].0, *mode, "{path}");
    }
    assert!(link.is_symlink());
    machine.run(&["uninstall"]);
    assert_eq!(machine.tree(), before);

    fs::remove_file(machine.path("user/dotfiles/zed.json")).expect("it is there");
    let run = machine.run(&["install", "--agent", "zed"]);
    assert!(run.stderr.contains("it is a link to a file that is not there"), "{run:?}");
}

#[test]
fn agents_are_found_by_their_configuration_or_their_program() {
    let machine = Machine::new();
    expect![[r#"
        --- stderr
        error: found none of Claude Code, Cursor, Codex, VS Code, Gemini CLI, OpenCode, Zed on this machine
        hint: name one with --agent, or print what to write with --agent NAME --print-config
        --- exit 2
    "#]]
    .assert_eq(&machine.run(&["install"]).transcript());
    fs::create_dir(machine.path("user/.gemini")).expect("writable");
    #[cfg(unix)]
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sscg"), machine.path("bin/codex")).expect("writable");
    #[cfg(windows)]
    fs::copy(env!("CARGO_BIN_EXE_sscg"), machine.path("bin/codex.exe")).expect("writable");
    expect![[r#"
        Codex: added to [tmp]/user/.codex/config.toml
        Codex, hook: added to [tmp]/user/.codex/hooks.json
        Gemini CLI: added to [tmp]/user/.gemini/settings.json
        Codex, skill: added to [tmp]/user/.agents/skills/sscg/SKILL.md
        Gemini CLI, skill: added to [tmp]/user/.gemini/skills/sscg/SKILL.md
        --- stderr
        hint: restart agents that run; `sscg doctor` checks that they can start the server
        --- exit 0
    "#]]
    .assert_eq(&machine.run(&["install"]).transcript());
}

#[test]
fn variables_of_agents_move_their_configuration() {
    let machine = Machine::new();
    let mut command = machine.command();
    let moved =
        [("CLAUDE_CONFIG_DIR", "a"), ("CODEX_HOME", "b"), ("GEMINI_CLI_HOME", "c"), ("XDG_CONFIG_HOME", "d")];
    command.envs(moved.map(|(name, directory)| (name, machine.path("user").join(directory))));
    command.args(["install", "--dry-run"]);
    for agent in ["claude-code", "codex", "gemini", "opencode"] {
        command.args(["--agent", agent]);
    }
    let run = machine.finish(&mut command);
    for file in ["a/.claude.json", "b/config.toml", "c/.gemini/settings.json", "d/opencode/opencode.json"] {
        assert!(run.stdout.contains(&format!("added to [tmp]/user/{file}\n")), "{file}: {run:?}");
    }
}

#[test]
fn a_dry_run_prints_the_difference() {
    let machine = Machine::new();
    machine.write("user/.config/zed/settings.json", "{\n  // mine\n  \"theme\": \"dark\",\n}\n");
    let before = machine.tree();
    if cfg!(windows) {
        return;
    }
    expect![[r#"
        Zed: would be added to [tmp]/user/.config/zed/settings.json
        --- [tmp]/user/.config/zed/settings.json
        +++ [tmp]/user/.config/zed/settings.json
        @@ -1,4 +1,10 @@
         {
           // mine
           "theme": "dark",
        +  "context_servers": {
        +    "sscg": {
        +      "command": "sscg",
        +      "args": ["mcp"]
        +    }
        +  },
         }
        --- exit 0
    "#]]
    .assert_eq(&machine.run(&["install", "--dry-run", "--no-skills"]).transcript());
    assert_eq!(machine.tree(), before);
}

#[test]
fn a_program_that_no_shell_finds_is_registered_by_its_path() {
    let machine = Machine::new();
    let mut command = machine.command();
    command.env("PATH", machine.path("project")).args(["install", "--agent", "cursor", "--scope", "project"]);
    let run = machine.finish(&mut command);
    assert!(run.stderr.contains("warning: [sscg] is where sscg stands on this machine"), "{run:?}");
    let text = machine.read("project/.cursor/mcp.json");
    let document: Value = serde_json::from_str(&text).expect("it is JSON");
    let registered = document["mcpServers"]["sscg"]["command"].as_str().expect("it has a command");
    assert!(fs::canonicalize(registered).is_ok_and(|path| path.is_absolute()), "{registered}");
}

#[test]
fn opencode_keeps_servers_where_its_file_has_them() {
    let machine = Machine::new();
    machine.write("user/.config/opencode/opencode.jsonc", "{\n  \"mcp\": {\n    \"servers\": {}\n  }\n}\n");
    let before = machine.tree();
    let run = machine.run(&["install"]);
    assert_eq!(run.code, 0, "{run:?}");
    let text = machine.read("user/.config/opencode/opencode.jsonc");
    let document: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(document["mcp"]["servers"]["sscg"]["command"], json!(["sscg", "mcp"]));
    machine.run(&["uninstall"]);
    assert_eq!(machine.tree(), before);
}

#[test]
fn a_server_called_servers_is_no_table_of_servers() {
    let machine = Machine::new();
    let file = "user/.config/opencode/opencode.json";
    let text = "{\n  \"mcp\": {\n    \"servers\": { \"type\": \"local\", \"command\": [\"foo\"] }\n  }\n}\n";
    machine.write(file, text);
    let before = machine.tree();
    machine.run(&["install"]);
    let document = jsonc(&machine.read(file));
    assert_eq!(document["mcp"]["servers"], json!({ "type": "local", "command": ["foo"] }));
    assert_eq!(document["mcp"]["sscg"]["command"], json!(["sscg", "mcp"]));
    machine.run(&["uninstall"]);
    assert_eq!(machine.tree(), before);

    // A table that was added after ours does not hide it.
    machine.run(&["install"]);
    let mut document = jsonc(&machine.read(file));
    document["mcp"]["servers"] = json!({ "other": { "command": ["other"] } });
    machine.write(file, document.to_string());
    let run = machine.run(&["uninstall"]);
    assert!(run.stdout.contains("removed from"), "{run:?}");
    assert_eq!(
        jsonc(&machine.read(file)),
        json!({ "mcp": { "servers": { "other": { "command": ["other"] } } } })
    );
}

#[test]
fn every_copy_of_the_instructions_is_taken_out() {
    let machine = Machine::new();
    machine.write("user/.cursor/mcp.json", "{}");
    machine.write("project/AGENTS.md", "# Project\n");
    machine.run(&["install", "--instructions"]);
    let told = machine.read("project/AGENTS.md");
    // A merge of two branches may leave this.
    machine.write("project/AGENTS.md", format!("{told}\nUse tabs.\n\n{told}\nBe kind.\n"));
    let run = machine.run(&["install", "--instructions"]);
    assert!(run.stdout.contains("Instructions: updated in"), "{run:?}");
    let once = machine.read("project/AGENTS.md");
    assert_eq!(once.matches("search_code").count(), 1, "{once}");
    machine.write("project/AGENTS.md", format!("{told}\nUse tabs.\n\n{told}\nBe kind.\n"));
    let run = machine.run(&["uninstall"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(machine.read("project/AGENTS.md"), "# Project\n\nUse tabs.\n\n# Project\n\nBe kind.\n");
}

#[test]
fn instructions_are_written_on_request_and_taken_out() {
    for text in ["", "# Project\n", "# Project", "# Project\r\n\r\nUse tabs.\r\n", "\n"] {
        let machine = Machine::new();
        machine.write("user/.cursor/mcp.json", "{}");
        machine.write("project/AGENTS.md", text);
        let before = machine.tree();
        let run = machine.run(&["install", "--instructions"]);
        assert!(run.stdout.contains("Instructions: added to [tmp]/project/AGENTS.md"), "{run:?}");
        let told = machine.read("project/AGENTS.md");
        assert!(told.starts_with(text) && told.contains("search_code"), "{told}");
        let once = machine.tree();
        machine.run(&["install", "--instructions"]);
        assert_eq!(machine.tree(), once);
        machine.run(&["uninstall"]);
        assert_eq!(machine.tree(), before, "{text:?}");

        // Text that people write around the block stays.
        machine.run(&["install", "--instructions"]);
        machine
            .write("project/AGENTS.md", format!("Before.\n{}\nAfter.\n", machine.read("project/AGENTS.md")));
        machine.run(&["uninstall"]);
        let left = machine.read("project/AGENTS.md");
        let words: Vec<&str> = left.split_whitespace().collect();
        let expected = format!("Before. {text} After.");
        assert_eq!(words, expected.split_whitespace().collect::<Vec<_>>());
    }
}

#[test]
fn other_projects_are_named_and_forgotten_when_they_are_gone() {
    let machine = Machine::new();
    let before = machine.tree();
    for project in ["user/a", "user/b"] {
        fs::create_dir(machine.path(project)).expect("writable");
        let path = machine.path(project).to_string_lossy().into_owned();
        machine.run(&["install", &path, "--agent", "zed", "--scope", "project"]);
    }
    fs::remove_dir_all(machine.path("user/b")).expect("it is there");
    expect![[r#"
        --- stderr
        note: what was written for other projects stays: [tmp]/user/a/.agents/skills/sscg/SKILL.md, [tmp]/user/a/.zed/settings.json
        hint: `sscg uninstall DIR` takes it out there
        --- exit 0
    "#]]
    .assert_eq(&machine.run(&["uninstall"]).transcript());
    machine.run(&["uninstall", &machine.path("user/a").to_string_lossy()]);
    fs::remove_dir(machine.path("user/a")).expect("it is empty");
    assert_eq!(machine.tree(), before);
}

#[test]
fn one_agent_can_be_left_out() {
    let machine = Machine::new();
    machine.write("user/.cursor/mcp.json", "{}");
    machine.write("user/.gemini/settings.json", "{}");
    machine.run(&["install", "--instructions"]);
    let run = machine.run(&["uninstall", "--agent", "cursor"]);
    expect![[r#"
        Cursor: removed from [tmp]/user/.cursor/mcp.json
        Cursor, hook: removed from [tmp]/user/.cursor/hooks.json
        Cursor, skill: removed from [tmp]/user/.cursor/skills/sscg/SKILL.md
        Cursor, subagent: removed from [tmp]/user/.cursor/agents/sscg.md
    "#]]
    .assert_eq(&run.stdout);
    assert!(machine.read("user/.gemini/settings.json").contains("sscg"));
    assert!(machine.path("project/AGENTS.md").exists());
}
