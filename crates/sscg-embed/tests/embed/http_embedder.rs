//! Tests of providers of embeddings: requests as sent, and handling of the responses.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use sscg_embed::{Embedder, HttpEmbedder, HttpEmbedderOptions, Input};

use crate::server::{KEY_VARIABLE, Reply, Server, embeddings, key};

/// Starts a provider that answers every request.
fn provider(dimension: usize) -> Server {
    Server::start(move |_, received| Reply::json(embeddings(received, dimension)))
}

fn options(server: &Server) -> HttpEmbedderOptions {
    let mut options = HttpEmbedderOptions::openai_compatible(server.url(), "small");
    options.dimension = Some(2);
    options
}

#[test]
fn voyage_is_asked_in_its_language() {
    let server = provider(1024);
    let mut options = HttpEmbedderOptions::voyage();
    assert_eq!(
        (options.base_url.as_str(), options.model.as_str()),
        ("https://api.voyageai.com/v1", "voyage-code-3")
    );
    assert_eq!(options.key_variable.as_deref(), Some("VOYAGE_API_KEY"));
    options.base_url = server.url();
    options.key_variable = Some(KEY_VARIABLE.to_owned());
    let embedder = HttpEmbedder::new(options).unwrap();
    assert_eq!(embedder.dimension(), 1024);
    let vectors = embedder.embed(&["fn a() {}", "fn"], Input::Document).unwrap();
    assert_eq!((vectors[0][0], vectors[1][0], vectors[1].len()), (9.0, 2.0, 1024));
    embedder.embed(&["where?"], Input::Query).unwrap();
    let received = server.received();
    assert_eq!(received[0].path, "/v1/embeddings");
    assert_eq!(received[0].headers["authorization"], format!("Bearer {}", key()));
    assert_eq!(received[0].headers["content-type"], "application/json");
    assert!(received[0].headers["user-agent"].starts_with("sscg/"));
    let body = |input: &[&str], input_type| {
        json!({
            "model": "voyage-code-3", "input": input, "input_type": input_type, "truncation": true,
            "output_dimension": 1024,
        })
    };
    assert_eq!(received[0].body, body(&["fn a() {}", "fn"], "document"));
    assert_eq!(received[1].body, body(&["where?"], "query"));
}

#[test]
fn servers_of_openais_language_are_asked_in_it() {
    let server = provider(2);
    let mut options = options(&server);
    options.query_prefix = "query: ".to_owned();
    let embedder = HttpEmbedder::new(options).unwrap();
    embedder.embed(&["a", "b"], Input::Document).unwrap();
    embedder.embed(&["a"], Input::Query).unwrap();
    let received = server.received();
    assert_eq!(received[0].path, "/v1/embeddings");
    assert!(!received[0].headers.contains_key("authorization"));
    let body = |input: &[&str]| json!({"model": "small", "input": input, "dimensions": 2, "encoding_format": "float"});
    assert_eq!(received[0].body, body(&["a", "b"]));
    assert_eq!(received[1].body, body(&["query: a"]));
}

#[test]
fn a_dimension_that_is_left_out_is_learned() {
    let server = provider(5);
    let mut options = options(&server);
    options.dimension = None;
    options.base_url += "/";
    let embedder = HttpEmbedder::new(options).unwrap();
    assert_eq!(embedder.dimension(), 5);
    let address = server.url().replace("http://", "");
    assert_eq!(embedder.model_id(), format!("{address}/small/5"));
    assert!(server.received()[0].body.get("dimensions").is_none());
}

#[test]
fn what_changes_vectors_changes_the_name_they_are_kept_under() {
    let server = provider(2);
    let id = |change: &dyn Fn(&mut HttpEmbedderOptions)| {
        let mut options = options(&server);
        change(&mut options);
        HttpEmbedder::new(options).unwrap().model_id().to_owned()
    };
    let plain = id(&|_| ());
    assert_eq!(plain, id(&|options| options.query_prefix = "query: ".to_owned()));
    assert_ne!(plain, id(&|options| options.document_prefix = "passage: ".to_owned()));
    assert_ne!(plain, id(&|options| options.model = "large".to_owned()));
    assert_ne!(plain, id(&|options| options.dimension = Some(3)));
    assert_ne!(plain, id(&|options| options.base_url += "/beta"));
}

