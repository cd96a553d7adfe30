//! What the graph is built from: everything found in inputs, manifests, contracts and code, before it is joined.
//!
//! Each finding says where it was found and how surely. Findings of several sources about one thing stand beside each
//! other here; joining them is the business of the builder.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sscg_core::{FileId, SymbolId};

use crate::{Evidence, Problem};

/// Everything found.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The services.
    pub services: Vec<Service>,
    /// Packages that services share and that are none themselves, by root; their files belong to no service.
    pub libraries: Vec<Box<str>>,
    /// The files that promise something.
    pub contracts: Vec<Contract>,
    /// Endpoints found in code or named by interfaces; those of contracts stand in the contracts.
    pub endpoints: Vec<Endpoint>,
    /// Endpoints whose handlers interfaces name; they are looked up in the code when everything is joined.
    pub named_endpoints: Vec<NamedEndpoint>,
    /// Requests from service to service found in code.
    pub requests: Vec<Request>,
    /// Events sent and listened to, found in code or named by interfaces; those of contracts stand in the contracts.
    pub events: Vec<EventUse>,
    /// Entities of the domain.
    pub entities: Vec<Entity>,
    /// How entities are related.
    pub relationships: Vec<Relationship>,
    /// Services that are said to use an entity of another.
    pub references: Vec<EntityReference>,
    /// What could not be read or contradicts itself; nothing of it stopped the rest.
    pub errors: Vec<Problem>,
}

/// A program that is deployed by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Service {
    /// Its name, unique.
    pub name: Box<str>,
    /// The directory of its code relative to the project's root, with forward slashes and none at the end; empty for
    /// the root itself, `None` if it has no code here.
    pub root: Option<Box<str>>,
    /// The business it is part of; empty if unknown.
    pub domain: Box<str>,
    /// What it does; empty if unknown.
    pub description: Box<str>,
    /// What it is made with, by what it is (`language`, `framework`, `database`), each one or several.
    pub stack: BTreeMap<Box<str>, Vec<Box<str>>>,
    /// About how many lines of code it has; 0 if unknown.
    pub estimated_loc: u32,
    /// Other names under which requests address it: hosts of containers, Kubernetes services, package names.
    pub hosts: Vec<Box<str>>,
    /// Environment variables that hold its address, from compose files and Kubernetes manifests
    /// (`ORDERS_URL=http://orders:3001`).
    pub address_variables: Vec<Box<str>>,
    /// Where it was learned of; the surest source first.
    pub evidence: Option<Evidence>,
}

/// What a contract is written in.
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
    /// No file: what the code of a service shows to others without having written it down.
    Code,
}

impl ContractType {
    /// The wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenApi => "openapi",
            Self::AsyncApi => "asyncapi",
            Self::JsonSchema => "json_schema",
            Self::Code => "code",
        }
    }
}

/// A file that promises something.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// Its path, which is its id too.
    pub file: Box<str>,
    /// What it is written in.
    pub contract_type: ContractType,
    /// The version of what it promises (`info.version`); empty if it gives none.
    pub version: Box<str>,
    /// Its title; empty if it has none.
    pub title: Box<str>,
    /// The service that it names itself (`x-service`, the host of its servers), if any; where the file stands and which
    /// service handles its endpoints is seen when everything is joined.
    pub service: Option<Box<str>>,
    /// Names that may be the service's: title, hosts, the name of its directory; the surest first.
    pub hints: Vec<Box<str>>,
    /// Whether it is marked as no longer in force.
    pub deprecated: bool,
    /// The endpoints that it lists.
    pub operations: Vec<Operation>,
    /// The messages that its service sends and receives.
    pub messages: Vec<Message>,
    /// The data types that it defines by name, with their fields.
    pub schemas: Vec<(Box<str>, Vec<Field>)>,
}

/// An endpoint as a contract lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// The method in capitals.
    pub method: Box<str>,
    /// The path with parameters in braces, and the base path of the contract before it.
    pub path: Box<str>,
    /// `operationId`; empty if there is none.
    pub operation_id: Box<str>,
    /// `summary`; empty if there is none.
    pub summary: Box<str>,
    /// Whether it takes credentials (`security`).
    pub secured: bool,
    /// Its 1-based line; 0 if unknown.
    pub line: u32,
}

