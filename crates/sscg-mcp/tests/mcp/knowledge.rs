//! Service-level tools, called by the typed client.

use std::time::Duration;

use serde_json::{Value, json};
use sscg::knowledge::query::{
    BoundariesRequest, EventsRequest, HybridSearchRequest, ImpactRequest, NeighborhoodRequest,
    ServiceContextRequest,
};
use sscg::knowledge::{EdgeKind, NodeKind};
use sscg_mcp::client::{Client, ClientError, ClientOptions};
use sscg_mcp::{Server, Toolset};

use crate::client::{Client as Raw, Sandbox};

fn server(sandbox: &Sandbox) -> Server {
    let options = sandbox.options().with_toolsets(vec![Toolset::Knowledge]).with_structured(true);
    Server::new(options).expect("the tree is there")
}

/// Returns a client with a long timeout.
fn client(sandbox: &Sandbox) -> Client {
    let options = ClientOptions::default().with_timeout(Duration::from_secs(300));
    Client::of_server(server(sandbox)).with_options(options)
}

fn context_of(service: &str) -> ServiceContextRequest {
    ServiceContextRequest::default().with_service_name(service.to_owned())
}

#[tokio::test]
async fn mcp_server_startup_and_tool_list() {
    let sandbox = Sandbox::shop();
    let mut client = Raw::start(&server(&sandbox)).await;
    let answer = client.request("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().expect("a list");
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let expected = [
        "build_knowledge_graph",
        "get_service_context",
        "query_graph_neighborhood",
        "hybrid_search",
        "find_cross_service_impact",
        "validate_service_boundaries",
        "check_cross_service_events",
    ];
    assert_eq!(names, expected);
}

#[tokio::test]
async fn each_name_is_offered_once_where_two_sets_have_it() {
    let sandbox = Sandbox::new();
    let options = sandbox.options().with_toolsets(vec![Toolset::Graph, Toolset::Knowledge]);
    let mut client = Raw::start(&Server::new(options).expect("the tree is there")).await;
    let answer = client.request("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().expect("a list");
    let named: Vec<&Value> = tools.iter().filter(|tool| tool["name"] == "query_graph_neighborhood").collect();
    assert_eq!(named.len(), 1);
    assert!(named[0]["inputSchema"]["properties"]["filter_edge_types"].is_object(), "{named:?}");
}

#[tokio::test]
async fn build_knowledge_graph_tool_returns_stats() {
    let sandbox = Sandbox::shop();
    let client = client(&sandbox);
    let report = client.build_knowledge_graph("", true, "").await;
    assert!(report.success, "{:?}", client.last_error());
    assert_eq!(report.services_indexed.len(), 8, "{:?}", report.services_indexed);
    assert_eq!(report.node_count, report.node_types.values().sum::<usize>());
    assert_eq!(report.edge_count, report.edge_types.values().sum::<usize>());
    assert!(report.node_types[&NodeKind::Endpoint] >= 50, "{:?}", report.node_types);
    assert!(report.edge_types[&EdgeKind::HandlesEndpoint] > 40, "{:?}", report.edge_types);
}

#[tokio::test]
async fn interfaces_that_are_given_count_until_the_graph_is_built_without() {
    let sandbox = Sandbox::shop();
    let client = client(&sandbox);
    let given = r#"{"orders": {"events_published": [{"event_name": "order.audited", "channel": "audit"}]}}"#;
    let published = async || {
        let context = client.get_service_context(&context_of("orders")).await;
        context.events_published.iter().any(|event| &*event.event_name == "order.audited")
    };
    assert!(!published().await);
    let report = client.build_knowledge_graph("", true, given).await;
    assert!(report.success && report.errors.is_empty(), "{:?}", report.errors);
    assert!(published().await);
    client.build_knowledge_graph("", false, "").await;
    assert!(published().await, "what was given is forgotten");
    client.build_knowledge_graph("", true, "").await;
    assert!(!published().await);
    let broken = client.build_knowledge_graph("", true, "{").await;
    assert!(broken.success && broken.errors.len() == 1, "{:?}", broken.errors);
}

#[tokio::test]
async fn build_then_query_service_context() {
    let sandbox = Sandbox::shop();
    let client = client(&sandbox);
    assert!(client.build_knowledge_graph("", true, "").await.success);
    let context = client.get_service_context(&context_of("orders")).await;
    let depends_on: Vec<&str> = context.depends_on.iter().map(|name| &**name).collect();
    assert_eq!(depends_on, ["accounts", "catalog", "inventory", "shipping"]);
    assert!(context.context_text.contains("| POST | /orders |"), "{}", context.context_text);
}

#[tokio::test]
async fn get_service_context_tool_returns_context() {
    let sandbox = Sandbox::shop();
    let client = client(&sandbox);
    let context = client.get_service_context(&context_of("payments")).await;
    assert_eq!(&*context.service_name, "payments");
    assert!(context.provided_endpoints.iter().any(|it| (&*it.method, &*it.path) == ("POST", "/payments")));
    assert!(context.events_consumed.iter().any(|it| &*it.publisher_service == "orders"));
    // The answer is empty, and the error has the suggestion.
    let unknown = client.get_service_context(&context_of("paymnts")).await;
    assert_eq!(unknown, Default::default());
    assert!(client.last_error().expect("it was wrong").contains("payments"));
}

#[tokio::test]
async fn query_graph_neighborhood_tool_returns_subgraph() {
    let sandbox = Sandbox::shop();
    let client = client(&sandbox);
    let request = NeighborhoodRequest::default()
        .with_node_id("event::order.placed")
        .with_radius(1)
        .with_filter_node_types("service")
        .with_filter_edge_types("PUBLISHES_EVENT,CONSUMES_EVENT");
    let found = client.query_graph_neighborhood(&request).await;
    let mut ids: Vec<&str> = found.nodes.iter().map(|node| &*node.id).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["event::order.placed", "service::inventory", "service::orders", "service::payments"]);
    assert_eq!(found.edges.len(), 3);
}

#[tokio::test]
async fn build_then_hybrid_search() {
    let sandbox = Sandbox::shop();
    let client = client(&sandbox);
    assert!(client.build_knowledge_graph("", true, "").await.success);
    let request = HybridSearchRequest::default().with_query("refund a payment").with_node_types("endpoint");
    let found = client.hybrid_search(&request).await;
    assert_eq!(&*found.results[0].node_id, "endpoint::payments::POST::/payments/{payment_id}/refunds");
}

#[tokio::test]
async fn hybrid_search_tool_returns_results() {
    let sandbox = Sandbox::shop();
    let client = client(&sandbox);
    let request = HybridSearchRequest::default()
        .with_query("stock")
        .with_n_results(3)
        .with_anchor_node_id("service::catalog");
    let found = client.hybrid_search(&request).await;
    assert_eq!(found.results.len(), 3);
    assert!(found.results.iter().all(|result| result.distance >= 0), "{found:?}");
    assert!(found.results.windows(2).all(|pair| pair[0].score + 0.05 >= pair[1].score));
}

#[tokio::test]
async fn build_then_cross_service_impact() {
    let sandbox = Sandbox::shop();
    let client = client(&sandbox);
    assert!(client.build_knowledge_graph("", true, "").await.success);
    let request = ImpactRequest::default().with_node_id("services/catalog/src/routes/products.rs");
    let impact = client.find_cross_service_impact(&request).await;
    let mut services: Vec<&str> = impact.impacted_services.iter().map(|it| &*it.service_name).collect();
    services.sort_unstable();
    assert_eq!(services, ["inventory", "orders", "storefront"]);
}

#[tokio::test]
async fn find_cross_service_impact_tool_returns_impact() {
    let sandbox = Sandbox::shop();
    let client = client(&sandbox);
    let request = ImpactRequest::default().with_node_id("event::order.placed").with_max_depth(2);
    let impact = client.find_cross_service_impact(&request).await;
    assert!(impact.total_impacted_nodes > 0, "{:?}", client.last_error());
    assert!(impact.impacted_services.iter().any(|it| &*it.service_name == "payments"), "{impact:?}");
}

#[tokio::test]
async fn validate_service_boundaries_tool_returns_validation() {
    let sandbox = Sandbox::shop();
    let client = client(&sandbox);
    let found = client.validate_service_boundaries(&BoundariesRequest::default()).await;
    let misplaced: Vec<&str> = found.misplaced_files.iter().map(|it| &*it.file).collect();
    assert_eq!(misplaced, ["services/orders/src/rates/zone-rates.ts"]);
    assert!(found.alignment_score > 0.95 && found.alignment_score < 1.0);
    assert_eq!(found.services_declared, 8);
}

#[tokio::test]
async fn check_cross_service_events_tool_returns_events() {
    let sandbox = Sandbox::shop();
    let client = client(&sandbox);
    let found = client.check_cross_service_events(&EventsRequest::default()).await;
    let names = |events: &[sscg::knowledge::query::EventEntry]| -> Vec<String> {
        events.iter().map(|event| event.event_name.to_string()).collect()
    };
    assert_eq!(names(&found.orphaned_events), ["product.discontinued"]);
    assert_eq!(names(&found.unmatched_consumers), ["refund.issued"]);
    assert_eq!(found.total_events, 2 + found.matched_events.len());
}

#[tokio::test]
async fn gating_disabled_graph_rag_produces_empty_context() {
    let client = Client::disabled();
    assert_eq!(client.get_service_context(&context_of("orders")).await, Default::default());
    assert!(!client.build_knowledge_graph("", true, "").await.success);
    assert_eq!(client.check_cross_service_events(&EventsRequest::default()).await, Default::default());
    assert!(client.last_error().expect("there is a reason").contains("disabled"));
}

#[tokio::test]
async fn a_server_that_cannot_be_started_gives_empty_answers() {
    let options = ClientOptions::default().with_attempts(2).with_backoff(Duration::from_millis(1));
    let client = Client::of_command("/nowhere/sscg", ["mcp"]).with_options(options);
    assert_eq!(client.validate_service_boundaries(&BoundariesRequest::default()).await, Default::default());
    assert!(client.last_error().expect("there is a reason").contains("cannot be started"));
    let strict = client.call::<Value>("check_cross_service_events", &json!({})).await;
    assert!(matches!(strict, Err(ClientError::Start(_))), "{strict:?}");
}

/// A server that is not ready is called again, and one that has exited is restarted.
#[tokio::test]
async fn mcp_client_with_retry() {
    let sandbox = Sandbox::shop();
    let impatient = sandbox
        .options()
        .with_toolsets(vec![Toolset::Knowledge])
        .with_structured(true)
        .with_max_wait(Duration::ZERO);
    let server = Server::new(impatient).expect("the tree is there");
    let once = ClientOptions::default().with_attempts(1);
    let hasty = Client::of_server(server.clone()).with_options(once);
    let first = hasty.call::<Value>("check_cross_service_events", &json!({})).await;
    assert!(matches!(first, Err(ClientError::NotReady(_))), "{first:?}");
    let options = ClientOptions::default().with_attempts(20).with_backoff(Duration::from_millis(10));
    let patient = Client::of_server(server).with_options(options);
    let events = patient.check_cross_service_events(&EventsRequest::default()).await;
    assert!(events.total_events > 0, "{:?}", patient.last_error());
    assert_eq!(patient.last_error(), None);
}
