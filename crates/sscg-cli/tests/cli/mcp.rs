//! `sscg mcp`: the real process, as a client starts it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Running server with the client's end of it.
pub(crate) struct Serving {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Serving {
    pub(crate) fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut command = sandbox.command();
        command.arg("mcp").args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut serving = Self { child, input, output };
        let capabilities = json!({ "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        let mut hello = json!({ "protocolVersion": "2025-11-25" });
        hello.as_object_mut().expect("ours").extend(capabilities.as_object().expect("ours").clone());
        serving.ask("initialize", &hello);
        serving.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        serving
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{message}").and_then(|()| input.flush()).expect("it reads");
    }

    /// Returns the result of a request.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        let mut line = String::new();
        self.output.read_line(&mut line).expect("UTF-8");
        let mut answer: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line:?}"));
        answer["result"].take()
    }

    /// Returns the text of an answer to a question.
    pub(crate) fn search(&mut self, arguments: &Value) -> String {
        let result = self.ask("tools/call", &json!({ "name": "search_code", "arguments": arguments }));
        let items = result["content"].as_array().unwrap_or_else(|| panic!("no content: {result}")).iter();
        items.map(|item| item["text"].as_str().expect("text")).collect()
    }

    /// Waits for the end, which must be a success without further output. Returns standard error.
    pub(crate) fn end(mut self) -> String {
        drop(self.input.take());
        let (mut rest, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).expect("UTF-8");
        self.child.stderr.take().expect("it is piped").read_to_string(&mut errors).expect("UTF-8");
        assert_eq!((self.child.wait().expect("it ends").code(), rest.as_str()), (Some(0), ""), "{errors}");
        errors
    }

    #[cfg(unix)]
    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let status = std::process::Command::new("kill").args([signal, &id]).status();
        assert!(status.expect("kill is there").success());
    }
}

#[test]
fn it_answers_about_the_current_directory_until_its_input_is_closed() {
    let sandbox = Sandbox::of_project("parcel");
    let before = sandbox.listing();
    let mut serving = Serving::start(&sandbox, &[]);
    let answer = serving.search(&json!({ "query": "symbol = Invoice" }));
    assert!(answer.starts_with("Search: \"symbol = Invoice\" | "), "{answer}");
    assert!(answer.contains("class Invoice"), "{answer}");
    assert_eq!(serving.end(), "");
    assert_eq!(sandbox.listing(), before, "nothing is written into the tree");
}

#[test]
fn the_configuration_of_a_project_counts_and_flags_before_it() {
    let sandbox = Sandbox::of_project("parcel");
    sandbox.write(
        "sscg.toml",
        "[search]\nlimit = 1\n[graph]\nimpact_limit = 2\n[index]\ndirectory = \"/elsewhere\"\n",
    );
    let mut serving = Serving::start(&sandbox, &["."]);
    let answer = serving.search(&json!({ "query": "how are invoices paid" }));
    assert!(answer.contains(" | 1 result | "), "{answer}");
    let impact = json!({ "name": "impact", "arguments": { "symbol": "Money" } });
    let answer = serving.ask("tools/call", &impact).to_string();
    assert!(answer.contains("Impact: Money | 9 affected, 2 shown in "), "{answer}");
    let errors = serving.end();
    assert!(errors.contains("index.directory is not taken from a file that comes with the code"), "{errors}");
    assert!(sandbox.store().is_some(), "the index is where the environment says");
}

#[cfg(unix)]
#[test]
fn signals_end_it_well_even_in_the_middle_of_indexing() {
    let sandbox = Sandbox::new();
    sandbox.write_many(0..600);
    for signal in ["-TERM", "-INT"] {
        let mut serving = Serving::start(&sandbox, &[]);
        serving.send(&json!({
            "jsonrpc": "2.0", "id": 9, "method": "tools/call",
            "params": { "name": "search_code", "arguments": { "query": "work of number 7" } },
        }));
        serving.signal(signal);
        let input = serving.input.take();
        let (mut rest, mut child) = (String::new(), serving.child);
        serving.output.read_to_string(&mut rest).expect("UTF-8");
        assert_eq!(child.wait().expect("it ends").code(), Some(0), "{signal}");
        drop(input);
    }
    // The interrupted index is valid.
    assert_eq!(sandbox.run(&["search", "symbol = task_7"]).code, 0);
}

#[test]
fn an_address_that_others_can_reach_takes_a_token() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["mcp", "--http", "0.0.0.0:0"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("can be reached from other machines, which takes a token"), "{}", run.stderr);
    assert!(run.stderr.contains("hint: ") && run.stderr.contains("--token-env"), "{}", run.stderr);
    let run = sandbox.run(&["mcp", "--http", "0", "--token-env", "NOT_SET"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("NOT_SET holds no token"), "{}", run.stderr);
    let run = sandbox.run(&["mcp", "--tools", "serach"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("unknown toolset") && run.stderr.contains("one of: search, index"),
        "{}",
        run.stderr
    );
}

#[cfg(unix)]
#[test]
fn over_http_it_listens_on_this_machine_until_a_signal() {
    let sandbox = Sandbox::of_project("parcel");
    let mut command = sandbox.command();
    command.args(["mcp", "--http", "0", "--token-env", "MY_TOKEN"]).env("MY_TOKEN", "open-sesame");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut said = String::new();
    let mut errors = BufReader::new(child.stderr.take().expect("it is piped"));
    errors.read_line(&mut said).expect("UTF-8");
    let address = said.trim().strip_prefix("listening at http://").and_then(|url| url.strip_suffix("/mcp"));
    let address = address.unwrap_or_else(|| panic!("{said}"));
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let status = |token: &str| {
        let mut stream = TcpStream::connect(address).expect("it listens");
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" } } })
        .to_string();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("it reads");
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).expect("it answers");
        line
    };
    assert!(status("open-sesame").starts_with("HTTP/1.1 200"));
    assert!(status("wrong").starts_with("HTTP/1.1 401"));
    let id = child.id().to_string();
    let killed = std::process::Command::new("kill").args(["-TERM", &id]).status();
    assert!(killed.expect("kill is there").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    errors.read_to_string(&mut said).expect("UTF-8");
    assert!(!said.contains("open-sesame"), "{said}");
}

#[test]
fn each_call_leaves_a_record_without_text() {
    let sandbox = Sandbox::of_project("parcel");
    let file = sandbox.tree().parent().expect("it is in a directory").join("calls.jsonl");
    let mut serving = Serving::start(&sandbox, &["--record", file.to_str().expect("UTF-8")]);
    let query = "how is the shortest path found";
    // An argument counts by the name that it is corrected to.
    let answer = serving.search(&json!({ "query": query, "max_results": 3 }));
    serving.search(&json!({ "query": query, "limit": "many" }));
    serving.end();
    let text = std::fs::read_to_string(&file).expect("it was made");
    assert!(!text.contains("shortest"), "{text}");
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let [found, refused] = &records[..] else { panic!("{text}") };
    assert_eq!(found["tool"], "search_code");
    assert_eq!(found["client"], "test 1");
    assert_eq!(found["arguments"], json!({ "query": query.len() + 2, "limit": 1 }));
    assert_eq!((&found["outcome"], &found["bytes"]), (&json!("answered"), &json!(answer.len())));
    assert!((1..=3).contains(&found["results"].as_u64().expect("a number")), "{found}");
    assert_eq!((&refused["outcome"], &refused["results"]), (&json!("failed"), &Value::Null));
}
