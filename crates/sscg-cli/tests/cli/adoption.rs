//! Skills, subagents and hooks of agents: their installation and removal beside the server.

use std::fs;

use jsonc_parser::cst::CstRootNode;
use serde_json::{Value, json};

use crate::machine::Machine;

/// Agents, their files with hooks, and the event.
const HOOKS: &[(&str, &str, &str)] = &[
    ("claude-code", "user/.claude/settings.json", "PreToolUse"),
    ("codex", "user/.codex/hooks.json", "PreToolUse"),
    ("cursor", "user/.cursor/hooks.json", "postToolUse"),
    ("gemini", "user/.gemini/settings.json", "AfterTool"),
];

/// Agents, and their files of our own.
const DOCUMENTS: &[(&str, &[&str])] = &[
    ("claude-code", &["user/.claude/skills/sscg/SKILL.md", "user/.claude/agents/sscg.md"]),
    ("cursor", &["user/.cursor/skills/sscg/SKILL.md", "user/.cursor/agents/sscg.md"]),
    ("codex", &["user/.agents/skills/sscg/SKILL.md"]),
    ("vscode", &["user/.copilot/skills/sscg/SKILL.md"]),
    ("gemini", &["user/.gemini/skills/sscg/SKILL.md"]),
    ("opencode", &["user/.config/opencode/skills/sscg/SKILL.md", "user/.config/opencode/agents/sscg.md"]),
    ("zed", &["user/.agents/skills/sscg/SKILL.md"]),
];

/// Directory with the record of an installation.
const DATA: &str = if cfg!(windows) { "user/AppData/Roaming/sscg" } else { "user/.local/share/sscg" };

fn parse(text: &str) -> Value {
    let root =
        CstRootNode::parse(text.trim_start_matches('\u{feff}'), &Default::default()).expect("it is JSON");
    root.to_serde_value().unwrap_or_else(|| json!({}))
}

/// Returns settings with hooks of a user: a name for messages, and the text.
fn settings(event: &str) -> Vec<(&'static str, String)> {
    let texts = [
        ("empty", ""),
        ("an empty object", "{}\n"),
        ("other settings", "{\n  // mine\n  \"a\": 1,\n}\n"),
        ("another event", "{\n  \"hooks\": {\n    \"Stop\": [{ \"command\": \"x\" }]\n  }\n}\n"),
        (
            "the same event",
            "{\n  \"hooks\": {\n    \"EVENT\": [\n      { \"command\": \"x\" } // mine\n    ]\n  }\n}\n",
        ),
        (
            "groups",
            "{\n\t\"hooks\": {\n\t\t\"EVENT\": [\n\t\t\t{ \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"x\" }] },\n\t\t],\n\t},\n}\n",
        ),
        ("one line", "{\"hooks\":{\"EVENT\":[{\"command\":\"x\"}]},\"version\":1}"),
        ("an empty list", "{ \"hooks\": { \"EVENT\": [] } }\n"),
        (
            "CRLF",
            "{\r\n  \"hooks\": {\r\n    \"EVENT\": [\r\n      { \"command\": \"x\" }\r\n    ]\r\n  }\r\n}\r\n",
        ),
        ("a byte order mark", "\u{feff}{\n  \"a\": 1\n}\n"),
    ];
    texts.map(|(name, text)| (name, text.replace("EVENT", event))).into()
}

/// Returns the commands of hooks in a document.
fn commands(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            found.extend(object.get("command").and_then(Value::as_str).map(str::to_owned));
            object.values().for_each(|value| commands(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| commands(value, found)),
        _ => {}
    }
}

