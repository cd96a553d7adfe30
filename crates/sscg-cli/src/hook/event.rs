//! Call of a tool, in the forms of several agents.

use std::path::PathBuf;

use serde_json::Value;

use super::shell;

/// Call of a tool in a session of an agent.
#[derive(Debug)]
pub(super) struct Event {
    /// Name of the event, which the answer repeats.
    pub(super) name: String,
    /// Session, or whatever else of the event identifies it best.
    pub(super) session: String,
    /// Current directory of the agent.
    pub(super) directory: PathBuf,
    pub(super) action: Action,
}

/// Use of a tool that the server could replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Search for a pattern in the texts of files.
    Text {
        pattern: String,
        /// Searched files and directories; none for the current directory.
        paths: Vec<String>,
        /// Pattern of the names of the searched files.
        files: Option<String>,
    },
    /// Search for files by name; without a pattern, for all of them.
    Files { pattern: Option<String> },
    /// Read of a file from its first line to its last.
    Read { path: String },
}

impl Event {
    /// Parses an event; `None` if it is no use of a tool that the server could replace.
    pub(super) fn parse(event: &Value) -> Option<Self> {
        let text = |names: &[&str]| first(event, names)?.as_str().map(str::to_owned);
        let tool = text(&["tool_name", "toolName"])?;
        let input = first(event, &["tool_input", "toolInput", "toolArgs"])?;
        // Some agents pass it as text.
        let parsed = input.as_str().and_then(|text| serde_json::from_str(text).ok());
        let action = action(&tool, parsed.as_ref().unwrap_or(input))?;
        let root = event.get("workspace_roots").and_then(|roots| roots.get(0)?.as_str());
        let directory = text(&["cwd"]).or_else(|| root.map(str::to_owned)).unwrap_or_default();
        Some(Self {
            name: text(&["hook_event_name", "hookEventName"]).unwrap_or_else(|| "PreToolUse".to_owned()),
            session: text(&["session_id", "sessionId", "conversation_id"])
                .unwrap_or_else(|| directory.clone()),
            directory: PathBuf::from(directory),
            action,
        })
    }
}

/// Returns the first of these fields that is there.
fn first<'v>(value: &'v Value, names: &[&str]) -> Option<&'v Value> {
    names.iter().find_map(|name| value.get(name)).filter(|value| !value.is_null())
}

/// Returns the action of a tool by its name, with its arguments.
fn action(tool: &str, input: &Value) -> Option<Action> {
    let text = |names: &[&str]| first(input, names)?.as_str().map(str::to_owned);
    let name: String = tool.chars().filter(|char| char.is_alphanumeric()).collect();
    match name.to_lowercase().as_str() {
        "grep" | "grepsearch" | "searchfilecontent" | "ripgrep" => Some(Action::Text {
            pattern: text(&["pattern", "query", "regex"])?,
            paths: text(&["path", "dir_path", "directory", "target_directory"]).into_iter().collect(),
            files: text(&["glob", "include", "include_pattern", "includePattern", "glob_pattern"]),
        }),
        "glob" | "filesearch" | "globfilesearch" => {
            Some(Action::Files { pattern: Some(text(&["pattern", "query", "glob_pattern"])?) })
        }
        "bash" | "shell" | "runshellcommand" | "runinterminal" => match first(input, &["command"])? {
            Value::String(command) => shell::action(command),
            Value::Array(words) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                match words.as_slice() {
                    [_, "-c" | "-lc", script] => shell::action(script),
                    words => shell::action(&words.join(" ")),
                }
            }
            _ => None,
        },
        "read" | "readfile" => {
            let parts = ["offset", "limit", "start_line", "end_line", "startLine", "endLine"];
            let is_part = first(input, &parts).is_some();
            let path = text(&["file_path", "absolute_path", "target_file", "filePath", "path"])?;
            (!is_part).then_some(Action::Read { path })
        }
        _ => None,
    }
}
