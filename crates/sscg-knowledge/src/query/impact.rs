//! What a change reaches in other services.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::Confidence;

use super::QueryError;
use super::error::node;
use super::spread::{Reached, Spread};
use crate::{EdgeKind, KnowledgeGraph, NodeData, NodeIndex};

/// What is asked of the impact of a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImpactRequest {
    /// The node that changes: a file or a symbol, or any other.
    pub node_id: String,
    /// The most steps from it; 3 by default.
    pub max_depth: u32,
}

impl Default for ImpactRequest {
    fn default() -> Self {
        Self { node_id: String::new(), max_depth: 3 }
    }
}

/// What a change reaches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CrossServiceImpact {
    /// The node that changes.
    pub source_node: Box<str>,
    /// Its service; empty if it belongs to none.
    pub source_service: Box<str>,
    /// The other services, the one with most impact first.
    pub impacted_services: Vec<ImpactedService>,
    /// The contracts whose endpoints are reached, by id.
    pub impacted_contracts: Vec<ImpactedContract>,
    /// The entities that the changed code implements, by name.
    pub impacted_entities: Vec<ImpactedEntity>,
    /// How many nodes are reached, those of the own service among them.
    pub total_impacted_nodes: usize,
}

/// A service that a change reaches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImpactedService {
    /// Its name.
    pub service_name: Box<str>,
    /// How many of its nodes are reached.
    pub impact_count: usize,
    /// The ids of the nodes on the ways to those of them that are reached first, from the node that changes on.
    pub impact_paths: Vec<Vec<Box<str>>>,
    /// How sure the surest of these ways is: as sure as the least sure of its steps.
    pub confidence: Box<str>,
}

/// A contract that a change reaches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImpactedContract {
    /// Its id.
    pub contract_id: Box<str>,
    /// The service that provides it; empty if unknown.
    pub service_name: Box<str>,
    /// The ids of its endpoints that are reached.
    pub endpoints_affected: Vec<Box<str>>,
}

/// An entity that a change reaches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImpactedEntity {
    /// Its name.
    pub entity_name: Box<str>,
    /// The service that owns it; empty if unknown.
    pub owning_service: Box<str>,
}

/// What a change of a node reaches in other services. O(nodes + edges) within the depth.
///
/// A step goes from what changes to what has to be looked at because of it:
///
/// - from a symbol to those that call it, extend it or implement it, and to the endpoints that it answers;
/// - from a file or a symbol of it to the files that import it, and from those to the symbols in them if what they import
///   is no function: who uses a type or a constant no edge says, while who calls a function does;
/// - from an endpoint to the code of other services that calls it, or to the service where that is not known;
/// - from code that sends an event to the event, and from there to the code that listens to it.
///
/// That a file belongs to a service is no such step, nor is what the changed code itself uses. A symbol changes with those
/// declared within it, a file with all of its own, a contract with its endpoints and a service with its files.
///
/// # Errors
/// If the graph has no such node.
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
    })
}

/// The most ways that are told of for a service.
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
    // What merely uses changed code does not change what an entity is.
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
