//! Nodes and their ids.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sscg_core::SymbolKind;

use super::wire::{embedded, kind_of_symbol};
use crate::{ContractType, Field, NodeKind};

/// A node with what is computed of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub(super) id: Arc<str>,
    pub(super) data: NodeData,
    pub(super) pagerank: f64,
    pub(super) community_id: Option<u32>,
}

impl Node {
    /// Its id: the name of its kind, `::`, and what it is called.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What it stands for.
    pub fn data(&self) -> &NodeData {
        &self.data
    }

    /// What kind of thing it stands for.
    pub fn kind(&self) -> NodeKind {
        self.data.kind()
    }

    /// Its share of a random walk on the graph; 0 before it was computed.
    pub fn pagerank(&self) -> f64 {
        self.pagerank
    }

    /// The community it was found in; `None` before they were computed.
    pub fn community_id(&self) -> Option<u32> {
        self.community_id
    }

    /// The service that it belongs to; empty if it belongs to none.
    pub fn service_name(&self) -> &str {
        match &self.data {
            NodeData::File(it) => &it.service_name,
            NodeData::Symbol(it) => &it.service_name,
            NodeData::Service(it) => &it.service_name,
            NodeData::Contract(it) => &it.service_name,
            NodeData::Endpoint(it) => &it.service_name,
            NodeData::DomainEntity(_) | NodeData::Event(_) => "",
        }
    }

    /// The file that it is or stands in; empty if there is none.
    pub fn file_path(&self) -> &str {
        match &self.data {
            NodeData::File(it) => &it.file_path,
            NodeData::Symbol(it) => &it.file_path,
            NodeData::Contract(it) => &it.file_path,
            _ => "",
        }
    }

    /// What people call it: a path, the name of a symbol, `GET /orders`.
    pub fn name(&self) -> String {
        match &self.data {
            NodeData::File(it) => it.file_path.to_string(),
            NodeData::Symbol(it) => it.symbol_name.to_string(),
            NodeData::Service(it) => it.service_name.to_string(),
            NodeData::Contract(it) => it.contract_id.to_string(),
            NodeData::Endpoint(it) => format!("{} {}", it.method, it.path),
            NodeData::DomainEntity(it) => it.entity_name.to_string(),
            NodeData::Event(it) => it.event_name.to_string(),
        }
    }
}

macro_rules! node_data {
    ($($variant:ident($data:ty) => $wire:literal,)*) => {
        /// What a node stands for. Its JSON form has the kind as `node_type`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(tag = "node_type")]
        pub enum NodeData {
            $(#[allow(missing_docs, reason = "the types say it")] #[serde(rename = $wire)] $variant($data),)*
        }

        impl NodeData {
            /// The kind of the thing.
            pub fn kind(&self) -> NodeKind {
                match self { $(Self::$variant(_) => NodeKind::$variant,)* }
            }
        }

        $(impl From<$data> for NodeData {
            fn from(data: $data) -> Self {
                Self::$variant(data)
            }
        })*
    };
}

node_data! {
    File(FileNode) => "file",
    Symbol(SymbolNode) => "symbol",
    Service(ServiceNode) => "service",
    Contract(ContractNode) => "contract",
    Endpoint(EndpointNode) => "endpoint",
    DomainEntity(EntityNode) => "domain_entity",
    Event(EventNode) => "event",
}

/// The default is a file without a path, which no graph holds: what stands in an answer that could not be had.
impl Default for NodeData {
    fn default() -> Self {
        Self::File(FileNode::default())
    }
}

impl NodeData {
    /// The id of a node with this data. Of symbols of one name in one file only the first has it.
    pub fn id(&self) -> String {
        match self {
            Self::File(it) => file_id(&it.file_path),
            Self::Symbol(it) => symbol_id(&it.file_path, &it.symbol_name),
            Self::Service(it) => service_id(&it.service_name),
            Self::Contract(it) => contract_id(&it.contract_id),
            Self::Endpoint(it) => endpoint_id(&it.service_name, &it.method, &it.path),
            Self::DomainEntity(it) => entity_id(&it.entity_name),
            Self::Event(it) => event_id(&it.event_name),
        }
    }
}

/// A file of code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FileNode {
    /// Its path relative to the project's root.
    pub file_path: Arc<str>,
    /// What it is written in.
    pub language: Arc<str>,
    /// The service it belongs to; empty if it belongs to none.
    pub service_name: Arc<str>,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SymbolNode {
    /// Its name with those of the declarations around it: `Outer.inner`.
    pub symbol_name: Box<str>,
    /// What it is.
    #[serde(with = "kind_of_symbol")]
    #[schemars(with = "String")]
    pub kind: SymbolKind,
    /// What it is written in.
    pub language: Arc<str>,
    /// The service it belongs to; empty if it belongs to none.
    pub service_name: Arc<str>,
    /// The file it stands in.
    pub file_path: Arc<str>,
    /// Its first line, from 1.
    pub line_start: u32,
    /// Its last line.
    pub line_end: u32,
    /// The declaration without its body, on one line.
    pub signature: Box<str>,
    /// Whether other files can name it.
    pub is_exported: bool,
}

/// A program that is deployed by itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ServiceNode {
    /// Its name.
    pub service_name: Arc<str>,
    /// The business it is part of; empty if unknown.
    pub domain: Box<str>,
    /// What it does; empty if unknown.
    pub description: Box<str>,
    /// What it is made with; a JSON object in a string when written.
    #[serde(with = "embedded")]
    #[schemars(with = "String")]
    pub stack: BTreeMap<Box<str>, Vec<Box<str>>>,
    /// About how many lines of code it has; 0 if unknown.
    pub estimated_loc: u32,
    /// The directory of its code; `None` if it has none here.
    pub root: Option<Box<str>>,
}

