//! Queries on a graph.

use sscg_core::Confidence;
use sscg_format::O200k;
use sscg_knowledge::graph::{ContractNode, InteractionSite};
use sscg_knowledge::query::{
    BoundariesRequest, EventsRequest, HybridSearchRequest, ImpactRequest, NeighborhoodRequest, QueryError,
    ServiceContextRequest, check_cross_service_events, find_cross_service_impact, get_service_context,
    hybrid_search, query_graph_neighborhood, validate_service_boundaries,
};
use sscg_knowledge::{ContractType, EdgeData, EdgeKind, KnowledgeGraph};

use crate::support::{
    Words, add_endpoint, add_event, add_service, add_symbol, built, exact, join, join_event,
};

fn context(service: &str) -> Result<sscg_knowledge::query::ServiceContext, QueryError> {
    let request = ServiceContextRequest::default().with_service_name(service);
    get_service_context(&built().0, &request, &O200k)
}

#[test]
fn get_service_context_returns_all_sections() {
    let orders = context("orders").unwrap();
    let provided: Vec<(&str, &str, &str)> =
        orders.provided_endpoints.iter().map(|it| (&*it.method, &*it.path, &*it.handler)).collect();
    let expected = [
        ("POST", "/orders", "createOrder"),
        ("GET", "/orders/{orderId}", "getOrder"),
        // Listed by the contract, without a handler.
        ("POST", "/orders/{orderId}/returns", ""),
    ];
    assert_eq!(provided, expected);
    assert_eq!(&*orders.provided_endpoints[0].contract_id, "contracts/orders/openapi.yaml");
    let consumed = &orders.consumed_endpoints[0];
    assert_eq!(
        (&*consumed.method, &*consumed.path, &*consumed.provider_service),
        ("POST", "/payments", "payments")
    );
    assert_eq!(&*consumed.called_from[0], "symbol::services/orders/src/clients.ts::charge");
    let published: Vec<&str> = orders.events_published.iter().map(|it| &*it.event_name).collect();
    assert_eq!(published, ["cart.updated", "order.lost", "order.placed"]);
    assert_eq!(&*orders.owned_entities[0].name, "Order");
    assert_eq!(orders.owned_entities[0].fields.len(), 2);
    assert_eq!(&*orders.referenced_entities[0].owning_service, "payments");
    assert_eq!(orders.depends_on, ["payments"].map(Box::from));
    assert_eq!(orders.depended_on_by, ["payments", "shipping"].map(Box::from));
    assert!(orders.context_text.contains("createOrder"));
    let payments = context("payments").unwrap();
    let consumed: Vec<(&str, &str)> =
        payments.events_consumed.iter().map(|it| (&*it.event_name, &*it.publisher_service)).collect();
    assert_eq!(consumed, [("order.placed", "orders"), ("refund.issued", "")]);
    assert!(payments.consumed_endpoints[0].secured);
}

#[test]
fn what_is_not_asked_for_is_not_told() {
    let request = ServiceContextRequest::default()
        .with_service_name("orders")
        .with_include_consumed_apis(false)
        .with_include_provided_apis(false)
        .with_include_events(false)
        .with_include_entities(false)
        .with_include_dependencies(false);
    let orders = get_service_context(&built().0, &request, &O200k).unwrap();
    let mut expected = sscg_knowledge::query::ServiceContext::default();
    expected.service_name = "orders".into();
    expected.context_text = orders.context_text.clone();
    assert_eq!(orders, expected);
    assert_eq!(orders.context_text, "## Service Context: orders\n");
}

#[test]
fn services_further_away_are_told_of_as_far_as_is_asked() {
    let mut graph = KnowledgeGraph::new();
    let services: Vec<_> = ["a", "b", "c", "d"].iter().map(|name| add_service(&mut graph, name)).collect();
    for pair in services.windows(2) {
        join(&mut graph, pair[0], EdgeKind::ServiceCalls, pair[1]);
    }
    let beyond = |max_depth| {
        let request = ServiceContextRequest::default().with_service_name("a").with_max_depth(max_depth);
        let context = get_service_context(&graph, &request, &O200k).unwrap();
        assert_eq!(context.depends_on, ["b"].map(Box::from));
        let beyond = context.transitive_dependencies.iter();
        beyond.map(|it| (it.service_name.to_string(), it.distance)).collect::<Vec<_>>()
    };
    assert_eq!(beyond(1), []);
    assert_eq!(beyond(2), [("c".into(), 2)]);
    assert_eq!(beyond(9), [("c".into(), 2), ("d".into(), 3)]);
}

