//! Graph build from a model and a code graph.

use sscg_core::Confidence;
use sscg_knowledge::{
    BuildOptions, Contract, ContractType, EdgeKind, KnowledgeGraph, KnowledgeSnapshot, Model, NodeData,
    NodeKind, Problem, build,
};

use crate::support::{self, FILES, built, edge_confidence, has_edge, linked, model, operation, service};

fn ids_of(kind: NodeKind) -> Vec<String> {
    let (graph, _) = built();
    let mut ids: Vec<String> = graph.nodes_of(kind).map(|(_, node)| node.id().to_owned()).collect();
    ids.sort();
    ids
}

#[test]
fn build_creates_service_nodes() {
    assert_eq!(ids_of(NodeKind::Service), ["service::orders", "service::payments", "service::shipping"]);
    let (graph, report) = built();
    let json = serde_json::to_value(graph.node_record(graph.find("service::orders").unwrap())).unwrap();
    assert_eq!(
        (&json["domain"], &json["stack"]),
        (&"sales".into(), &"{\"language\":[\"typescript\"]}".into())
    );
    assert_eq!(report.services_indexed, ["orders", "payments", "shipping"].map(Box::from));
}

#[test]
fn build_creates_file_nodes_from_digraph() {
    assert_eq!(ids_of(NodeKind::File).len(), FILES.len());
    let (graph, _) = built();
    let file = "file::services/orders/src/clients.ts";
    assert!(has_edge(&graph, "service::orders", EdgeKind::ContainsFile, file));
    assert_eq!(graph.get(file).unwrap().service_name(), "orders");
    assert_eq!(graph.get("file::shared/log.ts").unwrap().service_name(), "");
}

#[test]
fn build_creates_symbol_nodes_from_db() {
    let (graph, _) = built();
    let id = "symbol::services/payments/src/payments.ts::Payment.capture";
    let NodeData::Symbol(symbol) = graph.get(id).unwrap().data() else { panic!() };
    assert_eq!((&*symbol.symbol_name, symbol.kind.as_str()), ("Payment.capture", "method"));
    assert_eq!((symbol.line_start, &*symbol.service_name), (5, "payments"));
    assert!(symbol.signature.contains("capture()"));
    assert!(has_edge(&graph, "file::services/payments/src/payments.ts", EdgeKind::DefinesSymbol, id));
}

#[test]
fn symbols_of_one_name_in_a_file_have_ids_of_their_own_and_the_type_the_plain_one() {
    let text = "impl Cart { fn add(&self) {} }\npub struct Cart;\nimpl Clone for Cart { fn clone(&self) -> Cart { Cart } }\n";
    let (project, code) = linked(&[("src/cart.rs", text)]);
    let (graph, _) = build(&project, &code, Default::default(), &BuildOptions::default());
    let kind = |id: &str| match graph.get(id).map(|node| node.data()) {
        Some(NodeData::Symbol(symbol)) => symbol.kind.as_str(),
        other => panic!("{id}: {other:?}"),
    };
    assert_eq!(kind("symbol::src/cart.rs::Cart"), "struct");
    assert_eq!(kind("symbol::src/cart.rs::Cart~2"), "impl");
    assert_eq!(kind("symbol::src/cart.rs::Cart~3"), "impl");
    assert_eq!(graph.nodes_of(NodeKind::Symbol).count(), project.symbol_count());
}

