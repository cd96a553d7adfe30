//! Report of a graph build.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sscg_core::{Project, ProjectFile};

use crate::{EdgeKind, KnowledgeGraph, NodeData, NodeKind, Problem, input_limit};

/// Report of a graph build.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct BuildReport {
    /// True if there is a graph. Unreadable inputs are listed in the errors and do not affect this.
    pub success: bool,
    /// Number of nodes.
    pub node_count: usize,
    /// Number of edges.
    pub edge_count: usize,
    /// Number of nodes of each kind present.
    pub node_types: BTreeMap<NodeKind, usize>,
    /// Number of edges of each kind present.
    pub edge_types: BTreeMap<EdgeKind, usize>,
    /// Number of communities.
    pub community_count: usize,
    /// Build time in milliseconds; set by the caller.
    pub build_time_ms: u64,
    /// Names of the services, sorted.
    pub services_indexed: Vec<Box<str>>,
    /// Number of files by language of which only the declarations are read: their calls, endpoints, requests and events
    /// are unknown.
    #[serde(default)]
    pub declarations_only: BTreeMap<Box<str>, usize>,
    /// Unreadable or contradictory inputs, each with its file and line.
    pub errors: Vec<String>,
}

impl BuildReport {
    /// Creates the report of a graph and of the problems found while building it.
    pub(crate) fn of(
        project: &Project,
        graph: &KnowledgeGraph,
        community_count: usize,
        problems: &[Problem],
    ) -> Self {
        let mut report = Self {
            success: true,
            node_count: graph.node_count(),
            edge_count: graph.edge_count(),
            community_count,
            errors: problems.iter().map(Problem::to_string).collect(),
            ..Self::default()
        };
        for node in graph.nodes() {
            *report.node_types.entry(node.kind()).or_default() += 1;
            if let NodeData::Service(service) = node.data() {
                report.services_indexed.push((*service.service_name).into());
            }
        }
        for edge in graph.edges() {
            *report.edge_types.entry(edge.kind).or_default() += 1;
        }
        report.services_indexed.sort();
        // Contracts are read as inputs.
        let is_unlinked = |file: &&ProjectFile| {
            !file.language.is_linked() && !file.language.is_data && input_limit(&file.path).is_none()
        };
        for file in project.files().iter().filter(is_unlinked) {
            *report.declarations_only.entry(file.language.name.into()).or_default() += 1;
        }
        report
    }
}