#[test]
fn get_service_context_unknown_service_returns_error() {
    let error = context("order").unwrap_err();
    assert_eq!(error.did_you_mean[0], "orders");
    assert_eq!(serde_json::to_value(&error).unwrap()["error"], "the graph has no service `order`");
    assert_eq!(error.hint().unwrap(), "did you mean orders?");
    // No name is similar, and there are few.
    assert_eq!(context("zzz").unwrap_err().did_you_mean.len(), 3);
}

#[test]
fn query_graph_neighborhood_shows_the_nearest_first_and_says_what_it_left_out() {
    let (graph, _) = built();
    let ask = |change: &dyn Fn(&mut NeighborhoodRequest)| {
        let mut request = NeighborhoodRequest::default().with_node_id("service::orders");
        change(&mut request);
        query_graph_neighborhood(&graph, &request).unwrap()
    };
    let all = ask(&|request| request.max_nodes = 1000);
    assert_eq!(&*all.center_node.id, "service::orders");
    assert_eq!(all.nodes[0], all.center_node);
    assert!(!all.truncated && all.nodes.len() == all.total_nodes_in_neighborhood);
    let few = ask(&|request| request.max_nodes = 4);
    assert!(few.truncated && few.total_nodes_in_neighborhood == all.nodes.len());
    assert_eq!(few.nodes[..], all.nodes[..4]);
    let shown = |id: &str| few.nodes.iter().any(|node| *node.id == *id);
    assert!(few.edges.iter().all(|edge| shown(&edge.source) && shown(&edge.target)));
    // Nodes in between are not shown, but paths lead through them.
    let events = ask(&|request| request.filter_node_types = "event, endpoint".into());
    let ids: Vec<&str> = events.nodes.iter().map(|node| &*node.id).collect();
    assert!(
        ids.contains(&"endpoint::orders::POST::/orders") && ids.contains(&"event::order.placed"),
        "{ids:?}"
    );
    assert!(!ids.iter().any(|id| id.starts_with("contract::")));
    let published = ask(&|request| request.filter_edge_types = "PUBLISHES_EVENT".into());
    assert_eq!(published.nodes.len(), 4);
    assert!(published.edges.iter().all(|edge| edge.relation == EdgeKind::PublishesEvent));
}

