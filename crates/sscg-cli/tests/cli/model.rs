//! Models of users: directories, and servers on this machine.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};

use crate::sandbox::{Run, Sandbox};

const CLOCK: &str = "def tick():\n    return 1\n";

fn static_model(name: &str) -> String {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sscg-embed/tests/embed/model2vec");
    models.join(name).to_string_lossy().into_owned()
}

/// Server with OpenAI's API that records the texts it receives. A vector is the text's length and 1. It rejects the key
/// for a text with `forbidden` in it.
struct Provider {
    server: Arc<tiny_http::Server>,
    given: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Provider {
    fn start() -> Self {
        let server = Arc::new(tiny_http::Server::http("127.0.0.1:0").expect("a port is free"));
        let given: Arc<Mutex<Vec<String>>> = Arc::default();
        let thread = {
            let (server, given) = (Arc::clone(&server), Arc::clone(&given));
            std::thread::spawn(move || {
                while let Ok(mut request) = server.recv() {
                    let body: Value = serde_json::from_reader(request.as_reader()).expect("JSON");
                    let texts: Vec<String> =
                        serde_json::from_value(body["input"].clone()).expect("a list of texts");
                    let embedding = |(index, text): (usize, &String)| json!({"index": index, "embedding": [text.len(), 1]});
                    let data: Vec<Value> = texts.iter().enumerate().map(embedding).collect();
                    let status = if texts.iter().any(|text| text.contains("forbidden")) { 401 } else { 200 };
                    given.lock().expect("nothing panics with it").extend(texts);
                    let answer = json!({"data": data, "message": "no such key"}).to_string();
                    // The client may have closed the connection after a timeout.
                    _ = request.respond(tiny_http::Response::from_string(answer).with_status_code(status));
                }
            })
        };
        Self { server, given, thread: Some(thread) }
    }

    fn model(&self) -> String {
        format!("http://{}/v1#small", self.server.server_addr())
    }

    /// Returns the texts received since the last call.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.given.lock().expect("nothing panics with it"))
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

fn line<'r>(run: &'r Run, label: &str) -> &'r str {
    let line = run.stdout.lines().find_map(|line| line.strip_prefix(label));
    line.unwrap_or_else(|| panic!("{run:?}")).trim()
}

#[test]
#[cfg_attr(not(feature = "model2vec"), ignore = "needs static models")]
fn a_static_model_answers_and_is_named() {
    let sandbox = Sandbox::of_project("parcel");
    let model = static_model("plain");
    let found = sandbox.run(&["search", "how is a parcel delivered", "--model", &model]);
    assert_eq!((found.code, found.stderr.contains("warning")), (0, false), "{found:?}");
    let status = sandbox.run(&["status", "--model", &model]);
    assert!(line(&status, "model").starts_with("model2vec/"), "{status:?}");
    assert!(line(&status, "files").contains("(0 parsed now)"), "{status:?}");
    let output = sandbox.command().arg("status").env("SSCG_MODEL", &model).output().expect("it starts");
    assert!(String::from_utf8_lossy(&output.stdout).contains("model2vec/"), "{output:?}");
    assert_eq!(line(&sandbox.run(&["status"]), "model"), "built-in");
}

#[test]
fn a_server_is_asked_for_new_texts_and_the_question() {
    let (sandbox, provider) = (Sandbox::new(), Provider::start());
    sandbox.write("lib/clock.py", CLOCK);
    sandbox.write("clock_shop.py", "def sell(clock):\n    return clock.price\n");
    let model = provider.model();
    let search = || sandbox.run(&["search", "what does the clock do", "--model", &model, "--explain"]);
    let found = search();
    assert_eq!((found.code, found.stderr.as_str()), (0, ""), "{found:?}");
    let given = provider.take();
    // The first request determines the dimension.
    assert_eq!(given.len(), 6, "{given:?}");
    assert!(given.contains(&"lib clock".to_owned()), "{given:?}");
    assert_eq!(given[5], "what does the clock do");
    assert_eq!(search(), found);
    assert_eq!(provider.take(), ["dimension", "what does the clock do"]);
    assert!(found.stdout.lines().any(|line| line.contains("semantic") && line.contains("#1,")), "{found:?}");
}

