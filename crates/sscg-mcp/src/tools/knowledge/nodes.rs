//! `query_graph_neighborhood`, `hybrid_search`, `find_cross_service_impact`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::knowledge::query::{
    CrossServiceImpact, ImpactRequest, Neighborhood, NeighborhoodRequest, SearchResults,
};

use super::answer_about;
use crate::failure::Failure;
use crate::tool::{Effect, Reply, Tool, ToolCall};

/// Neighborhood of a node in the service graph.
pub(crate) struct QueryGraphNeighborhood;

/// Arguments of `query_graph_neighborhood`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NeighborhoodArguments {
    /// Center node: `service::orders`, `endpoint::orders::GET::/orders/{id}`, `event::order.placed`,
    /// `domain_entity::Order`, `contract::openapi.yaml`, `file::src/a.py`, `symbol::src/a.py::Outer.inner`.
    #[schemars(length(min = 1), extend("examples" = ["service::orders", "event::order.placed"]))]
    node_id: String,
    /// Maximum depth in steps (default 2).
    #[schemars(range(min = 0, max = 20))]
    radius: Option<u32>,
    /// Follow edges both ways (default true); otherwise only from source to target.
    undirected: Option<bool>,
    /// Comma-separated types of nodes to show: file, symbol, service, contract, endpoint, domain_entity, event.
    #[serde(default)]
    filter_node_types: String,
    /// Comma-separated types of edges to follow, such as `SERVICE_CALLS,PUBLISHES_EVENT,CONSUMES_EVENT`.
    #[serde(default)]
    filter_edge_types: String,
    /// Node limit (default 50).
    #[schemars(range(min = 1, max = 1000))]
    max_nodes: Option<usize>,
    /// Project, by its directory; required only if the server has several.
    project: Option<String>,
}

impl Tool for QueryGraphNeighborhood {
    const NAME: &'static str = "query_graph_neighborhood";
    const TITLE: &'static str = "Neighborhood in the service graph";
    const DESCRIPTION: &'static str = "\
List the nodes within some steps of a service, endpoint, event, entity, contract, file or symbol, with the edges between them. \
Use it to find the services at the other end of an event or endpoint, and their code.
The answer lists nodes nearest first, then edges with place and, unless exact, confidence.
Example: {\"node_id\": \"event::order.placed\", \"radius\": 1}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = NeighborhoodArguments;
    type Output = Neighborhood;

    fn call(arguments: NeighborhoodArguments, call: &ToolCall) -> Result<Reply<Neighborhood>, Failure> {
        let mut request = NeighborhoodRequest::default()
            .with_filter_node_types(arguments.filter_node_types)
            .with_filter_edge_types(arguments.filter_edge_types);
        request.radius = arguments.radius.unwrap_or(request.radius);
        request.undirected = arguments.undirected.unwrap_or(request.undirected);
        request.max_nodes = arguments.max_nodes.unwrap_or(request.max_nodes);
        answer_about(arguments.node_id, arguments.project.as_deref(), call, |id, knowledge, _| {
            knowledge.neighborhood(&request.with_node_id(id))
        })
    }
}

/// Finds nodes by meaning and position.
pub(crate) struct HybridSearch;

/// Arguments of `hybrid_search`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct SearchArguments {
    /// Query in words.
    #[schemars(length(min = 1, max = 10_000), extend("examples" = ["who charges the customer"]))]
    query: String,
    /// Guesses at its name.
    #[schemars(extend("examples" = [["refund", "payment_refunded"]]))]
    #[serde(default)]
    terms: Vec<String>,
    /// Result limit (default 10).
    #[schemars(range(min = 1, max = 200))]
    n_results: Option<usize>,
    /// Comma-separated types of nodes to search: file, symbol, service, contract, endpoint, domain_entity, event.
    #[serde(default)]
    node_types: String,
    /// Only nodes of this service.
    #[serde(default)]
    service_name: String,
    /// Search the contexts of services and summaries of communities instead of nodes.
    #[serde(default)]
    records: bool,
    /// Rank nodes near this one first; without it, central nodes.
    #[serde(default)]
    anchor_node_id: String,
    /// Weight of the meaning (default 0.6).
    #[schemars(range(min = 0.0, max = 1.0))]
    semantic_weight: Option<f64>,
    /// Weight of the graph score (default 0.4).
    #[schemars(range(min = 0.0, max = 1.0))]
    graph_weight: Option<f64>,
    /// Project, by its directory; required only if the server has several.
    project: Option<String>,
}

impl Tool for HybridSearch {
    const NAME: &'static str = "hybrid_search";
    const TITLE: &'static str = "Search the service graph";
    const DESCRIPTION: &'static str = "\
Find services, endpoints, events, entities, contracts, files and symbols by meaning and position in the graph. Use it to find the \
node that other tools of this set take; for source code use search_code.
The answer lists nodes best first with their scores.
Example: {\"query\": \"refund a payment\", \"node_types\": \"endpoint,event\"}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = SearchArguments;
    type Output = SearchResults;

    fn call(arguments: SearchArguments, call: &ToolCall) -> Result<Reply<SearchResults>, Failure> {
        answer_about(
            arguments.anchor_node_id,
            arguments.project.as_deref(),
            call,
            |anchor, knowledge, config| {
                let mut request = config
                    .search(arguments.query)
                    .with_terms(arguments.terms)
                    .with_node_types(arguments.node_types)
                    .with_service_name(arguments.service_name)
                    .with_anchor_node_id(anchor);
                request.n_results = arguments.n_results.unwrap_or(request.n_results);
                request.semantic_weight = arguments.semantic_weight.unwrap_or(request.semantic_weight);
                request.graph_weight = arguments.graph_weight.unwrap_or(request.graph_weight);
                request.records = arguments.records;
                knowledge.search(&request)
            },
        )
    }
}

/// Impact of a change on other services.
pub(crate) struct FindCrossServiceImpact;

/// Arguments of `find_cross_service_impact`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ImpactArguments {
    /// Changed node: `file::src/a.py`, `symbol::src/a.py::Outer.inner`, or another.
    #[schemars(length(min = 1), extend("examples" = ["file::services/orders/src/orders.ts"]))]
    node_id: String,
    /// Maximum depth in steps (default 3).
    #[schemars(range(min = 1, max = 20))]
    max_depth: Option<u32>,
    /// Project, by its directory; required only if the server has several.
    project: Option<String>,
}

impl Tool for FindCrossServiceImpact {
    const NAME: &'static str = "find_cross_service_impact";
    const TITLE: &'static str = "Impact on other services";
    const DESCRIPTION: &'static str = "\
Find the impact of changing a file or symbol on other services: over imports and calls, over endpoints to code that requests \
them, over events to code that consumes them. Use it before you change code that others may rely on.
The answer lists each service with the paths that lead to it, then contracts and entities.
Example: {\"node_id\": \"file::services/catalog/src/routes/products.rs\"}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = ImpactArguments;
    type Output = CrossServiceImpact;

    fn call(arguments: ImpactArguments, call: &ToolCall) -> Result<Reply<CrossServiceImpact>, Failure> {
        let mut request = ImpactRequest::default();
        request.max_depth = arguments.max_depth.unwrap_or(request.max_depth);
        answer_about(arguments.node_id, arguments.project.as_deref(), call, |id, knowledge, _| {
            knowledge.impact(&request.with_node_id(id))
        })
    }
}