#[test]
fn hooks_stand_beside_those_of_the_user_and_go_to_the_byte() {
    for (agent, file, event) in HOOKS {
        for (shape, text) in settings(event) {
            let machine = Machine::new();
            machine.write(file, &text);
            let before = machine.tree();
            let what = format!("{agent}, {shape}");
            let run = machine.run(&["install", "--agent", agent]);
            assert_eq!(run.code, 0, "{what}: {run:?}");
            let installed = machine.read(file);
            let document = parse(&installed);
            let (mut own, mut had) = (Vec::new(), Vec::new());
            commands(&document["hooks"], &mut own);
            commands(&parse(&text)["hooks"], &mut had);
            let expected = format!("sscg hook {agent}{}", if cfg!(windows) { "" } else { " || true" });
            had.push(expected);
            own.sort();
            had.sort();
            assert_eq!(own, had, "{what}: {installed}");
            assert_eq!(installed.matches("// mine").count(), text.matches("// mine").count(), "{what}");
            if *agent == "cursor" {
                assert_eq!(document["version"], 1, "{what}: {installed}");
            }

            let once = machine.tree();
            machine.run(&["install", "--agent", agent]);
            assert_eq!(machine.tree(), once, "{what}");
            machine.run(&["uninstall"]);
            assert_eq!(machine.tree(), before, "{what}");

            // Without the record, the hook goes, and nothing of the user's.
            machine.run(&["install", "--agent", agent]);
            fs::remove_dir_all(machine.path(DATA)).expect("it was made");
            machine.run(&["uninstall"]);
            let mut left = Vec::new();
            commands(&parse(&machine.read(file)), &mut left);
            had.retain(|command| !command.starts_with("sscg "));
            assert_eq!(left, had, "{what}");
        }
    }
}

#[test]
fn a_hook_follows_its_program_and_keeps_the_fields_of_the_user() {
    for (agent, file, _) in HOOKS {
        let machine = Machine::new();
        machine.run(&["install", "--agent", agent]);
        let own = machine
            .read(file)
            .replace("\"sscg hook", "\"/old/bin/sscg hook")
            .replace("timeout\": 5", "timeout\": 9");
        machine.write(file, &own);
        let run = machine.run(&["install", "--agent", agent]);
        assert!(run.stdout.contains("updated in"), "{agent}: {run:?}");
        assert_eq!(machine.read(file), own.replace("/old/bin/sscg", "sscg"), "{agent}");
        machine.run(&["uninstall"]);
        assert!(!machine.path(file).exists() || !machine.read(file).contains("sscg"), "{agent}");
    }
}

