//! Edges that other programs found: SCIP indexes and language servers.

use std::io::{BufRead, Read, Write, stdin, stdout};

use serde_json::{Value, json};

use crate::sandbox::{Run, Sandbox};

const CALLER: &str = "from callees import A, B\n\n\ndef run(x, y):\n    x.grow()\n    y.append(1)\n";
const CALLEES: &str = "class A:\n    def grow(self): pass\n\n\nclass B:\n    def grow(self): pass\n    def append(self, x): pass\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("caller.py", CALLER);
    sandbox.write("callees.py", CALLEES);
    sandbox
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    let run = sandbox.run(arguments);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
    run
}

/// Returns the callees of `run`, with confidence and provenance.
fn callees(sandbox: &Sandbox) -> Vec<String> {
    let graph: Value =
        serde_json::from_str(&run(sandbox, &["export", "--format", "json-graph"]).stdout).expect("JSON");
    let links = graph["links"].as_array().or(graph["edges"].as_array()).expect("edges");
    let calls = links.iter().filter(|edge| edge["relation"] == "calls");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    calls
        .map(|it| format!("{} {} {}", text(&it["target"]), text(&it["confidence"]), text(&it["provenance"])))
        .collect()
}

#[cfg(feature = "scip")]
#[test]
fn an_exported_scip_index_agrees_with_the_graph_until_a_file_changes() {
    let sandbox = sandbox();
    let file = sandbox.index().join("index.scip");
    std::fs::create_dir_all(sandbox.index()).expect("writable");
    let path = file.to_str().expect("temporary paths are text");
    run(&sandbox, &["export", "--format", "scip", "-o", path]);
    let before = callees(&sandbox);

    let applied = run(&sandbox, &["index", "--scip", path, "--json"]);
    let report: Value = serde_json::from_str(&applied.stdout).expect("JSON");
    let source = &report["sources"][0];
    assert_eq!(
        (&source["provenance"], &source["contradicted"], &source["added"]),
        (&json!("scip"), &json!(0), &json!(0))
    );
    assert!(source["agreed"].as_u64().is_some_and(|agreed| agreed >= 2), "{source}");
    assert!(applied.stderr.contains("2 documents by sscg"), "{}", applied.stderr);
    assert_eq!(callees(&sandbox), before);
    assert!(run(&sandbox, &["status"]).stdout.contains("scip: "));

    sandbox.write("callees.py", "# Moved.\n".to_owned() + CALLEES);
    let stale = run(&sandbox, &["index", "--scip", path]);
    assert!(stale.stderr.contains("1 of another text"), "{}", stale.stderr);

    run(&sandbox, &["index", "--forget-scip"]);
    assert!(!run(&sandbox, &["status"]).stdout.contains("scip: "));
    let nothing = run(&sandbox, &["index", "--forget-scip"]);
    assert!(nothing.stderr.contains("no SCIP index was applied"), "{}", nothing.stderr);
}

#[cfg(feature = "scip")]
#[test]
fn what_is_no_scip_index_of_the_project_is_refused() {
    let sandbox = sandbox();
    let other = Sandbox::new();
    other.write("main.py", "def main(): pass\n");
    std::fs::create_dir_all(other.index()).expect("writable");
    let file = other.index().join("index.scip");
    let path = file.to_str().expect("temporary paths are text");
    run(&other, &["export", "--format", "scip", "-o", path]);
    for (path, message) in [
        (path, "describes no file of the project"),
        ("caller.py", "not a SCIP index"),
        ("missing.scip", "cannot read missing.scip"),
    ] {
        let refused = sandbox.run(&["index", "--scip", path]);
        assert_eq!(refused.code, 2, "{path}");
        assert!(refused.stderr.contains(message) && refused.stderr.contains("hint: "), "{}", refused.stderr);
    }
    assert!(!run(&sandbox, &["status"]).stdout.contains("scip: "));
}

/// Makes this program the language server of Python.
fn configure(sandbox: &Sandbox, initialization: &str) {
    let program = std::env::current_exe().expect("this program");
    let command = format!("{} --ignored --exact sources::scripted_server --nocapture", program.display());
    let path = sandbox.users_configuration();
    std::fs::create_dir_all(path.parent().expect("it is in a directory")).expect("writable");
    let text = format!("[lsp.python]\ncommand = {command:?}\ninitialization = '{initialization}'\n");
    std::fs::write(path, text).expect("writable");
}

