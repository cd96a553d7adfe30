//! Clients that list and call every tool over standard input and output.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Calls, Node, Outcome, Row};
use crate::workspace::output;

/// Runs the command line of the MCP Inspector.
pub(super) fn inspector(node: &Node, server: &Command, calls: &Calls) -> Result<Vec<Row>> {
    let program = node.version("@modelcontextprotocol/inspector");
    let ask = |args: &[String]| -> Result<Value> {
        let mut command = node.command("mcp-inspector")?;
        command.arg("--cli").args(args).arg("--").arg(server.get_program()).args(server.get_args());
        let ended = command.output()?;
        serde_json::from_slice(&ended.stdout).with_context(|| {
            format!("{}{}", String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr))
        })
    };
    let listed = ask(&["--method".into(), "tools/list".into()])?;
    let tools = listed["tools"].as_array().context("the inspector lists no tools")?;
    let tools: Vec<String> =
        tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect();
    let call = |tool: &str| {
        let mut args = vec!["--method".into(), "tools/call".into(), "--tool-name".into(), tool.to_owned()];
        let values = &calls[tool];
        if !values.is_empty() {
            args.push("--tool-arg".into());
            // Strings are passed verbatim, all other values as JSON.
            args.extend(values.iter().map(|(name, value)| match value {
                Value::String(text) => format!("{name}={text}"),
                _ => format!("{name}={value}"),
            }));
        }
        match ask(&args) {
            Err(error) => Some(format!("{error:#}")),
            Ok(result)
                if result["isError"] == true
                    || result["content"][0]["text"].as_str().is_none_or(str::is_empty) =>
            {
                Some(result.to_string())
            }
            Ok(_) => None,
        }
    };
    Ok(rows(&program, &tools, calls, call))
}

/// Runs the Python SDK.
pub(super) fn python(python: &Path, programs: &Path, server: &Command, calls: &Calls) -> Result<Vec<Row>> {
    let mut client = Command::new(python);
    client.arg(programs.join("client.py")).arg(programs.join("calls.json"));
    let said = output(client.arg(server.get_program()).args(server.get_args()))?;
    let mut lines = said.lines();
    let tools: Vec<String> = serde_json::from_str(lines.next().context("the client says nothing")?)?;
    let mut problems =
        lines.map(serde_json::from_str).collect::<Result<Vec<(String, Option<String>)>, _>>()?;
    let version = fs::read_to_string(programs.join("requirements.txt"))?.trim().replace("==", " ");
    let call = |tool: &str| match problems.iter_mut().find(|(name, _)| name == tool) {
        Some((_, problem)) => problem.take(),
        None => Some("it was not called".to_owned()),
    };
    Ok(rows(&format!("Python {version}"), &tools, calls, call))
}

/// Returns one row for the tool list, which must equal the keys of `calls`, and one row per tool call.
fn rows(
    program: &str,
    listed: &[String],
    calls: &Calls,
    mut call: impl FnMut(&str) -> Option<String>,
) -> Vec<Row> {
    let row = |check: String, problem: Option<String>| {
        let outcome = problem.map_or(Outcome::Passed, Outcome::Failed);
        Row { program: program.to_owned(), check, outcome }
    };
    let mut expected: Vec<&String> = calls.keys().collect();
    let mut tools: Vec<&String> = listed.iter().collect();
    expected.sort();
    tools.sort();
    let problem = (expected != tools).then(|| format!("lists {}; expected {expected:?}", listed.join(", ")));
    let mut rows = vec![row("lists every tool".to_owned(), problem)];
    rows.extend(expected.into_iter().map(|tool| row(format!("calls `{tool}`"), call(tool))));
    rows
}