/// Everything for all agents in one home, which has files of the user.
#[test]
fn a_dry_run_names_every_change_and_uninstalling_leaves_the_home_as_it_was() {
    let machine = Machine::new();
    machine.write("user/.claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    machine.write("user/.claude/skills/mine/SKILL.md", "---\nname: mine\n---\n");
    machine.write("user/.gemini/settings.json", "{}");
    machine.write("user/.cursor/mcp.json", "{ \"mcpServers\": {} }\n");
    let before = machine.tree();
    let mut arguments = vec!["install"];
    arguments.extend(DOCUMENTS.iter().flat_map(|(agent, _)| ["--agent", agent]));
    let dry = machine.run(&[arguments.as_slice(), &["--dry-run"]].concat());
    assert_eq!(machine.tree(), before);
    let run = machine.run(&arguments);
    assert_eq!(run.code, 0, "{run:?}");
    let after = machine.tree();
    let changed = after
        .iter()
        .filter(|(path, content)| content.0 & 0o170_000 != 0o040_000 && before.get(*path) != Some(content));
    let changed: Vec<&String> =
        changed.map(|(path, _)| path).filter(|path| !path.ends_with("install.json")).collect();
    assert!(changed.len() >= 7 + 3 + 9, "{changed:?}");
    for path in changed {
        assert!(dry.stdout.contains(&format!("+++ [tmp]/{path}\n")), "{path}: {}", dry.stdout);
        assert!(run.stdout.contains(&format!(" added to [tmp]/{path}\n")), "{path}: {}", run.stdout);
    }
    // A hook has run meanwhile.
    machine.write(&format!("{DATA}/hooks/0123456789abcdef"), ".");
    let dry = machine.run(&["uninstall", "--dry-run"]);
    assert!(dry.stdout.contains("--- [tmp]/user/.agents/skills/sscg/SKILL.md\n+++ /dev/null\n"), "{dry:?}");
    let run = machine.run(&["uninstall"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(machine.tree(), before, "{run:?}");
}

#[test]
fn hooks_and_skills_can_be_left_out_and_taken_out() {
    for (agent, documents) in DOCUMENTS {
        let machine = Machine::new();
        machine.run(&["install", "--agent", agent, "--no-hooks", "--no-skills"]);
        let server_only = machine.tree();
        assert!(documents.iter().all(|path| !machine.path(path).exists()), "{agent}");
        machine.run(&["install", "--agent", agent]);
        for path in *documents {
            let text = machine.read(path);
            assert!(text.starts_with("---\n") && text.contains("\ndescription: "), "{agent} {path}: {text}");
            let head = text.split("\n---\n").next().expect("there is something");
            let fields = head.lines().skip(1).all(|line| line.matches(": ").count() == 1);
            assert!(fields, "a second colon is no YAML: {head}");
        }
        machine.run(&["install", "--agent", agent, "--no-hooks"]);
        if let Some((_, file, _)) = HOOKS.iter().find(|(name, ..)| name == agent) {
            assert!(!machine.path(file).exists() || !machine.read(file).contains("hook"), "{agent}");
        }
        machine.run(&["install", "--agent", agent, "--no-hooks", "--no-skills"]);
        let mut now = machine.tree();
        let mut expected = server_only;
        // The record lists changes in another order.
        for tree in [&mut now, &mut expected] {
            tree.retain(|path, _| !path.ends_with("install.json"));
        }
        assert_eq!(now.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{agent}");
        assert_eq!(now, expected, "{agent}");
    }
}

#[test]
fn a_skill_that_was_changed_stays() {
    let machine = Machine::new();
    let path = "user/.gemini/skills/sscg/SKILL.md";
    machine.run(&["install", "--agent", "gemini"]);
    let own = machine.read(path).replace("grep", "rg");
    machine.write(path, &own);
    for arguments in [&["install", "--agent", "gemini"][..], &["uninstall"]] {
        let run = machine.run(arguments);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.stdout.contains("skill: was changed since, and stays as it is: [tmp]/"), "{run:?}");
        assert_eq!(machine.read(path), own);
    }
    machine.run(&["install", "--agent", "gemini", "--force"]);
    assert_ne!(machine.read(path), own);
    machine.run(&["uninstall"]);
    assert_eq!(machine.read(path), own, "what was replaced comes back");

    // One of another version is replaced.
    machine.run(&["install", "--agent", "cursor"]);
    let subagent = machine.read("user/.cursor/agents/sscg.md");
    machine.write("user/.cursor/skills/sscg/SKILL.md", subagent);
    let run = machine.run(&["install", "--agent", "cursor"]);
    assert!(run.stdout.contains("Cursor, skill: updated in"), "{run:?}");
}

#[test]
fn a_skill_stays_as_long_as_an_agent_that_reads_it_has_the_server() {
    let machine = Machine::new();
    machine.run(&["install", "--agent", "codex", "--agent", "zed"]);
    machine.run(&["uninstall", "--agent", "codex"]);
    assert!(machine.path("user/.agents/skills/sscg/SKILL.md").exists());
    machine.run(&["uninstall", "--agent", "zed"]);
    assert!(!machine.path("user/.agents").exists());
}

#[test]
fn a_project_gets_skills_and_no_hooks() {
    let machine = Machine::new();
    let before = machine.tree();
    for (agent, _) in DOCUMENTS {
        let run = machine.run(&["install", "--agent", agent, "--scope", "project"]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(!run.stdout.contains("hook"), "{run:?}");
    }
    for path in [".claude", ".cursor", ".agents", ".github", ".gemini", ".opencode"] {
        assert!(machine.path(&format!("project/{path}/skills/sscg/SKILL.md")).exists(), "{path}");
    }
    machine.run(&["uninstall"]);
    assert_eq!(machine.tree(), before);
}
