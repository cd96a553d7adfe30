//! Impact of a change on other services.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::Confidence;

use super::QueryError;
use super::error::node;
use super::spread::{Reached, Spread};
use crate::{EdgeKind, KnowledgeGraph, Node, NodeData, NodeIndex, NodeKind};

/// Request for the impact of a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct ImpactRequest {
    /// Node that changes: usually a file or a symbol.
    #[setters(into)]
    pub node_id: String,
    /// Maximum number of steps from the node (default 3).
    pub max_depth: u32,
}

impl Default for ImpactRequest {
    fn default() -> Self {
        Self { node_id: String::new(), max_depth: 3 }
    }
}

/// Impact of a change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CrossServiceImpact {
    /// Node that changes.
    pub source_node: Box<str>,
    /// Its service; empty if it has none.
    pub source_service: Box<str>,
    /// Other services, largest impact first.
    pub impacted_services: Vec<ImpactedService>,
    /// Contracts with reached endpoints, by id.
    pub impacted_contracts: Vec<ImpactedContract>,
    /// Entities that the changed code implements, by name.
    pub impacted_entities: Vec<ImpactedEntity>,
    /// Number of reached nodes, including the own service.
    pub total_impacted_nodes: usize,
    /// Files with reached nodes other than the file of the change, in order.
    pub dependent_files: Vec<Box<str>>,
}

/// Service that a change reaches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ImpactedService {
    /// Name.
    pub service_name: Box<str>,
    /// Number of its reached nodes.
    pub impact_count: usize,
    /// Ids of the nodes on at most 3 paths from the changed node into the service, shortest first.
    pub impact_paths: Vec<Vec<Box<str>>>,
    /// Highest confidence of any path; each path has that of its weakest step.
    pub confidence: Box<str>,
}

/// Contract that a change reaches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ImpactedContract {
    /// Id.
    pub contract_id: Box<str>,
    /// Service that provides it; empty if unknown.
    pub service_name: Box<str>,
    /// Ids of its reached endpoints.
    pub endpoints_affected: Vec<Box<str>>,
}

/// Entity that a change reaches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ImpactedEntity {
    /// Name.
    pub entity_name: Box<str>,
    /// Service that owns it; empty if unknown.
    pub owning_service: Box<str>,
}

/// Returns the impact of a change of a node on other services. O(nodes + edges) within the depth.
///
/// A step leads from a changed node to the nodes that depend on it:
///
/// - from a symbol to its callers, subtypes and implementations, and to the endpoints that it handles;
/// - from a file or one of its symbols to the files that import it, and on to the symbols of these files unless the
///   import is a function: the graph has edges for calls of functions, but none for uses of types and constants;
/// - from an endpoint to the code of other services that calls it, or to the service if that code is unknown;
/// - from code that publishes an event to the event, and on to the code that consumes it.
///
/// Membership of a file in a service is not such a step, nor are the dependencies of the changed code. A symbol changes
/// together with the symbols declared within it, a file with all of its symbols, a contract with its endpoints, and a
/// service with its files.
///
/// # Errors
/// Fails if the graph has no such node.
pub fn find_cross_service_impact(
    graph: &KnowledgeGraph,
    request: &ImpactRequest,
) -> Result<CrossServiceImpact, QueryError> {
    let start = node(graph, &request.node_id)?;
    let reached = Spread::new(graph).run(start, request.max_depth);
    let source = graph.node(start);
    let service = match source.data() {
        NodeData::DomainEntity(entity) => &*entity.owning_service,
        _ => source.service_name(),
    };
    Ok(CrossServiceImpact {
        source_node: source.id().into(),
        source_service: service.into(),
        impacted_services: services(graph, &reached, service),
        impacted_contracts: contracts(graph, &reached),
        impacted_entities: entities(graph, &reached),
        total_impacted_nodes: reached.nodes.iter().filter(|node| reached.depth(**node) > 0).count(),
        dependent_files: files(graph, &reached, source.file_path()),
    })
}

/// Returns the files of the code that a change reaches, without the changed one.
fn files(graph: &KnowledgeGraph, reached: &Reached, changed: &str) -> Vec<Box<str>> {
    let nodes = reached.nodes.iter().filter(|node| reached.depth(**node) > 0).map(|node| graph.node(*node));
    let code = nodes.filter(|node| matches!(node.kind(), NodeKind::File | NodeKind::Symbol));
    let files: BTreeSet<&str> = code.map(Node::file_path).filter(|file| *file != changed).collect();
    files.into_iter().map(Box::from).collect()
}

/// Maximum number of paths per service.
const MOST_PATHS: usize = 3;

fn services(graph: &KnowledgeGraph, reached: &Reached, source: &str) -> Vec<ImpactedService> {
    let mut by_service: BTreeMap<&str, Vec<NodeIndex>> = BTreeMap::new();
    for node in &reached.nodes {
        let service = graph.node(*node).service_name();
        if !service.is_empty() && service != source && reached.depth(*node) > 0 {
            by_service.entry(service).or_default().push(*node);
        }
    }
    let mut services: Vec<ImpactedService> = by_service
        .into_iter()
        .map(|(service, nodes)| {
            let name = |node: &NodeIndex| graph.node(*node).service_name();
            let first = nodes.iter().filter(|node| name(&reached.before(**node)) != service).take(MOST_PATHS);
            let sure = nodes.iter().map(|node| reached.confidence(*node)).max();
            ImpactedService {
                service_name: service.into(),
                impact_count: nodes.len(),
                impact_paths: first.map(|node| reached.path(graph, *node)).collect(),
                confidence: sure.map_or("", Confidence::as_str).into(),
            }
        })
        .collect();
    services.sort_by_key(|service| Reverse(service.impact_count));
    services
}

fn contracts(graph: &KnowledgeGraph, reached: &Reached) -> Vec<ImpactedContract> {
    let mut by_contract: BTreeMap<NodeIndex, Vec<Box<str>>> = BTreeMap::new();
    for node in &reached.nodes {
        for contract in graph.sources(*node, EdgeKind::ExposesEndpoint) {
            by_contract.entry(contract).or_default().push(graph.node(*node).id().into());
        }
    }
    let mut contracts: Vec<ImpactedContract> = by_contract
        .into_iter()
        .filter_map(|(contract, mut endpoints_affected)| {
            endpoints_affected.sort();
            let NodeData::Contract(contract) = graph.node(contract).data() else { return None };
            Some(ImpactedContract {
                contract_id: contract.contract_id.clone(),
                service_name: (*contract.service_name).into(),
                endpoints_affected,
            })
        })
        .collect();
    contracts.sort_by(|a, b| a.contract_id.cmp(&b.contract_id));
    contracts
}

fn entities(graph: &KnowledgeGraph, reached: &Reached) -> Vec<ImpactedEntity> {
    // Code that merely uses changed code does not change the entity.
    let changed = reached.nodes.iter().filter(|node| reached.depth(**node) == 0);
    let implemented =
        changed.flat_map(|node| graph.targets(*node, EdgeKind::ImplementsEntity).chain([*node]));
    let mut entities: Vec<ImpactedEntity> = implemented
        .filter_map(|node| match graph.node(node).data() {
            NodeData::DomainEntity(entity) => Some(ImpactedEntity {
                entity_name: entity.entity_name.clone(),
                owning_service: (*entity.owning_service).into(),
            }),
            _ => None,
        })
        .collect();
    entities.sort_by(|a, b| a.entity_name.cmp(&b.entity_name));
    entities.dedup();
    entities
}
