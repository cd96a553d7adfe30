//! Results and output of `sscg search`.

use std::process::Stdio;

use expect_test::expect;
use sscg::core::TokenCounter;
use sscg::format::{Answer, O200k};

use crate::sandbox::Sandbox;

/// Returns the names of the results, best first.
fn found(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    let run = sandbox.run(&[&["search", "--format", "verbose"], arguments].concat());
    if run.code == 1 {
        return Vec::new();
    }
    assert_eq!(run.code, 0, "{}", run.stderr);
    let answer: Answer = serde_json::from_str(&run.stdout).expect("the format is JSON of the schema");
    answer.results.into_iter().map(|result| format!("{}::{}", result.file, result.name)).collect()
}

#[test]
fn a_question_in_english_finds_the_function_that_answers_it() {
    let sandbox = Sandbox::of_project("parcel");
    for (question, answer) in [
        (
            "how is the shortest path between two towns found",
            "router/src/roads.rs::RoadNetwork.shortest_path",
        ),
        ("which depot is closest to a place", "router/src/depot.rs::Depot.closest"),
        ("how is a tour planned", "router/src/plan.rs::plan_tour"),
        ("remind customers of overdue invoices", "billing/reminder.py::remind_overdue"),
        ("convert money to another currency", "billing/money.py::Money.convert"),
        ("value added tax of a country", "billing/tax.py::vat_for"),
        ("which token is still valid", "web/src/session.ts::Session.validToken"),
        ("follow the events of a parcel", "web/src/tracking.ts::followParcel"),
        ("format the weight of a parcel", "web/src/format.ts::formatWeight"),
    ] {
        let found = found(&sandbox, &[question]);
        assert_eq!(found.first().map(String::as_str), Some(answer), "{question}: {found:#?}");
    }
}

