//! Snapshots of a graph as a file.
//!
//! A snapshot is one JSON object in the node-link form that graph libraries read: `format` and `version`, the report of
//! the build, `nodes` and `edges`. The same graph gives the same bytes.

use serde::{Deserialize, Serialize};
use sscg_core::Confidence;

use crate::graph::{EdgeRecord, NodeRecord};
use crate::{BuildReport, FactEvidence, KnowledgeGraph};

const FORMAT: &str = "sscg-knowledge";

/// Version of written snapshots, and the only one that is read.
pub const SNAPSHOT_VERSION: u32 = 1;

/// Graph with the report of its build.
#[derive(Clone, Debug, Default)]
pub struct KnowledgeSnapshot {
    /// Service graph.
    pub graph: KnowledgeGraph,
    /// Report of the build.
    pub report: BuildReport,
}

/// Error for bytes that are not a valid snapshot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Invalid JSON, or JSON of another form.
    #[error("the snapshot is damaged at line {line}, column {column}: {message}")]
    Syntax {
        /// 1-based line.
        line: usize,
        /// 1-based column.
        column: usize,
        /// Description of the error.
        message: String,
    },
    /// JSON of another format.
    #[error("this is no snapshot of a service graph: its `format` is {0:?}, not {FORMAT:?}")]
    Format(String),
    /// Snapshot of an unsupported version.
    #[error(
        "the snapshot has version {found}, and this program reads version {SNAPSHOT_VERSION}; build the graph again"
    )]
    Version {
        /// Version of the snapshot.
        found: u64,
    },
    /// Contradictory content.
    #[error("the snapshot is damaged: {0}")]
    Content(String),
}

/// Parses JSON of a form.
fn parse<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, SnapshotError> {
    serde_json::from_str(text).map_err(|error| SnapshotError::Syntax {
        line: error.line(),
        column: error.column(),
        message: error.to_string(),
    })
}

#[derive(Serialize)]
struct Written<'a> {
    format: &'static str,
    version: u32,
    directed: bool,
    multigraph: bool,
    report: &'a BuildReport,
    nodes: Vec<NodeRecord>,
    edges: Vec<EdgeRecord>,
}

/// Header that is checked before the rest is parsed.
#[derive(Deserialize)]
struct Header {
    format: Option<String>,
    version: Option<u64>,
}

#[derive(Deserialize)]
struct Read {
    #[serde(default)]
    report: BuildReport,
    nodes: Vec<NodeRecord>,
    edges: Vec<EdgeRecord>,
}

impl KnowledgeSnapshot {
    /// Returns the snapshot as JSON. O(nodes + edges).
    pub fn to_json(&self) -> String {
        self.graph.written(&self.report)
    }

    /// Parses an untrusted snapshot. Unknown and duplicate node ids, ids that do not fit their kind and numbers out of
    /// range are errors.
    pub fn from_json(text: &str) -> Result<Self, SnapshotError> {
        let header: Header = parse(text)?;
        match header.format.as_deref() {
            Some(FORMAT) => {}
            other => return Err(SnapshotError::Format(other.unwrap_or_default().chars().take(40).collect())),
        }
        match header.version {
            Some(version) if version == u64::from(SNAPSHOT_VERSION) => {}
            other => return Err(SnapshotError::Version { found: other.unwrap_or_default() }),
        }
        let Read { report, nodes, edges } = parse(text)?;
        let graph = graph_of(nodes, edges).map_err(SnapshotError::Content)?;
        Ok(Self { graph, report })
    }
}

impl KnowledgeGraph {
    /// Returns the graph as a snapshot without a report.
    pub fn to_json(&self) -> String {
        self.written(&BuildReport::default())
    }

    /// Parses the graph of a snapshot; see [`KnowledgeSnapshot::from_json`].
    pub fn from_json(text: &str) -> Result<Self, SnapshotError> {
        KnowledgeSnapshot::from_json(text).map(|snapshot| snapshot.graph)
    }

    fn written(&self, report: &BuildReport) -> String {
        let written = Written {
            format: FORMAT,
            version: SNAPSHOT_VERSION,
            directed: true,
            multigraph: true,
            report,
            nodes: self.nodes().iter().map(NodeRecord::from).collect(),
            edges: self.edges().iter().map(|edge| self.edge_record(edge)).collect(),
        };
        serde_json::to_string(&written).expect("a graph holds nothing that JSON has not")
    }
}

fn graph_of(nodes: Vec<NodeRecord>, edges: Vec<EdgeRecord>) -> Result<KnowledgeGraph, String> {
    let mut graph = KnowledgeGraph::new();
    graph.reserve(nodes.len(), edges.len());
    for node in nodes {
        let kind = node.data.kind();
        if node.id.strip_prefix(kind.as_str()).is_none_or(|rest| !rest.starts_with("::")) {
            return Err(format!("`{}` is not the id of a {kind}", node.id));
        }
        if graph.find(&node.id).is_some() {
            return Err(format!("there are two nodes `{}`", node.id));
        }
        if !(0.0..=1.0).contains(&node.pagerank) {
            return Err(format!("the PageRank of `{}` is {}", node.id, node.pagerank));
        }
        let community = match node.community_id {
            -1 => None,
            community => Some(
                u32::try_from(community)
                    .map_err(|_| format!("the community of `{}` is {community}", node.id))?,
            ),
        };
        let index = graph.add_node_with_id((*node.id).into(), node.data);
        graph.set_metrics(index, node.pagerank, community);
    }
    for edge in edges {
        let end = |id: &str| graph.find(id).ok_or_else(|| format!("an edge names `{id}`, which is no node"));
        let (source, target, kind) = (end(&edge.source)?, end(&edge.target)?, edge.relation);
        let confidence = edge.confidence.parse::<Confidence>().map_err(|error| error.to_string())?;
        let evidence =
            FactEvidence { confidence, source: edge.provenance, file: edge.file.clone(), line: edge.line };
        graph.add_edge(source, target, kind, edge.data()?, evidence);
    }
    Ok(graph)
}
