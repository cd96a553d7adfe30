//! Notes for changing a service.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::ServiceContext;
use crate::{EdgeKind, KnowledgeGraph, NodeIndex};

/// Returns the notes that follow from a service context, starting with those about the code of others.
pub(crate) fn integration_notes(
    graph: &KnowledgeGraph,
    service: NodeIndex,
    context: &ServiceContext,
) -> Vec<String> {
    let mut notes = Vec::new();
    for endpoint in context.consumed_endpoints.iter().filter(|endpoint| endpoint.secured) {
        let (provider, method, path) = (&endpoint.provider_service, &endpoint.method, &endpoint.path);
        notes.push(format!("{provider} {method} {path} takes credentials: send them with each request."));
    }
    for event in context.events_published.iter() {
        let name = &event.event_name;
        if event.consumers.is_empty() {
            notes.push(format!("Nobody was found who consumes {name}."));
            continue;
        }
        // Events that a service sends to itself affect no other service.
        let others = event.consumers.iter().filter(|consumer| **consumer != context.service_name);
        let others: Vec<&str> = others.map(|consumer| &**consumer).collect();
        if others.is_empty() {
            continue;
        }
        let consumers = others.join(", ");
        let fields = match &event.required_fields[..] {
            [] => String::new(),
            fields => format!(" Its payload must have {}.", fields.join(", ")),
        };
        notes.push(format!("{name} is consumed by {consumers}: keep its payload stable.{fields}"));
    }
    for event in context.events_consumed.iter().filter(|event| event.publishers.is_empty()) {
        notes.push(format!("Nobody was found who publishes {}.", event.event_name));
    }
    let callers = callers(graph, service);
    for endpoint in &context.provided_endpoints {
        let (method, path) = (&endpoint.method, &endpoint.path);
        if endpoint.handler.is_empty() {
            let contract = &endpoint.contract_id;
            notes.push(format!("No code was found that answers {method} {path}, which {contract} promises."));
        }
        if let Some(callers) = callers.get(&(&**method, &**path)) {
            let callers = Vec::from_iter(callers.iter().copied()).join(", ");
            notes.push(format!("{method} {path} is called by {callers}."));
        }
    }
    notes
}

/// Returns the services that call an endpoint, by its method and path.
fn callers(graph: &KnowledgeGraph, service: NodeIndex) -> BTreeMap<(&str, &str), BTreeSet<&str>> {
    let mut callers: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for edge in graph.edges_in(service).filter(|edge| edge.kind == EdgeKind::ServiceCalls) {
        if let Some(crate::NodeData::Endpoint(endpoint)) =
            graph.get(edge.data.via_endpoint()).map(crate::Node::data)
        {
            let caller = graph.node(edge.source).service_name();
            callers.entry((&endpoint.method, &endpoint.path)).or_default().insert(caller);
        }
    }
    callers
}
