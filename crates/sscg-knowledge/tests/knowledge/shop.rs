//! Findings in the code of the shop, compared with hand-written expected values.

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use sscg_core::{Confidence, Project};
use sscg_index::Snapshot;
use sscg_knowledge::{FactEvidence, MessageDirection, Model, Service, Site};
use toml::{Table, Value};

use crate::code::{derived, fixtures, indexed};

/// Expected values.
static TRUTH: LazyLock<Table> = LazyLock::new(|| {
    let text = fs::read_to_string(fixtures().join("shop.expected.toml")).expect("the truth is there");
    text.parse().expect("the truth is valid")
});

fn rows(of: &'static Value, table: &str) -> &'static [Value] {
    of.get(table).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(crate) fn table(name: &str) -> &'static [Value] {
    TRUTH.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(crate) fn text(row: &Value, name: &str) -> String {
    row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the shop with its services, derived from their code alone.
pub(crate) fn shop() -> (std::sync::Arc<Snapshot>, Model) {
    let services = table("service").iter().map(|row| Service {
        name: text(row, "name").into(),
        root: Some(text(row, "root").into()),
        hosts: vec![text(row, "name").into()],
        ..Service::default()
    });
    let libraries = table("library").iter().map(|row| text(row, "root").into());
    let model = Model { services: services.collect(), libraries: libraries.collect(), ..Model::default() };
    let snapshot = indexed(&fixtures().join("shop"));
    let model = derived(&snapshot, model);
    (snapshot, model)
}

/// Returns the file and symbol of a site, in the form of the expected values.
pub(crate) fn place(project: &Project, site: Site) -> [String; 2] {
    let symbol = site.symbol.map(|symbol| project.qualified_name(symbol)).unwrap_or_default();
    [project.files()[site.file].path.to_string(), symbol]
}

/// Checks findings against the expected values: recall of at least 0.9, precision of 1.
pub(crate) fn check<T: Ord + std::fmt::Debug>(what: &str, truth: BTreeSet<T>, found: BTreeSet<T>) {
    let missed: Vec<_> = truth.difference(&found).collect();
    let wrong: Vec<_> = found.difference(&truth).collect();
    let report = format!(
        "{what}: {} of {} found\nmissed: {missed:#?}\nfalse: {wrong:#?}",
        truth.len() - missed.len(),
        truth.len()
    );
    assert!(missed.len() * 10 <= truth.len(), "{report}");
    assert!(wrong.is_empty(), "{report}");
}

/// Returns a path with unnamed parameters.
pub(crate) fn nameless(path: &str) -> String {
    let segments = path.split('/').map(|segment| if segment.starts_with('{') { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

pub(crate) fn is_exact(evidence: &FactEvidence) -> bool {
    evidence.confidence == Confidence::Exact
}

#[test]
fn requests_of_the_shop_are_found_with_where_they_are_sent() {
    let (snapshot, model) = shop();
    let call = |row: &Value| {
        let [from, file, symbol, to, method] =
            ["from", "file", "symbol", "to", "method"].map(|name| text(row, name));
        (from, [file, symbol], to, method, nameless(&text(row, "path")))
    };
    let truth = table("call").iter().map(call);
    let found = model.requests.iter().map(|request| {
        let place = place(&snapshot.project, request.site);
        (
            request.from.to_string(),
            place,
            request.to.to_string(),
            request.method.to_string(),
            request.path.to_string(),
        )
    });
    check("requests", truth.collect(), found.collect());

    let forbidden: Vec<[String; 2]> =
        table("not_a_call").iter().map(|row| ["file", "symbol"].map(|name| text(row, name))).collect();
    for request in &model.requests {
        let [file, symbol] = place(&snapshot.project, request.site);
        assert!(!forbidden.iter().any(|[f, s]| *f == file && (s.is_empty() || *s == symbol)), "{request:?}");
    }
    let exact = model.requests.iter().filter(|request| is_exact(&request.evidence)).count();
    assert!(exact * 10 >= model.requests.len() * 9, "too little is sure: {:#?}", model.requests);
}

#[test]
fn events_of_the_shop_are_found_with_who_sends_and_who_listens() {
    let (snapshot, model) = shop();
    let truth = table("event").iter().flat_map(|event| {
        let sides = [("publisher", MessageDirection::Publishes), ("subscriber", MessageDirection::Consumes)];
        sides.into_iter().flat_map(move |(side, direction)| {
            rows(event, side).iter().map(move |row| {
                let [service, file, symbol] = ["service", "file", "symbol"].map(|name| text(row, name));
                (text(event, "name"), text(event, "transport"), direction, service, [file, symbol])
            })
        })
    });
    let found = model.events.iter().map(|event| {
        let place = place(&snapshot.project, event.site.expect("code stands somewhere"));
        (
            event.event.to_string(),
            event.transport.to_string(),
            event.direction,
            event.service.to_string(),
            place,
        )
    });
    check("events", truth.collect(), found.collect());

    let forbidden: Vec<[String; 2]> =
        table("not_an_event").iter().map(|row| ["file", "name"].map(|name| text(row, name))).collect();
    for event in &model.events {
        let [file, _] = place(&snapshot.project, event.site.expect("code stands somewhere"));
        assert!(!forbidden.contains(&[file, event.event.to_string()]), "{event:?}");
    }
    let exact = model.events.iter().filter(|event| is_exact(&event.evidence)).count();
    assert!(exact * 10 >= model.events.len() * 9, "too little is sure: {:#?}", model.events);
}
