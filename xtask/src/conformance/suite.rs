//! The official conformance suite.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Node, Outcome, Row};
use crate::workspace::output;

/// Scenarios that do not apply to this server, as a name prefix and a reason. All others must pass.
const NOT_APPLICABLE: &[(&str, &str)] = &[
    ("logging-", "no log messages are sent to clients"),
    ("completion-", "there are no prompts or resources to complete arguments of"),
    ("tools-call-", "calls a test tool of the suite's own"),
    ("json-schema-2020-12", "looks for a test tool of the suite's own"),
    ("elicitation-", "the server asks users nothing"),
    ("server-sse-polling", "calls a test tool of the suite's own"),
    ("resources-", "there are no resources"),
    ("prompts-", "there are no prompts"),
];

/// Runs each scenario that applies. The suite writes its reports to `scratch`.
pub(super) fn run(node: &Node, url: &str, scratch: &Path) -> Result<Vec<Row>> {
    let listed = output(node.command("conformance")?.args(["list", "--server"]))?;
    let names: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    ensure!(!names.is_empty(), "the suite lists no scenarios: {listed}");
    let program = node.version("@modelcontextprotocol/conformance");
    let mut rows = Vec::new();
    for name in names {
        let outcome = match NOT_APPLICABLE.iter().find(|(prefix, _)| name.starts_with(prefix)) {
            Some((_, reason)) => Outcome::NotApplicable(reason),
            None => scenario(node, url, name, &scratch.join("suite-results").join(name))?,
        };
        rows.push(Row { program: program.clone(), check: name.to_owned(), outcome });
    }
    Ok(rows)
}

/// Runs a scenario and reads its report.
fn scenario(node: &Node, url: &str, name: &str, results: &Path) -> Result<Outcome> {
    let mut command = node.command("conformance")?;
    let ended =
        command.args(["server", "--url", url, "--scenario", name, "--output-dir"]).arg(results).output()?;
    let report = fs::read_dir(results).ok().and_then(|mut runs| runs.next());
    let Some(report) = report else {
        return Ok(Outcome::Failed(format!("no report: {}", String::from_utf8_lossy(&ended.stderr).trim())));
    };
    let report = report?.path().join("checks.json");
    let checks: Vec<Value> =
        serde_json::from_slice(&fs::read(&report)?).with_context(|| report.display().to_string())?;
    let with = |status| checks.iter().filter(move |check| check["status"] == status);
    let mut problems = with("FAILURE").chain(with("WARNING"));
    Ok(match problems.next() {
        Some(check) => Outcome::Failed(told(check)),
        None if ended.status.success() && with("SUCCESS").next().is_some() => Outcome::Passed,
        None => Outcome::Failed(format!("nothing was checked: {}", ended.status)),
    })
}

/// Returns the failure message of the suite.
fn told(check: &Value) -> String {
    let text = |key: &str| check[key].as_str();
    text("errorMessage").or(text("description")).unwrap_or("no reason given").to_owned()
}
