//! Input of the graph build: all findings in inputs, manifests, contracts and code, before they are joined.
//!
//! Each finding has a location and a confidence. Findings of several sources about one subject are kept side by side
//! here; the builder joins them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sscg_core::{FileId, SymbolId};

use crate::{FactEvidence, Problem};

/// All findings about a project.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Services.
    pub services: Vec<Service>,
    /// Root directories of shared packages that are not services; their files belong to no service.
    pub libraries: Vec<Box<str>>,
    /// Contract files.
    pub contracts: Vec<Contract>,
    /// Endpoints found in code or given by interfaces; `contracts` holds those of contracts.
    pub endpoints: Vec<Endpoint>,
    /// Endpoints whose handlers are named by interfaces; the builder looks the handlers up in the code.
    pub named_endpoints: Vec<NamedEndpoint>,
    /// Requests between services, found in code.
    pub requests: Vec<Request>,
    /// Dependencies between services that deployments declare.
    pub dependencies: Vec<ServiceDependency>,
    /// Settings of services, from deployments and files of settings.
    pub settings: Vec<Setting>,
    /// Events published and consumed, found in code or given by interfaces; `contracts` holds those of contracts.
    pub events: Vec<EventUse>,
    /// Domain entities.
    pub entities: Vec<Entity>,
    /// Relationships between entities.
    pub relationships: Vec<Relationship>,
    /// Declared uses of entities of other services.
    pub references: Vec<EntityReference>,
    /// Unreadable or contradictory inputs; none of them stopped the rest.
    pub errors: Vec<Problem>,
}

/// Separately deployed program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Service {
    /// Name, unique.
    pub name: Box<str>,
    /// Directory of the code relative to the project root, with forward slashes and no trailing one; empty for the root
    /// itself, `None` if the code is not in this project.
    pub root: Option<Box<str>>,
    /// Business domain; empty if unknown.
    pub domain: Box<str>,
    /// Purpose of the service; empty if unknown.
    pub description: Box<str>,
    /// Technology stack: one or more values per category (`language`, `framework`, `database`).
    pub stack: BTreeMap<Box<str>, Vec<Box<str>>>,
    /// Approximate number of lines of code; 0 if unknown.
    pub estimated_loc: u32,
    /// Other names by which requests address the service: hosts of containers, Kubernetes services, package names.
    pub hosts: Vec<Box<str>>,
    /// Environment variables that hold the address of the service, from compose files and Kubernetes manifests
    /// (`ORDERS_URL=http://orders:3001`).
    pub address_variables: Vec<Box<str>>,
    /// Evidence for the service, from the source with the highest confidence.
    pub evidence: Option<FactEvidence>,
}

/// Dependency of a service on another one: the deployment starts the other one first (`depends_on` of compose files).
#[derive(Clone, Debug, PartialEq)]
pub struct ServiceDependency {
    /// Service that depends on the other one.
    pub from: Box<str>,
    /// Service that starts first.
    pub to: Box<str>,
    /// File of the deployment.
    pub evidence: FactEvidence,
}

/// Setting of a service: an environment variable, or a value in a file of settings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Setting {
    /// Service that has the setting; `None` if any may.
    pub service: Option<Box<str>>,
    /// Name of the variable, or the keys of a value joined by colons: `Urls:Catalog`.
    pub name: Box<str>,
    /// Value, without whitespace.
    pub value: Box<str>,
    /// File that sets the value.
    pub evidence: FactEvidence,
}

/// Format of a contract.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContractType {
    /// OpenAPI 2 or 3.
    #[serde(rename = "openapi")]
    OpenApi,
    /// AsyncAPI 2 or 3.
    #[serde(rename = "asyncapi")]
    AsyncApi,
    /// JSON Schema.
    JsonSchema,
    /// Protocol Buffers with services.
    Protobuf,
    /// No file: the API that the code of a service exposes without a specification.
    Code,
}

impl ContractType {
    /// Returns the wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenApi => "openapi",
            Self::AsyncApi => "asyncapi",
            Self::JsonSchema => "json_schema",
            Self::Protobuf => "protobuf",
            Self::Code => "code",
        }
    }
}

/// Contract file.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// Path, which is also the id of the contract.
    pub file: Box<str>,
    /// Format of the contract.
    pub contract_type: ContractType,
    /// Version of the described API (`info.version`); empty if not given.
    pub version: Box<str>,
    /// Title; empty if there is none.
    pub title: Box<str>,
    /// Service that the contract itself names (`x-service`, the host of its servers), if any. The builder also
    /// considers the location of the file and the handlers of its endpoints.
    pub service: Option<Box<str>>,
    /// Candidate names of the service, most reliable first: title, hosts, the name of the directory.
    pub hints: Vec<Box<str>>,
    /// True if the contract is marked as deprecated.
    pub deprecated: bool,
    /// Listed endpoints.
    pub operations: Vec<ContractOperation>,
    /// Messages that the service publishes and consumes.
    pub messages: Vec<Message>,
    /// Named data types with their fields.
    pub schemas: Vec<(Box<str>, Vec<SchemaField>)>,
}

