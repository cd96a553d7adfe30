//! Tests against a server that this program is itself, started with the name of a test.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "servers write there")]

use std::io::{BufRead, Read, Write, stdin, stdout};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sscg_lsp::{Document, LanguageServer, LanguageServerOptions, Location, LspError, PositionEncoding, Wait};

const TEXT: &str = "def f(): pass\n\nf()\nlost()\n";

fn options(mode: &str) -> LanguageServerOptions {
    let program = std::env::current_exe().expect("this program").to_string_lossy().into_owned();
    let arguments = ["--ignored", "--exact", "scripted_server", "--nocapture"].map(str::to_owned);
    let root = std::env::temp_dir().canonicalize().expect("it exists");
    LanguageServerOptions::new([program].into_iter().chain(arguments), root)
        .with_initialization(json!({"mode": mode}))
}

fn soon(seconds: u64) -> Instant {
    Instant::now() + Duration::from_secs(seconds)
}

/// Asks about the calls of [`TEXT`].
fn ask(mode: &str, seconds: u64) -> Result<Vec<Vec<Location>>, LspError> {
    ask_about(TEXT, mode, seconds)
}

fn ask_about(text: &str, mode: &str, seconds: u64) -> Result<Vec<Vec<Location>>, LspError> {
    let mut server = LanguageServer::start(&options(mode), soon(seconds))?;
    let document = Document { path: "a.py", language: "python", text };
    let answers = server.definitions(&document, |_: PositionEncoding| vec![(2, 0), (3, 0)], soon(seconds))?;
    server.stop();
    Ok(answers)
}

#[test]
fn definitions_are_found_in_every_form_of_server() {
    let path = options("").root.join("a.py");
    for mode in ["plain", "asks", "loads", "busy", "noisy"] {
        let answers = ask(mode, 20).unwrap_or_else(|error| panic!("{mode}: {error}"));
        let definition = Location { path: path.clone(), line: 0, start: 4, end: 5 };
        assert_eq!(answers, [vec![definition], Vec::new()], "{mode}");
    }
}

#[test]
fn the_server_chooses_the_encoding() {
    let encoding =
        |mode: &str| LanguageServer::start(&options(mode), soon(20)).expect("it answers").encoding();
    assert_eq!((encoding("plain"), encoding("utf8")), (PositionEncoding::Utf16, PositionEncoding::Utf8));
}

#[test]
fn a_server_that_dies_hangs_or_refuses_is_an_error_that_names_it() {
    let none = LanguageServerOptions::new(["no-such-language-server".to_owned()], std::env::temp_dir());
    let error = LanguageServer::start(&none, soon(5)).map(|_| ()).expect_err("there is no such program");
    assert_eq!(
        error.to_string(),
        "cannot start the language server no-such-language-server: there is no such program"
    );
    let empty = LanguageServerOptions::new([], std::env::temp_dir());
    assert_eq!(LanguageServer::start(&empty, soon(5)).map(|_| ()), Err(LspError::NoCommand));

    let ended = ask("dies", 20).expect_err("it ended");
    assert!(matches!(&ended, LspError::Ended { output, .. } if output.contains("out of cheese")), "{ended}");
    let ended = ask("dies later", 20).expect_err("it ended");
    assert!(matches!(ended, LspError::Ended { .. }), "{ended}");
    for mode in ["hangs", "hangs later"] {
        let late = ask(mode, 1).expect_err("it does not answer");
        assert!(matches!(late, LspError::Timeout { .. }), "{mode}: {late}");
    }
    // More than the system keeps for a program that does not read.
    let late = ask_about(&TEXT.repeat(100_000), "deaf", 1).expect_err("it reads nothing");
    assert!(matches!(late, LspError::Timeout { .. }), "{late}");
    let refused = ask("refuses", 20).expect_err("it refuses");
    assert!(refused.to_string().contains("no license"), "{refused}");
    let garbage = ask("garbage", 20).expect_err("it is no server");
    assert!(matches!(garbage, LspError::Ended { .. }), "{garbage}");
}

