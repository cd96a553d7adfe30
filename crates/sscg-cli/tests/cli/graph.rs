//! Drawings of `sscg graph`.

use std::collections::BTreeSet;
use std::fs;
#[cfg(unix)]
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
#[cfg(unix)]
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use expect_test::expect_file;
use serde_json::Value;

use crate::export::python;
use crate::sandbox::Sandbox;

fn parcel() -> Sandbox {
    Sandbox::of_project("parcel")
}

/// Returns the drawing that a run writes as JSON.
fn drawn(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let run = sandbox.run(&[&["graph", "--json"], arguments].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).expect("a drawing is JSON")
}

fn texts(values: &Value, field: &str) -> BTreeSet<String> {
    let values = values.as_array().expect("a list");
    values.iter().map(|value| value[field].as_str().unwrap_or_default().to_owned()).collect()
}

/// Checks that the fixtures for the writers of other formats match the output of the command.
#[test]
fn drawings_of_the_parcel_project_are_the_fixtures() {
    let sandbox = parcel();
    for (case, arguments) in [
        ("billing", &["--module", "billing", "--boundary"][..]),
        ("invoice", &["how is the total of an invoice computed"]),
    ] {
        let run = sandbox.run(&[&["graph", "--json"], arguments].concat());
        assert_eq!((run.code, &*run.stderr), (0, ""), "{case}");
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/drawing");
        let drawing = run.stdout.replace("\"project\": \"tree\"", "\"project\": \"parcel\"");
        expect_file![fixtures.join(format!("{case}.json"))].assert_eq(&drawing);
    }
}

#[test]
fn an_answer_is_drawn_with_every_node_of_its_subgraph() {
    let sandbox = parcel();
    let question = "how is the total of an invoice computed";
    let answer = sandbox.run(&["search", question, "--format", "verbose"]);
    let answer: Value = serde_json::from_str(&answer.stdout).expect("an answer is JSON");
    let drawing = drawn(&sandbox, &[question]);
    assert_eq!(texts(&drawing["nodes"], "id"), texts(&answer["subgraph_nodes"], "id"));
    assert_eq!(drawing["title"], question);
    let nodes = drawing["nodes"].as_array().expect("a list");
    assert!(nodes.iter().all(|node| node["role"] == "result" || node["role"] == "connection"));
    let source = |node: &Value| {
        let text = fs::read_to_string(sandbox.tree().join(node["file"].as_str()?)).ok()?;
        let first = node["code"].as_str()?.lines().next()?.to_owned();
        Some(text.contains(&first))
    };
    assert!(nodes.iter().all(|node| source(node) == Some(true)), "each has the code of its file");
}

#[test]
fn dependencies_come_first_and_members_are_joined_with_their_type() {
    let drawing = drawn(&parcel(), &["--module", "router"]);
    let nodes = drawing["nodes"].as_array().expect("a list");
    let at = |name: &str| nodes.iter().position(|node| node["name"] == name).expect("it is drawn");
    assert!(at("RoadNetwork") < at("plan_tour") && at("nearest") < at("plan_tour"));
    let edges = drawing["edges"].as_array().expect("a list");
    let has = |source: &str, relation: &str, target: &str| {
        let is_it = |edge: &&Value| {
            edge["source"] == at(source) && edge["target"] == at(target) && edge["relation"] == relation
        };
        edges.iter().any(|edge| is_it(&edge))
    };
    assert!(has("plan_tour", "calls", "nearest"));
    assert!(has("RetryPolicy", "contains", "RetryPolicy.backoff"), "across an implementation block");
    assert!(!texts(&drawing["nodes"], "kind").contains("impl"));
}

#[test]
fn filters_and_limits_say_what_is_left_out() {
    let sandbox = parcel();
    let all = drawn(&sandbox, &["--module", "."]);
    let few = drawn(&sandbox, &["--module", ".", "--limit", "5", "--by", "declaration"]);
    let count = |drawing: &Value| drawing["nodes"].as_array().map_or(0, Vec::len);
    assert_eq!(count(&few), 5);
    assert_eq!(few["omitted_nodes"], count(&all) - 5);
    let run = sandbox.run(&["graph", "--module", ".", "--limit", "5", "--by", "declaration", "--dot"]);
    assert!(run.stderr.contains(&format!("{} nodes left out", count(&all) - 5)), "{}", run.stderr);

    let calls = drawn(&sandbox, &["--module", ".", "--relation", "calls"]);
    assert_eq!(texts(&calls["edges"], "relation"), BTreeSet::from(["calls".to_owned()]));
    assert!(!texts(&all["nodes"], "role").contains("outside"));
    let around = drawn(&sandbox, &["--module", "billing/tax.py", "--boundary"]);
    assert!(texts(&around["nodes"], "role").contains("outside"));
    let within = drawn(&sandbox, &["--module", "billing/tax.py"]);
    assert_eq!(texts(&within["nodes"], "file"), BTreeSet::from(["billing/tax.py".to_owned()]));
}

