//! Service graph of the shop in `fixtures/services`, built only from its repository and compared to hand-written
//! expectations.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use sscg::knowledge::graph::EdgeRecord;
use sscg::knowledge::query::{HybridSearchRequest, ServiceContextRequest};
use sscg::knowledge::{EdgeKind, GivenInputs, Knowledge, NodeData, NodeKind};
use sscg::{Engine, EngineOptions, Storage};
use toml::{Table, Value};

use crate::tree::Tree;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/services")
}

static TRUTH: LazyLock<Table> = LazyLock::new(|| {
    let text = fs::read_to_string(fixtures().join("shop.expected.toml")).expect("the truth is there");
    text.parse().expect("the truth is valid")
});

static SHOP: LazyLock<std::sync::Arc<Knowledge>> = LazyLock::new(|| {
    let options = EngineOptions::stored_in(Storage::Ephemeral);
    let engine = Engine::open_with(fixtures().join("shop"), options).expect("the shop is there");
    engine.knowledge(&GivenInputs::default()).expect("the shop has code").knowledge
});

fn table(name: &str) -> &'static [Value] {
    TRUTH.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn rows(of: &'static Value, name: &str) -> &'static [Value] {
    of.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text(row: &Value, name: &str) -> String {
    row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns a path with nameless parameters.
fn nameless(path: &str) -> String {
    let segments = path.split('/').map(|segment| if segment.starts_with('{') { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

/// Returns the edges of a kind.
fn edges(kind: EdgeKind) -> Vec<EdgeRecord> {
    let graph = SHOP.graph();
    graph.edges().iter().filter(|edge| edge.kind == kind).map(|edge| graph.edge_record(edge)).collect()
}

/// Returns the id of the node of the code in a row of the expected table.
fn code(row: &Value) -> String {
    match text(row, "symbol").as_str() {
        "" => format!("file::{}", text(row, "file")),
        symbol => format!("symbol::{}::{symbol}", text(row, "file")),
    }
}

/// Returns an endpoint's service, method and nameless path, by the id of its node.
fn endpoint(id: &str) -> [String; 3] {
    match SHOP.graph().get(id).expect("edges lead to nodes").data() {
        NodeData::Endpoint(it) => [it.service_name.to_string(), it.method.to_string(), nameless(&it.path)],
        other => panic!("{other:?} is no endpoint"),
    }
}

/// Compares results to the expected ones: at least nine of ten are found, and no false one is exact.
fn hold<T: Ord + std::fmt::Debug>(what: &str, truth: &BTreeSet<T>, found: &BTreeMap<T, bool>) {
    let missed: Vec<&T> = truth.iter().filter(|it| !found.contains_key(it)).collect();
    let wrong: Vec<(&T, &bool)> = found.iter().filter(|(it, _)| !truth.contains(it)).collect();
    let number = truth.len() - missed.len();
    let report = format!("{what}: {number} of {} found\nmissed: {missed:#?}\nfalse: {wrong:#?}", truth.len());
    assert!(number * 10 >= truth.len() * 9, "{report}");
    assert!(wrong.iter().all(|(_, is_exact)| !**is_exact), "{report}");
    // Currently everything is found, and it must stay so.
    assert!(missed.is_empty() && wrong.is_empty(), "{report}");
}

fn is_exact(edge: &EdgeRecord) -> bool {
    &*edge.confidence == "exact"
}

#[test]
fn services_are_found_without_any_input() {
    let truth: Vec<String> = table("service").iter().map(|row| text(row, "name")).collect();
    let mut truth: Vec<&str> = truth.iter().map(String::as_str).collect();
    truth.sort_unstable();
    let report = SHOP.report();
    assert_eq!(report.services_indexed.iter().map(|name| &**name).collect::<Vec<_>>(), truth);
    assert_eq!(report.errors, [""; 0]);
}

#[test]
fn endpoints_and_what_answers_them_are_found_without_any_input() {
    let row = |row: &Value| [text(row, "service"), text(row, "method"), nameless(&text(row, "path"))];
    let truth: BTreeSet<[String; 3]> = table("endpoint").iter().map(row).collect();
    let found = edges(EdgeKind::ExposesEndpoint);
    let found = found.iter().map(|edge| (endpoint(&edge.target), is_exact(edge)));
    hold("endpoints", &truth, &found.collect());

    let with_code = table("endpoint").iter().filter(|row| row.get("file").is_some());
    let truth: BTreeSet<([String; 3], String)> = with_code.map(|it| (row(it), code(it))).collect();
    let found = edges(EdgeKind::HandlesEndpoint);
    let found = found.iter().map(|edge| ((endpoint(&edge.target), edge.source.to_string()), is_exact(edge)));
    hold("handlers", &truth, &found.collect());
}

#[test]
fn requests_between_services_are_found_without_any_input() {
    let call = |row: &Value| {
        let endpoint = [text(row, "to"), text(row, "method"), nameless(&text(row, "path"))];
        (text(row, "from"), endpoint, code(row))
    };
    let truth: BTreeSet<(String, [String; 3], String)> = table("call").iter().map(call).collect();
    let mut found = BTreeMap::new();
    for edge in edges(EdgeKind::ServiceCalls) {
        let from = edge.source.trim_start_matches("service::").to_owned();
        for site in edge.sites.iter().flatten() {
            let via = edge.via_endpoint.as_deref().filter(|via| !via.is_empty());
            let via = via.unwrap_or_else(|| panic!("{edge:?} reaches no endpoint"));
            found.insert((from.clone(), endpoint(via), site.symbol.to_string()), is_exact(&edge));
        }
    }
    hold("requests", &truth, &found);
}

#[test]
fn events_are_found_with_who_sends_and_who_listens_without_any_input() {
    let mut truth = BTreeSet::new();
    for event in table("event") {
        for (side, kind) in [("publisher", EdgeKind::PublishesEvent), ("subscriber", EdgeKind::ConsumesEvent)]
        {
            let sides = rows(event, side).iter().map(|row| (text(event, "name"), kind, text(row, "service")));
            truth.extend(sides);
        }
    }
    let mut found = BTreeMap::new();
    for kind in [EdgeKind::PublishesEvent, EdgeKind::ConsumesEvent] {
        for edge in edges(kind) {
            let event = edge.target.trim_start_matches("event::").to_owned();
            let service = edge.source.trim_start_matches("service::").to_owned();
            found.insert((event, kind, service), is_exact(&edge));
        }
    }
    hold("events", &truth, &found);
}

#[test]
fn entities_are_found_with_who_owns_them_without_any_input() {
    let row = |row: &Value| (text(row, "name"), text(row, "service"));
    let truth: BTreeSet<(String, String)> = table("entity").iter().map(row).collect();
    let found = edges(EdgeKind::OwnsEntity);
    let name = |id: &str| id.rsplit("::").next().unwrap_or_default().to_owned();
    let found = found.iter().map(|edge| ((name(&edge.target), name(&edge.source)), is_exact(edge)));
    hold("entities", &truth, &found.collect());
}

#[test]
fn the_same_project_gives_the_same_bytes() {
    let again = {
        let options = EngineOptions::stored_in(Storage::Ephemeral);
        let engine = Engine::open_with(fixtures().join("shop"), options).expect("the shop is there");
        engine.knowledge(&GivenInputs::default()).expect("the shop has code").knowledge
    };
    assert!(SHOP.to_json() == again.to_json());
}

/// Checks that the graph follows the code and its other inputs, and is rebuilt only if one of them changes.
#[test]
fn the_graph_is_built_when_something_changed_and_only_then() {
    let mut tree = Tree::of(&[
        (
            "services/users/package.json",
            r#"{"name": "users", "dependencies": {"express": "4"}, "scripts": {"start": "node a.js"}}"#,
        ),
        (
            "services/users/a.js",
            "const express = require('express');\nconst app = express();\napp.get('/users', (req, res) => res.json([]));\napp.listen(80);\n",
        ),
    ]);
    let given = GivenInputs::default();
    let ask =
        |tree: &mut Tree, given: &GivenInputs| tree.engine.knowledge(given).expect("there is code").knowledge;
    let first = ask(&mut tree, &given);
    let endpoints = |knowledge: &Knowledge| knowledge.graph().nodes_of(NodeKind::Endpoint).count();
    assert_eq!(endpoints(&first), 1, "{:?}", first.report());
    assert!(std::sync::Arc::ptr_eq(&first, &ask(&mut tree, &given)));
    let openapi = "openapi: 3.0.0\ninfo: { title: users, version: '1' }\npaths:\n  /users/{id}:\n    get: { responses: {} }\n";
    tree.write("services/users/openapi.yaml", openapi);
    assert_eq!(endpoints(&ask(&mut tree, &given)), 2);
    tree.write("services/users/openapi.yaml", "openapi: 3.0.0\npaths: [");
    let broken = ask(&mut tree, &given);
    assert_eq!((endpoints(&broken), broken.report().errors.len()), (1, 1), "{:?}", broken.report());
    let interfaces = r#"{"users": {"endpoints": [{"method": "PUT", "path": "/users/{id}"}]}}"#;
    let given = given.with_service_interfaces_json(interfaces.to_owned());
    assert_eq!(endpoints(&ask(&mut tree, &given)), 2);
}

#[test]
fn nodes_are_named_as_people_name_them_too() {
    let context = SHOP.service_context(&ServiceContextRequest::default().with_service_name("storefront"));
    assert!(context.expect("it is there").depends_on.len() >= 5);
    let request =
        HybridSearchRequest::default().with_query("price of a product").with_anchor_node_id("storefront");
    let found = SHOP.search(&request).expect("the anchor is there");
    assert_eq!(found.anchor_node_id, "service::storefront");
    assert!(found.results.iter().all(|result| result.distance >= 0));
}
