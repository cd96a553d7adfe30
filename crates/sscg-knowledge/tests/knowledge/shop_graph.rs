//! Shop of `fixtures/services`, with the code graph of an index and the model of its expected values.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use sscg_core::Project;
use sscg_index::{Index, IndexOptions, Storage};
use sscg_knowledge::query::{
    ImpactRequest, check_cross_service_events, find_cross_service_impact, validate_service_boundaries,
};
use sscg_knowledge::{
    BuildOptions, BuildReport, Contract, ContractType, Entity, EventUse, KnowledgeGraph, Message,
    MessageDirection, Model, NodeData, NodeKind, Site, build,
};

use crate::support::{contract, endpoint, event, exact, operation, request, service};

#[derive(Deserialize)]
struct Truth {
    service: Vec<Root>,
    library: Vec<Root>,
    contract: Vec<ContractTruth>,
    endpoint: Vec<EndpointTruth>,
    call: Vec<CallTruth>,
    event: Vec<EventTruth>,
    entity: Vec<EntityTruth>,
    defects: Defects,
}

#[derive(Deserialize)]
struct Root {
    name: String,
    root: String,
}

#[derive(Deserialize)]
struct ContractTruth {
    service: Option<String>,
    file: String,
    #[serde(rename = "type")]
    contract_type: ContractType,
    #[serde(default)]
    sends: Vec<String>,
    #[serde(default)]
    receives: Vec<String>,
}

#[derive(Deserialize)]
struct EndpointTruth {
    service: String,
    method: String,
    path: String,
    file: Option<String>,
    #[serde(default)]
    symbol: String,
    contract: Option<String>,
    contract_path: Option<String>,
}

#[derive(Deserialize)]
struct CallTruth {
    from: String,
    file: String,
    symbol: String,
    to: String,
    method: String,
    path: String,
}

#[derive(Deserialize)]
struct EventTruth {
    name: String,
    transport: String,
    #[serde(default)]
    publisher: Vec<UseTruth>,
    #[serde(default)]
    subscriber: Vec<UseTruth>,
}

#[derive(Deserialize)]
struct UseTruth {
    service: String,
    file: String,
    symbol: String,
}

#[derive(Deserialize)]
struct EntityTruth {
    name: String,
    service: String,
    file: String,
    symbol: String,
}

#[derive(Deserialize)]
struct Defects {
    orphaned_event: String,
    unmatched_consumer: String,
    contract_without_handler: EndpointDefect,
    handler_without_contract: EndpointDefect,
    misplaced_file: Misplaced,
}

#[derive(Deserialize)]
struct EndpointDefect {
    service: String,
    method: String,
    path: String,
}

#[derive(Deserialize)]
struct Misplaced {
    file: String,
    declared_service: String,
    belongs_to: String,
}

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/services")
}

fn truth() -> Truth {
    let text = std::fs::read_to_string(fixtures().join("shop.expected.toml")).expect("the truth is there");
    toml::from_str(&text).expect("the truth is TOML of this form")
}

/// Returns the graph of the shop for a complete model.
pub(crate) fn shop() -> (KnowledgeGraph, BuildReport) {
    let options = IndexOptions::default().with_storage(Storage::Ephemeral);
    let mut index = Index::open(&fixtures().join("shop"), &options).expect("the shop is there");
    let (snapshot, _) = index.refresh().expect("memory has no limit");
    let model = model_of(&truth(), &snapshot.project);
    build(&snapshot.project, &snapshot.graph, model, &BuildOptions::default())
}

fn model_of(truth: &Truth, project: &Project) -> Model {
    let site = |file: &str, symbol: &str| -> Site {
        let symbol = project.symbols_with_key(&format!("{file}::{symbol}")).first().copied();
        let line = symbol.map_or(1, |symbol| project.symbol(symbol).name_line);
        Site { file: project.file_at(file).expect("the truth names files that are there"), symbol, line }
    };
    let mut model = Model {
        services: truth.service.iter().map(|it| service(&it.name, &it.root)).collect(),
        libraries: truth.library.iter().map(|it| it.root.as_str().into()).collect(),
        ..Model::default()
    };
    let mut contracts: BTreeMap<&str, Contract> = BTreeMap::new();
    for it in &truth.contract {
        let directions =
            [(&it.sends, MessageDirection::Publishes), (&it.receives, MessageDirection::Consumes)];
        let messages = directions.into_iter().flat_map(|(events, direction)| {
            events.iter().map(move |name| Message {
                event: name.as_str().into(),
                channel: name.as_str().into(),
                direction,
                required: Vec::new(),
            })
        });
        contracts.insert(
            &it.file,
            Contract { messages: messages.collect(), ..contract(&it.file, it.contract_type) },
        );
    }
    for it in &truth.endpoint {
        if let Some(file) = &it.contract {
            let path = it.contract_path.as_ref().unwrap_or(&it.path);
            let contract = contracts.get_mut(file.as_str()).expect("the truth lists its contracts");
            contract.operations.push(operation(&it.method, path, false));
        }
        if let Some(file) = &it.file {
            let handler = Some(site(file, &it.symbol));
            model.endpoints.push(endpoint(&it.service, &it.method, &it.path, handler));
        }
    }
    model.contracts = contracts.into_values().collect();
    for it in &truth.call {
        let unknown: Vec<&str> =
            it.path.split('/').map(|part| if part.contains('{') { "{}" } else { part }).collect();
        let site = site(&it.file, &it.symbol);
        model.requests.push(request(&it.from, site, &it.to, &it.method, &unknown.join("/")));
    }
    for it in &truth.event {
        let mut add = |uses: &[UseTruth], direction| {
            for of in uses {
                let site = Some(site(&of.file, &of.symbol));
                let found = event(&of.service, &it.name, direction, site);
                model.events.push(EventUse { transport: it.transport.as_str().into(), ..found });
            }
        };
        add(&it.publisher, MessageDirection::Publishes);
        add(&it.subscriber, MessageDirection::Consumes);
    }
    model.entities = truth
        .entity
        .iter()
        .map(|it| Entity {
            name: it.name.as_str().into(),
            description: "".into(),
            owning_service: it.service.as_str().into(),
            fields: Vec::new(),
            symbol: site(&it.file, &it.symbol).symbol,
            evidence: exact(),
        })
        .collect();
    model
}

