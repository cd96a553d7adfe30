//! JSON forms of nodes and edges.

use serde::{Deserialize, Serialize};

use super::{Edge, EdgeData, InteractionSite, KnowledgeGraph, Node, NodeData, NodeIndex};
use crate::{EdgeKind, Source};

/// JSON form of a node: its id, its kind as `node_type`, its attributes and its metrics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct NodeRecord {
    /// Node id.
    pub id: Box<str>,
    /// Kind and attributes.
    #[serde(flatten)]
    pub data: NodeData,
    /// PageRank; 0 before it is computed.
    #[serde(default)]
    pub pagerank: f64,
    /// Community; −1 before communities are computed.
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

/// JSON form of an edge: the ids of its ends, its kind as `relation`, its attributes and its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct EdgeRecord {
    /// Id of the source node.
    pub source: Box<str>,
    /// Id of the target node.
    pub target: Box<str>,
    /// Edge kind.
    pub relation: EdgeKind,
    /// Confidence: `exact`, `inferred` or `ambiguous`.
    pub confidence: Box<str>,
    /// Source of the fact.
    pub provenance: Source,
    /// File of the evidence; empty if there is no particular file.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub file: Box<str>,
    /// 1-based line in the file; 0 if there is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
    /// For imports: the names, as a JSON list in a string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_names: Option<Box<str>>,
    /// For service calls: the id of the endpoint, or empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via_endpoint: Option<Box<str>>,
    /// For service calls: the number of file imports across the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import_count: Option<u32>,
    /// For service calls and events: the code locations of the uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sites: Option<Vec<InteractionSite>>,
    /// For relationships of entities: the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relationship_type: Option<Box<str>>,
    /// For relationships of entities: the cardinality.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cardinality: Option<Box<str>>,
}

fn is_zero(line: &u32) -> bool {
    *line == 0
}

impl KnowledgeGraph {
    /// Returns the JSON form of a node.
    pub fn node_record(&self, node: NodeIndex) -> NodeRecord {
        self.node(node).into()
    }

    /// Returns the JSON form of an edge.
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
    /// Returns the kind-specific attributes, or an error message if they are malformed.
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
