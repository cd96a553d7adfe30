//! Words of the question in explained results.

use sscg::{Corpus, SearchRequest};
use sscg_format::ResultItem;

use crate::tree::{Tree, result};

const FILES: &[(&str, &str)] = &[
    (
        "upload/limits.py",
        "\"\"\"Rules.\"\"\"\n\n\nclass Quota:\n    def check(self, body):\n        \"\"\"Refuses an attachment.\n\n        \
         Clients see status 413.\n        \"\"\"\n        # Headers count, too.\n        if len(body) > self.max_bytes:\n            \
         raise ValueError(\"the parcel is heavy\")\n        return body\n",
    ),
    (
        "pool.rs",
        "/// Closes idle sockets.\npub fn evict(pool: &mut Pool) {\n    pool.discard(|it| it.busy);\n}\n",
    ),
    ("draw.py", "def line(pen):\n    return pen.down\n"),
    ("store.py", "def save(item):\n    return item.path\n"),
    ("guide.md", "# Guide\n\n## Attachments\n\nThey travel by train.\n"),
];

/// Returns the files, among others: words of a few chunks are too frequent to stand for others.
fn tree() -> Tree {
    let tree = Tree::of(FILES);
    let others: String = (0..30).map(|at| format!("def zebra_{at}():\n    return {at}\n\n\n")).collect();
    tree.write("zebras.py", &others);
    tree
}

/// Returns the words of a result as `asked ~ word field:line`.
fn listed(result: &ResultItem) -> Vec<String> {
    let line = |it: &sscg_format::WordMatch| {
        let other = if it.word.is_empty() { String::new() } else { format!(" ~ {}", it.word) };
        format!("{}{other} {}:{}", it.asked, it.field.as_str(), it.line)
    };
    result.words.iter().map(line).collect()
}

fn words_of(question: &str, name: &str) -> Vec<String> {
    let answer = tree().answer(&SearchRequest::new(question).with_explain(true));
    listed(result(&answer, name))
}

#[test]
fn words_are_listed_where_they_count_most() {
    let words = words_of("status of refused attachments, heavy headers, quota check", "Quota.check");
    for word in [
        "check name:5",
        "attachments doc:6",
        "refused doc:6",
        "status doc:8",
        "headers comment:10",
        "heavy string:12",
        "quota qualifier:4",
    ] {
        assert!(words.contains(&word.to_owned()), "{word}: {words:?}");
    }
    assert_eq!(words[0], "check name:5", "names count most: {words:?}");
    let words = words_of("which pool of sockets", "evict");
    assert!(words.contains(&"sockets doc:1".to_owned()), "{words:?}");
    assert!(
        words.contains(&"pool signature:2".to_owned()) || words.contains(&"pool path:0".to_owned()),
        "{words:?}"
    );
}

#[test]
fn other_words_are_listed_with_those_asked() {
    // The thesaurus has several words for each phrase, of which the heaviest is listed.
    let words = words_of("throw away an idle connection", "evict");
    assert!(words.iter().any(|word| word == "throw away ~ evict name:2"), "{words:?}");
    assert_eq!(words.iter().filter(|word| word.starts_with("throw")).count(), 1, "{words:?}");
    assert!(words.contains(&"idle doc:1".to_owned()), "{words:?}");
    let words = words_of("what if the payload too large", "Quota.check");
    assert!(words.iter().any(|word| word == "payload too large ~ 413 doc:8"), "{words:?}");
    let words = words_of("wo werden Anhänge geprüft", "Quota.check");
    assert!(words.iter().any(|word| word == "geprüft ~ check name:5"), "{words:?}");
}

#[test]
fn words_are_listed_only_if_asked_and_change_no_order() {
    let mut tree = tree();
    for question in ["refused attachments", "throw away an idle connection"] {
        let plain = tree.answer(&SearchRequest::new(question));
        assert!(plain.results.iter().all(|result| result.words.is_empty()));
        let explained = tree.answer(&SearchRequest::new(question).with_explain(true));
        let order = |answer: &sscg::Answer| -> Vec<(String, f64)> {
            answer.results.iter().map(|result| (result.chunk_id.clone(), result.score)).collect()
        };
        assert_eq!(order(&plain), order(&explained));
    }
    // Nothing is sought by its words.
    for question in ["symbol = evict", "who calls evict"] {
        let answer = tree.answer(&SearchRequest::new(question).with_explain(true));
        assert!(answer.results.iter().all(|result| result.words.is_empty()), "{question}");
    }
}

#[test]
fn words_are_few_and_each_is_listed_once() {
    let question =
        "check body len max bytes raise value error parcel heavy status clients refuses headers count return";
    let words = words_of(question, "Quota.check");
    assert_eq!(words.len(), 8, "{words:?}");
    let mut asked: Vec<&str> = words.iter().filter_map(|word| word.split(' ').next()).collect();
    asked.sort_unstable();
    asked.dedup();
    assert_eq!(asked.len(), 8, "{words:?}");
}

#[test]
fn words_of_documents_are_listed() {
    let request =
        SearchRequest::new("attachments by train").with_corpus(Corpus::Documents).with_explain(true);
    let answer = Tree::of(FILES).answer(&request);
    let mut words = listed(&answer.results[0]);
    words.sort();
    assert_eq!(words, ["attachments name:3", "train body:5"]);
}
