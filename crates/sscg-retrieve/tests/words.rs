//! Questions in other words than the code's, end to end.

use std::fs;
use std::sync::Arc;

use sscg_index::{Index, IndexOptions, Snapshot, Storage};
use sscg_retrieve::{Filters, Query, QueryMode, RankOptions, rank};

const FILES: &[(&str, &str)] = &[
    ("auth.py", "def check_auth(request):\n    return request.token in TOKENS\n"),
    (
        "status.py",
        "PAYLOAD_TOO_LARGE = 413\n\n\ndef refuse(body):\n    return 413 if len(body) > MOST else 200\n",
    ),
    ("wire.py", "def close_connection(peer):\n    peer.socket.close()\n    peer.closed = True\n"),
    ("queue.py", "def retry_job(job):\n    job.attempts += 1\n    QUEUE.append(job)\n"),
    ("paint.py", "def set_color(pen, color):\n    pen.color = color\n"),
    ("notes.py", "# 连接被远端重置\ndef reset(peer):\n    peer.state = None\n"),
    ("syntax.py", "class NamedExpr:\n    def visit(self, node):\n        return node.target\n"),
];

fn snapshot() -> (tempfile::TempDir, Arc<Snapshot>) {
    let tree = tempfile::tempdir().expect("a directory");
    for (path, text) in FILES {
        fs::write(tree.path().join(path), text).expect("a file");
    }
    let options = IndexOptions::default().with_storage(Storage::Ephemeral);
    let (snapshot, _) = Index::open(tree.path(), &options).expect("an index").refresh().expect("a snapshot");
    (tree, snapshot)
}

fn best(snapshot: &Snapshot, question: &str) -> Option<String> {
    let query = Query::parse(question, Filters::default()).expect("a question");
    let hits = rank(snapshot, &query, &RankOptions::default());
    let file = snapshot.project.chunk_file(hits.first()?.chunk);
    Some(snapshot.project.files()[file].path.to_string())
}

#[test]
fn other_words_for_the_same_find_it() {
    let (_tree, snapshot) = snapshot();
    for (question, path) in [
        ("authentication", "auth.py"),
        ("how does it authenticate", "auth.py"),
        ("content too large", "status.py"),
        ("what is sent if the content is too large, 413", "status.py"),
        ("colours of the pen", "paint.py"),
        ("the walrus operator", "syntax.py"),
    ] {
        assert_eq!(best(&snapshot, question).as_deref(), Some(path), "{question}");
    }
}

#[test]
fn questions_in_eight_languages_find_it() {
    let (_tree, snapshot) = snapshot();
    for question in [
        "wo werden Verbindungen geschlossen",
        "¿dónde se cierran las conexiones?",
        "où sont fermées les connexions",
        "onde são fechadas as conexões",
        "где закрываются соединения",
        "连接在哪里关闭",
        "接続はどこで閉じるのか",
        "연결은 어디에서 닫히는가",
    ] {
        assert_eq!(best(&snapshot, question).as_deref(), Some("wire.py"), "{question}");
    }
    assert_eq!(best(&snapshot, "wie wird eine Aufgabe wiederholt").as_deref(), Some("queue.py"));
    // The project's own comment.
    assert_eq!(best(&snapshot, "远端如何重置").as_deref(), Some("notes.py"));
}

#[test]
fn a_question_in_english_keeps_its_terms() {
    for question in [
        "where are idle connections closed",
        "how is data of a file converted, in which order",
        "que la data",
        "main error path with args and locale",
        "the die is cast as a mode of data",
    ] {
        let query = Query::parse(question, Filters::default()).expect("a question");
        assert_eq!(query.mode, QueryMode::Words(sscg_index::query_terms(question)), "{question}");
    }
}
