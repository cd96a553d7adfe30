//! Edges of the service graph.

use std::fmt;

use serde::{Deserialize, Serialize};
use sscg_core::Confidence;

use super::NodeIndex;
use crate::{EdgeKind, FactEvidence};

/// Edge of the service graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Source node.
    pub source: NodeIndex,
    /// Target node.
    pub target: NodeIndex,
    /// Kind of the edge.
    pub kind: EdgeKind,
    /// Attributes specific to the kind.
    pub data: EdgeData,
    /// Evidence for the edge. Edges from the code graph or the file layout leave the file empty: it is the file of the
    /// edge's source, or of its target if the source is a service.
    pub evidence: FactEvidence,
}

/// Kind-specific attributes of an edge.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum EdgeData {
    /// No attributes.
    #[default]
    None,
    /// Attributes of [`EdgeKind::Imports`]: the imported names, sorted; empty if the file is imported as a whole.
    Import(Box<[Box<str>]>),
    /// Attributes of [`EdgeKind::ServiceCalls`].
    ServiceCall {
        /// Id of the called endpoint; empty if unknown.
        via_endpoint: Box<str>,
        /// Number of file-to-file imports across the two services; 0 if the edge comes from requests only.
        import_count: u32,
        /// Code locations that send the requests.
        sites: Vec<InteractionSite>,
    },
    /// Attributes of [`EdgeKind::PublishesEvent`] and [`EdgeKind::ConsumesEvent`]: the locations of the uses.
    Event(Vec<InteractionSite>),
    /// Attributes of [`EdgeKind::DomainRelationship`].
    Relationship {
        /// Type of the relationship: `has_many`, `belongs_to`.
        relationship_type: Box<str>,
        /// Cardinality: `1:N`, `N:1`, `1:1`, `N:M`; empty if unknown.
        cardinality: Box<str>,
    },
}

/// Location of a request, or of the use of an event.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct InteractionSite {
    /// Id of the enclosing declaration, or of the file if there is none; empty if no code is known.
    #[serde(default)]
    pub symbol: Box<str>,
    /// File of the evidence: source code or an input.
    #[serde(default)]
    pub file: Box<str>,
    /// 1-based line; 0 if there is none.
    #[serde(default)]
    pub line: u32,
    /// Transport: `kafka`, `process`; empty if unknown.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub transport: Box<str>,
}

/// Displays the id of the node, or else the file and the line.
impl fmt::Display for InteractionSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&*self.symbol, self.line) {
            ("", 0) => f.write_str(&self.file),
            ("", line) => write!(f, "{}:{line}", self.file),
            (symbol, _) => f.write_str(symbol),
        }
    }
}

impl Edge {
    /// Returns the weight of the edge by its confidence: 1 if exact, 0.8 if inferred, 0.5 if ambiguous.
    pub fn confidence_weight(&self) -> f32 {
        match self.evidence.confidence {
            Confidence::Exact => 1.0,
            Confidence::Inferred => 0.8,
            Confidence::Ambiguous => 0.5,
        }
    }

    /// Merges a duplicate into this edge: keeps the evidence with the higher confidence and combines the attributes.
    pub(super) fn merge(&mut self, data: EdgeData, evidence: FactEvidence) {
        if evidence.confidence > self.evidence.confidence {
            self.evidence = evidence;
        }
        self.data.merge(data);
    }
}

impl EdgeData {
    /// Returns the id of the called endpoint; empty if unknown, or if the edge is not a service call.
    pub fn via_endpoint(&self) -> &str {
        match self {
            Self::ServiceCall { via_endpoint, .. } => via_endpoint,
            _ => "",
        }
    }

    /// Returns the locations of the uses; empty for edges of other kinds.
    pub fn sites(&self) -> &[InteractionSite] {
        match self {
            Self::ServiceCall { sites, .. } | Self::Event(sites) => sites,
            _ => &[],
        }
    }

    fn merge(&mut self, other: Self) {
        match (self, other) {
            (Self::Import(names), Self::Import(more)) => {
                let mut all = std::mem::take(names).into_vec();
                all.extend(more);
                all.sort_unstable();
                all.dedup();
                *names = all.into();
            }
            (
                Self::ServiceCall { import_count, sites, .. },
                Self::ServiceCall { import_count: other_count, sites: more, .. },
            ) => {
                *import_count = (*import_count).max(other_count);
                add_sites(sites, more);
            }
            (Self::Event(sites), Self::Event(more)) => add_sites(sites, more),
            _ => {}
        }
    }
}

/// Adds sites, then sorts and deduplicates them.
fn add_sites(sites: &mut Vec<InteractionSite>, more: Vec<InteractionSite>) {
    sites.extend(more);
    sites.sort_unstable();
    sites.dedup();
}
