//! Edges.

use std::fmt;

use serde::{Deserialize, Serialize};
use sscg_core::Confidence;

use super::NodeIndex;
use crate::{EdgeKind, Evidence};

/// An edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Where it starts.
    pub source: NodeIndex,
    /// Where it ends.
    pub target: NodeIndex,
    /// What it says.
    pub kind: EdgeKind,
    /// What it says beside that.
    pub data: EdgeData,
    /// How it is known. Where the code graph tells of it, the file is left empty: it is that of the edge's source, or of its
    /// target if the source is a service.
    pub evidence: Evidence,
}

/// What edges of some kinds say beside their kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EdgeData {
    /// Nothing.
    #[default]
    None,
    /// Of [`EdgeKind::Imports`]: the names that are imported, sorted; none if the file is imported as a whole.
    Import(Box<[Box<str>]>),
    /// Of [`EdgeKind::ServiceCalls`].
    ServiceCall {
        /// The id of the endpoint that is called; empty if it is not known.
        via_endpoint: Box<str>,
        /// How many files are imported across the two services; 0 if requests alone tell of the call.
        import_count: u32,
        /// Where the code sends the requests.
        sites: Vec<UseSite>,
    },
    /// Of [`EdgeKind::PublishesEvent`] and [`EdgeKind::ConsumesEvent`]: where.
    Event(Vec<UseSite>),
    /// Of [`EdgeKind::DomainRelationship`].
    Relationship {
        /// What it is: `has_many`, `belongs_to`.
        relationship_type: Box<str>,
        /// `1:N`, `N:1`, `1:1`, `N:M`; empty if unknown.
        cardinality: Box<str>,
    },
}

/// Where a service does something.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct UseSite {
    /// The id of the declaration's node, or of the file's where there is no declaration around; empty if no code is known.
    #[serde(default)]
    pub symbol: Box<str>,
    /// The file that says so: of code, or an input.
    #[serde(default)]
    pub file: Box<str>,
    /// The 1-based line; 0 if there is none.
    #[serde(default)]
    pub line: u32,
    /// What carries it: `kafka`, `process`; empty if unknown.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub transport: Box<str>,
}

/// The id of the node, or the file and the line.
impl fmt::Display for UseSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&*self.symbol, self.line) {
            ("", 0) => f.write_str(&self.file),
            ("", line) => write!(f, "{}:{line}", self.file),
            (symbol, _) => f.write_str(symbol),
        }
    }
}

impl Edge {
    /// How much of a sure edge this one is worth: 1 if exact, 0.8 if inferred, 0.5 if ambiguous.
    pub fn certainty(&self) -> f32 {
        match self.evidence.confidence {
            Confidence::Exact => 1.0,
            Confidence::Inferred => 0.8,
            Confidence::Ambiguous => 0.5,
        }
    }

    /// Makes one of this and another edge that says the same.
    pub(super) fn merge(&mut self, data: EdgeData, evidence: Evidence) {
        if evidence.confidence > self.evidence.confidence {
            self.evidence = evidence;
        }
        self.data.merge(data);
    }
}

impl EdgeData {
    /// The endpoint that is called; empty if it is not known, or the edge no call of a service.
    pub fn via_endpoint(&self) -> &str {
        match self {
            Self::ServiceCall { via_endpoint, .. } => via_endpoint,
            _ => "",
        }
    }

    /// The places where the service does it; none for edges of other kinds.
    pub fn sites(&self) -> &[UseSite] {
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

/// Sites in order, each once.
fn add_sites(sites: &mut Vec<UseSite>, more: Vec<UseSite>) {
    sites.extend(more);
    sites.sort_unstable();
    sites.dedup();
}
