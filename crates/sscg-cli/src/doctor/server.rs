//! Trial of a registered server: its command line is started in a small project, as an agent would start it, and a tool is
//! called.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use clap::Parser;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Cli, Setup};

/// Maximum time of an answer.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Maximum number of bytes of standard error that are read.
const MAX_ERROR: u64 = 10_000;

/// File of the project, and the name that is looked up in it.
const SAMPLE: (&str, &str, &str) = ("total.py", "def total(prices):\n    return sum(prices)\n", "total");

/// Document of the project.
const README: &str = "# Prices\n\nThe total is the sum of all prices.\n";

/// Options with which a server may be started although someone else has chosen them: they only change its answers.
const HARMLESS: &[&str] = &["--tools", "--all-arguments", "--session-memory", "--structured"];

/// Calls to try, the first one that the server offers: a tool, its arguments, and a text of the answer.
fn calls() -> [(&'static str, Value, &'static str); 5] {
    let (file, _, name) = SAMPLE;
    [
        ("look_up", json!({ "mode": "show", "names": [name] }), name),
        ("search_code", json!({ "query": format!("symbol = {name}") }), name),
        ("doc_search", json!({ "query": name }), name),
        ("index_status", json!({}), ""),
        ("symbol_context", json!({ "symbol": name }), file),
    ]
}

/// Answers of a server.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    /// Number of listed tools.
    pub(super) tools: usize,
    /// Called tool; none if the server offers only tools that need more than a small project.
    pub(super) called: Option<&'static str>,
}

/// Problem of a server, and the next step.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) message: String,
    pub(super) hint: String,
}

/// Returns true if starting a server with these arguments can do no more than start it without any.
pub(super) fn is_harmless(arguments: &[String]) -> bool {
    let Some((_, options)) = arguments.split_first() else { return false };
    let is_value = |at: usize| at > 0 && options[at - 1] == "--tools" && !options[at].starts_with('-');
    let is_known = |option: &str| HARMLESS.contains(&option.split('=').next().unwrap_or(option));
    options.iter().enumerate().all(|(at, option)| is_known(option) || is_value(at))
}

/// Starts a server, and calls one of its tools if it searches the directory that it is started in. Other servers only list
/// their tools, as a call may take long. Nothing is kept on disk.
pub(super) fn try_server(program: &Path, arguments: &[String]) -> Result<Trial, Problem> {
    let parsed = Cli::try_parse_from([String::from("sscg")].iter().chain(arguments)).ok();
    let mcp = parsed.and_then(|cli| match cli.command {
        crate::Command::Setup(Setup::Mcp(mcp)) => Some(mcp),
        _ => None,
    });
    let has_store = arguments.iter().any(|argument| argument.starts_with("--store"));
    let is_small = mcp.is_some_and(|mcp| mcp.searches_current_directory()) && !has_store;
    let mut serving = Serving::start(program, arguments)?;
    let info = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": { "name": "sscg doctor", "version": env!("CARGO_PKG_VERSION") },
    });
    serving.ask("initialize", &info)?;
    serving.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
    let listed = serving.ask("tools/list", &json!({}))?;
    let names: Vec<&str> = match listed.get("tools").and_then(Value::as_array) {
        Some(tools) => tools.iter().filter_map(|tool| tool.get("name")?.as_str()).collect(),
        None => Vec::new(),
    };
    if names.is_empty() {
        let hint = "register it with other --tools: `sscg mcp --help` lists them";
        return Err(Problem { message: "lists no tools".to_owned(), hint: hint.to_owned() });
    }
    let call = calls().into_iter().find(|(tool, ..)| is_small && names.contains(tool));
    if let Some((tool, arguments, expected)) = &call {
        let answer = serving.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        let texts = answer.get("content").and_then(Value::as_array).into_iter().flatten();
        let text: String = texts.filter_map(|content| content.get("text")?.as_str()).collect();
        let failed = answer.get("isError").and_then(Value::as_bool) == Some(true);
        if failed || !text.contains(expected) {
            let first = text.lines().next().unwrap_or("nothing");
            return Err(serving.problem(&format!("answers a call of {tool} with: {first}")));
        }
    }
    Ok(Trial { tools: names.len(), called: call.map(|(tool, ..)| tool) })
}