#[test]
fn requests_stay_within_their_limits_and_vectors_in_order() {
    let server = provider(2);
    let mut options = options(&server);
    (options.batch_texts, options.batch_tokens, options.max_tokens) = (3, 10, 8);
    let embedder = HttpEmbedder::new(options).unwrap();
    let texts: Vec<String> = [1, 2, 3, 4, 12, 15, 1, 100, 5].map(|length| "x".repeat(length)).to_vec();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder.embed(&texts, Input::Document).unwrap();
    let lengths: Vec<f32> = vectors.iter().map(|vector| vector[0]).collect();
    assert_eq!(lengths, [1.0, 2.0, 3.0, 4.0, 12.0, 15.0, 1.0, 24.0, 5.0]);
    let mut requests: Vec<Vec<usize>> =
        server.received().iter().map(|received| received.texts().iter().map(String::len).collect()).collect();
    requests.sort();
    assert_eq!(requests, [vec![1, 2, 3], vec![4, 12], vec![15, 1], vec![24, 5]]);
    let estimate = embedder.estimate(&texts);
    assert_eq!((estimate.texts, estimate.tokens, estimate.requests, estimate.dollars), (9, 25, 4, None));
}

#[test]
fn an_estimate_names_the_price() {
    let mut options = HttpEmbedderOptions::voyage();
    options.key_variable = None;
    let estimate = HttpEmbedder::new(options.clone()).unwrap().estimate(&["x".repeat(3_000).as_str(), " "]);
    assert_eq!((estimate.tokens, estimate.requests), (1000, 1));
    assert!((estimate.dollars.unwrap() - 0.000_18).abs() < 1e-9);
    options.price = Some(2.0);
    let estimate = HttpEmbedder::new(options).unwrap().estimate(&["x".repeat(3_000).as_str()]);
    assert!((estimate.dollars.unwrap() - 0.002).abs() < 1e-9);
}

#[test]
fn a_text_with_nothing_in_it_is_not_sent() {
    let server = provider(2);
    let embedder = HttpEmbedder::new(options(&server)).unwrap();
    assert_eq!(embedder.embed(&["", " \n"], Input::Query).unwrap(), [[0.0; 2]; 2]);
    assert_eq!(embedder.embed(&[], Input::Query).unwrap(), Vec::<Vec<f32>>::new());
    assert!(server.received().is_empty());
    let vectors = embedder.embed(&["", "abc", "\t"], Input::Document).unwrap();
    assert_eq!(vectors, [[0.0, 0.0], [3.0, 1.0], [0.0, 0.0]]);
}

#[test]
fn a_server_that_takes_less_gets_less() {
    // Accepts at most two texts of at most 300 bytes, whatever the options are.
    let server = Server::start(|_, received| {
        let texts = received.texts();
        if texts.len() > 2 {
            Reply::status(413).with_body(json!({"error": "batch size 5 > maximum allowed batch size 2"}))
        } else if texts.iter().any(|text| text.len() > 300) {
            let message = "This model's maximum context length is 100 tokens.";
            Reply::status(400).with_body(json!({"error": {"message": message}}))
        } else {
            Reply::json(embeddings(received, 2))
        }
    });
    let embedder = HttpEmbedder::new(options(&server)).unwrap();
    let long = "ü".repeat(500);
    let vectors = embedder.embed(&["a", "ab", "abc", &long, "abcd"], Input::Document).unwrap();
    let lengths: Vec<f32> = vectors.iter().map(|vector| vector[0]).collect();
    assert_eq!(lengths, [1.0, 2.0, 3.0, 250.0, 4.0]);
}

#[test]
fn no_more_requests_are_under_way_than_allowed() {
    let (now, most) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let server = Server::start(move |_, received| {
        seen.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(20));
        now.fetch_sub(1, Ordering::SeqCst);
        Reply::json(embeddings(received, 2))
    });
    let mut options = options(&server);
    options.batch_texts = 1;
    options.http.concurrency = 3;
    HttpEmbedder::new(options).unwrap().embed(&["x"; 20], Input::Document).unwrap();
    assert_eq!(server.received().len(), 20);
    assert_eq!(most.load(Ordering::SeqCst), 3);
}

#[test]
fn whoever_has_enough_can_stop() {
    let server = provider(2);
    let mut options = options(&server);
    (options.batch_texts, options.http.concurrency) = (1, 1);
    let mut batches = 0;
    let stop = &mut |_| {
        batches += 1;
        ControlFlow::Break(())
    };
    HttpEmbedder::new(options).unwrap().embed_batches(&["x"; 50], Input::Document, stop).unwrap();
    assert!(batches < 50);
    assert_eq!(server.received().len(), batches);
}
