//! Facts about a service.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SchemaField;

/// Facts about a service and its related services.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ServiceContext {
    /// Name.
    pub service_name: Box<str>,
    /// Endpoints that it provides, by path and method. One without a handler is in a contract, but no code for it was
    /// found.
    pub provided_endpoints: Vec<ProvidedEndpoint>,
    /// Endpoints of others that it calls, by service, path and method.
    pub consumed_endpoints: Vec<ConsumedEndpoint>,
    /// Events that it publishes, by name.
    pub events_published: Vec<PublishedEvent>,
    /// Events that it consumes, by name.
    pub events_consumed: Vec<ConsumedEvent>,
    /// Entities that it owns, by name.
    pub owned_entities: Vec<OwnedEntity>,
    /// Entities of others that it uses, by name.
    pub referenced_entities: Vec<ReferencedEntity>,
    /// Services that it calls, by name.
    pub depends_on: Vec<Box<str>>,
    /// Services that call it, by name.
    pub depended_on_by: Vec<Box<str>>,
    /// Services called by those in turn, up to the depth, nearest first.
    pub transitive_dependencies: Vec<TransitiveDependency>,
    /// Notes for changes of the service.
    pub integration_notes: Vec<String>,
    /// All of this as text, within the token limit.
    pub context_text: String,
}

/// Endpoint that the service provides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ProvidedEndpoint {
    /// Method in uppercase.
    pub method: Box<str>,
    /// Path.
    pub path: Box<str>,
    /// Name of the handler's symbol, or its file if it has no name; empty if none was found.
    pub handler: Box<str>,
    /// Id of the handler; empty if none was found.
    pub handler_symbol: Box<str>,
    /// Contract that lists it.
    pub contract_id: Box<str>,
    /// True if the contract requires credentials.
    pub secured: bool,
    /// Confidence of the handler, or else of the endpoint.
    pub confidence: Box<str>,
}

/// Endpoint of another service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ConsumedEndpoint {
    /// Method in uppercase.
    pub method: Box<str>,
    /// Path.
    pub path: Box<str>,
    /// Service that provides it.
    pub provider_service: Box<str>,
    /// True if the contract requires credentials.
    pub secured: bool,
    /// Call sites: ids of symbols and files.
    pub called_from: Vec<Box<str>>,
    /// Confidence.
    pub confidence: Box<str>,
}

/// Event published by the service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PublishedEvent {
    /// Name.
    pub event_name: Box<str>,
    /// Channel.
    pub channel: Box<str>,
    /// Services that consume it, by name.
    pub consumers: Vec<Box<str>>,
    /// Payload fields that a contract requires.
    pub required_fields: Vec<Box<str>>,
    /// Confidence.
    pub confidence: Box<str>,
}

/// Event consumed by the service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ConsumedEvent {
    /// Name.
    pub event_name: Box<str>,
    /// Service that publishes it, the first by name of several; empty if there is none.
    pub publisher_service: Box<str>,
    /// All its publishers, by name.
    pub publishers: Vec<Box<str>>,
    /// Channel.
    pub channel: Box<str>,
    /// Confidence.
    pub confidence: Box<str>,
}

/// Entity that the service owns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct OwnedEntity {
    /// Name.
    pub name: Box<str>,
    /// Fields.
    pub fields: Vec<SchemaField>,
    /// Confidence.
    pub confidence: Box<str>,
}

/// Entity of another service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ReferencedEntity {
    /// Name.
    pub name: Box<str>,
    /// Service that owns it; empty if unknown.
    pub owning_service: Box<str>,
    /// Fields.
    pub fields: Vec<SchemaField>,
    /// Confidence.
    pub confidence: Box<str>,
}

/// Service called by a called service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TransitiveDependency {
    /// Name.
    pub service_name: Box<str>,
    /// Number of calls to it, from 2.
    pub distance: u32,
}