/// A message as a contract lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The name of the event: the address of its channel.
    pub event: Box<str>,
    /// What the contract calls the channel.
    pub channel: Box<str>,
    /// Whether the contract's service sends it or receives it.
    pub direction: MessageDirection,
    /// The fields that its payload must have.
    pub required: Vec<Box<str>>,
}

/// Which way a message goes, as its service sees it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MessageDirection {
    /// The service sends it.
    Publishes,
    /// The service listens to it.
    Consumes,
}

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The file.
    pub file: FileId,
    /// The innermost declaration around it that other code can name; `None` outside of any.
    pub symbol: Option<SymbolId>,
    /// The 1-based line.
    pub line: u32,
}

/// An endpoint that code answers, or that an interface names.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// The service that answers.
    pub service: Box<str>,
    /// The method in capitals; `ANY` if it answers all.
    pub method: Box<str>,
    /// The whole path, parameters in braces: `/products/{id}`.
    pub path: Box<str>,
    /// The code that answers, if it is known.
    pub handler: Option<Site>,
    /// How it is known.
    pub evidence: Evidence,
}

/// An endpoint as an interface names it.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedEndpoint {
    /// The service that answers.
    pub service: Box<str>,
    /// The method in capitals; `ANY` if it answers all.
    pub method: Box<str>,
    /// The whole path, parameters in braces.
    pub path: Box<str>,
    /// The name of the symbol that answers, qualified or not; empty if the interface does not say.
    pub handler: Box<str>,
    /// The file of the handler, relative to the project's root; empty if the interface does not say.
    pub file: Box<str>,
    /// How it is known.
    pub evidence: Evidence,
}

/// A request that code of one service sends to an endpoint of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The service that sends it.
    pub from: Box<str>,
    /// Where.
    pub site: Site,
    /// The service it is sent to.
    pub to: Box<str>,
    /// The method in capitals.
    pub method: Box<str>,
    /// The path with a pair of braces for each part that is not known before the program runs: `/products/{}`.
    pub path: Box<str>,
    /// How it is known.
    pub evidence: Evidence,
}

/// An event that code sends or listens to, or that an interface names.
#[derive(Clone, Debug, PartialEq)]
pub struct EventUse {
    /// The service.
    pub service: Box<str>,
    /// The name: topic, subject, routing key or channel.
    pub event: Box<str>,
    /// Where it travels: the exchange or stream if it has a name of its own, otherwise the event's name.
    pub channel: Box<str>,
    /// What carries it: `kafka`, `nats`, `rabbitmq`, `redis`, `process`; empty if unknown.
    pub transport: Box<str>,
    /// Whether it is sent or listened to.
    pub direction: MessageDirection,
    /// Where; `None` if an interface names it.
    pub site: Option<Site>,
    /// How it is known.
    pub evidence: Evidence,
}

/// A thing of the domain.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// Its name, unique.
    pub name: Box<str>,
    /// What it is; empty if unknown.
    pub description: Box<str>,
    /// The service that owns it; empty if unknown.
    pub owning_service: Box<str>,
    /// Its fields.
    pub fields: Vec<Field>,
    /// The type in the code that it was found as; `None` if it is declared.
    pub symbol: Option<SymbolId>,
    /// How it is known.
    pub evidence: Evidence,
}

/// A service that is said to use an entity of another.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityReference {
    /// The service.
    pub service: Box<str>,
    /// The entity.
    pub entity: Box<str>,
    /// How it is known.
    pub evidence: Evidence,
}

/// A field of an entity or schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Field {
    /// Its name.
    pub name: Box<str>,
    /// Its type as written; empty if unknown.
    #[serde(rename = "type", default)]
    pub ty: Box<str>,
    /// Whether it is always there.
    #[serde(default)]
    pub required: bool,
    /// What it is; empty if unknown.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub description: Box<str>,
}

/// How two entities are related.
#[derive(Clone, Debug, PartialEq)]
pub struct Relationship {
    /// The entity that has it.
    pub from: Box<str>,
    /// The entity it leads to.
    pub to: Box<str>,
    /// What it is: `has_many`, `belongs_to`, `has_one`, `references`, or what the domain model calls it.
    pub relationship_type: Box<str>,
    /// `1:N`, `N:1`, `1:1`, `N:M`; empty if unknown.
    pub cardinality: Box<str>,
    /// How it is known.
    pub evidence: Evidence,
}
