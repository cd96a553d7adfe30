//! Tests of providers that are down, slow, wrong or not providers at all.

use std::io::Write;
use std::net::TcpListener;
use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::{Value, json};
use sscg_embed::{EmbedError, Embedder, HttpEmbedder, HttpEmbedderOptions, Input};

use crate::server::{KEY_VARIABLE, Received, Reply, Server, embeddings, key};

fn options(url: String) -> HttpEmbedderOptions {
    let mut options = HttpEmbedderOptions::openai_compatible(url, "small");
    options.dimension = Some(2);
    options.http.retries = 2;
    options.http.backoff = Duration::from_millis(1);
    options
}

/// Returns the error for a server that always sends this reply.
fn error(reply: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> EmbedError {
    let server = Server::start(move |_, received| reply(received));
    HttpEmbedder::new(options(server.url())).unwrap().embed(&["a", "b"], Input::Document).unwrap_err()
}

#[test]
fn a_provider_that_is_busy_is_asked_again() {
    let server = Server::start(|number, received| match number {
        0 => Reply { retry_after: Some("0"), ..Reply::status(429) },
        1 => Reply::status(503),
        _ => Reply::json(embeddings(received, 2)),
    });
    let embedder = HttpEmbedder::new(options(server.url())).unwrap();
    assert_eq!(embedder.embed(&["abc"], Input::Query).unwrap(), [[3.0, 1.0]]);
    assert_eq!(server.received().len(), 3);
}

#[test]
fn a_provider_that_stays_busy_is_given_up() {
    let server = Server::start(|_, _| Reply::status(500).with_body("<html>\n  Oops"));
    let error = HttpEmbedder::new(options(server.url())).unwrap().embed(&["a"], Input::Query).unwrap_err();
    assert!(matches!(error, EmbedError::Unavailable { attempts: 3, .. }));
    assert_eq!(server.received().len(), 3);
    assert_eq!(
        error.to_string(),
        format!(
            "{}/embeddings gave no answer (attempts: 3): status 500: <html> Oops; check that it is up and try again",
            server.url()
        )
    );
    let server = Server::start(|_, _| Reply { retry_after: Some("86400"), ..Reply::status(429) });
    let error = HttpEmbedder::new(options(server.url())).unwrap().embed(&["a"], Input::Query).unwrap_err();
    assert_eq!(server.received().len(), 1);
    assert!(error.to_string().contains("try again in 86400 seconds"), "{error}");
}

#[test]
fn a_provider_that_is_down_is_named() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let embedder = HttpEmbedder::new(options(format!("http://{nobody}/v1"))).unwrap();
    let error = embedder.embed(&["a"], Input::Query).unwrap_err();
    assert!(matches!(error, EmbedError::Unavailable { attempts: 3, .. }), "{error:?}");
    assert!(error.to_string().contains(&nobody.to_string()), "{error}");
}

#[test]
fn a_lost_connection_is_made_anew() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let hangs_up = std::thread::spawn(move || (0..3).map(|_| drop(listener.accept().unwrap())).count());
    let embedder = HttpEmbedder::new(options(format!("http://{address}/v1"))).unwrap();
    let error = embedder.embed(&["a"], Input::Query).unwrap_err();
    assert!(matches!(error, EmbedError::Unavailable { attempts: 3, .. }), "{error:?}");
    assert_eq!(hangs_up.join().unwrap(), 3);
}

#[test]
fn a_server_without_tls_is_not_asked_for_it_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let plain = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        connection.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
    });
    let embedder = HttpEmbedder::new(options(format!("https://{address}/v1"))).unwrap();
    let error = embedder.embed(&["a"], Input::Query).unwrap_err();
    assert!(matches!(error, EmbedError::Unavailable { attempts: 1, .. }), "{error:?}");
    plain.join().unwrap();
}

#[test]
fn a_provider_that_never_answers_is_not_waited_for() {
    let server = Server::start(|_, received| Reply {
        delay: Duration::from_millis(400),
        ..Reply::json(embeddings(received, 2))
    });
    let mut options = options(server.url());
    (options.http.timeout, options.http.retries) = (Duration::from_millis(50), 1);
    let error = HttpEmbedder::new(options).unwrap().embed(&["a"], Input::Query).unwrap_err();
    assert!(matches!(error, EmbedError::Unavailable { attempts: 2, .. }));
    assert!(error.to_string().contains("it took longer than 50ms"), "{error}");
}

#[test]
fn what_is_finished_before_a_failure_is_kept() {
    let server = Server::start(|number, received| match number {
        0..3 => Reply::json(embeddings(received, 2)),
        _ => Reply::status(404).with_body(json!({"error": {"message": "no such model"}})),
    });
    let mut options = options(server.url());
    (options.batch_texts, options.http.concurrency) = (2, 1);
    let embedder = HttpEmbedder::new(options).unwrap();
    let texts = ["a", "ab", "abc", "abcd", "abcde", "abcdef", "g", "h"];
    let mut kept = vec![None; texts.len()];
    let result = embedder.embed_batches(&texts, Input::Document, &mut |batch| {
        batch.texts.zip(batch.vectors).for_each(|(text, vector)| kept[text] = Some(vector[0]));
        ControlFlow::Continue(())
    });
    assert!(matches!(result, Err(EmbedError::Refused { status: 404, .. })), "{result:?}");
    assert_eq!(kept, [Some(1.0), Some(2.0), Some(3.0), Some(4.0), Some(5.0), Some(6.0), None, None]);
    assert_eq!(server.received().len(), 4);
}