/// What a service promises.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContractNode {
    /// The path of the file, or `code:` and the service's name for what only its code says.
    pub contract_id: Box<str>,
    /// What it is written in.
    pub contract_type: ContractType,
    /// The version of what it promises; empty if it gives none.
    pub version: Box<str>,
    /// The service that provides it; empty if unknown.
    pub service_name: Arc<str>,
    /// `active` or `deprecated`.
    pub status: Box<str>,
    /// Its title; empty if it has none.
    pub title: Box<str>,
    /// The file; empty if it is none.
    pub file_path: Box<str>,
}

/// A method and a path that a service answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EndpointNode {
    /// The method in capitals; `ANY` if it answers all.
    pub method: Box<str>,
    /// The path with parameters in braces, as the contract has it if there is one.
    pub path: Box<str>,
    /// The service that answers; empty if unknown.
    pub service_name: Arc<str>,
    /// The id of the symbol that answers, or of the file where no declaration is around the code that does; the surest if
    /// there are several, and empty if none is known.
    pub handler_symbol: Box<str>,
    /// `operationId` of the contract; empty if there is none.
    pub operation_id: Box<str>,
    /// `summary` of the contract; empty if there is none.
    pub summary: Box<str>,
    /// Whether the contract asks for credentials.
    pub secured: bool,
}

/// A thing of the domain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EntityNode {
    /// Its name.
    pub entity_name: Box<str>,
    /// What it is; empty if unknown.
    pub description: Box<str>,
    /// The service that owns it; empty if unknown.
    pub owning_service: Arc<str>,
    /// Its fields; a JSON list in a string when written.
    #[serde(rename = "fields_json", with = "embedded")]
    #[schemars(with = "String")]
    pub fields: Vec<Field>,
}

/// A message that services send each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EventNode {
    /// Its name.
    pub event_name: Box<str>,
    /// Where it travels.
    pub channel: Box<str>,
    /// The fields that its payload must have, by the contract of who sends it; empty if none says so.
    pub required_fields: Vec<Box<str>>,
}

/// The id of a file.
pub fn file_id(path: &str) -> String {
    format!("file::{path}")
}

/// The id of a symbol.
pub fn symbol_id(path: &str, name: &str) -> String {
    format!("symbol::{path}::{name}")
}

/// The id of a service.
pub fn service_id(name: &str) -> String {
    format!("service::{name}")
}

/// The id of a contract's node.
pub fn contract_id(contract: &str) -> String {
    format!("contract::{contract}")
}

/// The id of an endpoint.
pub fn endpoint_id(service: &str, method: &str, path: &str) -> String {
    format!("endpoint::{service}::{method}::{path}")
}

/// The id of an entity.
pub fn entity_id(name: &str) -> String {
    format!("domain_entity::{name}")
}

/// The id of an event.
pub fn event_id(name: &str) -> String {
    format!("event::{name}")
}