#[test]
fn what_code_does_becomes_edges_of_symbols_and_files() {
    let (graph, _) = built();
    let payments = |name: &str| format!("symbol::services/payments/src/payments.ts::{name}");
    let orders = |name: &str| format!("symbol::services/orders/src/orders.ts::{name}");
    assert!(has_edge(&graph, &payments("onOrderPlaced"), EdgeKind::Calls, &payments("createPayment")));
    // A constructor call counts as a call.
    assert!(has_edge(&graph, &payments("createPayment"), EdgeKind::Calls, &payments("CardPayment")));
    assert!(has_edge(&graph, &payments("CardPayment"), EdgeKind::Inherits, &payments("Payment")));
    assert!(has_edge(&graph, &payments("Payment"), EdgeKind::Implements, &payments("Capturable")));
    assert!(has_edge(
        &graph,
        &orders("createOrder"),
        EdgeKind::Calls,
        "symbol::services/orders/src/clients.ts::charge"
    ));
    let import = graph
        .edges_out(graph.find("file::services/shipping/src/shipping.ts").unwrap())
        .find(|edge| edge.kind == EdgeKind::Imports)
        .unwrap();
    assert_eq!(graph.node(import.target).id(), "file::services/payments/src/payments.ts");
    let record = serde_json::to_value(graph.edge_record(import)).unwrap();
    assert_eq!(record["imported_names"], "[\"Money\",\"createPayment\"]");
    assert_eq!((&record["confidence"], &record["line"]), (&"exact".into(), &1.into()));
}

#[test]
fn build_creates_contract_nodes() {
    let (graph, _) = built();
    let contract = |id: &str| match graph.get(id).unwrap().data() {
        NodeData::Contract(contract) => {
            (contract.contract_type.as_str(), contract.service_name.to_string(), contract.status.to_string())
        }
        other => panic!("{other:?}"),
    };
    let active = || "active".to_owned();
    assert_eq!(contract("contract::contracts/orders/openapi.yaml"), ("openapi", "orders".into(), active()));
    assert_eq!(contract("contract::contracts/orders/asyncapi.yaml"), ("asyncapi", "orders".into(), active()));
    // No provider is known.
    let schema = "contract::contracts/schemas/total.schema.json";
    assert_eq!(contract(schema), ("json_schema", String::new(), active()));
    assert_eq!(graph.edges_in(graph.find(schema).unwrap()).len(), 0);
    // The payments have endpoints without a contract.
    assert_eq!(contract("contract::code:payments"), ("code", "payments".into(), active()));
    assert!(has_edge(&graph, "service::payments", EdgeKind::ProvidesContract, "contract::code:payments"));
    assert!(graph.find("contract::code:orders").is_none());
}

#[test]
fn build_creates_endpoint_nodes_from_openapi() {
    let expected = [
        "endpoint::orders::GET::/orders/{orderId}",
        "endpoint::orders::POST::/orders",
        "endpoint::orders::POST::/orders/{orderId}/returns",
        "endpoint::payments::POST::/payments",
    ];
    assert_eq!(ids_of(NodeKind::Endpoint), expected);
    let (graph, _) = built();
    let contract = "contract::contracts/orders/openapi.yaml";
    for id in &expected[..3] {
        assert!(has_edge(&graph, contract, EdgeKind::ExposesEndpoint, id));
    }
    assert!(has_edge(&graph, "contract::code:payments", EdgeKind::ExposesEndpoint, expected[3]));
}