#[test]
fn the_directory_may_be_given_as_look_ups_take_it() {
    let sandbox = Sandbox::of_project("parcel");
    let question = "which depot is closest to a place";
    let found_in = |directory: &[&str]| found(&sandbox, &[&[question], directory].concat());
    let web = found_in(&["-C", "web"]);
    assert!(!web.is_empty() && web.iter().all(|name| name.starts_with("src/")), "{web:?}");
    assert_eq!(found_in(&["web"]), web);
    let run = sandbox.run(&["search", question, "web", "-C", "web"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("cannot be used with"), "{}", run.stderr);
}

#[test]
fn the_text_shows_how_results_connect_and_then_their_code() {
    let sandbox = Sandbox::of_project("parcel");
    let run = sandbox.run(&["search", "plan a tour to the nearest stop", "--path", "router", "--limit", "2"]);
    expect![[r#"
        Search: "plan a tour to the nearest stop" | 2 results | 462/8,000 tokens

        [1] plan_tour — router/src/plan.rs:15-34
        [2] nearest — router/src/plan.rs:36-45
        [1] → [2]
        [1] calls: Depot.closest (router/src/depot.rs:12-15)
        [2] calls: RoadNetwork.shortest_path (router/src/roads.rs:21-35)

        // router/src/plan.rs:15-45
        15	/// Orders the stops of a tour: from the closest depot, always on to the nearest stop that is left.
        16	pub fn plan_tour(
        17	    roads: &RoadNetwork,
        18	    depots: &[Depot],
        19	    mut stops: Vec<Stop>,
        20	) -> Result<(Vec<Stop>, u64), RouteError> {
        21	    let Some(first) = stops.first() else { return Ok((Vec::new(), 0)) };
        22	    let depot = Depot::closest(depots, &first.place).ok_or(RouteError::NoDepot)?;
        23	    let mut here = depot.name.clone();
        24	    let mut tour = Vec::new();
        25	    let mut metres = 0;
        26	    while !stops.is_empty() {
        27	        let (at, length) = nearest(roads, &here, &stops)?;
        28	        let stop = stops.swap_remove(at);
        29	        here.clone_from(&stop.town);
        30	        metres += length;
        31	        tour.push(stop);
        32	    }
        33	    Ok((tour, metres))
        34	}
        36	fn nearest(roads: &RoadNetwork, here: &str, stops: &[Stop]) -> Result<(usize, u64), RouteError> {
        37	    let mut best = None;
        38	    for (at, stop) in stops.iter().enumerate() {
        39	        let length = roads.shortest_path(here, &stop.town)?;
        40	        if best.is_none_or(|(_, shortest)| length < shortest) {
        41	            best = Some((at, length));
        42	        }
        43	    }
        44	    best.ok_or_else(|| RouteError::Unreachable(here.to_owned()))
        45	}
        --- exit 0
    "#]]
    .assert_eq(&run.transcript());
}

#[test]
fn the_token_count_is_that_of_what_is_printed_and_within_the_budget() {
    let sandbox = Sandbox::of_project("parcel");
    for format in ["text", "compact", "verbose"] {
        for budget in [200, 201, 250, 300, 357, 400, 500, 700, 1000, 1500, 2500, 8000] {
            let budget_text = budget.to_string();
            let question = "where is the session token renewed";
            let run = sandbox.run(&["search", question, "--format", format, "--budget", &budget_text]);
            if run.code == 2 {
                // `verbose` prints every field, which needs a larger budget.
                assert!(format == "verbose" && budget < 500, "{format} {budget}: {}", run.stderr);
                assert!(run.stderr.contains("hint: give --budget at least "), "{}", run.stderr);
                continue;
            }
            let count = O200k.count(&run.stdout);
            assert!(count <= budget, "{format}: {count} of {budget}");
            let stated = if format == "text" {
                let head = run.stdout.lines().next().expect("a heading").replace(',', "");
                let counts = head.rsplit(" | ").next().expect("parts").to_owned();
                counts.split('/').next().expect("a count").parse().expect("a number")
            } else {
                let answer: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
                assert_eq!(answer["token_budget"], budget);
                answer["token_count"].as_u64().expect("a number") as usize
            };
            assert_eq!(stated, count, "{format} {budget}");
        }
    }
}

#[test]
fn both_json_formats_have_the_fields_of_the_schema() {
    let sandbox = Sandbox::of_project("parcel");
    let fields = |format: &str| {
        let run = sandbox.run(&["search", "plan a tour", "--format", format]);
        let answer: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
        let keys = |value: &serde_json::Value| {
            // The order of keys depends on the features of serde_json.
            let mut keys: Vec<&str> =
                value.as_object().expect("an object").keys().map(String::as_str).collect();
            keys.sort_unstable();
            keys.join(" ")
        };
        format!("{}\n{}\n", keys(&answer), keys(&answer["results"][0]))
    };
    expect![[r#"
        code index omitted_boundary_edges omitted_results query results schema_version snapshots subgraph_edges subgraph_nodes subgraph_order token_budget token_count
        chunk_id details file graph kind language lines modifiers name rank_sources score shown signature
    "#]].assert_eq(&fields("verbose"));
    expect![[r#"
        index query results schema_version snapshots subgraph_edges subgraph_nodes subgraph_order token_budget token_count
        chunk_id graph name shown
    "#]]
    .assert_eq(&fields("compact"));
}

#[test]
fn limit_language_and_path_narrow_the_results() {
    let sandbox = Sandbox::of_project("parcel");
    let question = "parcel";
    assert_eq!(found(&sandbox, &[question, "--limit", "3"]).len(), 3);
    let rust = found(&sandbox, &["place of a stop", "--language", "rust"]);
    assert!(!rust.is_empty() && rust.iter().all(|name| name.contains(".rs::")), "{rust:?}");
    let two =
        found(&sandbox, &["total amount of an invoice or a parcel", "--language", "py", "--language", "ts"]);
    assert!(two.iter().any(|name| name.contains(".py::")) && two.iter().any(|name| name.contains(".ts")));
    let web = found(&sandbox, &[question, "--path", "web/src"]);
    assert!(!web.is_empty() && web.iter().all(|name| name.starts_with("web/src/")), "{web:?}");
    let files = found(&sandbox, &["parcel events", "--path", "*.tsx", "--path", "web/src/types.ts"]);
    assert!(
        files.iter().all(|name| name.contains("ParcelList.tsx") || name.contains("types.ts")),
        "{files:?}"
    );
    assert!(found(&sandbox, &["parcel", "--path", "nowhere"]).is_empty());
}

#[test]
fn a_symbol_path_finds_exactly_the_declarations_it_names() {
    let sandbox = Sandbox::of_project("parcel");
    assert_eq!(found(&sandbox, &["symbol = Session > refresh"]), ["web/src/session.ts::Session.refresh"]);
    assert_eq!(found(&sandbox, &["symbol = backoff"]), ["router/src/retry.rs::RetryPolicy.backoff"]);
    assert_eq!(
        found(&sandbox, &["symbol = billing/money.py > Money > convert"]),
        ["billing/money.py::Money.convert"]
    );
    assert!(found(&sandbox, &["symbol = Session > backoff"]).is_empty());
}

#[test]
fn the_same_question_has_the_same_answer_byte_for_byte() {
    let (first, second) = (Sandbox::of_project("parcel"), Sandbox::of_project("parcel"));
    let ask = ["search", "how are parcels delivered", "--format", "verbose"];
    let answer = first.run(&ask);
    assert_eq!(answer, second.run(&ask));
    assert_eq!(answer, first.run(&ask));
    let single = first.command().env("RAYON_NUM_THREADS", "1").args(ask).output().expect("it starts");
    assert_eq!(answer.stdout.as_bytes(), single.stdout);
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let sandbox = Sandbox::of_project("parcel");
    let mut command = sandbox.command();
    command.args(["search", "parcel", "--format", "verbose"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""));
}
