//! Rerankers, with a server on this machine.

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use crate::sandbox::{Run, Sandbox};

const QUESTION: &str = "what does the clock do";

/// Behavior of a server.
#[derive(Clone, Copy)]
enum Manner {
    /// Texts with the word `brass` score highest.
    Brass,
    Overloaded,
    Slow,
    Garbled,
    Short,
}

/// Server with the APIs of Cohere and of Text Embeddings Inference that records its requests.
struct Provider {
    server: Arc<tiny_http::Server>,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
    thread: Option<JoinHandle<()>>,
}

impl Provider {
    fn start(manner: Manner) -> Self {
        let server = Arc::new(tiny_http::Server::http("127.0.0.1:0").expect("a port is free"));
        let asked: Arc<Mutex<Vec<(String, Value)>>> = Arc::default();
        let thread = {
            let (server, asked) = (Arc::clone(&server), Arc::clone(&asked));
            std::thread::spawn(move || {
                while let Ok(mut request) = server.recv() {
                    let body: Value = serde_json::from_reader(request.as_reader()).expect("JSON");
                    let (status, answer) = manner.answer(&body);
                    asked.lock().expect("nothing panics with it").push((request.url().to_owned(), body));
                    let response =
                        tiny_http::Response::from_string(answer.to_string()).with_status_code(status);
                    // The client may have closed the connection after a timeout.
                    _ = request.respond(response);
                }
            })
        };
        Self { server, asked, thread: Some(thread) }
    }

    /// Returns the address for clients of the Text Embeddings Inference API.
    fn address(&self) -> String {
        format!("http://{}", self.server.server_addr())
    }

    /// Returns the requests since the last call: path and body.
    fn take(&self) -> Vec<(String, Value)> {
        std::mem::take(&mut *self.asked.lock().expect("nothing panics with it"))
    }
}

impl Manner {
    fn answer(self, body: &Value) -> (u16, Value) {
        let is_cohere = body.get("model").is_some();
        let texts = body[if is_cohere { "documents" } else { "texts" }].as_array().expect("a list of texts");
        let score = |text: &Value| if text.as_str().expect("a text").contains("brass") { 0.9 } else { 0.2 };
        let field = if is_cohere { "relevance_score" } else { "score" };
        let scores = texts.iter().enumerate().map(|(at, text)| json!({"index": at, field: score(text)}));
        let mut scores: Vec<Value> = scores.collect();
        match self {
            Self::Brass => {}
            Self::Overloaded => return (500, json!({"message": "out of memory"})),
            Self::Slow => std::thread::sleep(Duration::from_millis(500)),
            Self::Garbled => return (200, json!({"answer": 42})),
            Self::Short => _ = scores.pop(),
        }
        (200, if is_cohere { json!({"results": scores}) } else { json!(scores) })
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it answers whatever comes");
        }
    }
}

/// Returns three files; the server scores the last one highest.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("clock.py", "def clock(now):\n    \"\"\"What the clock does.\"\"\"\n    return now + 1\n");
    sandbox.write("tower.py", "def bell(clock):\n    \"\"\"The clock rings.\"\"\"\n    return clock.hour\n");
    sandbox.write("shop.py", "def sell(price):\n    \"\"\"A clock of brass.\"\"\"\n    return price\n");
    sandbox
}

fn search(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    let run = sandbox.run(&[&["search", QUESTION], arguments].concat());
    assert_eq!(run.code, 0, "{run:?}");
    run
}

fn answer(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let run = search(sandbox, &[&["--format", "verbose"], arguments].concat());
    serde_json::from_str(&run.stdout).expect("JSON")
}

fn paths(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().expect("a list").iter();
    results.map(|result| result["file"].as_str().expect("a path")).collect()
}

/// Sets keys of the reranker, and lets all hits be shown.
fn configure(sandbox: &Sandbox, text: &str) {
    let text = format!("rank.gate.share = 0.0\n[rerank]\n{text}\n");
    std::fs::write(sandbox.users_configuration(), text).expect("writable");
}