#[test]
fn a_language_server_decides_and_resolves_and_is_asked_once() {
    let sandbox = sandbox();
    let unsure = ["callees.py::A.grow ambiguous name", "callees.py::B.grow ambiguous name"];
    assert_eq!(callees(&sandbox), unsure);
    configure(&sandbox, "");
    let first = run(&sandbox, &["index", "--lsp"]);
    assert!(
        first.stdout.contains("lsp: 2 sites: 0 agreed, 1 added, 1 decided, 0 contradicted"),
        "{}",
        first.stdout
    );
    assert!(first.stderr.contains("1 of 1 file answered"), "{}", first.stderr);
    let sure = ["callees.py::B.grow exact lsp", "callees.py::B.append exact lsp"];
    assert_eq!(callees(&sandbox), sure);

    // The answers are known: the server is not started.
    configure(&sandbox, r#"{"mode": "dies"}"#);
    let again = run(&sandbox, &["index", "--lsp"]);
    assert!(again.stderr.contains("0 of 0 files answered"), "{}", again.stderr);
    configure(&sandbox, "");
    assert_eq!(callees(&sandbox), sure);

    // Answers that lead into a changed file are asked for again.
    sandbox.write("callees.py", "# Moved.\n".to_owned() + CALLEES);
    assert_eq!(callees(&sandbox), unsure);
    let moved = run(&sandbox, &["index", "--lsp"]);
    assert!(moved.stderr.contains("1 of 1 file answered"), "{}", moved.stderr);
    assert_eq!(callees(&sandbox), sure);

    run(&sandbox, &["index", "--forget-lsp"]);
    assert_eq!(callees(&sandbox), unsure);
}

#[test]
fn answers_stay_when_others_about_the_same_file_are_asked_for_again() {
    let sandbox = sandbox();
    sandbox.write("caller.py", format!("{CALLER}    z.shrink()\n"));
    sandbox
        .write("more.py", "class C:\n    def shrink(self): pass\n\n\nclass D:\n    def shrink(self): pass\n");
    configure(&sandbox, "");
    run(&sandbox, &["index", "--lsp"]);
    let sure = ["callees.py::B.grow", "callees.py::B.append", "more.py::D.shrink"];
    let sure = sure.map(|callee| format!("{callee} exact lsp"));
    assert_eq!(callees(&sandbox), sure);
    // Only the names that lead into the changed file are asked about.
    sandbox.write("callees.py", "# Moved.\n".to_owned() + CALLEES);
    let moved = run(&sandbox, &["index", "--lsp"]);
    assert!(moved.stderr.contains("2 of 2 names"), "{}", moved.stderr);
    assert_eq!(callees(&sandbox), sure);
    // A name that is new in a file is asked about, although other answers about it are known.
    sandbox
        .write("more.py", "class D:\n    def shrink(self): pass\n\n\nclass C:\n    def shrink(self): pass\n");
    run(&sandbox, &["index", "--lsp"]);
    let sure = ["callees.py::B.grow", "callees.py::B.append", "more.py::C.shrink"];
    assert_eq!(callees(&sandbox), sure.map(|callee| format!("{callee} exact lsp")));
}

#[test]
fn a_server_that_fails_leaves_the_index_as_it_is() {
    let sandbox = sandbox();
    let before = callees(&sandbox);
    let none = sandbox.run(&["index", "--lsp"]);
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("no language server is configured"), "{}", none.stderr);
    for (initialization, arguments, message) in [
        (r#"{"mode": "dies"}"#, &["index", "--lsp"][..], "ended: out of cheese"),
        (r#"{"mode": "hangs"}"#, &["index", "--lsp", "--lsp-timeout", "1"], "did not answer in time"),
        ("{", &["index", "--lsp"], "lsp.python.initialization is not JSON"),
    ] {
        configure(&sandbox, initialization);
        let failed = sandbox.run(arguments);
        assert_eq!(failed.code, 2, "{initialization}");
        assert!(failed.stderr.contains(message) && failed.stderr.contains("hint: "), "{}", failed.stderr);
        assert_eq!(callees(&sandbox), before);
    }
    // A file that comes with the code cannot name a program to start.
    std::fs::remove_file(sandbox.users_configuration()).expect("ours");
    sandbox.write("sscg.toml", "[lsp.python]\ncommand = \"rm\"\n");
    let ignored = sandbox.run(&["index", "--lsp"]);
    assert!(
        ignored.stderr.contains("is not taken from a file that comes with the code"),
        "{}",
        ignored.stderr
    );
    assert_eq!(ignored.code, 2);
}

/// Runs a language server, if it is started as one: names are defined in `callees.py` or `more.py`, at their last declaration.
#[test]
#[ignore = "a server, which the other tests start"]
fn scripted_server() {
    let mut opened = String::new();
    let mut root = String::new();
    while let Some(message) = read() {
        let (id, params) = (&message["id"], &message["params"]);
        let answer = |result: Value| send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
        match message["method"].as_str() {
            Some("initialize") => {
                match params["initializationOptions"]["mode"].as_str() {
                    Some("dies") => {
                        #[expect(clippy::print_stderr, reason = "servers report errors there")]
                        {
                            eprintln!("out of cheese");
                        }
                        std::process::exit(1);
                    }
                    Some("hangs") => continue,
                    _ => {}
                }
                root = params["rootUri"].as_str().expect("a root").to_owned();
                answer(json!({"capabilities": {}}));
            }
            Some("textDocument/didOpen") => {
                opened = params["textDocument"]["text"].as_str().expect("a text").to_owned();
            }
            Some("textDocument/definition") => {
                let number = |field: &str| params["position"][field].as_u64().expect("a number") as usize;
                let line = opened.lines().nth(number("line")).expect("a line");
                let rest = &line[number("character")..];
                let name = &rest[..rest.find('(').expect("a call")];
                let declared = ["callees.py", "more.py"].into_iter().find_map(|path| {
                    // The root is the working directory.
                    let text = std::fs::read_to_string(path).ok()?;
                    let declares = |(_, line): &(usize, &str)| line.contains(&format!("def {name}("));
                    let (line, text) = text.lines().enumerate().filter(declares).last()?;
                    let start = text.find(name).expect("it is there");
                    let at = |character: usize| json!({"line": line, "character": character});
                    let range = json!({"start": at(start), "end": at(start + name.len())});
                    Some(json!({"uri": format!("{root}/{path}"), "range": range}))
                });
                answer(declared.unwrap_or_default());
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
    let mut out = stdout().lock();
    write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())
        .and_then(|()| out.flush())
        .expect("it is read");
}