#[test]
fn questions_that_make_no_sense_say_what_would() {
    let (graph, _) = built();
    let neighborhood = |request| query_graph_neighborhood(&graph, &request).unwrap_err();
    let request = |node: &str| NeighborhoodRequest::default().with_node_id(node);
    assert_eq!(neighborhood(request("orders")).did_you_mean, ["service::orders"]);
    assert_eq!(neighborhood(request("service::order")).did_you_mean[0], "service::orders");
    let kinds = request("service::orders").with_filter_node_types("services");
    assert!(neighborhood(kinds).did_you_mean.contains(&"domain_entity".to_owned()));
    let none = request("service::orders").with_max_nodes(0);
    assert!(neighborhood(none).error.contains("max_nodes"));
    let search = |change: &dyn Fn(&mut HybridSearchRequest)| {
        let mut request = HybridSearchRequest::default().with_query("orders");
        change(&mut request);
        hybrid_search(&graph, &request, &Words).unwrap_err().error
    };
    assert!(search(&|request| request.semantic_weight = 1.5).contains("semantic_weight"));
    assert!(search(&|request| request.graph_weight = f64::NAN).contains("graph_weight"));
    assert!(
        search(&|request| (request.semantic_weight, request.graph_weight) = (0.0, 0.0)).contains("both 0")
    );
    assert!(search(&|request| request.query = " ".into()).contains("query"));
    assert!(search(&|request| request.n_results = 0).contains("n_results"));
    assert!(search(&|request| request.service_name = "nobody".into()).contains("nobody"));
    assert!(search(&|request| request.anchor_node_id = "file::none".into()).contains("file::none"));
    for resolution in [0.0, -1.0, f64::INFINITY] {
        let error =
            validate_service_boundaries(&graph, &BoundariesRequest::default().with_resolution(resolution))
                .unwrap_err();
        assert!(error.error.contains("resolution"));
    }
    let request: Result<ImpactRequest, _> = serde_json::from_str(r#"{"node": "x"}"#);
    assert!(request.unwrap_err().to_string().contains("unknown field"));
}

fn impact(node: &str, max_depth: u32) -> sscg_knowledge::query::CrossServiceImpact {
    let request = ImpactRequest::default().with_node_id(node).with_max_depth(max_depth);
    find_cross_service_impact(&built().0, &request).unwrap()
}

fn services(impact: &sscg_knowledge::query::CrossServiceImpact) -> Vec<&str> {
    impact.impacted_services.iter().map(|service| &*service.service_name).collect()
}

#[test]
fn find_cross_service_impact_finds_impacted_services() {
    let get_order = impact("symbol::services/orders/src/orders.ts::getOrder", 3);
    assert_eq!((&*get_order.source_service, services(&get_order)), ("orders", vec!["payments"]));
    let expected = [
        "symbol::services/orders/src/orders.ts::getOrder",
        "endpoint::orders::GET::/orders/{orderId}",
        "symbol::services/payments/src/payments.ts::onOrderPlaced",
    ];
    assert_eq!(get_order.impacted_services[0].impact_paths, [expected.map(Box::from)]);
    assert_eq!(&*get_order.impacted_services[0].confidence, "exact");
    let contract = &get_order.impacted_contracts[0];
    assert_eq!(&*contract.contract_id, "contracts/orders/openapi.yaml");
    assert_eq!(contract.endpoints_affected, [expected[1].into()]);
    assert!(get_order.impacted_entities.is_empty());
    assert_eq!(get_order.dependent_files, ["services/payments/src/payments.ts".into()]);
    // Through an endpoint, and through imported code.
    let create = impact("symbol::services/payments/src/payments.ts::createPayment", 3);
    assert_eq!(services(&create), ["shipping", "orders"]);
}

#[test]
fn a_change_travels_with_events_to_who_listens() {
    let announce = impact("symbol::services/orders/src/orders.ts::announce", 2);
    let expected = [
        "symbol::services/orders/src/orders.ts::announce",
        "event::order.placed",
        "symbol::services/payments/src/payments.ts::onOrderPlaced",
    ];
    assert_eq!(announce.impacted_services[0].impact_paths, [expected.map(Box::from)]);
    // `cart.updated` stays within the process, although another service has an event with this name.
    assert_eq!(services(&announce), ["payments"]);
}

#[test]
fn a_change_of_a_type_reaches_the_code_in_files_that_import_it() {
    let money = impact("symbol::services/payments/src/payments.ts::Money", 1);
    let [shipping] = &money.impacted_services[..] else { panic!("{money:?}") };
    let paths: Vec<&str> = shipping.impact_paths.iter().map(|path| &**path.last().unwrap()).collect();
    assert_eq!(paths[0], "file::services/shipping/src/shipping.ts");
    // The file and all of its symbols; no edge shows which of them use the type.
    assert_eq!((shipping.impact_count, &*shipping.confidence), (6, "exact"));
    let file = impact("file::services/payments/src/payments.ts", 1);
    assert!(services(&file).contains(&"shipping"));
}

#[test]
fn what_code_uses_is_not_impacted_by_it() {
    let ship = impact("symbol::services/shipping/src/shipping.ts::ship", 5);
    assert_eq!((services(&ship), ship.total_impacted_nodes), (vec![], 0));
    let service = impact("service::shipping", 5);
    assert!(services(&service).is_empty());
}

#[test]
fn a_change_of_an_entitys_type_names_the_entity() {
    let order = impact("symbol::services/orders/src/orders.ts::Order", 1);
    let entities: Vec<(&str, &str)> =
        order.impacted_entities.iter().map(|it| (&*it.entity_name, &*it.owning_service)).collect();
    assert_eq!(entities, [("Order", "orders")]);
}

#[test]
fn find_cross_service_impact_respects_max_depth() {
    let create = "symbol::services/payments/src/payments.ts::createPayment";
    let depths = [0, 1, 2, 3].map(|depth| impact(create, depth).total_impacted_nodes);
    assert!(depths[0] == 0 && depths.is_sorted_by(|a, b| a < b), "{depths:?}");
    // The endpoint is one step away, its callers two.
    assert!(!services(&impact(create, 1)).contains(&"orders"));
    assert!(services(&impact(create, 2)).contains(&"orders"));
}

fn events(service: &str) -> sscg_knowledge::query::EventValidation {
    check_cross_service_events(&built().0, &EventsRequest::default().with_service_name(service)).unwrap()
}

fn names(entries: &[sscg_knowledge::query::EventEntry]) -> Vec<&str> {
    entries.iter().map(|entry| &*entry.event_name).collect()
}

#[test]
fn check_cross_service_events_finds_orphaned() {
    let found = events("");
    assert_eq!(names(&found.orphaned_events), ["cart.updated", "order.lost"]);
    let lost = &found.orphaned_events[1];
    assert_eq!((&*lost.channel, &*lost.transport, &*lost.confidence), ("bus", "kafka", "exact"));
    assert_eq!((lost.publishers.len(), lost.consumers.len()), (1, 0));
    assert_eq!(lost.sites, ["symbol::services/orders/src/orders.ts::announce"]);
}

#[test]
fn check_cross_service_events_finds_unmatched() {
    assert_eq!(names(&events("").unmatched_consumers), ["cart.updated", "refund.issued"]);
}

#[test]
fn check_cross_service_events_finds_matched() {
    let found = events("");
    assert_eq!(names(&found.matched_events), ["order.placed"]);
    assert_eq!((found.total_events, found.match_rate), (5, 0.2));
    let shipping = events("shipping");
    assert_eq!((names(&shipping.unmatched_consumers), shipping.total_events), (vec!["cart.updated"], 1));
    let none = check_cross_service_events(&KnowledgeGraph::new(), &Default::default()).unwrap();
    assert_eq!((none.total_events, none.match_rate), (0, 1.0));
}

#[test]
fn buses_within_a_process_match_within_one_service() {
    let mut graph = KnowledgeGraph::new();
    let (a, b) = (add_service(&mut graph, "a"), add_service(&mut graph, "b"));
    let event = add_event(&mut graph, "changed");
    join_event(&mut graph, a, EdgeKind::PublishesEvent, event, "process");
    join_event(&mut graph, a, EdgeKind::ConsumesEvent, event, "process");
    join_event(&mut graph, b, EdgeKind::PublishesEvent, event, "process");
    let found = check_cross_service_events(&graph, &Default::default()).unwrap();
    assert_eq!((found.matched_events[0].publishers[0].as_ref(), found.total_events), ("a", 2));
    assert_eq!(found.orphaned_events[0].publishers, ["b".into()]);
}

#[test]
fn an_unsure_step_makes_the_whole_way_unsure() {
    let mut graph = KnowledgeGraph::new();
    let (a, b) = (add_service(&mut graph, "a"), add_service(&mut graph, "b"));
    let handler = add_symbol(&mut graph, "a/x.rs", "show", "a");
    let endpoint = add_endpoint(&mut graph, "a", "GET", "/x");
    join(&mut graph, handler, EdgeKind::HandlesEndpoint, endpoint);
    let contract = ContractNode {
        contract_id: "a.yaml".into(),
        contract_type: ContractType::OpenApi,
        version: "".into(),
        service_name: "a".into(),
        status: "active".into(),
        title: "".into(),
        file_path: "a.yaml".into(),
    };
    let contract = graph.add_node(contract.into());
    join(&mut graph, contract, EdgeKind::ExposesEndpoint, endpoint);
    let data = EdgeData::ServiceCall {
        via_endpoint: "endpoint::a::GET::/x".into(),
        import_count: 0,
        sites: vec![InteractionSite::default()],
    };
    let evidence = sscg_knowledge::FactEvidence { confidence: Confidence::Ambiguous, ..exact() };
    graph.add_edge(b, a, EdgeKind::ServiceCalls, data, evidence);
    let request = ImpactRequest::default().with_node_id("symbol::a/x.rs::show");
    let found = find_cross_service_impact(&graph, &request).unwrap();
    // The call site in the service is unknown.
    let path = ["symbol::a/x.rs::show", "endpoint::a::GET::/x", "service::b"].map(Box::from);
    assert_eq!(found.impacted_services[0].impact_paths, [path]);
    assert_eq!(&*found.impacted_services[0].confidence, "ambiguous");
    assert_eq!(found.impacted_contracts.len(), 1);
    // A contract changes with its endpoints.
    let request = ImpactRequest::default().with_node_id("contract::a.yaml");
    assert_eq!(find_cross_service_impact(&graph, &request).unwrap().impacted_services.len(), 1);
}

#[test]
fn an_event_without_a_known_place_lists_none() {
    let mut graph = KnowledgeGraph::new();
    let (a, event) = (add_service(&mut graph, "a"), add_event(&mut graph, "changed"));
    let sites = EdgeData::Event(vec![InteractionSite::default()]);
    graph.add_edge(a, event, EdgeKind::PublishesEvent, sites, exact());
    let found = check_cross_service_events(&graph, &EventsRequest::default()).unwrap();
    assert_eq!(names(&found.orphaned_events), ["changed"]);
    assert!(found.orphaned_events[0].sites.is_empty(), "{:?}", found.orphaned_events[0].sites);
}