/// Running server in a directory of its own.
struct Serving {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    errors: File,
    /// Command line for messages.
    command: String,
    _directory: TempDir,
}

impl Serving {
    fn start(program: &Path, arguments: &[String]) -> Result<Self, Problem> {
        let command = format!("{} {}", program.display(), arguments.join(" "));
        let failed = |error: std::io::Error| Problem {
            message: format!("does not start: {}", sscg::index::describe(&error)),
            hint: format!("run `{command}` in a shell"),
        };
        let directory = tempfile::tempdir().map_err(failed)?;
        let (file, text, _) = SAMPLE;
        fs::write(directory.path().join(file), text).map_err(failed)?;
        fs::write(directory.path().join("README.md"), README).map_err(failed)?;
        let errors = tempfile::tempfile().map_err(failed)?;
        let mut child = Command::new(program)
            .args(arguments)
            .arg("--ephemeral")
            .current_dir(directory.path())
            .env_remove("SSCG_RECORD")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors.try_clone().map_err(failed)?)
            .spawn()
            .map_err(failed)?;
        let missing = || failed(std::io::Error::other("it has no standard streams"));
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        let (sender, lines) = channel();
        // A thread, as a read from a pipe has no time limit. It ends with the server.
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Ok(Self { child, input, lines, errors, command, _directory: directory })
    }

    fn send(&mut self, message: &Value) -> Result<(), Problem> {
        let sent = writeln!(self.input, "{message}").and_then(|()| self.input.flush());
        sent.map_err(|_| self.problem("ends instead of answering"))
    }

    /// Returns the result of a request.
    fn ask(&mut self, method: &str, parameters: &Value) -> Result<Value, Problem> {
        self.send(&json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": parameters }))?;
        loop {
            let line = match self.lines.recv_timeout(TIMEOUT) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(self.problem(&format!("does not answer {method} in {} s", TIMEOUT.as_secs())));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.problem(&format!("ends instead of answering {method}")));
                }
            };
            let Ok(mut message) = serde_json::from_str::<Value>(&line) else {
                return Err(self.problem(&format!("prints something else than messages: {line}")));
            };
            // Others are notifications, and requests to the client.
            if message.get("id").and_then(Value::as_str) == Some(method) && message.get("method").is_none() {
                if let Some(error) = message.get("error").and_then(|error| error.get("message")?.as_str()) {
                    return Err(self.problem(&format!("refuses {method}: {error}")));
                }
                return Ok(message.get_mut("result").map(Value::take).unwrap_or_default());
            }
        }
    }

    /// Returns a problem, with what the server printed about it.
    fn problem(&mut self, message: &str) -> Problem {
        let mut text = Vec::new();
        // The server may be about to print its error.
        let _ = self.child.try_wait();
        let read = self.errors.rewind().and_then(|()| (&self.errors).take(MAX_ERROR).read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text).into_owned();
        let line = text.lines().find(|line| line.starts_with("error")).or_else(|| text.lines().next());
        let printed = line.filter(|_| read.is_ok()).map_or_else(String::new, |line| format!(" ({line})"));
        let hint = format!("run `{} --log debug` in a shell, in the directory of a project", self.command);
        Problem { message: format!("{message}{printed}"), hint }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_arguments_without_effects_are_harmless() {
        let is_harmless =
            |line: &str| is_harmless(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        for line in ["mcp", "mcp --tools all", "mcp --tools=search,docs --structured"] {
            assert!(is_harmless(line), "{line}");
        }
        for line in ["", "mcp /srv/shop", "mcp --record x", "mcp --tools --record", "mcp --model http://a#b"]
        {
            assert!(!is_harmless(line), "{line}");
        }
    }
}
