//! A quality gate: drops findings of a linter for single services where another service disproves them.
//!
//! ```sh
//! cargo run -p sscg-examples --example quality_gate -- FINDINGS [PATH] [--server COMMAND]
//! ```
//!
//! FINDINGS holds JSON objects, one after another. Files are relative to PATH:
//!
//! ```json
//! {"kind": "dead_event_handler", "event": "payment.captured", "service": "orders", "file": "src/payment-listener.ts"}
//! {"kind": "dead_contract", "contract": "contracts/catalog/openapi.yaml", "service": "catalog"}
//! ```
//!
//! Exits with 0 if no finding is left, with 1 if some are, and with 2 if arguments or findings are invalid. Without a
//! server it keeps every finding.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this program is for")]

use std::collections::BTreeSet;
use std::fmt;
use std::process::ExitCode;

use serde::Deserialize;
use sscg::knowledge::EdgeKind;
use sscg::knowledge::query::{EventEntry, EventValidation, EventsRequest, NeighborhoodRequest};
use sscg_examples::Given;
use sscg_mcp::client::Client;

/// A finding of the linter.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Finding {
    /// The service handles an event that it never sends.
    DeadEventHandler { event: String, service: String, file: String },
    /// The service declares a contract that it never uses.
    DeadContract { contract: String, service: String },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeadEventHandler { event, file, .. } => write!(f, "dead handler of {event} in {file}"),
            Self::DeadContract { contract, .. } => write!(f, "dead contract {contract}"),
        }
    }
}

/// Decision on a finding, with the reason.
enum Verdict {
    Kept(String),
    Suppressed(String),
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Given { findings, client } = match Given::<Finding>::from_arguments() {
        Ok(given) => given,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    // One call shows if the server is available. If not, the gate keeps the linter's findings.
    let events = client.check_cross_service_events(&EventsRequest::default()).await;
    let away = client.last_error();
    if let Some(why) = &away {
        eprintln!("note: every finding is kept: {why}");
    }
    let mut kept = 0;
    for finding in &findings {
        let verdict = match (&away, finding) {
            (Some(_), _) => Verdict::Kept("not checked".to_owned()),
            (None, Finding::DeadEventHandler { event, service, .. }) => handler(&events, event, service),
            (None, Finding::DeadContract { service, .. }) => contract(&client, service).await,
        };
        match verdict {
            Verdict::Suppressed(why) => println!("suppressed: {finding}: {why}"),
            Verdict::Kept(why) => {
                kept += 1;
                println!("kept: {finding}: {why}");
            }
        }
    }
    println!("{kept} of {} findings kept", findings.len());
    ExitCode::from(u8::from(kept > 0))
}

/// Judges a handler, which is not dead if a service sends its event.
fn handler(events: &EventValidation, event: &str, service: &str) -> Verdict {
    let listens = |entry: &&EventEntry| {
        &*entry.event_name == event && entry.consumers.iter().any(|consumer| &**consumer == service)
    };
    if let Some(entry) = events.matched_events.iter().find(listens) {
        return Verdict::Suppressed(format!("sent by {}", entry.publishers.join(", ")));
    }
    let is_known = events.unmatched_consumers.iter().any(|entry| listens(&entry));
    Verdict::Kept(if is_known {
        "no service sends it".to_owned()
    } else {
        format!("{service} is not known to listen to it")
    })
}

/// Judges a contract, which is not dead if another service calls the service that declares it.
async fn contract(client: &Client, service: &str) -> Verdict {
    let id = format!("service::{service}");
    let request = NeighborhoodRequest::default()
        .with_node_id(id.clone())
        .with_radius(1)
        .with_filter_edge_types(EdgeKind::ServiceCalls.to_string());
    let around = client.query_graph_neighborhood(&request).await;
    if let Some(why) = client.last_error() {
        return Verdict::Kept(why);
    }
    let calls = around.edges.iter().filter(|edge| *edge.target == *id);
    let callers: BTreeSet<&str> = calls.map(|edge| edge.source.trim_start_matches("service::")).collect();
    if callers.is_empty() {
        Verdict::Kept(format!("no other service calls {service}"))
    } else {
        Verdict::Suppressed(format!("{service} is called by {}", Vec::from_iter(callers).join(", ")))
    }
}
