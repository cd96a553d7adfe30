//! Context records: what is known of a service or a community, as one text that a search can find.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::TokenCounter;

use super::{CONTEXT_TOKENS, community_summary};
use crate::query::{ServiceContextRequest, get_service_context};
use crate::{Edge, KnowledgeGraph, Node, NodeData, NodeKind};

/// Kind of a context record.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextKind {
    /// Context of a service, as [`get_service_context`] returns it, with its files.
    #[default]
    ServiceContext,
    /// [Summary](community_summary) of a community.
    CommunitySummary,
}

/// Text about a service or a community.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ContextRecord {
    /// Id: `ctx::service::orders`, `ctx::community::3`.
    pub record_id: Box<str>,
    /// Kind.
    pub context_type: ContextKind,
    /// Service; empty for a community.
    pub service_name: Box<str>,
    /// Community; −1 for a service.
    pub community_id: i64,
    /// Number of nodes that the text is about.
    pub node_count: usize,
    /// Number of edges between them; for a service also those to other nodes.
    pub edge_count: usize,
    /// Text.
    pub document: String,
}

/// Context records of a graph in memory, one for each service and each community.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextStore {
    records: BTreeMap<Box<str>, ContextRecord>,
}

impl ContextStore {
    /// Creates the records of all services and communities of a graph. O(communities × (nodes + edges)).
    pub fn of(graph: &KnowledgeGraph, tokens: &dyn TokenCounter) -> Self {
        let mut store = Self::default();
        let services = graph.nodes_of(NodeKind::Service);
        store.upsert_all(services.map(|(_, service)| of_service(graph, service, tokens)));
        let communities: BTreeSet<u32> = graph.nodes().iter().filter_map(Node::community_id).collect();
        store.upsert_all(communities.into_iter().filter_map(|community| of_community(graph, community)));
        store
    }

    /// Adds a record, or replaces the one with its id.
    pub fn upsert(&mut self, record: ContextRecord) {
        self.records.insert(record.record_id.clone(), record);
    }

    /// Adds records as [`ContextStore::upsert`].
    pub fn upsert_all(&mut self, records: impl IntoIterator<Item = ContextRecord>) {
        records.into_iter().for_each(|record| self.upsert(record));
    }

    /// Returns the record with this id.
    pub fn get(&self, record_id: &str) -> Option<&ContextRecord> {
        self.records.get(record_id)
    }

    /// Returns all records by their ids.
    pub fn records(&self) -> impl ExactSizeIterator<Item = &ContextRecord> {
        self.records.values()
    }

    /// Removes all records.
    pub fn clear(&mut self) {
        self.records.clear();
    }
}

/// Maximum number of files that the record of a service names.
const MOST_FILES: usize = 20;

fn of_service(graph: &KnowledgeGraph, service: &Node, tokens: &dyn TokenCounter) -> ContextRecord {
    let name = service.service_name();
    let request = ServiceContextRequest::default().with_service_name(name).with_max_tokens(CONTEXT_TOKENS);
    let context = get_service_context(graph, &request, tokens).map(|context| context.context_text);
    let is_own = |node: &Node| match node.data() {
        NodeData::DomainEntity(entity) => &*entity.owning_service == name,
        _ => node.service_name() == name,
    };
    let is_about = |edge: &&Edge| is_own(graph.node(edge.source)) || is_own(graph.node(edge.target));
    let mut files: Vec<&Node> =
        graph.nodes().iter().filter(|node| node.kind() == NodeKind::File && is_own(node)).collect();
    files.sort_by(|a, b| b.pagerank().total_cmp(&a.pagerank()).then_with(|| a.id().cmp(b.id())));
    let files: Vec<&str> = files.into_iter().take(MOST_FILES).map(Node::file_path).collect();
    let about = service.document();
    let document =
        format!("{about}\n\n{}\n\n### Files\n{}\n", context.unwrap_or_default().trim_end(), files.join("\n"));
    ContextRecord {
        record_id: format!("ctx::service::{name}").into(),
        context_type: ContextKind::ServiceContext,
        service_name: name.into(),
        community_id: -1,
        node_count: graph.nodes().iter().filter(|node| is_own(node)).count(),
        edge_count: graph.edges().iter().filter(is_about).count(),
        document,
    }
}

fn of_community(graph: &KnowledgeGraph, community: u32) -> Option<ContextRecord> {
    let document = community_summary(graph, community)?;
    let is_member = |node: &Node| node.community_id() == Some(community);
    let is_inside = |edge: &&Edge| is_member(graph.node(edge.source)) && is_member(graph.node(edge.target));
    Some(ContextRecord {
        record_id: format!("ctx::community::{community}").into(),
        context_type: ContextKind::CommunitySummary,
        service_name: "".into(),
        community_id: community.into(),
        node_count: graph.nodes().iter().filter(|node| is_member(node)).count(),
        edge_count: graph.edges().iter().filter(is_inside).count(),
        document,
    })
}
