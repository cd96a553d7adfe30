//! Runs every example, so that none becomes outdated.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Returns the path of an example program, next to the directory of this test's own; cargo builds it for the test.
fn program(name: &str) -> PathBuf {
    let this = std::env::current_exe().expect("a test knows its own path");
    let target = this.parent().and_then(Path::parent).expect("it stands in target/<profile>/deps");
    target.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Runs an example in the directory of that name in `fixtures`, and returns its exit status and output.
fn run_on(fixture: &str, name: &str, arguments: &[&str], input: &str) -> Output {
    let cache = tempfile::tempdir().expect("temporary directory");
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(fixture);
    let mut command = Command::new(program(name));
    // The index goes into the user's cache directory.
    command.env("XDG_CACHE_HOME", cache.path()).env("HOME", cache.path()).env("LOCALAPPDATA", cache.path());
    command.current_dir(project).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the example was built");
    // A program that rejects its arguments does not read its input.
    _ = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
    child.wait_with_output().expect("the example ends")
}

/// Returns the output of an example in the project in `fixtures/projects/parcel`.
fn run(name: &str, arguments: &[&str], input: &str) -> String {
    let output = run_on("projects/parcel", name, arguments, input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it prints UTF-8")
}

/// Returns the exit code, standard output and standard error of an example with findings in `fixtures/services/shop`.
fn judge(name: &str, arguments: &[&str], findings: &str) -> (Option<i32>, String, String) {
    let output = run_on("services/shop", name, arguments, findings);
    let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn quickstart_answers_a_question() {
    let printed = run("quickstart", &["plan a tour to the nearest stop"], "");
    assert!(printed.starts_with("Search: \"plan a tour to the nearest stop\""), "{printed}");
    assert!(printed.contains("\nrouter/src/plan.rs:15 plan_tour ("), "{printed}");
    let edge = "plan.rs:15-34:function:plan_tour calls router/src/plan.rs:36-45:function:nearest [exact]";
    assert!(printed.contains(edge), "{printed}");
}

#[test]
fn a_file_is_parsed_by_itself() {
    let printed = run("parse", &["router/src/roads.rs"], "");
    assert!(printed.contains("router/src/roads.rs:21: method RoadNetwork.shortest_path\n"), "{printed}");
}

#[test]
fn packages_are_linked_by_themselves() {
    let printed = run("link", &[], "");
    assert!(
        printed.contains("app/src/lib.rs::paint calls shape/src/lib.rs::Square.area (exact)\n"),
        "{printed}"
    );
}

#[test]
fn any_graph_is_ranked() {
    assert_eq!(run("pagerank", &[], "0 1\n0 2\n1 2\n"), "0 0.198\n1 0.282\n2 0.521\n");
}

#[test]
fn files_are_parsed_linked_and_ranked_without_an_index() {
    let printed = run("central", &["router/src/roads.rs", "router/src/plan.rs"], "");
    assert!(printed.contains(" router/src/roads.rs::RoadNetwork\n"), "{printed}");
    assert_eq!(printed.lines().count(), 10);
}

#[test]
fn vectors_of_a_custom_model_are_searched() {
    let printed = run("embedder", &["plan a tour to the nearest stop"], "");
    assert!(printed.starts_with("Vectors: trigrams-256\n"), "{printed}");
    assert!(printed.contains("  semantic  #"), "{printed}");
}

#[test]
fn several_projects_are_asked() {
    let printed = run("workspace", &["plan a tour to the nearest stop", "router", "nowhere"], "");
    assert!(printed.contains("router:\n  src/plan.rs:15-34 plan_tour\n"), "{printed}");
    assert!(printed.contains("nowhere:\n  "), "{printed}");
}

#[test]
fn the_graph_is_written_for_graphviz() {
    let printed = run("export", &[], "");
    assert!(printed.starts_with("digraph sscg {\n") && printed.contains("plan_tour"), "{printed}");
}

#[test]
fn results_are_pieces_of_evidence() {
    let printed = run("evidence", &["plan a tour to the nearest stop"], "");
    let pieces = values(&printed);
    assert_eq!(
        (&pieces[0]["symbol_id"], &pieces[0]["start_line"]),
        (&"router/src/plan.rs::plan_tour".into(), &15.into())
    );
}

#[test]
fn a_custom_signal_adds_to_the_scores() {
    let printed = run("signal", &["plan a tour to the nearest stop"], "");
    assert!(printed.contains("  recency   #1"), "{printed}");
}

#[test]
fn custom_edges_are_part_of_the_graph() {
    let project = tempfile::tempdir().expect("temporary directory");
    let code = "def handle_get(): pass\n\ndef dispatch(name):\n    globals()['handle_' + name]()\n";
    std::fs::write(project.path().join("server.py"), code).expect("writable");
    let printed = run("edge_source", &[project.path().to_str().expect("temporary paths are text")], "");
    assert!(printed.contains("server.py::dispatch calls server.py::handle_get\n"), "{printed}");
}

#[test]
fn a_custom_format_is_used() {
    let printed = run("renderer", &["plan a tour to the nearest stop"], "");
    let start = "file,line,kind,name\n\"router/src/plan.rs\",\"15\",\"function\",\"plan_tour\"\n";
    assert!(printed.starts_with(start), "{printed}");
}

#[test]
fn a_custom_counter_keeps_the_budget() {
    let printed = run("token_counter", &["plan a tour to the nearest stop"], "");
    let last = printed.lines().last().expect("a line with the count");
    let count: usize = last.strip_suffix(" of 500 words and signs").expect(last).parse().expect(last);
    assert!((250..=500).contains(&count), "{printed}");
}

#[test]
fn a_custom_reranker_orders_the_results() {
    let printed = run("reranker", &["roads between stops"], "");
    assert!(printed.contains("  rerank    #1"), "{printed}");
}

#[test]
fn a_custom_store_is_shared_by_engines() {
    let printed = run("store", &["plan a tour to the nearest stop"], "");
    let engines: Vec<&str> = printed.lines().filter(|line| !line.starts_with(' ')).collect();
    assert!(engines[0].starts_with("first engine: ") && !engines[0].ends_with(", 0 parsed"), "{printed}");
    assert!(engines[1].starts_with("second engine: ") && engines[1].ends_with(", 0 parsed"), "{printed}");
    assert!(printed.contains("  router/src/plan.rs:15-34 plan_tour\n"), "{printed}");
}

#[test]
fn callers_are_followed_upwards() {
    let printed = run("callers", &["shortest_path"], "");
    assert_eq!(
        printed,
        "router/src/roads.rs::RoadNetwork.shortest_path\n  \
           <- router/src/plan.rs::nearest, line 39 (exact)\n    \
             <- router/src/plan.rs::plan_tour, line 27 (exact)\n\
         0 uses of `shortest_path` could not be resolved\n"
    );
}

/// Findings of a linter that checks the orders, the catalog and the notifications one at a time.
const FINDINGS: &str = r#"
{"kind": "dead_event_handler", "event": "payment.captured", "service": "orders", "file": "services/orders/src/messaging/payment-listener.ts"}
{"kind": "dead_event_handler", "event": "refund.issued", "service": "notifications", "file": "services/notifications/shop_notifications/consumers/broker.py"}
{"kind": "dead_event_handler", "event": "product.discontinued", "service": "catalog", "file": "services/catalog/src/events.rs"}
{"kind": "dead_contract", "contract": "contracts/catalog/openapi.yaml", "service": "catalog"}
{"kind": "dead_contract", "contract": "services/notifications/swagger.yaml", "service": "notifications"}
"#;

#[test]
fn the_quality_gate_drops_what_other_services_disprove() {
    let (code, printed, errors) = judge("quality_gate", &["-"], FINDINGS);
    assert_eq!((code, &*errors), (Some(1), ""));
    assert_eq!(
        printed,
        "suppressed: dead handler of payment.captured in services/orders/src/messaging/payment-listener.ts: \
           sent by payments\n\
         kept: dead handler of refund.issued in services/notifications/shop_notifications/consumers/broker.py: \
           no service sends it\n\
         kept: dead handler of product.discontinued in services/catalog/src/events.rs: \
           catalog is not known to listen to it\n\
         suppressed: dead contract contracts/catalog/openapi.yaml: \
           catalog is called by inventory, orders, storefront\n\
         suppressed: dead contract services/notifications/swagger.yaml: notifications is called by accounts\n\
         2 of 5 findings kept\n"
    );
}

#[test]
fn the_quality_gate_opens_where_nothing_is_left() {
    let disproved: Vec<&str> =
        FINDINGS.lines().filter(|line| line.contains("catalog/openapi.yaml")).collect();
    let (code, printed, errors) = judge("quality_gate", &["-"], disproved[0]);
    assert_eq!((code, &*errors), (Some(0), ""), "{printed}");
}

#[test]
fn the_quality_gate_keeps_everything_where_the_server_is_away() {
    let (code, printed, errors) = judge("quality_gate", &["-", "--server", "/nowhere"], FINDINGS);
    assert_eq!(code, Some(1));
    assert!(errors.starts_with("note: every finding is kept: the server cannot be started: "), "{errors}");
    assert!(printed.ends_with("\n5 of 5 findings kept\n") && !printed.contains("suppressed"), "{printed}");
}

#[test]
fn arguments_and_findings_that_are_wrong_are_refused() {
    let refused = |arguments: &[&str], findings: &str| {
        let (code, printed, errors) = judge("quality_gate", arguments, findings);
        assert_eq!((code, &*printed), (Some(2), ""));
        errors
    };
    assert!(refused(&[], "").starts_with("error: usage: FINDINGS [PATH]"));
    assert!(refused(&["-", "--serve"], "").contains("no option --serve"));
    assert!(refused(&["nowhere.json"], "").contains("nowhere.json cannot be read"));
    let second =
        refused(&["-"], r#"{"kind": "dead_contract", "contract": "a", "service": "b"} {"kind": "typo"}"#);
    assert!(second.starts_with("error: -: finding 2: unknown variant `typo`"), "{second}");
    assert!(refused(&["-", "services/nowhere"], "").contains("services/nowhere"));
}

const PRIORITIES: &str = r#"
{"file": "services/catalog/src/routes/products.rs", "priority": "P2", "action": "Check the price.", "line": 12}
{"file": "services/payments/shop_payments/models.py", "priority": "P0", "action": ""}
{"file": "services/accounts/shop_accounts/passwords.py", "priority": "P3", "action": "Use more rounds."}
{"file": "services/catalog/tests/model.rs", "priority": "P1", "action": "Name the test."}
{"file": "services/nowhere.py", "priority": "P1", "action": "Remove it."}
"#;

#[test]
fn priorities_rise_where_much_or_another_service_is_reached() {
    let (code, printed, errors) = judge("priorities", &["-"], PRIORITIES);
    assert_eq!(code, Some(0));
    let judged = values(&printed);
    let priorities: Vec<&str> = judged.iter().filter_map(|finding| finding["priority"].as_str()).collect();
    assert_eq!(priorities, ["P1", "P0", "P2", "P1", "P1"]);
    let action = |finding: &serde_json::Value| finding["action"].as_str().expect("text").to_owned();
    let actions: Vec<String> = judged.iter().map(action).collect();
    let products = &actions[0];
    assert!(products.starts_with("Check the price. A change reaches "), "{products}");
    let reached = "nodes, in other services: storefront (5), inventory (2), orders (2); keep to contracts/catalog/openapi.yaml.";
    assert!(products.contains(reached), "{products}");
    let files = " Check the files that depend on it: services/catalog/src/";
    assert!(
        products.contains(files) && products.contains("services/storefront/src/clients/catalog.ts"),
        "{products}"
    );
    assert!(actions[1].starts_with("A change reaches "), "{actions:?}");
    assert!(!actions[2].contains("in other services"), "{actions:?}");
    assert_eq!(actions[3..], ["Name the test.", "Remove it."]);
    // Other data of the linter is kept.
    assert_eq!(judged[0]["line"], 12);
    assert!(errors.starts_with("note: services/nowhere.py: ") && !errors.contains("model.rs"), "{errors}");
}

/// Parses the findings in a text.
fn values(text: &str) -> Vec<serde_json::Value> {
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn priorities_stay_where_the_server_is_away() {
    let (code, printed, errors) = judge("priorities", &["-", "--server", "/nowhere"], PRIORITIES);
    assert_eq!(code, Some(0));
    assert!(errors.starts_with("note: no priority is raised: the server cannot be started: "), "{errors}");
    assert_eq!(values(&printed), values(PRIORITIES));
}

#[test]
fn every_example_is_run_here() {
    let this = include_str!("examples.rs");
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for entry in std::fs::read_dir(directory).expect("readable") {
        let name = entry.expect("readable").file_name().to_string_lossy().replace(".rs", "");
        let calls = ["run(\"", "judge(\""];
        let is_run = calls.iter().any(|call| this.contains(&format!("{call}{name}\"")));
        assert!(is_run, "no test runs the example {name}");
    }
}
