//! What a build made.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{EdgeKind, KnowledgeGraph, NodeData, NodeKind, Problem};

/// What a build made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BuildReport {
    /// Whether there is a graph. Inputs that could not be read stand in the errors and do not change it.
    pub success: bool,
    /// The number of nodes.
    pub node_count: usize,
    /// The number of edges.
    pub edge_count: usize,
    /// How many nodes there are of each kind that there is.
    pub node_types: BTreeMap<NodeKind, usize>,
    /// How many edges there are of each kind that there is.
    pub edge_types: BTreeMap<EdgeKind, usize>,
    /// The number of communities.
    pub community_count: usize,
    /// How long it took; filled by who has a clock.
    pub build_time_ms: u64,
    /// The services by name.
    pub services_indexed: Vec<Box<str>>,
    /// What could not be read or contradicts itself, each with its file and line.
    pub errors: Vec<String>,
}

impl BuildReport {
    /// The report of a graph and of what went wrong on the way to it.
    pub(crate) fn of(graph: &KnowledgeGraph, community_count: usize, problems: &[Problem]) -> Self {
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
        report
    }
}
