//! Nodes and their ids.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sscg_core::SymbolKind;

use crate::{ContractType, NodeKind, SchemaField};

/// Node with its metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub(super) id: Arc<str>,
    pub(super) data: NodeData,
    pub(super) pagerank: f64,
    pub(super) community_id: Option<u32>,
}

impl Node {
    /// Returns the id: the wire name of the kind, `::`, and the name of the node.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the kind-specific data.
    pub fn data(&self) -> &NodeData {
        &self.data
    }

    /// Returns the kind.
    pub fn kind(&self) -> NodeKind {
        self.data.kind()
    }

    /// Returns the PageRank; 0 before it is computed.
    pub fn pagerank(&self) -> f64 {
        self.pagerank
    }

    /// Returns the community; `None` before communities are computed.
    pub fn community_id(&self) -> Option<u32> {
        self.community_id
    }

    /// Returns the service that the node belongs to; empty if there is none.
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

    /// Returns the path of the file that the node represents or is declared in; empty if there is none.
    pub fn file_path(&self) -> &str {
        match &self.data {
            NodeData::File(it) => &it.file_path,
            NodeData::Symbol(it) => &it.file_path,
            NodeData::Contract(it) => &it.file_path,
            _ => "",
        }
    }

    /// Returns the display name: a path, the name of a symbol, `GET /orders`.
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
        /// Kind-specific data of a node. Its JSON form has the kind as `node_type`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(tag = "node_type")]
        pub enum NodeData {
            $(#[allow(missing_docs, reason = "the types say it")] #[serde(rename = $wire)] $variant($data),)*
        }

        impl NodeData {
            /// Returns the kind of the node.
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

/// Defaults to a file without a path. No graph contains it; it is the placeholder in an unavailable answer.
impl Default for NodeData {
    fn default() -> Self {
        Self::File(FileNode::default())
    }
}

impl NodeData {
    /// Returns the id of a node with this data. Among symbols of one name in a file, only the first has this id.
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

/// Source file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FileNode {
    /// Path relative to the project root.
    pub file_path: Arc<str>,
    /// Language of the file.
    pub language: Arc<str>,
    /// Service that the file belongs to; empty if there is none.
    pub service_name: Arc<str>,
}

/// Declaration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SymbolNode {
    /// Name qualified by the enclosing declarations: `Outer.inner`.
    pub symbol_name: Box<str>,
    /// Symbol kind.
    #[serde(with = "kind_of_symbol")]
    #[schemars(with = "String")]
    pub kind: SymbolKind,
    /// Language of the symbol.
    pub language: Arc<str>,
    /// Service that the symbol belongs to; empty if there is none.
    pub service_name: Arc<str>,
    /// Declaring file.
    pub file_path: Arc<str>,
    /// First line (1-based).
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// Declaration without its body, on one line.
    pub signature: Box<str>,
    /// True if visible to other files.
    pub is_exported: bool,
}

/// Separately deployed program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ServiceNode {
    /// Name.
    pub service_name: Arc<str>,
    /// Business domain; empty if unknown.
    pub domain: Box<str>,
    /// Purpose; empty if unknown.
    pub description: Box<str>,
    /// Technology stack; serialized as a JSON object in a string.
    #[serde(with = "embedded")]
    #[schemars(with = "String")]
    pub stack: BTreeMap<Box<str>, Vec<Box<str>>>,
    /// Approximate number of lines of code; 0 if unknown.
    pub estimated_loc: u32,
    /// Code directory; `None` if it is not in this project.
    pub root: Option<Box<str>>,
}

/// Contract of a service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContractNode {
    /// Path of the file, or `code:` and the service's name for endpoints without a file.
    pub contract_id: Box<str>,
    /// Format of the contract.
    pub contract_type: ContractType,
    /// Version of the described API; empty if not given.
    pub version: Box<str>,
    /// Providing service; empty if unknown.
    pub service_name: Arc<str>,
    /// Status: `active` or `deprecated`.
    pub status: Box<str>,
    /// Title; empty if there is none.
    pub title: Box<str>,
    /// Path of the file; empty if none.
    pub file_path: Box<str>,
}

/// Method and path that a service handles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EndpointNode {
    /// Method in uppercase; `ANY` for all methods.
    pub method: Box<str>,
    /// Path with parameters in braces, spelled as in the contract if there is one.
    pub path: Box<str>,
    /// Handling service; empty if unknown.
    pub service_name: Arc<str>,
    /// Id of the handler's symbol, or of its file if no declaration encloses the code. Of several handlers, the one
    /// with the highest confidence; empty if none is known.
    pub handler_symbol: Box<str>,
    /// `operationId` of the contract; empty if there is none.
    pub operation_id: Box<str>,
    /// `summary` of the contract; empty if there is none.
    pub summary: Box<str>,
    /// True if the contract requires credentials.
    pub secured: bool,
}

/// Domain entity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EntityNode {
    /// Name.
    pub entity_name: Box<str>,
    /// Description; empty if unknown.
    pub description: Box<str>,
    /// Owning service; empty if unknown.
    pub owning_service: Arc<str>,
    /// Fields; serialized as a JSON list in a string.
    #[serde(rename = "fields_json", with = "embedded")]
    #[schemars(with = "String")]
    pub fields: Vec<SchemaField>,
}

/// Message sent between services.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EventNode {
    /// Name.
    pub event_name: Box<str>,
    /// Channel.
    pub channel: Box<str>,
    /// Required payload fields by the contract of a publisher, or else of a consumer; empty if none.
    pub required_fields: Vec<Box<str>>,
}

/// Returns the id of a file.
pub fn file_id(path: &str) -> String {
    format!("file::{path}")
}

/// Returns the id of a symbol.
pub fn symbol_id(path: &str, name: &str) -> String {
    format!("symbol::{path}::{name}")
}

/// Returns the id of a service.
pub fn service_id(name: &str) -> String {
    format!("service::{name}")
}

/// Returns the id of a contract's node.
pub fn contract_id(contract: &str) -> String {
    format!("contract::{contract}")
}

/// Returns the id of an endpoint.
pub fn endpoint_id(service: &str, method: &str, path: &str) -> String {
    format!("endpoint::{service}::{method}::{path}")
}

/// Returns the id of an entity.
pub fn entity_id(name: &str) -> String {
    format!("domain_entity::{name}")
}

/// Returns the id of an event.
pub fn event_id(name: &str) -> String {
    format!("event::{name}")
}

/// Serialization of a value as JSON in a string.
mod embedded {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<T: Serialize, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&serde_json::to_string(value).map_err(S::Error::custom)?)
    }

    pub(crate) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let text = String::deserialize(deserializer)?;
        serde_json::from_str(&text).map_err(D::Error::custom)
    }
}

/// Serialization of a symbol kind by its wire name.
mod kind_of_symbol {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};
    use sscg_core::SymbolKind;

    pub(crate) fn serialize<S: Serializer>(kind: &SymbolKind, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(kind.as_str())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SymbolKind, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(D::Error::custom)
    }
}