#[test]
fn a_wait_ends_when_the_caller_cancels() {
    let begun = Instant::now();
    let is_canceled = || begun.elapsed() > Duration::from_millis(200);
    let wait = Wait::until(soon(60)).unless(&is_canceled);
    let error = LanguageServer::start(&options("hangs"), wait).map(|_| ()).expect_err("it never answers");
    assert!(matches!(error, LspError::Canceled { .. }), "{error}");

    let mut server = LanguageServer::start(&options("hangs later"), soon(60)).expect("it starts");
    let document = Document { path: "a.py", language: "python", text: TEXT };
    let error = server.definitions(&document, |_| vec![(2, 0)], Wait::until(soon(60)).unless(&|| true));
    assert!(matches!(error, Err(LspError::Canceled { .. })), "{error:?}");
}

/// Runs the server of these tests, if it is started as one. `initializationOptions.mode` selects its behavior.
#[test]
#[ignore = "a server, which the other tests start"]
fn scripted_server() {
    let mut mode = String::new();
    let mut is_asked = false;
    while let Some(message) = read() {
        let id = message["id"].clone();
        let answer = |result: Value| send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
        match message["method"].as_str() {
            Some("initialize") => {
                mode = message["params"]["initializationOptions"]["mode"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned();
                match mode.as_str() {
                    "dies" => {
                        eprintln!("out of cheese");
                        std::process::exit(1);
                    }
                    "hangs" => continue,
                    "refuses" => {
                        send(&json!({"id": id, "error": {"code": -32803, "message": "no license"}}));
                        continue;
                    }
                    "garbage" => {
                        print!("Content-Length: 9\r\n\r\n{{garbage}}");
                        stdout().flush().expect("it is read");
                        std::process::exit(0);
                    }
                    "noisy" => println!("starting up\n"),
                    _ => {}
                }
                let capabilities =
                    if mode == "utf8" { json!({"positionEncoding": "utf-8"}) } else { json!({}) };
                answer(json!({"capabilities": capabilities}));
            }
            Some("initialized") if mode == "deaf" => std::thread::sleep(Duration::from_secs(60)),
            Some("initialized") if mode == "asks" => {
                let items = json!({"items": [{"section": "python"}, {"section": "x"}]});
                send(
                    &json!({"jsonrpc": "2.0", "id": 1, "method": "workspace/configuration", "params": items}),
                );
                send(&json!({"jsonrpc": "2.0", "id": "two", "method": "unheard/of", "params": {}}));
            }
            Some("initialized") if mode == "loads" => {
                let progress = |kind: &str| {
                    let value = json!({"token": 1, "value": {"kind": kind, "title": "loading"}});
                    send(&json!({"jsonrpc": "2.0", "method": "$/progress", "params": value}));
                };
                progress("begin");
                std::thread::sleep(Duration::from_millis(400));
                progress("end");
                is_asked = true;
            }
            None if mode == "asks" => {
                // The answers to its requests: two empty settings, and an error.
                is_asked |= message["result"] == json!([null, null]);
                assert!(id != "two" || message["error"]["code"] == -32601, "{message}");
            }
            Some("textDocument/definition") => {
                let position = &message["params"]["position"];
                match mode.as_str() {
                    "dies later" => std::process::exit(3),
                    "hangs later" => continue,
                    "asks" | "loads" => assert!(is_asked, "it is ready before it is asked"),
                    "busy" if !std::mem::replace(&mut is_asked, true) => {
                        send(&json!({"id": id, "error": {"code": -32801, "message": "content modified"}}));
                        continue;
                    }
                    _ => {}
                }
                let range = json!({"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}});
                let uri = &message["params"]["textDocument"]["uri"];
                match position["line"].as_u64() {
                    Some(2) => answer(json!([{"uri": uri, "range": range}])),
                    _ => answer(Value::Null),
                }
            }
            Some("shutdown") => answer(Value::Null),
            Some("exit") => std::process::exit(0),
            _ => {}
        }
    }
}

fn read() -> Option<Value> {
    let mut input = stdin().lock();
    let mut length = 0;
    loop {
        let mut line = String::new();
        input.read_line(&mut line).ok().filter(|read| *read > 0)?;
        match line.trim().split_once(": ") {
            Some((_, number)) => length = number.parse().expect("a length"),
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn send(message: &Value) {
    let text = message.to_string();
    print!("Content-Length: {}\r\n\r\n{text}", text.len());
    stdout().flush().expect("it is read");
}