#[test]
fn a_module_beyond_the_limit_is_drawn_whole_by_files_or_directories() {
    let sandbox = parcel();
    let nodes = |drawing: &Value| drawing["nodes"].as_array().cloned().unwrap_or_default();
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let all = drawn(&sandbox, &["--module", ".", "--by", "declaration"]);
    let [files, directories] =
        [30, 7].map(|limit| drawn(&sandbox, &["--module", ".", "--limit", &limit.to_string()]));
    assert!(nodes(&all).len() > 30);
    for (drawing, kind) in [(&files, "file"), (&directories, "directory")] {
        assert_eq!(texts(&drawing["nodes"], "kind"), BTreeSet::from([kind.to_owned()]));
        assert_eq!(drawing["omitted_nodes"], 0);
        let members: u64 = nodes(drawing).iter().map(|node| number(&node["members"])).sum();
        assert_eq!(members, nodes(&all).len() as u64, "each declaration counts once");
    }
    // The edges between two files are those of their declarations.
    let file = |drawing: &Value, end: &Value| nodes(drawing)[number(end) as usize]["file"].clone();
    let calls = |drawing: &Value, source: &str, target: &str| {
        let edges = drawing["edges"].as_array().cloned().unwrap_or_default();
        let is_it = |edge: &&Value| {
            edge["relation"] == "calls"
                && file(drawing, &edge["source"]) == source
                && file(drawing, &edge["target"]) == target
        };
        edges.iter().filter(is_it).map(|edge| number(&edge["count"]).max(1)).sum::<u64>()
    };
    let pairs = files["edges"].as_array().expect("a list").iter().map(|edge| {
        let text = |end: &str| file(&files, &edge[end]).as_str().unwrap_or_default().to_owned();
        (text("source"), text("target"))
    });
    let pairs: BTreeSet<(String, String)> = pairs.collect();
    assert!(pairs.len() > 5);
    for (source, target) in &pairs {
        assert_eq!(calls(&files, source, target), calls(&all, source, target), "{source} -> {target}");
    }
    for drawing in [&files, &directories] {
        let edges = drawing["edges"].as_array().expect("a list");
        let back = edges.iter().filter(|edge| number(&edge["source"]) < number(&edge["target"])).count();
        assert!(back * 2 < edges.len(), "dependencies come first, but for cycles");
    }
    let contains = drawn(&sandbox, &["--module", ".", "--limit", "7", "--relation", "contains"]);
    assert!(!texts(&contains["nodes"], "kind").contains("directory"), "{contains}");
    let run = sandbox.run(&["graph", "--module", ".", "--by", "file", "--boundary", "--json"]);
    assert!(run.code == 2 && run.stderr.contains("of declarations only"), "{}", run.stderr);
    let dot = sandbox.run(&["graph", "--module", "billing", "--by", "file", "--dot"]).stdout;
    assert!(dot.contains("label=\"billing/tax.py ("), "{dot}");
}

#[test]
fn doubtful_edges_are_left_out_on_request() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.py",
        "class A:\n    def go(self): pass\n\nclass B:\n    def go(self): pass\n\ndef run(x):\n    x.go()\n",
    );
    let sure = |least: &str| {
        let drawing = drawn(&sandbox, &["--module", ".", "--relation", "calls", "--min-confidence", least]);
        drawing["edges"].as_array().map_or(0, Vec::len)
    };
    assert!(sure("ambiguous") >= sure("inferred"));
    assert_eq!(sure("exact"), 0);
}