#[test]
fn every_contract_of_the_shop_is_given_to_its_service() {
    let (graph, report) = shop();
    assert_eq!(report.errors, Vec::<String>::new());
    for it in truth().contract {
        let node = graph.get(&format!("contract::{}", it.file)).unwrap();
        assert_eq!(node.service_name(), it.service.unwrap_or_default(), "{}", it.file);
    }
}

#[test]
fn the_shop_has_one_misplaced_file() {
    let (graph, _) = shop();
    let found = validate_service_boundaries(&graph, &Default::default()).unwrap();
    let expected = truth().defects.misplaced_file;
    let [file] = &found.misplaced_files[..] else { panic!("{:#?}", found.misplaced_files) };
    assert_eq!(*file.file, *expected.file);
    assert_eq!(*file.declared_service, *expected.declared_service);
    assert_eq!(*file.community_service, *expected.belongs_to);
    assert_eq!(found.services_declared, 8);
}

#[test]
fn the_shop_has_one_orphaned_event_and_one_unmatched_consumer() {
    let (graph, _) = shop();
    let found = check_cross_service_events(&graph, &Default::default()).unwrap();
    let defects = truth().defects;
    let names = |entries: &[sscg_knowledge::query::EventEntry]| -> Vec<String> {
        entries.iter().map(|entry| entry.event_name.to_string()).collect()
    };
    assert_eq!(names(&found.orphaned_events), [defects.orphaned_event]);
    assert_eq!(names(&found.unmatched_consumers), [defects.unmatched_consumer]);
    assert_eq!(found.matched_events.len() + 2, truth().event.len());
}

#[test]
fn the_shop_has_one_dead_contract_and_one_undocumented_endpoint() {
    let (graph, _) = shop();
    let endpoints = graph.nodes_of(NodeKind::Endpoint).filter_map(|(index, node)| match node.data() {
        NodeData::Endpoint(endpoint) => Some((index, endpoint)),
        _ => None,
    });
    let (mut dead, mut undocumented) = (Vec::new(), Vec::new());
    for (index, endpoint) in endpoints {
        let id = format!("{} {} {}", endpoint.service_name, endpoint.method, endpoint.path);
        if endpoint.handler_symbol.is_empty() {
            dead.push(id.clone());
        }
        let contracts = graph.sources(index, sscg_knowledge::EdgeKind::ExposesEndpoint);
        let of_code = contracts.filter(|contract| graph.node(*contract).id().starts_with("contract::code:"));
        // Three services have no contract.
        if of_code.count() > 0 && !["inventory", "storefront", "shipping"].contains(&&*endpoint.service_name)
        {
            undocumented.push(id);
        }
    }
    let defects = truth().defects;
    let id = |it: &EndpointDefect| format!("{} {} {}", it.service, it.method, it.path);
    assert_eq!(dead, [id(&defects.contract_without_handler)]);
    assert_eq!(undocumented, [id(&defects.handler_without_contract)]);
}

#[test]
fn every_call_of_the_shop_reaches_the_endpoint_that_it_names() {
    let (graph, _) = shop();
    let truth = truth();
    let spelled: BTreeMap<_, _> = truth
        .endpoint
        .iter()
        .map(|it| ((&it.service, &it.method, &it.path), it.contract_path.as_ref().unwrap_or(&it.path)))
        .collect();
    for it in &truth.call {
        let path = spelled[&(&it.to, &it.method, &it.path)];
        let via = format!("endpoint::{}::{}::{path}", it.to, it.method);
        let from = graph.find(&format!("service::{}", it.from)).unwrap();
        let edge = graph.edges_out(from).find(|edge| edge.data.via_endpoint() == via);
        let edge = edge.unwrap_or_else(|| panic!("{} does not call {via}", it.from));
        assert_eq!(edge.evidence.confidence, sscg_core::Confidence::Exact);
    }
}

#[test]
fn a_change_in_the_shop_reaches_the_services_that_ask_for_it() {
    let (graph, _) = shop();
    let id = "symbol::services/orders/src/orders/orders.controller.ts::OrdersController.findOne";
    let request = ImpactRequest::default().with_node_id(id);
    let found = find_cross_service_impact(&graph, &request).unwrap();
    let mut services: Vec<&str> = found.impacted_services.iter().map(|it| &*it.service_name).collect();
    services.sort();
    assert_eq!(services, ["notifications", "payments", "shipping"]);
}
