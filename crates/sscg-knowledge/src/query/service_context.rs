//! Context for work on a service: its relations to other services.

use std::collections::BTreeSet;

use derive_setters::Setters;
use serde::{Deserialize, Serialize};
use sscg_core::TokenCounter;

use super::QueryError;
use super::error::service;
use crate::context::facts::{
    ConsumedEndpoint, ConsumedEvent, OwnedEntity, ProvidedEndpoint, PublishedEvent, ReferencedEntity,
    ServiceContext, TransitiveDependency,
};
use crate::context::{community_summary, integration_notes, service_text};
use crate::graph::{Along, EntityNode, EventNode};
use crate::{Edge, EdgeKind, KnowledgeGraph, Node, NodeData, NodeIndex};

/// Request for the context of a service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct ServiceContextRequest {
    /// Service, or the id of a context record: `ctx::service::orders`, `ctx::community::3`. Of a community, the text is
    /// the only part of the answer.
    #[setters(into)]
    pub service_name: String,
    /// True to include the endpoints that it calls (default, as for the others).
    pub include_consumed_apis: bool,
    /// True to include the endpoints that it provides.
    pub include_provided_apis: bool,
    /// True to include the events that it publishes and consumes.
    pub include_events: bool,
    /// True to include the entities that it owns and uses.
    pub include_entities: bool,
    /// True to include the services that it calls and that call it.
    pub include_dependencies: bool,
    /// Maximum number of calls to a transitive dependency (default 2).
    pub max_depth: u32,
    /// Maximum number of tokens of the text (default 2,000).
    pub max_tokens: usize,
}

impl Default for ServiceContextRequest {
    fn default() -> Self {
        Self {
            service_name: String::new(),
            include_consumed_apis: true,
            include_provided_apis: true,
            include_events: true,
            include_entities: true,
            include_dependencies: true,
            max_depth: 2,
            max_tokens: 2000,
        }
    }
}

/// Returns the context of a service, as data and as text.
///
/// # Errors
/// Fails if the graph has no such service or community.
pub fn get_service_context(
    graph: &KnowledgeGraph,
    request: &ServiceContextRequest,
    tokens: &dyn TokenCounter,
) -> Result<ServiceContext, QueryError> {
    if let Some(community) = request.service_name.strip_prefix("ctx::community::") {
        return of_community(graph, community);
    }
    let name = request.service_name.strip_prefix("ctx::service::").unwrap_or(&request.service_name);
    let service = service(graph, name)?;
    let mut context = ServiceContext { service_name: name.into(), ..Default::default() };
    if request.include_dependencies {
        context.depends_on = names(graph, graph.targets(service, EdgeKind::ServiceCalls));
        context.depended_on_by = names(graph, graph.sources(service, EdgeKind::ServiceCalls));
        context.transitive_dependencies = transitive_dependencies(graph, service, request.max_depth);
    }
    if request.include_provided_apis {
        context.provided_endpoints = provided_endpoints(graph, service);
    }
    if request.include_consumed_apis {
        context.consumed_endpoints = consumed_endpoints(graph, service);
    }
    if request.include_events {
        context.events_published = events_published(graph, service);
        context.events_consumed = events_consumed(graph, service);
    }
    if request.include_entities {
        context.owned_entities = owned_entities(graph, service);
        context.referenced_entities = referenced_entities(graph, service);
    }
    context.integration_notes = integration_notes(graph, service, &context);
    context.context_text = service_text(&context, request.max_tokens, tokens);
    Ok(context)
}

fn of_community(graph: &KnowledgeGraph, community: &str) -> Result<ServiceContext, QueryError> {
    let summary = community.parse().ok().and_then(|community| community_summary(graph, community));
    let context_text =
        summary.ok_or_else(|| QueryError::invalid(format!("there is no community `{community}`")))?;
    Ok(ServiceContext { context_text, ..Default::default() })
}

/// Returns the distinct names of services in order.
fn names(graph: &KnowledgeGraph, services: impl Iterator<Item = NodeIndex>) -> Vec<Box<str>> {
    let names: BTreeSet<&str> = services.map(|node| graph.node(node).service_name()).collect();
    names.into_iter().map(Box::from).collect()
}

fn transitive_dependencies(
    graph: &KnowledgeGraph,
    service: NodeIndex,
    max_depth: u32,
) -> Vec<TransitiveDependency> {
    let is_call = |edge: &Edge| edge.kind == EdgeKind::ServiceCalls;
    let reached = graph.reach(service, max_depth, Along::Outgoing, is_call);
    let beyond = reached.into_iter().filter(|(_, distance)| *distance > 1);
    let mut dependencies: Vec<TransitiveDependency> = beyond
        .map(|(node, distance)| TransitiveDependency {
            service_name: graph.node(node).service_name().into(),
            distance,
        })
        .collect();
    dependencies.sort_by(|a, b| (a.distance, &a.service_name).cmp(&(b.distance, &b.service_name)));
    dependencies
}