#[test]
fn a_wrong_key_is_named_by_its_variable_and_never_shown() {
    // A server that echoes the key in all its responses.
    let echo = |received: &Received| format!("Incorrect API key: {}", received.headers["authorization"]);
    for status in [401, 403, 400, 500, 200, 201] {
        let server = Server::start(move |_, received| match status {
            // A malformed response is quoted, too.
            201 => Reply::status(status).with_body(json!({"data": echo(received)})),
            _ => {
                let body = json!({"error": {"message": echo(received), "padding": "x".repeat(1000)}});
                Reply::status(status).with_body(body)
            }
        });
        let mut options = options(server.url());
        options.key_variable = Some(KEY_VARIABLE.to_owned());
        let embedder = HttpEmbedder::new(options).unwrap();
        let error = embedder.embed(&["a"], Input::Query).unwrap_err();
        for shown in
            [error.to_string(), format!("{error:?}"), format!("{embedder:?}"), format!("{embedder:#?}")]
        {
            assert!(!shown.contains(&key()), "{shown}");
        }
        if status == 401 {
            assert!(
                error.to_string().contains("Incorrect API key: Bearer <key>; check the key in"),
                "{error}"
            );
            assert!(error.to_string().contains(KEY_VARIABLE), "{error}");
            assert_eq!(server.received().len(), 1);
        }
    }
}

#[test]
fn a_missing_key_is_missed_before_anything_is_sent() {
    let mut options = options("http://127.0.0.1:1/v1".to_owned());
    options.key_variable = Some("SSCG_TEST_THERE_IS_NO_SUCH_VARIABLE".to_owned());
    let error = HttpEmbedder::new(options).unwrap_err();
    assert!(matches!(&error, EmbedError::MissingKey { variable } if variable.starts_with("SSCG_TEST")));
    assert!(error.to_string().contains("set the environment variable SSCG_TEST"), "{error}");
}

#[test]
fn answers_that_make_no_sense_are_told_apart() {
    let vectors = |vectors: Value| Reply::json(json!({"data": vectors}));
    let wrong = error(|received| Reply::json(embeddings(received, 3)));
    assert!(matches!(wrong, EmbedError::Dimension { expected: 2, found: 3, .. }), "{wrong:?}");
    let few = error(move |_| vectors(json!([{"index": 0, "embedding": [1, 2]}])));
    assert!(matches!(few, EmbedError::Count { expected: 2, found: 1, .. }), "{few:?}");
    let huge = error(move |_| vectors(json!([{"embedding": [1, 2]}, {"embedding": [1e39, 2]}])));
    // Whether serde_json parses such a number depends on features that other crates of a build enable.
    assert!(matches!(huge, EmbedError::NotFinite { .. } | EmbedError::Answer { .. }), "{huge:?}");
    let twice = json!([{"index": 1, "embedding": [1, 2]}, {"index": 1, "embedding": [1, 2]}]);
    let answers = [
        (twice.clone(), "indices"),
        (json!([{"index": 0, "embedding": [1, 2]}, {"index": 2, "embedding": [1, 2]}]), "indices"),
        (json!([{"embedding": [1, null]}, {"embedding": [1, 2]}]), "null"),
        (json!([{"vector": [1, 2]}]), "embedding"),
    ];
    for (answer, reason) in answers {
        let error = error(move |_| vectors(answer.clone()));
        assert!(
            matches!(&error, EmbedError::Answer { message, .. } if message.contains(reason)),
            "{error:?}"
        );
    }
    for garbage in ["", "<html>Welcome</html>", "{\"data\": [", "{\"data\": [{\"embedding\": [NaN]}]}"] {
        let error = error(move |_| Reply::status(200).with_body(garbage));
        assert!(matches!(error, EmbedError::Answer { .. }), "{error:?}");
        assert!(error.to_string().contains("check that the address is that of such a provider"), "{error}");
    }
}

#[test]
fn a_refusal_says_what_the_provider_says() {
    let bodies = [
        json!({"error": {"message": "no such model", "type": "invalid"}}),
        json!({"error": "no such model"}),
        json!({"detail": "no such model"}),
        json!({"message": "no such model"}),
        json!("no such model"),
    ];
    for body in bodies {
        let error = error(move |_| Reply::status(404).with_body(&body));
        assert!(error.to_string().contains("(404): no such model; check"), "{error}");
    }
    let moved = error(|_| Reply::status(308).with_body("elsewhere"));
    assert!(matches!(moved, EmbedError::Refused { status: 308, .. }), "{moved:?}");
}

#[test]
fn settings_that_cannot_work_are_refused() {
    for url in ["", "localhost:8080", "ftp://localhost/v1", "http://", "http://a b"] {
        let error = HttpEmbedder::new(options(url.to_owned())).unwrap_err();
        assert!(matches!(error, EmbedError::Setting { setting: "address", .. }), "{url}: {error:?}");
    }
    for url in ["http://me:secret@localhost/v1", "http://localhost/v1?key=secret"] {
        let error = HttpEmbedder::new(options(url.to_owned())).unwrap_err();
        assert!(matches!(error, EmbedError::Setting { setting: "address", .. }), "{url}: {error:?}");
        assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
    }
    let mut options = options("http://localhost".to_owned());
    options.batch_texts = 0;
    let error = HttpEmbedder::new(options).unwrap_err();
    assert!(error.to_string().contains("batch_texts cannot be used: it is 0"), "{error}");
}