#[test]
fn the_order_is_the_rerankers_and_scores_stay_sums() {
    let (sandbox, provider) = (sandbox(), Provider::start(Manner::Brass));
    configure(&sandbox, "");
    let plain = answer(&sandbox, &[]);
    assert_eq!(paths(&plain), ["clock.py", "tower.py", "shop.py"]);
    assert!(plain.get("warnings").is_none(), "{plain}");
    let of_cohere = format!("{}/v2#small", provider.address());
    for (name, place) in [(provider.address(), "/rerank"), (of_cohere, "/v2/rerank")] {
        let found = answer(&sandbox, &["--explain", "--rerank", &name]);
        assert_eq!(paths(&found), ["shop.py", "clock.py", "tower.py"]);
        for result in found["results"].as_array().expect("a list") {
            let sources = result["explanation"].as_array().expect("a list");
            let sum: f64 = sources.iter().map(|it| it["contribution"].as_f64().expect("a number")).sum();
            assert!((sum - result["score"].as_f64().expect("a number")).abs() < 1e-9, "{result}");
            assert!(sources.iter().any(|it| it["signal"] == "rerank"), "{result}");
        }
        let first = &found["results"][0];
        assert_eq!(
            (&first["explanation"][0]["signal"], &first["rank_sources"]["rerank"]),
            (&json!("rerank"), &json!(1))
        );
        let [(url, body)] = &provider.take()[..] else { panic!("it is asked once") };
        assert_eq!((url.as_str(), &body["query"]), (place, &json!(QUESTION)));
        let texts = body.get("texts").or(body.get("documents")).expect("what was found");
        assert_eq!(
            texts[0],
            "clock.py\nclock\ndef clock(now):\n    \"\"\"What the clock does.\"\"\"\n    return now + 1"
        );
    }
}

#[test]
fn the_configuration_says_how_much_is_read_and_counts() {
    let (sandbox, provider) = (sandbox(), Provider::start(Manner::Brass));
    let reranked = || answer(&sandbox, &["--rerank", &provider.address()]);
    configure(&sandbox, "candidates = 2");
    assert_eq!(paths(&reranked()), ["clock.py", "tower.py", "shop.py"]);
    assert_eq!(provider.take()[0].1["texts"].as_array().map(Vec::len), Some(2));
    configure(&sandbox, "blend = 0.0");
    assert_eq!(paths(&reranked()), ["clock.py", "tower.py", "shop.py"]);
    configure(&sandbox, "blend = 1.0\ndocument_tokens = 16");
    assert_eq!(paths(&reranked())[0], "clock.py");
    let asked = provider.take();
    let texts = asked.last().expect("it was asked").1["texts"].as_array().expect("a list").clone();
    assert!(texts.iter().all(|text| text.as_str().is_some_and(|text| text.len() <= 48)), "{texts:?}");
    // Declarations that are asked for by name are not reranked.
    assert_eq!(sandbox.run(&["search", "symbol = sell", "--rerank", &provider.address()]).code, 0);
    assert_eq!(provider.take(), []);
}

#[test]
fn a_reranker_that_fails_costs_a_warning_and_nothing_else() {
    let sandbox = sandbox();
    configure(&sandbox, "timeout_ms = 50");
    let plain = answer(&sandbox, &[]);
    for (manner, says) in [
        (Manner::Overloaded, "out of memory"),
        (Manner::Slow, "no answer"),
        (Manner::Garbled, "not understood"),
        (Manner::Short, "2 of 3"),
    ] {
        let provider = Provider::start(manner);
        let found = answer(&sandbox, &["--rerank", &provider.address()]);
        assert_eq!(found["results"], plain["results"]);
        let [warning] = &found["warnings"].as_array().expect("a list")[..] else { panic!("{found}") };
        let warning = warning.as_str().expect("a text");
        assert!(warning.contains(says) && warning.contains("the order of the search alone"), "{warning}");
        for format in ["text", "compact"] {
            let run = search(&sandbox, &["--format", format, "--rerank", &provider.address()]);
            assert!(run.stdout.contains("did not rerank this answer"), "{run:?}");
            // Readers of both streams need the warning only once.
            assert_eq!(run.stderr.matches("warning: ").count(), 0, "{run:?}");
        }
    }
    let gone = Provider::start(Manner::Brass).address();
    assert_eq!(answer(&sandbox, &["--rerank", &gone])["results"], plain["results"]);
}

#[test]
fn only_the_user_says_who_is_asked() {
    let (sandbox, provider) = (sandbox(), Provider::start(Manner::Brass));
    sandbox.write("sscg.toml", format!("[rerank]\nname = \"{}\"\ncandidates = 999", provider.address()));
    let run = search(&sandbox, &[]);
    for key in ["rerank.name", "rerank.candidates"] {
        let says = format!("{key} is not taken from a file that comes with the code");
        assert!(run.stderr.contains(&says), "{run:?}");
    }
    assert_eq!(provider.take(), []);
    for (name, says) in [
        ("nobody", "cohere:MODEL"),
        ("cohere", "COHERE_API_KEY"),
        ("voyage:", "voyage:MODEL"),
        ("http://localhost:1/v1#", "http://localhost:8000/v1#MODEL"),
    ] {
        let run = sandbox.run(&["search", QUESTION, "--rerank", name]);
        assert!(run.code == 2 && run.stderr.contains(says) && run.stderr.contains("hint: "), "{run:?}");
    }
    let output = sandbox.command().args(["search", QUESTION]).env("SSCG_RERANK", provider.address()).output();
    assert!(output.expect("it starts").status.success());
    assert_eq!(provider.take().len(), 1);
}
