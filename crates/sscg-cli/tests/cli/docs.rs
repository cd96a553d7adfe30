//! Documentation of the command matches its behavior.

use std::fs;
use std::path::Path;

use crate::machine::Machine;

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    fs::read_to_string(path).expect("the document exists")
}

/// Returns the text of each fenced block, with the heading above it.
fn blocks(document: &str) -> Vec<(String, String)> {
    let (mut heading, mut blocks, mut open) = (String::new(), Vec::new(), None::<String>);
    for line in document.lines() {
        match &mut open {
            None if line.starts_with("```") => open = Some(String::new()),
            None => heading = line.strip_prefix("### ").map_or(heading, str::to_owned),
            Some(text) if line == "```" => {
                blocks.push((heading.clone(), std::mem::take(text)));
                open = None;
            }
            Some(text) => *text += &format!("{line}\n"),
        }
    }
    blocks
}

#[test]
fn the_page_about_agents_shows_what_is_written() {
    let machine = Machine::new();
    let blocks = blocks(&document("agents.md"));
    let agents = [
        ("Claude Code", "claude-code"),
        ("Cursor", "cursor"),
        ("Codex", "codex"),
        ("VS Code", "vscode"),
        ("Gemini CLI", "gemini"),
        ("OpenCode", "opencode"),
        ("Zed", "zed"),
    ];
    for (title, name) in agents {
        let printed = machine.run(&["install", "--agent", name, "--print-config"]).stdout;
        let shown = blocks.iter().any(|(heading, text)| heading == title && *text == printed);
        assert!(shown, "{title}: docs/agents.md does not show\n{printed}");
    }
    machine.run(&["install", "--agent", "codex", "--instructions"]);
    let written = machine.read("project/AGENTS.md");
    assert!(blocks.iter().any(|(_, text)| *text == written), "docs/agents.md does not show\n{written}");
}