fn provided_endpoints(graph: &KnowledgeGraph, service: NodeIndex) -> Vec<ProvidedEndpoint> {
    let mut endpoints: Vec<ProvidedEndpoint> = Vec::new();
    for contract in graph.targets(service, EdgeKind::ProvidesContract) {
        let NodeData::Contract(promise) = graph.node(contract).data() else { continue };
        for edge in graph.edges_out(contract).filter(|edge| edge.kind == EdgeKind::ExposesEndpoint) {
            let NodeData::Endpoint(endpoint) = graph.node(edge.target).data() else { continue };
            let handlers = graph.edges_in(edge.target).filter(|edge| edge.kind == EdgeKind::HandlesEndpoint);
            let sure = handlers.map(|edge| edge.evidence.confidence).max();
            endpoints.push(ProvidedEndpoint {
                method: endpoint.method.clone(),
                path: endpoint.path.clone(),
                handler: graph
                    .get(&endpoint.handler_symbol)
                    .map(|node| node.name().into())
                    .unwrap_or_default(),
                handler_symbol: endpoint.handler_symbol.clone(),
                contract_id: promise.contract_id.clone(),
                secured: endpoint.secured,
                confidence: sure.unwrap_or(edge.evidence.confidence).as_str().into(),
            });
        }
    }
    endpoints.sort_by(|a, b| (&a.path, &a.method, &a.contract_id).cmp(&(&b.path, &b.method, &b.contract_id)));
    endpoints
}

fn consumed_endpoints(graph: &KnowledgeGraph, service: NodeIndex) -> Vec<ConsumedEndpoint> {
    let mut endpoints: Vec<ConsumedEndpoint> = Vec::new();
    for edge in graph.edges_out(service).filter(|edge| edge.kind == EdgeKind::ServiceCalls) {
        let called = graph.get(edge.data.via_endpoint()).map(Node::data);
        let Some(NodeData::Endpoint(endpoint)) = called else { continue };
        endpoints.push(ConsumedEndpoint {
            method: endpoint.method.clone(),
            path: endpoint.path.clone(),
            provider_service: graph.node(edge.target).service_name().into(),
            secured: endpoint.secured,
            called_from: edge.data.sites().iter().map(|site| site.to_string().into()).collect(),
            confidence: edge.evidence.confidence.as_str().into(),
        });
    }
    endpoints.sort_by(|a, b| {
        (&a.provider_service, &a.path, &a.method).cmp(&(&b.provider_service, &b.path, &b.method))
    });
    endpoints
}

/// Returns the events that a service publishes or consumes, by name, each with its edge.
fn events(
    graph: &KnowledgeGraph,
    service: NodeIndex,
    kind: EdgeKind,
) -> impl Iterator<Item = (&EventNode, &Edge)> {
    let mut events: Vec<(&EventNode, &Edge)> = graph
        .edges_out(service)
        .filter(|edge| edge.kind == kind)
        .filter_map(|edge| match graph.node(edge.target).data() {
            NodeData::Event(event) => Some((event, edge)),
            _ => None,
        })
        .collect();
    events.sort_by(|a, b| a.0.event_name.cmp(&b.0.event_name));
    events.into_iter()
}

fn events_published(graph: &KnowledgeGraph, service: NodeIndex) -> Vec<PublishedEvent> {
    let published = |(event, edge): (&EventNode, &Edge)| PublishedEvent {
        event_name: event.event_name.clone(),
        channel: event.channel.clone(),
        consumers: names(graph, graph.sources(edge.target, EdgeKind::ConsumesEvent)),
        required_fields: event.required_fields.clone(),
        confidence: edge.evidence.confidence.as_str().into(),
    };
    events(graph, service, EdgeKind::PublishesEvent).map(published).collect()
}

fn events_consumed(graph: &KnowledgeGraph, service: NodeIndex) -> Vec<ConsumedEvent> {
    let consumed = |(event, edge): (&EventNode, &Edge)| {
        let publishers = names(graph, graph.sources(edge.target, EdgeKind::PublishesEvent));
        ConsumedEvent {
            event_name: event.event_name.clone(),
            publisher_service: publishers.first().cloned().unwrap_or_default(),
            publishers,
            channel: event.channel.clone(),
            confidence: edge.evidence.confidence.as_str().into(),
        }
    };
    events(graph, service, EdgeKind::ConsumesEvent).map(consumed).collect()
}

/// Returns the entities that a service owns or uses, by name, each with its confidence.
fn entities(
    graph: &KnowledgeGraph,
    service: NodeIndex,
    kind: EdgeKind,
) -> impl Iterator<Item = (&EntityNode, &'static str)> {
    let mut entities: Vec<(&EntityNode, &'static str)> = graph
        .edges_out(service)
        .filter(|edge| edge.kind == kind)
        .filter_map(|edge| match graph.node(edge.target).data() {
            NodeData::DomainEntity(entity) => Some((entity, edge.evidence.confidence.as_str())),
            _ => None,
        })
        .collect();
    entities.sort_by(|a, b| a.0.entity_name.cmp(&b.0.entity_name));
    entities.into_iter()
}

fn owned_entities(graph: &KnowledgeGraph, service: NodeIndex) -> Vec<OwnedEntity> {
    let owned = |(entity, confidence): (&EntityNode, &str)| OwnedEntity {
        name: entity.entity_name.clone(),
        fields: entity.fields.clone(),
        confidence: confidence.into(),
    };
    entities(graph, service, EdgeKind::OwnsEntity).map(owned).collect()
}

fn referenced_entities(graph: &KnowledgeGraph, service: NodeIndex) -> Vec<ReferencedEntity> {
    let referenced = |(entity, confidence): (&EntityNode, &str)| ReferencedEntity {
        name: entity.entity_name.clone(),
        owning_service: (*entity.owning_service).into(),
        fields: entity.fields.clone(),
        confidence: confidence.into(),
    };
    entities(graph, service, EdgeKind::ReferencesEntity).map(referenced).collect()
}