#[test]
fn a_page_is_written_to_a_file_or_printed() {
    let sandbox = parcel();
    let output = sandbox.index().join("graph.html");
    fs::create_dir_all(sandbox.index()).expect("writable");
    let name = output.to_str().expect("temporary paths are text");
    let before = sandbox.listing();
    let run = sandbox.run(&["graph", "how are retries scheduled", "-o", name]);
    assert_eq!((run.code, &*run.stdout), (0, ""));
    assert!(run.stderr.contains("graph.html: ") && run.stderr.contains(" nodes"), "{}", run.stderr);
    let page = fs::read_to_string(&output).expect("it was written");
    let printed = sandbox.run(&["graph", "how are retries scheduled", "-o", "-"]);
    assert_eq!(page, printed.stdout, "the same question gives the same page");
    assert!(page.starts_with("<!doctype html>") && page.contains("RetryPolicy"));
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn what_cannot_be_drawn_is_told_with_a_next_step() {
    let sandbox = parcel();
    for (arguments, code, message) in [
        (&["--module", "nowhere"][..], 1, "no declarations in nowhere"),
        (&["symbol = nothing_like_it"], 1, "nothing found"),
        (&["--module", "billing", "a question", "."], 2, "--module draws a module"),
        (&["--module", "a["], 2, "a["),
        (&["--module", ".", "--limit", "0"], 2, "asks for nothing"),
        (&["--module", ".", "-o", "nowhere/graph.html"], 2, "cannot write"),
    ] {
        let run = sandbox.run(&[&["graph"], arguments].concat());
        assert_eq!((run.code, &*run.stdout), (code, ""), "{arguments:?}: {}", run.stderr);
        assert!(
            run.stderr.contains(message) && run.stderr.contains("hint: "),
            "{arguments:?}: {}",
            run.stderr
        );
    }
    assert_eq!(sandbox.run(&["graph"]).code, 2);
    assert_eq!(sandbox.run(&["graph", "--module", ".", "--dot", "--html"]).code, 2);
}

#[test]
fn graphviz_s_language_is_read_by_another_program() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    sandbox.write(
        "a \"b\".py",
        "class end:\n    def go(self):\n        return run('\\\\N')\n\ndef run(x):\n    return end()\n",
    );
    let run = sandbox.run(&["graph", "--module", ".", "--dot"]);
    let file = sandbox.index().join("graph.dot");
    fs::write(&file, &run.stdout).expect("writable");
    let script = "import pydot, sys\ng, = pydot.graph_from_dot_file(sys.argv[1])\n\
                  print(len(g.get_edges()), sum(len(s.get_nodes()) for s in g.get_subgraphs()))";
    let read = Command::new(python).args(["-c", script]).arg(&file).output().expect("the interpreter starts");
    let drawing = drawn(&sandbox, &["--module", "."]);
    let count = |field: &str| drawing[field].as_array().map_or(0, Vec::len);
    assert_eq!(String::from_utf8_lossy(&read.stdout), format!("{} {}\n", count("edges"), count("nodes")));
}

/// A server of a page, which ends with the test.
#[cfg(unix)]
struct Serving {
    process: std::process::Child,
    address: String,
}

#[cfg(unix)]
impl Serving {
    fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut process = sandbox.spawn(&[&["graph", "--serve"], arguments].concat());
        let mut said = String::new();
        let mut errors = BufReader::new(process.stderr.take().expect("it is piped"));
        errors.read_line(&mut said).expect("UTF-8");
        let address = said.strip_prefix("serving at http://").and_then(|rest| rest.split_once('/'));
        let address = address.unwrap_or_else(|| panic!("{said}")).0.to_owned();
        Self { process, address }
    }

    /// Sends a request with these headers, and returns the status and the body.
    fn get(&self, path: &str, host: &str, headers: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Connection: close\r\n\r\n")
            .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers in UTF-8");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.expect("a status"), body.to_owned())
    }
}

#[cfg(unix)]
impl Drop for Serving {
    fn drop(&mut self) {
        self.process.kill().expect("it runs until now");
        self.process.wait().expect("it ends");
    }
}

#[cfg(unix)]
#[test]
fn a_served_page_answers_its_own_browser_alone() {
    let sandbox = parcel();
    let serving = Serving::start(&sandbox, &[]);
    assert!(serving.address.starts_with("127.0.0.1:"), "{}", serving.address);
    let own = serving.address.as_str();
    let (status, page) = serving.get("/", own, "");
    assert!(status == 200 && page.starts_with("<!doctype html>") && page.contains("connect-src 'self'"));
    assert!(page.contains("vscode://file{path}:{line}"));
    let port = own.rsplit_once(':').expect("it has a port").1;
    assert_eq!(serving.get("/", &format!("localhost:{port}"), "").0, 200);
    for host in ["rebound.example", &format!("rebound.example:{port}"), "127.0.0.1", "127.0.0.1:1", ""] {
        for path in ["/", "/search?q=retry"] {
            assert_eq!(serving.get(path, host, "").0, 403, "{host} {path}");
        }
    }
    let (status, found) = serving.get("/search?q=how%20are%20retries%20scheduled", own, "");
    let found: Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!((status, found["title"].as_str()), (200, Some("how are retries scheduled")));
    let names = found["nodes"]["name"].as_array().expect("a column");
    assert!(names.iter().any(|name| name == "RetryPolicy"), "{names:?}");
    assert_eq!(serving.get("/search?q=retry", own, "Sec-Fetch-Site: cross-site\r\n").0, 403);
    assert_eq!(serving.get("/expand?id=nothing", own, "").0, 404);
    assert_eq!(serving.get("/elsewhere", own, "").0, 404);
}