/// Endpoint listed by a contract.
#[derive(Clone, Debug, PartialEq)]
pub struct ContractOperation {
    /// Method in uppercase.
    pub method: Box<str>,
    /// Path with parameters in braces, including the base path of the contract.
    pub path: Box<str>,
    /// `operationId`; empty if there is none.
    pub operation_id: Box<str>,
    /// `summary`; empty if there is none.
    pub summary: Box<str>,
    /// True if the endpoint requires credentials (`security`).
    pub secured: bool,
    /// 1-based line; 0 if unknown.
    pub line: u32,
}

/// Message listed by a contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Name of the event: the address of its channel.
    pub event: Box<str>,
    /// Name of the channel in the contract.
    pub channel: Box<str>,
    /// Direction of the message, as the contract's service sees it.
    pub direction: MessageDirection,
    /// Required payload fields.
    pub required: Vec<Box<str>>,
}

/// Direction of a message, as its service sees it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessageDirection {
    /// Published by the service.
    Publishes,
    /// Consumed by the service.
    Consumes,
}

/// Location in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// File.
    pub file: FileId,
    /// Innermost enclosing declaration that other code can name; `None` outside of any.
    pub symbol: Option<SymbolId>,
    /// 1-based line.
    pub line: u32,
}

/// Endpoint handled by code, or given by an interface.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// Service that handles the endpoint.
    pub service: Box<str>,
    /// Method in uppercase; `ANY` for all methods.
    pub method: Box<str>,
    /// Full path with parameters in braces: `/products/{id}`.
    pub path: Box<str>,
    /// Location of the handler, if known.
    pub handler: Option<Site>,
    /// Evidence for the endpoint.
    pub evidence: FactEvidence,
}

/// Endpoint given by an interface.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedEndpoint {
    /// Service that handles the endpoint.
    pub service: Box<str>,
    /// Method in uppercase; `ANY` for all methods.
    pub method: Box<str>,
    /// Full path with parameters in braces.
    pub path: Box<str>,
    /// Name of the handler's symbol, qualified or not; empty if the interface gives none.
    pub handler: Box<str>,
    /// File of the handler, relative to the project root; empty if the interface gives none.
    pub file: Box<str>,
    /// Evidence for the endpoint.
    pub evidence: FactEvidence,
}

/// Request that code of one service sends to an endpoint of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Service that sends the request.
    pub from: Box<str>,
    /// Location of the call.
    pub site: Site,
    /// Service that receives the request.
    pub to: Box<str>,
    /// Method in uppercase; `ANY` if unknown.
    pub method: Box<str>,
    /// Path with `{}` in place of each part that is unknown before run time: `/products/{}`.
    pub path: Box<str>,
    /// Evidence for the request.
    pub evidence: FactEvidence,
}

/// Event published or consumed by code, or given by an interface.
#[derive(Clone, Debug, PartialEq)]
pub struct EventUse {
    /// Service that publishes or consumes the event.
    pub service: Box<str>,
    /// Name: topic, subject, routing key or channel.
    pub event: Box<str>,
    /// Channel: the exchange or stream if it has a name of its own, otherwise the event's name.
    pub channel: Box<str>,
    /// Transport: `kafka`, `nats`, `rabbitmq`, `redis`, `process`; empty if unknown.
    pub transport: Box<str>,
    /// Direction: published or consumed.
    pub direction: MessageDirection,
    /// Location in the code; `None` if an interface names the event.
    pub site: Option<Site>,
    /// Evidence for the event.
    pub evidence: FactEvidence,
}

/// Domain entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// Name, unique.
    pub name: Box<str>,
    /// Description; empty if unknown.
    pub description: Box<str>,
    /// Service that owns the entity; empty if unknown.
    pub owning_service: Box<str>,
    /// Fields.
    pub fields: Vec<SchemaField>,
    /// Type in the code that represents the entity; `None` for a declared entity.
    pub symbol: Option<SymbolId>,
    /// Evidence for the entity.
    pub evidence: FactEvidence,
}

/// Declared use of an entity of another service.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityReference {
    /// Service that uses the entity.
    pub service: Box<str>,
    /// Name of the entity.
    pub entity: Box<str>,
    /// Evidence for the use.
    pub evidence: FactEvidence,
}

/// Field of an entity or schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SchemaField {
    /// Name.
    pub name: Box<str>,
    /// Type as written; empty if unknown.
    #[serde(rename = "type", default)]
    pub ty: Box<str>,
    /// True if always present.
    #[serde(default)]
    pub required: bool,
    /// Description; empty if unknown.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub description: Box<str>,
}

/// Relationship between two entities.
#[derive(Clone, Debug, PartialEq)]
pub struct Relationship {
    /// Entity that has the relationship.
    pub from: Box<str>,
    /// Entity that the relationship leads to.
    pub to: Box<str>,
    /// Type: `has_many`, `belongs_to`, `has_one`, `references`, or the term of the domain model.
    pub relationship_type: Box<str>,
    /// Cardinality: `1:N`, `N:1`, `1:1`, `N:M`; empty if unknown.
    pub cardinality: Box<str>,
    /// Evidence for the relationship.
    pub evidence: FactEvidence,
}
