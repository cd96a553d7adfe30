//! Memory of the code that a session has received.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sscg_mcp::Server;

use crate::client::{Client, Sandbox};

/// Returns the numbered lines of an answer, with their files.
fn shown(text: &str) -> BTreeSet<String> {
    let mut file = "";
    let mut lines = BTreeSet::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("// ").or_else(|| line.strip_prefix("# ")) {
            let place = head.rsplit_once(':').map_or(head, |(place, _)| place);
            file = if place.is_empty() { file } else { place };
        } else if line.split_once('\t').is_some_and(|(number, _)| number.parse::<u32>().is_ok()) {
            lines.insert(format!("{file} {line}"));
        }
    }
    lines
}

fn remembering(sandbox: &Sandbox) -> Server {
    Server::new(sandbox.options().with_session_memory(true)).expect("the tree is there")
}

/// Related questions, as an agent asks them one after another.
const QUESTIONS: [&str; 12] = [
    "how are invoices worked out",
    "how is tax computed",
    "symbol = Invoice",
    "where are retries scheduled",
    "how is a failed delivery tried again",
    "symbol = RetryPolicy",
    "how is the shortest path found",
    "how is a tour planned",
    "what happens to an invoice that is overdue",
    "which currency is an amount in",
    "how is the total of an invoice rounded",
    "symbol = plan_tour",
];

#[tokio::test]
async fn what_a_session_has_received_is_not_sent_again_and_nothing_is_missing() {
    let sandbox = Sandbox::parcel();
    let mut whole = Client::start(&sandbox.server()).await;
    let mut short = Client::start(&remembering(&sandbox)).await;
    let (mut received, mut tokens) = (BTreeSet::new(), (0, 0));
    for question in QUESTIONS {
        let all = whole.text("search_code", json!({ "query": question })).await;
        let new = short.text("search_code", json!({ "query": question })).await;
        received.append(&mut shown(&new));
        assert!(!shown(&all).is_empty(), "{all}");
        let missing: Vec<String> = shown(&all).difference(&received).cloned().collect();
        assert_eq!(missing, [""; 0], "{question}: {new}");
        tokens = (tokens.0 + all.len(), tokens.1 + new.len());
    }
    assert!(tokens.1 * 100 < tokens.0 * 65, "{tokens:?} bytes without and with memory");
}

#[tokio::test]
async fn other_sessions_changed_code_and_other_formats_get_all_code() {
    let sandbox = Sandbox::parcel();
    let server = remembering(&sandbox);
    let mut client = Client::start(&server).await;
    let question = json!({ "query": "symbol = Invoice" });
    let with = |key: &str, value: Value| {
        let mut question = question.clone();
        question[key] = value;
        question
    };
    let first = client.text("search_code", question.clone()).await;
    let again = client.text("search_code", question.clone()).await;
    assert!(
        again.contains("lines of earlier answers not sent again (`repeat: true`, or no `after`, sends all)"),
        "{again}"
    );
    assert!(again.contains(" sent before"), "{again}");
    assert!(again.len() < first.len());
    assert_eq!(client.text("search_code", with("repeat", true.into())).await, first);
    let evidence = client.text("search_code", with("format", "evidence".into())).await;
    assert!(!evidence.contains("sent before"), "{evidence}");
    assert_eq!(Client::start(&server).await.text("search_code", question.clone()).await, first);

    let file = first.lines().find_map(|line| line.strip_prefix("# ")).expect("a Python file");
    let file = file.rsplit_once(':').expect("it has lines").0.to_owned();
    let path = sandbox.tree().join(&file);
    let text = std::fs::read_to_string(&path).expect("it is there");
    sandbox.write(&format!("tree/{file}"), &format!("# One more line.\n{text}"));
    let changed = client.text("search_code", question.clone()).await;
    assert!(!changed.contains("sent before"), "{changed}");
}
