//! Endpoints and entities found in code: those of the shop, and one directory for each framework.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use sscg_core::Confidence;
use sscg_knowledge::{Model, Service};
use toml::Value;

use crate::code::{derived, indexed};
use crate::shop::{check, is_exact, nameless, place, shop, table, text};

#[test]
fn endpoints_of_the_shop_are_found_with_the_code_that_answers() {
    let (snapshot, model) = shop();
    let in_code = table("endpoint").iter().filter(|row| row.get("file").is_some());
    let truth = in_code.map(|row| {
        let [service, method, file, symbol] =
            ["service", "method", "file", "symbol"].map(|name| text(row, name));
        (service, method, nameless(&text(row, "path")), [file, symbol])
    });
    let found = model.endpoints.iter().map(|endpoint| {
        let handler = place(&snapshot.project, endpoint.handler.expect("it is found in code"));
        (endpoint.service.to_string(), endpoint.method.to_string(), nameless(&endpoint.path), handler)
    });
    check("endpoints", truth.collect(), found.collect());
    let unsure: Vec<_> = model.endpoints.iter().filter(|endpoint| !is_exact(&endpoint.evidence)).collect();
    assert!(unsure.is_empty(), "every route of the shop is mounted: {unsure:#?}");
}

#[test]
fn entities_of_the_shop_are_found_with_the_service_that_owns_them() {
    let (snapshot, model) = shop();
    let truth = table("entity").iter().map(|row: &Value| {
        let [name, service, file, symbol] = ["name", "service", "file", "symbol"].map(|name| text(row, name));
        (name, service, [file, symbol])
    });
    let found = model.entities.iter().map(|entity| {
        let symbol = entity.symbol.expect("it is found in code");
        let place = [
            snapshot.project.files()[snapshot.project.symbol_file(symbol)].path.to_string(),
            snapshot.project.qualified_name(symbol),
        ];
        (entity.name.to_string(), entity.owning_service.to_string(), place)
    });
    check("entities", truth.collect(), found.collect());
    let stored = ["Customer", "Order", "OrderLine", "SignIn"];
    for entity in &model.entities {
        assert_eq!(is_exact(&entity.evidence), stored.contains(&&*entity.name), "{}", entity.name);
        assert!(entity.fields.iter().all(|field| !field.ty.is_empty()), "{entity:#?}");
    }
}

#[test]
fn relationships_follow_from_mappers_and_from_what_fields_hold() {
    let (_, model) = shop();
    let related: BTreeSet<_> = model
        .relationships
        .iter()
        .map(|it| (&*it.from, &*it.relationship_type, &*it.to, &*it.cardinality, is_exact(&it.evidence)))
        .collect();
    for expected in [
        ("Customer", "has_many", "SignIn", "1:N", true),
        ("SignIn", "belongs_to", "Customer", "N:1", true),
        ("Order", "has_many", "OrderLine", "1:N", true),
        ("OrderLine", "belongs_to", "Order", "N:1", true),
        ("Cart", "has_many", "CartItem", "1:N", false),
        ("Refund", "references", "Payment", "N:1", false),
        ("Reservation", "references", "Order", "N:1", false),
    ] {
        assert!(related.contains(&expected), "{expected:?} of {related:#?}");
    }
}

/// Compares the endpoints of a directory with the lines of its `endpoints.txt`.
fn check_case(directory: &Path) -> Result<(), String> {
    let expected = fs::read_to_string(directory.join("endpoints.txt")).expect("it says what is expected");
    let lines = expected.lines().filter(|line| !line.is_empty());
    let expected: BTreeSet<String> =
        lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let service = Service { name: "case".into(), root: Some("".into()), ..Service::default() };
    let snapshot = indexed(directory);
    let model = derived(&snapshot, Model { services: vec![service], ..Model::default() });
    let found = model.endpoints.iter().map(|endpoint| {
        let [file, symbol] = place(&snapshot.project, endpoint.handler.expect("it is found in code"));
        let confidence: Confidence = endpoint.evidence.confidence;
        format!("{confidence} {} {} {file}::{symbol}", endpoint.method, endpoint.path)
    });
    let found: BTreeSet<String> = found.collect();
    let missed: Vec<_> = expected.difference(&found).collect();
    let wrong: Vec<_> = found.difference(&expected).collect();
    let name = directory.file_name().unwrap_or_default();
    match missed.is_empty() && wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("{name:?}\nmissed: {missed:#?}\nfalse: {wrong:#?}")),
    }
}

#[test]
fn every_framework_says_what_its_routes_answer() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/knowledge/cases");
    let mut directories: Vec<_> = fs::read_dir(cases)
        .expect("there are cases")
        .map(|entry| entry.expect("it is readable").path())
        .collect();
    directories.sort();
    assert!(!directories.is_empty());
    let wrong: Vec<String> = directories.iter().filter_map(|directory| check_case(directory).err()).collect();
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), directories.len(), wrong.join("\n"));
}