#[test]
fn a_provider_that_is_gone_costs_a_warning() {
    let (sandbox, provider) = (Sandbox::new(), Provider::start());
    sandbox.write("lib/clock.py", CLOCK);
    let model = provider.model();
    assert_eq!(sandbox.run(&["index", "--model", &model]).code, 0);
    drop(provider);
    let found = sandbox.run(&["search", "what does the clock do", "--model", &model]);
    assert_eq!(found.code, 0, "{found:?}");
    assert!(found.stdout.contains("tick"), "{found:?}");
    assert_eq!(found.stderr.matches("warning").count(), 1, "{found:?}");
    assert!(found.stderr.contains("hint: "), "{found:?}");
}

#[test]
fn a_question_without_a_vector_is_answered_by_words() {
    let (sandbox, provider) = (Sandbox::new(), Provider::start());
    sandbox.write("lib/clock.py", CLOCK);
    let found = sandbox.run(&["search", "is the clock forbidden", "--model", &provider.model()]);
    assert_eq!(found.code, 0, "{found:?}");
    assert!(found.stdout.contains("tick"), "{found:?}");
    assert_eq!(found.stdout.matches("Warning").count(), 1, "{found:?}");
    assert!(found.stdout.contains("the question has no vector"), "{found:?}");
    assert!(found.stdout.contains("no such key"), "{found:?}");
    assert_eq!(found.stderr, "", "{found:?}");
}

#[test]
fn texts_without_a_vector_are_counted_until_they_have_one() {
    let (sandbox, provider) = (Sandbox::new(), Provider::start());
    sandbox.write("lib/clock.py", "def tick():\n    return forbidden\n");
    let model = provider.model();
    let found = sandbox.run(&["search", "what does the clock do", "--model", &model]);
    assert_eq!((found.code, found.stderr.matches("warning").count()), (0, 1), "{found:?}");
    assert!(found.stderr.contains("SSCG_MODEL_KEY") || found.stderr.contains("key"), "{found:?}");
    let status = sandbox.run(&["status", "--model", &model]);
    assert!(line(&status, "model").ends_with("2 vectors missing"), "{status:?}");
    sandbox.write("lib/clock.py", CLOCK);
    let status = sandbox.run(&["status", "--model", &model]);
    assert!(line(&status, "model").ends_with("/small/2"), "{status:?}");
}

#[test]
fn a_model_that_makes_no_sense_is_an_error_that_says_what_does() {
    let sandbox = Sandbox::new();
    sandbox.write("clock.py", CLOCK);
    let missing = if cfg!(feature = "model2vec") { "model.safetensors" } else { "--features model2vec" };
    for (model, says) in [
        ("nowhere", "voyage:MODEL"),
        (".", missing),
        ("voyage", "VOYAGE_API_KEY"),
        ("openai:", "openai:MODEL"),
        ("http://localhost:1/v1", "http://localhost:1/v1#MODEL"),
    ] {
        let run = sandbox.run(&["search", "what ticks", "--model", model]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains(says) && run.stderr.contains("hint: "), "{run:?}");
    }
}

#[test]
fn much_to_embed_is_announced() {
    let (sandbox, provider) = (Sandbox::new(), Provider::start());
    for file in 0..4 {
        let functions = (0..50).map(|at| {
            let words = format!("word {file} {at} ").repeat(1_800);
            format!("def task_{file}_{at}():\n    \"\"\"{words}\"\"\"\n    return {at}\n\n\n")
        });
        sandbox.write(&format!("tasks_{file}.py"), functions.collect::<String>());
    }
    let run = sandbox.run(&["index", "--model", &provider.model()]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains(" million tokens"), "{run:?}");
    let again = sandbox.run(&["index", "--model", &provider.model()]);
    assert!(!again.stderr.contains("tokens"), "{again:?}");
}
