//! Searches near an anchor in the graph, and with a minimum confidence of edges.

use sscg::{ErrorKind, SearchRequest};
use sscg_core::{ChunkKind, Confidence, Corpus, SymbolKind};

use crate::tree::Tree;

/// Two parts of a program with the same documentation, each with its own user.
const TWINS: [(&str, &str); 4] = [
    (
        "mail/outbox.py",
        "def flush_queue(queue):\n    \"\"\"Sends what waits in the queue.\"\"\"\n    return queue\n",
    ),
    (
        "print/spooler.py",
        "def flush_queue(queue):\n    \"\"\"Sends what waits in the queue.\"\"\"\n    return (queue)\n",
    ),
    (
        "mail/server.py",
        "from mail.outbox import flush_queue\n\nclass MailServer:\n    def stop(self):\n        flush_queue(self)\n",
    ),
    (
        "print/printer.py",
        "from print.spooler import flush_queue\n\nclass Printer:\n    def stop(self):\n        flush_queue(self)\n",
    ),
];

fn near(anchor: &str) -> SearchRequest {
    let kinds = vec![ChunkKind::Symbol(SymbolKind::Function)];
    SearchRequest::new("sends what waits in the queue")
        .with_anchor(anchor)
        .with_kinds(kinds)
        .with_explain(true)
}

#[test]
fn of_two_that_answer_the_one_near_the_anchor_comes_first() {
    let mut tree = Tree::of(&TWINS);
    for (anchor, file) in [
        ("MailServer", "mail/outbox.py"),
        ("Printer > stop", "print/spooler.py"),
        ("mail/server.py:5", "mail/outbox.py"),
        ("print/printer.py", "print/spooler.py"),
        ("print/spooler.py::flush_queue", "print/spooler.py"),
    ] {
        let answer = tree.answer(&near(anchor));
        assert_eq!(answer.results.len(), 2, "{anchor}: what the question finds does not change");
        assert_eq!(answer.results[0].file, file, "{anchor}");
    }
}

#[test]
fn a_score_says_what_the_anchor_adds() {
    let answer = Tree::of(&TWINS).answer(&near("MailServer"));
    let best = &answer.results[0];
    let added = best.explanation.iter().find(|source| source.signal == "anchor").expect("it is near");
    assert!(added.contribution > 0.0 && added.contribution <= 0.4, "{added:?}");
    let sum: f64 = best.explanation.iter().map(|source| source.contribution).sum();
    assert!((sum - best.score).abs() < 1e-3, "{sum} is not {}", best.score);
}

#[test]
fn an_anchor_that_is_near_to_nothing_is_told() {
    let mut files = TWINS.to_vec();
    files.push(("alone.py", "def alone():\n    pass\n"));
    let answer = Tree::of(&files).answer(&near("alone"));
    assert_eq!(answer.warnings, ["nothing that was found is near \"alone\""]);
}

#[test]
fn an_anchor_that_is_no_place_in_the_code_is_an_error() {
    let tree = Tree::of(&TWINS);
    let refused = |request: &SearchRequest| {
        let error = tree.engine.search(request).expect_err("there is no such place");
        (error.kind(), error.to_string())
    };
    let (named, placed) = (refused(&near("Mailserfer")), refused(&near("mail/server.py:90")));
    assert_eq!(named, (ErrorKind::NotFound, "nothing is named \"Mailserfer\"".to_owned()));
    assert_eq!(placed, (ErrorKind::Request, "there is no code at \"mail/server.py:90\"".to_owned()));
    let documents = near("MailServer").with_corpus(Corpus::Documents).with_kinds(Vec::new());
    let (kind, message) = refused(&documents);
    assert!(kind == ErrorKind::Request && message.contains("documents"), "{message}");
}

#[test]
fn edges_that_are_less_sure_are_neither_told_nor_followed() {
    let text = "class File:\n    def close(self):\n        pass\n\nclass Socket:\n    def close(self):\n        pass\n
def opened(name):\n    return File() if name else Socket()\n\ndef release(name):\n    thing = opened(name)\n    thing.close()\n";
    let mut tree = Tree::of(&[("things.py", text)]);
    let mut told = |min_confidence| {
        let request = SearchRequest::new("symbol = release").with_min_confidence(min_confidence);
        let answer = tree.answer(&request);
        let calls = answer.results[0].details.calls.iter().map(|call| call.symbol.confidence);
        let edges = answer.subgraph_edges.iter().map(|edge| edge.confidence);
        calls.chain(edges).collect::<Vec<Confidence>>()
    };
    let exact = Confidence::Exact;
    let all = told(Confidence::Ambiguous);
    assert!(all.contains(&exact) && all.iter().any(|certainty| *certainty != exact), "{all:?}");
    let sure = told(Confidence::Exact);
    assert!(!sure.is_empty() && sure.iter().all(|certainty| *certainty == exact), "{sure:?}");
}
