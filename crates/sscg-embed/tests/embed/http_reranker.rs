//! Tests of rerankers: requests as sent, and handling of the responses.

use std::time::Duration;

use serde_json::{Value, json};
use sscg_embed::{EmbedError, HttpReranker, HttpRerankerOptions, Reranker};

use crate::server::{KEY_VARIABLE, Received, Reply, Server, key};

const DOCUMENTS: [&str; 3] = ["fn open()", "fn a()", ""];

/// Scores each document by its length, best first; `documents` and `score` name the JSON fields.
fn scores(received: &Received, documents: &str, score: &str) -> Value {
    let documents = received.body[documents].as_array().unwrap();
    let lengths = documents.iter().map(|document| document.as_str().unwrap().len());
    let mut results: Vec<(usize, usize)> = lengths.enumerate().collect();
    results.sort_by_key(|(_, length)| std::cmp::Reverse(*length));
    results.iter().map(|(index, length)| json!({"index": index, score: *length as f32 / 100.0})).collect()
}

#[test]
fn voyage_is_asked_in_its_language() {
    let server = Server::start(|_, received| {
        Reply::json(json!({"object": "list", "data": scores(received, "documents", "relevance_score")}))
    });
    let mut options = HttpRerankerOptions::voyage();
    assert_eq!(options.key_variable.as_deref(), Some("VOYAGE_API_KEY"));
    options.base_url = server.url();
    options.key_variable = Some(KEY_VARIABLE.to_owned());
    let reranker = HttpReranker::new(options).unwrap();
    assert!(reranker.model_id().ends_with("/v1/rerank-2.5"));
    assert!(!format!("{reranker:?}").contains(&key()));
    assert_eq!(reranker.rerank(" open? ", &DOCUMENTS).unwrap(), [0.09, 0.06, 0.01]);
    let received = &server.received()[0];
    assert_eq!(received.path, "/v1/rerank");
    assert_eq!(received.headers["authorization"], format!("Bearer {}", key()));
    let documents = json!(["fn open()", "fn a()", " "]);
    assert_eq!(
        received.body,
        json!({"model": "rerank-2.5", "query": "open?", "documents": documents, "truncation": true})
    );
}

#[test]
fn cohere_and_its_like_are_asked_in_their_language() {
    let server = Server::start(|_, received| {
        Reply::json(
            json!({"id": "1", "results": scores(received, "documents", "relevance_score"), "meta": {}}),
        )
    });
    assert_eq!(HttpRerankerOptions::cohere().base_url, "https://api.cohere.com/v2");
    let options = HttpRerankerOptions::cohere_compatible(server.url(), "rerank-v3.5");
    let reranker = HttpReranker::new(options).unwrap();
    assert_eq!(reranker.rerank("open?", &DOCUMENTS).unwrap(), [0.09, 0.06, 0.01]);
    let received = &server.received()[0];
    assert_eq!(received.path, "/v1/rerank");
    let documents = json!(["fn open()", "fn a()", " "]);
    assert_eq!(received.body, json!({"model": "rerank-v3.5", "query": "open?", "documents": documents}));
}

#[test]
fn tei_is_asked_in_its_language() {
    let server = Server::start(|_, received| Reply::json(scores(received, "texts", "score")));
    let mut options = HttpRerankerOptions::tei(server.url());
    options.batch_documents = 2;
    let reranker = HttpReranker::new(options).unwrap();
    assert_eq!(reranker.rerank("open?", &DOCUMENTS).unwrap(), [0.09, 0.06, 0.01]);
    let mut bodies: Vec<Value> = server.received().into_iter().map(|received| received.body).collect();
    bodies.sort_by_key(|body| body["texts"].as_array().unwrap().len());
    assert_eq!(bodies[0], json!({"query": "open?", "texts": [" "], "truncate": true}));
    assert_eq!(bodies[1], json!({"query": "open?", "texts": ["fn open()", "fn a()"], "truncate": true}));
}

#[test]
fn nothing_is_sent_for_nothing() {
    let reranker = HttpReranker::new(HttpRerankerOptions::tei("http://127.0.0.1:1")).unwrap();
    assert_eq!(reranker.rerank("open?", &[]).unwrap(), Vec::<f32>::new());
    assert_eq!(reranker.rerank(" \n", &DOCUMENTS).unwrap(), [0.0; 3]);
}

#[test]
fn long_texts_are_cut() {
    let server = Server::start(|_, received| Reply::json(scores(received, "texts", "score")));
    let mut options = HttpRerankerOptions::tei(server.url());
    (options.max_query_tokens, options.max_document_tokens) = (2, 3);
    let reranker = HttpReranker::new(options).unwrap();
    assert_eq!(reranker.rerank(&"q".repeat(100_000), &[&"d".repeat(1000)]).unwrap(), [0.09]);
    assert_eq!(server.received()[0].body["query"], "qqqqqq");
}

#[test]
fn answers_that_make_no_sense_are_told_apart() {
    let error = |status, body: Value| {
        let server = Server::start(move |_, _| Reply::status(status).with_body(&body));
        let mut options = HttpRerankerOptions::cohere_compatible(server.url(), "rerank");
        options.http.backoff = Duration::from_millis(1);
        HttpReranker::new(options).unwrap().rerank("open?", &["a", "b"]).unwrap_err()
    };
    let result = |index, score| json!({"index": index, "relevance_score": score});
    let few = error(200, json!({"results": [result(0, 0.5)]}));
    assert!(matches!(few, EmbedError::Count { expected: 2, found: 1, .. }), "{few:?}");
    let twice = error(200, json!({"results": [result(0, 0.5), result(0, 0.5)]}));
    assert!(matches!(twice, EmbedError::Answer { .. }), "{twice:?}");
    let huge = error(200, json!({"results": [result(0, 0.5), result(1, 1e39)]}));
    assert!(matches!(huge, EmbedError::NotFinite { .. }), "{huge:?}");
    let other = error(200, json!({"data": "no"}));
    assert!(matches!(other, EmbedError::Answer { .. }), "{other:?}");
    let key = error(401, json!({"message": "no key"}));
    assert!(key.to_string().contains("name the environment variable that holds a key"), "{key}");
    let down = error(502, json!(null));
    assert!(matches!(down, EmbedError::Unavailable { attempts: 2, .. }), "{down:?}");
}
