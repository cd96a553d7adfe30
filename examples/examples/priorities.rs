//! Raises the priority of findings in code that other services depend on.
//!
//! ```sh
//! cargo run -p sscg-examples --example priorities -- FINDINGS [PATH] [--server COMMAND]
//! ```
//!
//! FINDINGS holds JSON objects, one after another, with a `file` relative to PATH, a `priority` from P0 (highest) to
//! P3, and an `action`. Findings are printed in their order, unchanged except for a higher priority and an action that
//! describes the impact. Without a server they are printed unchanged.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this program is for")]

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sscg::knowledge::query::{CrossServiceImpact, ImpactRequest};
use sscg_examples::Given;

/// Approximate number of declarations in a file. A change that reaches more nodes affects code beyond its own file,
/// even within a service.
const MANY_NODES: usize = 10;

/// Maximum number of files that an action names.
const MOST_FILES: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
enum Priority {
    P0,
    P1,
    P2,
    P3,
}

impl Priority {
    /// Returns the next higher priority; the highest stays.
    fn raised(self) -> Self {
        match self {
            Self::P0 | Self::P1 => Self::P0,
            Self::P2 => Self::P1,
            Self::P3 => Self::P2,
        }
    }
}

#[derive(Deserialize, Serialize)]
struct Finding {
    file: String,
    priority: Priority,
    #[serde(default)]
    action: String,
    /// All other data of the linter.
    #[serde(flatten)]
    other: Map<String, Value>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Given { mut findings, client } = match Given::<Finding>::from_arguments() {
        Ok(given) => given,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    // One call shows if the server is available.
    let is_there = client.build_knowledge_graph("", false, "").await.success;
    if !is_there {
        eprintln!("note: no priority is raised: {}", client.last_error().unwrap_or_default());
    }
    for finding in &mut findings {
        if is_there {
            let request = ImpactRequest::default().with_node_id(finding.file.clone());
            let impact = client.find_cross_service_impact(&request).await;
            match client.last_error() {
                Some(why) => eprintln!("note: {}: {why}", finding.file),
                None => weigh(finding, &impact),
            }
        }
        println!("{}", serde_json::to_string(finding).expect("a finding has names as keys"));
    }
    ExitCode::SUCCESS
}

fn weigh(finding: &mut Finding, impact: &CrossServiceImpact) {
    if impact.total_impacted_nodes <= MANY_NODES && impact.impacted_services.is_empty() {
        return;
    }
    finding.priority = finding.priority.raised();
    let before = if finding.action.is_empty() { "" } else { " " };
    finding.action += &format!("{before}{}", summary(impact));
}

/// Returns a sentence about the impact of a change, for its author.
fn summary(impact: &CrossServiceImpact) -> String {
    let nodes = if impact.total_impacted_nodes == 1 { "node" } else { "nodes" };
    let mut text = format!("A change reaches {} {nodes}", impact.total_impacted_nodes);
    let services: Vec<String> = impact
        .impacted_services
        .iter()
        .map(|service| format!("{} ({})", service.service_name, service.impact_count))
        .collect();
    if !services.is_empty() {
        text += &format!(", in other services: {}", services.join(", "));
    }
    // Contracts inferred from code, without a file that declares them, are not binding.
    let promised =
        impact.impacted_contracts.iter().filter(|contract| !contract.contract_id.starts_with("code:"));
    let contracts: Vec<&str> = promised.map(|contract| &*contract.contract_id).collect();
    if !contracts.is_empty() {
        text += &format!("; keep to {}", contracts.join(", "));
    }
    text += ".";
    let files = &impact.dependent_files;
    if !files.is_empty() {
        let more = files.len().saturating_sub(MOST_FILES);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let named: Vec<&str> = files.iter().take(MOST_FILES).map(|file| &**file).collect();
        text += &format!(" Check the files that depend on it: {}{more}.", named.join(", "));
    }
    text
}
