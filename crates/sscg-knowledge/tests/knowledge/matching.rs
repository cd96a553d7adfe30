//! Matching of contracts, endpoints and services.

use sscg_core::{Confidence, Project};
use sscg_knowledge::{
    BuildOptions, BuildReport, Contract, ContractType, EdgeKind, KnowledgeGraph, Model, NodeData,
    ServiceDependency, Source, build,
};

use crate::support::{
    contract, edge_confidence, endpoint, evidence, has_edge, linked, operation, request, service, site,
};

const FILES: &[(&str, &str)] = &[
    ("services/users/api.py", "def show():\n    pass\n\ndef search():\n    pass\n"),
    ("services/web/client.py", "def ask():\n    pass\n"),
    ("services/web/vendored/x.py", "def f():\n    pass\n"),
];

fn graph_of(change: impl Fn(&Project, &mut Model)) -> (KnowledgeGraph, BuildReport) {
    let (project, code) = linked(FILES);
    let services = vec![service("users", "services/users"), service("web", "services/web")];
    let mut model = Model { services, ..Model::default() };
    change(&project, &mut model);
    build(&project, &code, model, &BuildOptions::default())
}

fn provider(of: Contract) -> (String, Option<Source>) {
    let (graph, _) = graph_of(|project, model| {
        let show = Some(site(project, "services/users/api.py::show"));
        model.endpoints.push(endpoint("users", "GET", "/users/{id}", show));
        model.contracts.push(of.clone());
    });
    let node = graph.find(&format!("contract::{}", of.file)).unwrap();
    let edge = graph.edges_in(node).next();
    (graph.node(node).service_name().to_owned(), edge.map(|edge| edge.evidence.source))
}

fn lists(file: &str, operations: &[&str]) -> Contract {
    let operations = operations.iter().map(|path| operation("GET", path, false)).collect();
    Contract { operations, ..contract(file, ContractType::OpenApi) }
}

#[test]
fn a_contract_is_of_the_service_that_it_names() {
    let named = Contract { service: Some("users".into()), ..lists("services/web/api.yaml", &[]) };
    assert_eq!(provider(named), ("users".into(), Some(Source::Contract)));
}

#[test]
fn a_contract_is_of_the_service_where_it_stands() {
    assert_eq!(
        provider(lists("services/web/api.yaml", &["/users/{id}"])),
        ("web".into(), Some(Source::Layout))
    );
    assert_eq!(provider(lists("contracts/web-service/v1.yaml", &[])), ("web".into(), Some(Source::Layout)));
}

#[test]
fn a_contract_is_of_the_service_that_it_is_called_like_or_that_answers_it() {
    let titled = Contract { hints: vec!["Users API".into()], ..lists("api.yaml", &[]) };
    assert_eq!(provider(titled), ("users".into(), Some(Source::Name)));
    assert_eq!(provider(lists("api.yaml", &["/users/{userId}"])), ("users".into(), Some(Source::Code)));
    let mostly_others = lists("api.yaml", &["/users/{id}", "/a", "/b"]);
    assert_eq!(provider(mostly_others), (String::new(), None));
}

#[test]
fn a_contract_that_names_an_unknown_service_is_told_of() {
    let (_, report) = graph_of(|_, model| {
        let named = Contract { service: Some("nobody".into()), ..lists("services/web/api.yaml", &[]) };
        model.contracts.push(named);
    });
    assert!(report.errors.iter().any(|error| error.contains("`nobody`")), "{:?}", report.errors);
}

#[test]
fn files_of_nested_libraries_belong_to_no_service() {
    let (graph, _) = graph_of(|_, model| model.libraries.push("services/web/vendored".into()));
    assert_eq!(graph.get("file::services/web/vendored/x.py").unwrap().service_name(), "");
    assert_eq!(graph.get("file::services/web/client.py").unwrap().service_name(), "web");
}

#[test]
fn a_nested_service_has_its_own_files() {
    let (graph, _) = graph_of(|_, model| model.services.push(service("inner", "services/web/vendored")));
    assert_eq!(graph.get("file::services/web/vendored/x.py").unwrap().service_name(), "inner");
}

/// Returns the endpoints of the service `users` that a request of `web` for this path resolves to.
fn called(path: &str) -> Vec<(String, Confidence)> {
    let (graph, _) = graph_of(|project, model| {
        for path in
            ["/users/{id}", "/users/search", "/users/{id}/{part}", "/files/v{version}", "/files/{name}"]
        {
            model.endpoints.push(endpoint("users", "GET", path, None));
        }
        model.endpoints.push(endpoint("users", "POST", "/users/{id}", None));
        let ask = site(project, "services/web/client.py::ask");
        model.requests.push(request("web", ask, "users", "GET", path));
    });
    let web = graph.find("service::web").unwrap();
    let calls = graph.edges_out(web).filter(|edge| edge.kind == EdgeKind::ServiceCalls);
    calls.map(|edge| (edge.data.via_endpoint().to_owned(), edge.evidence.confidence)).collect()
}

