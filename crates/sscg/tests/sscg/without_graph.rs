//! Ranking with and without the graph.

use sscg::retrieve::SignalId;
use sscg::{Engine, EngineOptions, SearchRequest, Storage};
use sscg_format::Answer;

/// Makes a directory with two functions of the same words, one of which the best result calls.
fn tree(caller: &str) -> tempfile::TempDir {
    let tree = tempfile::tempdir().expect("temporary directory");
    let files = [
        ("invoice.py", caller),
        ("a.py", "def round_sum(value):\n    scale = value * 100\n    return int(scale) / 100\n"),
        ("b.py", "def round_sum(value):\n    scale = value * 1000\n    return int(scale) / 1000\n"),
    ];
    for (name, text) in files {
        std::fs::write(tree.path().join(name), text).expect("writable");
    }
    tree
}

const CALLER: &str = "from b import round_sum\n\n
def print_invoice(invoice, lines):
    \"\"\"Print the invoice with its rounded sum.\"\"\"
    total = round_sum(sum(lines))
    print(invoice, total)
";

fn question() -> SearchRequest {
    SearchRequest::new("how is the invoice printed with its rounded sum").with_explain(true)
}

fn engine(tree: &tempfile::TempDir, weights: &[(SignalId, f64)]) -> Engine {
    let mut options = EngineOptions::stored_in(Storage::Ephemeral);
    weights.iter().for_each(|(signal, weight)| options.rank.weights.set(*signal, *weight));
    Engine::open_with(tree.path(), options).expect("the directory exists")
}

/// Returns the results with their scores, and the signals that contributed.
fn ranking(answer: &Answer) -> (Vec<(String, f64)>, Vec<String>) {
    let scores = answer.results.iter().map(|result| (result.chunk_id.clone(), result.score)).collect();
    let sources = answer.results.iter().flat_map(|result| result.explanation.iter());
    (scores, sources.map(|source| format!("{source:?}")).collect())
}

#[test]
fn a_request_can_leave_the_graph_out() {
    let tree = tree(CALLER);
    let with = engine(&tree, &[]).search(&question()).expect("an answer").answer;
    let without = engine(&tree, &[]).search(&question().with_graph(false)).expect("an answer").answer;
    let off = engine(&tree, &[(SignalId::GRAPH, 0.0), (SignalId::CALLS, 0.0)]);
    let off = off.search(&question()).expect("an answer").answer;
    assert_eq!(ranking(&without), ranking(&off));
    assert_ne!(ranking(&with), ranking(&without));
    assert!(!ranking(&without).1.iter().any(|source| source.contains("calls")), "{:?}", ranking(&without));
}

#[test]
fn a_graph_with_few_edges_does_not_count() {
    // Nothing is called, so that there is nothing but containment.
    let tree =
        tree("def print_invoice(invoice, lines):\n    \"\"\"Print the invoice with its rounded sum.\"\"\"\n");
    let heavy = engine(&tree, &[(SignalId::GRAPH, 5.0)]).search(&question()).expect("an answer").answer;
    let plain = engine(&tree, &[]).search(&question()).expect("an answer").answer;
    assert_eq!(ranking(&heavy), ranking(&plain));
}