#[cfg(unix)]
#[test]
fn a_node_of_a_served_page_is_expanded_by_its_neighbors() {
    let sandbox = parcel();
    let drawing = drawn(&sandbox, &["--module", "router"]);
    let nodes = drawing["nodes"].as_array().expect("a list");
    let tour = nodes.iter().find(|node| node["name"] == "plan_tour").expect("it is drawn");
    let serving = Serving::start(&sandbox, &["--module", "billing"]);
    let id = tour["id"].as_str().expect("a text");
    let (status, found) = serving.get(&format!("/expand?id={id}"), &serving.address, "");
    assert_eq!(status, 200, "{found}");
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let names = found["nodes"]["name"].as_array().expect("a column");
    for name in ["plan_tour", "nearest", "RoadNetwork"] {
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
    }
    let at = names.iter().position(|name| name == "plan_tour").expect("it is among them");
    assert_eq!(found["nodes"]["code"][at], tour["code"]);
}

#[cfg(unix)]
#[test]
fn the_directory_of_a_served_page_is_an_option() {
    let sandbox = parcel();
    let serving = Serving::start(&sandbox, &["-C", "billing"]);
    let (_, page) = serving.get("/", &serving.address, "");
    assert!(page.contains("<title>billing</title>"));
}

#[test]
fn a_port_in_use_is_reported_with_the_next_step() {
    let sandbox = parcel();
    let listener = TcpListener::bind("127.0.0.1:0").expect("some port is free");
    let port = listener.local_addr().expect("it is bound").port();
    let run = sandbox.run(&["graph", &format!("--serve={port}")]);
    let message = format!("cannot listen at port {port}");
    assert!(
        run.code == 2 && run.stderr.contains(&message) && run.stderr.contains("hint: "),
        "{}",
        run.stderr
    );
}

#[test]
fn a_page_beyond_the_limit_has_all_declarations_and_links_on_request() {
    let sandbox = parcel();
    let all = drawn(&sandbox, &["--module", ".", "--by", "declaration"]);
    let page = |arguments: &[&str]| {
        let run = sandbox.run(&[&["graph", "--module", ".", "--limit", "7", "-o", "-"], arguments].concat());
        assert_eq!((run.code, &*run.stderr), (0, ""));
        run.stdout
    };
    let data = |page: &str, id: &str| -> Value {
        let (_, rest) = page.split_once(&format!("id=\"{id}\">")).expect("the page has it");
        serde_json::from_str(rest.split_once("</script").expect("it ends").0).expect("it is JSON")
    };
    let plain = page(&[]);
    let names = data(&plain, "drawing")["nodes"]["name"].as_array().map_or(0, Vec::len);
    assert_eq!(names, all["nodes"].as_array().map_or(0, Vec::len));
    let options = data(&plain, "options");
    assert_eq!(
        (&options["shown"], &options["root"], &options["live"]),
        (&7.into(), &"".into(), &false.into())
    );
    // The results of a question are not rolled up, however few are asked for.
    let asked = sandbox.run(&["graph", "how are retries scheduled", "--limit", "1", "-o", "-"]);
    assert_eq!(data(&asked.stdout, "options")["shown"], 0);
    // Links contain the path of the project.
    let linked = data(&page(&["--editor", "vscode"]), "options");
    assert_eq!(linked["editor"], "vscode://file{path}:{line}");
    assert!(linked["root"].as_str().is_some_and(|root| root.starts_with("[tmp]")), "{linked}");
    let run = sandbox.run(&["graph", "--module", ".", "--editor", "emacs", "-o", "-"]);
    assert!(run.code == 2 && run.stderr.contains("{path}"), "{}", run.stderr);
}
