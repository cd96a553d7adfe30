//! The JSON forms of nodes and edges.

use serde::{Deserialize, Serialize};

use super::{Edge, EdgeData, KnowledgeGraph, Node, NodeData, NodeIndex, UseSite};
use crate::{EdgeKind, Source};

/// A node as JSON: its id, its kind as `node_type`, its attributes, and what was computed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NodeRecord {
    /// Its id.
    pub id: Box<str>,
    /// Its kind and attributes.
    #[serde(flatten)]
    pub data: NodeData,
    /// Its PageRank; 0 before it was computed.
    #[serde(default)]
    pub pagerank: f64,
    /// Its community; −1 before they were computed.
    #[serde(default = "no_community")]
    pub community_id: i64,
}

fn no_community() -> i64 {
    -1
}

impl From<&Node> for NodeRecord {
    fn from(node: &Node) -> Self {
        Self {
            id: node.id().into(),
            data: node.data.clone(),
            pagerank: node.pagerank,
            community_id: node.community_id.map_or(-1, i64::from),
        }
    }
}

/// An edge as JSON: the ids of its ends, its kind as `relation`, its attributes, and how it is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EdgeRecord {
    /// The id of the node that it starts at.
    pub source: Box<str>,
    /// The id of the node that it ends at.
    pub target: Box<str>,
    /// Its kind.
    pub relation: EdgeKind,
    /// `exact`, `inferred` or `ambiguous`.
    pub confidence: Box<str>,
    /// What told of it.
    pub provenance: Source,
    /// The file that says so; empty if it is none in particular.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub file: Box<str>,
    /// The line in it, from 1; 0 if there is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
    /// Of imports: the names, a JSON list in a string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_names: Option<Box<str>>,
    /// Of calls of services: the id of the endpoint, or empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via_endpoint: Option<Box<str>>,
    /// Of calls of services: how many files are imported across the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import_count: Option<u32>,
    /// Of calls of services and of events: where the code does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sites: Option<Vec<UseSite>>,
    /// Of relationships of entities: what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relationship_type: Option<Box<str>>,
    /// Of relationships of entities: of how many to how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cardinality: Option<Box<str>>,
}

fn is_zero(line: &u32) -> bool {
    *line == 0
}

impl KnowledgeGraph {
    /// The JSON form of a node.
    pub fn node_record(&self, node: NodeIndex) -> NodeRecord {
        self.node(node).into()
    }

    /// The JSON form of an edge.
    pub fn edge_record(&self, edge: &Edge) -> EdgeRecord {
        let mut record = EdgeRecord {
            source: self.node(edge.source).id().into(),
            target: self.node(edge.target).id().into(),
            relation: edge.kind,
            confidence: edge.evidence.confidence.as_str().into(),
            provenance: edge.evidence.source,
            file: edge.evidence.file.clone(),
            line: edge.evidence.line,
            imported_names: None,
            via_endpoint: None,
            import_count: None,
            sites: None,
            relationship_type: None,
            cardinality: None,
        };
        match &edge.data {
            EdgeData::None => {}
            EdgeData::Import(names) => {
                let names = serde_json::to_string(names).expect("a list of strings is JSON");
                record.imported_names = Some(names.into());
            }
            EdgeData::ServiceCall { via_endpoint, import_count, sites } => {
                record.via_endpoint = Some(via_endpoint.clone());
                record.import_count = Some(*import_count);
                record.sites = Some(sites.clone());
            }
            EdgeData::Event(sites) => record.sites = Some(sites.clone()),
            EdgeData::Relationship { relationship_type, cardinality } => {
                record.relationship_type = Some(relationship_type.clone());
                record.cardinality = Some(cardinality.clone());
            }
        }
        record
    }
}

impl EdgeRecord {
    /// What the edge says beside its kind, or why that makes no sense.
    pub(crate) fn data(self) -> Result<EdgeData, String> {
        Ok(match self.relation {
            EdgeKind::Imports => {
                let names = self.imported_names.unwrap_or_else(|| "[]".into());
                EdgeData::Import(
                    serde_json::from_str(&names).map_err(|error| format!("imported_names: {error}"))?,
                )
            }
            EdgeKind::ServiceCalls => EdgeData::ServiceCall {
                via_endpoint: self.via_endpoint.unwrap_or_default(),
                import_count: self.import_count.unwrap_or_default(),
                sites: self.sites.unwrap_or_default(),
            },
            EdgeKind::PublishesEvent | EdgeKind::ConsumesEvent => {
                EdgeData::Event(self.sites.unwrap_or_default())
            }
            EdgeKind::DomainRelationship => EdgeData::Relationship {
                relationship_type: self.relationship_type.unwrap_or_default(),
                cardinality: self.cardinality.unwrap_or_default(),
            },
            _ => EdgeData::None,
        })
    }
}

/// A value that is JSON in a string when it is written.
pub(super) mod embedded {
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

/// The kind of a symbol under its wire name.
pub(super) mod kind_of_symbol {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};
    use sscg_core::SymbolKind;

    pub(crate) fn serialize<S: Serializer>(kind: &SymbolKind, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(kind.as_str())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SymbolKind, D::Error> {
        let name = String::deserialize(deserializer)?;
        let kind = SymbolKind::ALL.iter().copied().find(|kind| kind.as_str() == name);
        kind.ok_or_else(|| D::Error::custom(format!("unknown kind of symbol `{name}`")))
    }
}