#[test]
fn a_request_calls_the_endpoint_that_shares_most_of_its_text() {
    let users = |path: &str, confidence| vec![(format!("endpoint::users::GET::{path}"), confidence)];
    assert_eq!(called("/users/{}"), users("/users/{id}", Confidence::Exact));
    assert_eq!(called("/users/search"), users("/users/search", Confidence::Exact));
    assert_eq!(called("/users/7"), users("/users/{id}", Confidence::Exact));
    assert_eq!(called("/users/{}/{}"), users("/users/{id}/{part}", Confidence::Exact));
    assert_eq!(called("/{}/search"), users("/users/search", Confidence::Inferred));
}

#[test]
fn a_request_that_fits_several_endpoints_equally_is_ambiguous() {
    let found = called("/files/{}");
    assert!(found.len() == 2 && found.iter().all(|(_, sure)| *sure == Confidence::Ambiguous), "{found:?}");
}

#[test]
fn a_request_that_fits_no_endpoint_is_at_most_inferred() {
    assert_eq!(called("/nowhere"), [(String::new(), Confidence::Inferred)]);
}

#[test]
fn code_that_answers_every_method_answers_each_that_a_contract_lists() {
    let (graph, _) = graph_of(|project, model| {
        let operations = vec![operation("GET", "/x", false), operation("PUT", "/x/", false)];
        model.contracts.push(Contract { operations, ..lists("services/users/api.yaml", &[]) });
        let show = Some(site(project, "services/users/api.py::show"));
        model.endpoints.push(endpoint("users", "ANY", "/x", show));
    });
    let show = "symbol::services/users/api.py::show";
    for id in ["endpoint::users::GET::/x", "endpoint::users::PUT::/x/"] {
        assert!(has_edge(&graph, show, EdgeKind::HandlesEndpoint, id), "{id}");
    }
    assert!(graph.find("endpoint::users::ANY::/x").is_none());
}

#[test]
fn the_surest_of_several_handlers_is_named_and_all_are_joined() {
    let (graph, _) = graph_of(|project, model| {
        let handler = |name: &str| Some(site(project, &format!("services/users/api.py::{name}")));
        let mut unsure = endpoint("users", "GET", "/x", handler("search"));
        unsure.evidence = evidence(Confidence::Ambiguous, Source::Code, "");
        model.endpoints.extend([unsure, endpoint("users", "GET", "/x", handler("show"))]);
    });
    let endpoint = "endpoint::users::GET::/x";
    for (name, sure) in [("search", Confidence::Ambiguous), ("show", Confidence::Exact)] {
        let symbol = format!("symbol::services/users/api.py::{name}");
        assert_eq!(edge_confidence(&graph, &symbol, EdgeKind::HandlesEndpoint, endpoint), Some(sure));
    }
    let NodeData::Endpoint(endpoint) = graph.get(endpoint).unwrap().data() else { panic!() };
    assert_eq!(&*endpoint.handler_symbol, "symbol::services/users/api.py::show");
}

#[test]
fn code_outside_of_any_declaration_answers_by_its_file() {
    let (graph, _) = graph_of(|project, model| {
        let show = site(project, "services/users/api.py::show");
        let inline = sscg_knowledge::Site { symbol: None, ..show };
        model.endpoints.push(endpoint("users", "GET", "/x", Some(inline)));
    });
    let file = "file::services/users/api.py";
    assert!(has_edge(&graph, file, EdgeKind::HandlesEndpoint, "endpoint::users::GET::/x"));
}

#[test]
fn a_declared_dependency_is_an_ambiguous_call_unless_a_call_is_known() {
    let dependency = |from: &str, to: &str| ServiceDependency {
        from: from.into(),
        to: to.into(),
        evidence: evidence(Confidence::Ambiguous, Source::Manifest, "compose.yaml"),
    };
    let (graph, _) = graph_of(|project, model| {
        let ask = site(project, "services/web/client.py::ask");
        model.requests.push(request("web", ask, "users", "GET", "/users/1"));
        model.dependencies = vec![dependency("web", "users"), dependency("users", "web")];
    });
    let calls = |from: &str, to: &str| {
        let edges = graph.edges().iter().filter(|edge| edge.kind == EdgeKind::ServiceCalls);
        let ends = [from, to].map(|name| graph.find(&format!("service::{name}")).unwrap());
        let edges = edges.filter(|edge| [edge.source, edge.target] == ends);
        edges.map(|edge| (edge.evidence.source, edge.evidence.confidence)).collect::<Vec<_>>()
    };
    assert_eq!(calls("users", "web"), [(Source::Manifest, Confidence::Ambiguous)]);
    assert_eq!(calls("web", "users").len(), 1);
    assert_ne!(calls("web", "users")[0].0, Source::Manifest);
}

#[test]
fn languages_without_references_are_counted_in_the_report() {
    let (project, code) = linked(&[
        ("web/View.kt", "fun show() {}\n"),
        ("web/a.py", "def f(): pass\n"),
        ("web/web.proto", "service Web {}\n"),
    ]);
    let model = Model { services: vec![service("web", "web")], ..Model::default() };
    let (_, report) = build(&project, &code, model, &BuildOptions::default());
    assert_eq!(report.declarations_only, [("kotlin".into(), 1)].into());
}