#[test]
fn build_matches_handlers_to_endpoints() {
    let (graph, _) = built();
    let get_order = "symbol::services/orders/src/orders.ts::getOrder";
    // The contract calls the parameter `orderId`, the code calls it `id`.
    let endpoint = "endpoint::orders::GET::/orders/{orderId}";
    assert!(has_edge(&graph, get_order, EdgeKind::HandlesEndpoint, endpoint));
    let handler = |id: &str| match graph.get(id).unwrap().data() {
        NodeData::Endpoint(endpoint) => endpoint.handler_symbol.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(handler(endpoint), get_order);
    assert_eq!(handler("endpoint::orders::POST::/orders/{orderId}/returns"), "");
}

#[test]
fn build_creates_domain_entity_nodes() {
    assert_eq!(ids_of(NodeKind::DomainEntity), ["domain_entity::Order", "domain_entity::Payment"]);
    let (graph, _) = built();
    let json = serde_json::to_value(graph.node_record(graph.find("domain_entity::Order").unwrap())).unwrap();
    let fields: serde_json::Value = serde_json::from_str(json["fields_json"].as_str().unwrap()).unwrap();
    assert_eq!((&fields[0]["name"], &fields[1]["type"]), (&"id".into(), &"number".into()));
    assert!(has_edge(&graph, "service::orders", EdgeKind::OwnsEntity, "domain_entity::Order"));
    let related = EdgeKind::DomainRelationship;
    assert!(has_edge(&graph, "domain_entity::Order", related, "domain_entity::Payment"));
    // An entity of the orders has a relationship with one of the payments.
    assert!(has_edge(&graph, "service::orders", EdgeKind::ReferencesEntity, "domain_entity::Payment"));
}

#[test]
fn build_matches_symbols_to_entities() {
    let (graph, _) = built();
    let sure = |symbol: &str, entity: &str| {
        edge_confidence(&graph, &format!("symbol::services/{symbol}"), EdgeKind::ImplementsEntity, entity)
    };
    let order = "domain_entity::Order";
    assert_eq!(sure("orders/src/orders.ts::Order", order), Some(Confidence::Exact));
    assert_eq!(sure("orders/src/orders.ts::OrderRepository", order), Some(Confidence::Inferred));
    let payment = "domain_entity::Payment";
    assert_eq!(sure("payments/src/payments.ts::Payment", payment), Some(Confidence::Inferred));
    assert_eq!(sure("payments/src/payments.ts::CardPayment", payment), None);
    // The type of another service is a use of the entity, not the entity.
    assert_eq!(sure("shipping/src/shipping.ts::OrderModel", order), None);
    assert!(has_edge(&graph, "service::shipping", EdgeKind::ReferencesEntity, order));
}

#[test]
fn build_creates_event_nodes() {
    let names = ["cart.updated", "order.lost", "order.placed", "refund.issued"];
    assert_eq!(ids_of(NodeKind::Event), names.map(|name| format!("event::{name}")));
    let (graph, _) = built();
    assert!(has_edge(&graph, "service::orders", EdgeKind::PublishesEvent, "event::order.placed"));
    assert!(has_edge(&graph, "service::payments", EdgeKind::ConsumesEvent, "event::order.placed"));
    let NodeData::Event(event) = graph.get("event::order.placed").unwrap().data() else { panic!() };
    assert_eq!(event.required_fields, ["order_id", "total"].map(Box::from));
    // Code and contract both publish the event; there is one edge.
    let published = graph.edges_in(graph.find("event::order.placed").unwrap());
    let sites: Vec<String> = published
        .filter(|edge| edge.kind == EdgeKind::PublishesEvent)
        .flat_map(|edge| edge.data.sites().iter().map(ToString::to_string))
        .collect();
    assert_eq!(sites, ["contracts/orders/asyncapi.yaml", "symbol::services/orders/src/orders.ts::announce"]);
}

fn calls(graph: &KnowledgeGraph, from: &str) -> Vec<(String, String, u32, Confidence)> {
    let mut calls: Vec<_> = graph
        .edges_out(graph.find(from).unwrap())
        .filter(|edge| edge.kind == EdgeKind::ServiceCalls)
        .map(|edge| {
            let import_count = match &edge.data {
                sscg_knowledge::EdgeData::ServiceCall { import_count, .. } => *import_count,
                other => panic!("{other:?}"),
            };
            let target = graph.node(edge.target).id().to_owned();
            (target, edge.data.via_endpoint().to_owned(), import_count, edge.evidence.confidence)
        })
        .collect();
    calls.sort();
    calls
}

#[test]
fn build_creates_service_calls_edges() {
    let (graph, _) = built();
    let (exact, inferred) = (Confidence::Exact, Confidence::Inferred);
    let (orders, payments) = ("service::orders".to_owned(), "service::payments".to_owned());
    let pay = "endpoint::payments::POST::/payments".to_owned();
    assert_eq!(calls(&graph, "service::orders"), [(payments.clone(), pay.clone(), 0, exact)]);
    let get = "endpoint::orders::GET::/orders/{orderId}".to_owned();
    assert_eq!(calls(&graph, "service::payments"), [(orders.clone(), get, 0, exact)]);
    // A request that matches no endpoint, and an import of code that handles one.
    let expected = [(orders, String::new(), 0, inferred), (payments, pay, 1, inferred)];
    assert_eq!(calls(&graph, "service::shipping"), expected);
}

#[test]
fn shared_code_makes_no_service_depend_on_another() {
    let files = [
        ("a/x.ts", "import { f } from '../b/utils/f';\nimport { g } from '../b/library/g';\nf(); g();\n"),
        ("b/utils/f.ts", "export function f() {}\n"),
        ("b/library/g.ts", "export function g() {}\n"),
    ];
    let (project, code) = linked(&files);
    let services = vec![service("a", "a"), service("b", "b")];
    let model = sscg_knowledge::Model { services, ..Default::default() };
    let (graph, _) = build(&project, &code, model, &BuildOptions::default());
    // `library` is not `lib`: one import counts, the other does not.
    let inferred = Confidence::Inferred;
    assert_eq!(calls(&graph, "service::a"), [("service::b".to_owned(), String::new(), 1, inferred)]);
}

#[test]
fn build_persists_snapshot() {
    let (graph, report) = built();
    let text = KnowledgeSnapshot { graph, report: report.clone() }.to_json();
    let read = KnowledgeSnapshot::from_json(&text).unwrap();
    assert_eq!((read.graph.node_count(), read.report), (report.node_count, report));
}

#[test]
fn build_computes_pagerank() {
    let (graph, _) = built();
    assert!(graph.nodes().iter().all(|node| node.pagerank() > 0.0));
}

#[test]
fn build_computes_communities() {
    let (graph, report) = built();
    let ids: std::collections::BTreeSet<u32> =
        graph.nodes().iter().map(|node| node.community_id().unwrap()).collect();
    assert_eq!(ids.len(), report.community_count);
}

#[test]
fn full_build_pipeline_integration() {
    let (graph, report) = built();
    assert!(report.success && report.errors.is_empty(), "{report:?}");
    assert_eq!((report.node_count, report.edge_count), (graph.node_count(), graph.edge_count()));
    assert_eq!(report.node_types.values().sum::<usize>(), report.node_count);
    assert_eq!(report.edge_types.values().sum::<usize>(), report.edge_count);
    for kind in NodeKind::ALL {
        assert!(report.node_types.contains_key(kind), "{kind}");
    }
    for kind in EdgeKind::ALL {
        assert!(report.edge_types.contains_key(kind), "{kind}");
    }
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(
        (&json["node_types"]["service"], &json["edge_types"]["CONSUMES_EVENT"]),
        (&3.into(), &3.into())
    );
}

#[test]
fn the_same_project_gives_the_same_graph() {
    let (first, second) = (built().0.to_json(), built().0.to_json());
    assert_eq!(first, second);
}

#[test]
fn what_names_unknown_services_is_an_error_and_the_rest_is_built() {
    let (project, code) = linked(FILES);
    let mut model = model(&project);
    model.services.retain(|service| &*service.name != "payments");
    model.services.push(service("orders", "services/elsewhere"));
    model.errors.push(Problem::new("broken.yaml", "not YAML").at(3));
    let (graph, report) = build(&project, &code, model, &BuildOptions::default());
    assert!(graph.find("service::payments").is_none() && graph.find("event::order.placed").is_some());
    let told =
        |part: &str| assert!(report.errors.iter().any(|error| error.contains(part)), "{:?}", report.errors);
    told("broken.yaml:3: not YAML");
    told("`payments`, which there is not");
    told("another service `orders`");
}

#[test]
fn declared_providers_of_protocol_buffers_have_their_calls_as_endpoints() {
    let (project, code) = linked(&[("cart/main.go", "package main\n")]);
    let file = "protos/cart.proto";
    let operations = vec![operation("GRPC", "/shop.Cart/AddItem", false)];
    let undeclared = Contract { operations, ..support::contract(file, ContractType::Protobuf) };
    for (service_name, is_listed) in [(Some("cart".into()), true), (None, false)] {
        let contracts = vec![Contract { service: service_name, ..undeclared.clone() }];
        let model = Model { services: vec![service("cart", "cart")], contracts, ..Model::default() };
        let (graph, _) = build(&project, &code, model, &BuildOptions::default());
        assert_eq!(graph.get("endpoint::cart::GRPC::/shop.Cart/AddItem").is_some(), is_listed);
    }
}
