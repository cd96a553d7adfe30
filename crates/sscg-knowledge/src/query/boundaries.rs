//! Whether files stand with the services that they work with.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::iter::Sum;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::Adjacency;
use sscg_rank::{CommunityOptions, Csr, communities};

use super::QueryError;
use crate::{EdgeData, EdgeKind, KnowledgeGraph, NodeIndex, NodeKind};

/// What is asked of the boundaries of services.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoundariesRequest {
    /// Of the communities: the larger, the smaller they are; 1 by default, finite and above 0.
    pub resolution: f64,
}

impl Default for BoundariesRequest {
    fn default() -> Self {
        Self { resolution: 1.0 }
    }
}

/// What was found of the boundaries of services.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BoundaryValidation {
    /// How many communities the files of services fall into; files that are linked to no other are in none.
    pub communities_detected: usize,
    /// How many services have files.
    pub services_declared: usize,
    /// The share of the services' files that are not misplaced; 1 if there are no files.
    pub alignment_score: f64,
    /// The files that work with another service than their own, the surest first.
    pub misplaced_files: Vec<MisplacedFile>,
    /// The files of services that declare something, and neither import a file of the project nor are imported by one.
    pub isolated_files: Vec<Box<str>>,
    /// The pairs of services with edges between them, those with most first.
    pub service_coupling: Vec<ServiceCoupling>,
}

/// A file that works with another service than its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MisplacedFile {
    /// Its path.
    pub file: Box<str>,
    /// The service where it stands.
    pub declared_service: Box<str>,
    /// The service that it works with.
    pub community_service: Box<str>,
    /// From 0 to 1: the smaller of that service's shares of the files of its community, and of what links it to other files.
    pub confidence: f64,
    /// How many names and calls link it to files of the service where it stands.
    pub links_to_declared: u32,
    /// How many link it to files of the service that it works with.
    pub links_to_community: u32,
}

/// Two services with edges between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceCoupling {
    /// The one whose name comes first.
    pub service_a: Box<str>,
    /// The other.
    pub service_b: Box<str>,
    /// How many edges lead from a node of one to a node of the other.
    pub cross_edges: usize,
}

/// Fewer links say nothing of where a file belongs.
const LEAST_LINKS: u32 = 3;

/// Compares the services that files stand in with those that they work with.
///
/// The files of services are joined by what they import of each other and what their symbols call of each other, a link for
/// each name and each call; files of libraries take no part. A file is misplaced if all of this says so:
///
/// - most files of its community belong to another service: neighbours alone would say so of many a file between services;
/// - more than half of its links, and at least three, are to files of that service: communities alone would say so of files at the edge of small
///   services;
/// - more than half of what uses it is there: a file that merely uses another service is its client, and stands where it
///   should;
/// - it uses no less of that service than of its own: what a service offers to another stands where it should, too.
///
/// O(edges), and what communities cost.
///
/// # Errors
/// If the resolution is out of range.
pub fn validate_service_boundaries(
    graph: &KnowledgeGraph,
    request: &BoundariesRequest,
) -> Result<BoundaryValidation, QueryError> {
    if !(request.resolution.is_finite() && request.resolution > 0.0) {
        let message = format!("`resolution` is {}, and has to be a number above 0", request.resolution);
        return Err(QueryError::invalid(message));
    }
    let files = Files::new(graph);
    let (communities_detected, mut misplaced) = files.misplaced(request.resolution);
    misplaced.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.file.cmp(&b.file)));
    let services: BTreeSet<&str> = files.services.iter().copied().collect();
    let total = files.nodes.len();
    let aligned = total - misplaced.len();
    let mut isolated: Vec<Box<str>> =
        files.isolated(graph).map(|node| graph.node(node).file_path().into()).collect();
    isolated.sort();
    Ok(BoundaryValidation {
        communities_detected,
        services_declared: services.len(),
        alignment_score: if total == 0 { 1.0 } else { aligned as f64 / total as f64 },
        misplaced_files: misplaced,
        isolated_files: isolated,
        service_coupling: coupling(graph),
    })
}

/// The files of services, and how many links there are between each two.
struct Files<'a> {
    /// Their nodes.
    nodes: Vec<NodeIndex>,
    /// Their paths.
    paths: Vec<&'a str>,
    /// Their services.
    services: Vec<&'a str>,
    /// The links of each to others, by place.
    links: Vec<BTreeMap<u32, Links>>,
}

/// The links of a file to another.
#[derive(Clone, Copy, Default)]
struct Links {
    /// What it uses of the other.
    uses: u32,
    /// What the other uses of it.
    used: u32,
}

impl Links {
    fn all(self) -> u32 {
        self.uses + self.used
    }
}

impl Sum for Links {
    fn sum<I: Iterator<Item = Self>>(links: I) -> Self {
        links.fold(Self::default(), |a, b| Self { uses: a.uses + b.uses, used: a.used + b.used })
    }
}

impl<'a> Files<'a> {
    fn new(graph: &'a KnowledgeGraph) -> Self {
        let (mut nodes, mut paths, mut services) = (Vec::new(), Vec::new(), Vec::new());
        let mut places = FxHashMap::default();
        for (index, node) in graph.nodes_of(NodeKind::File) {
            if !node.service_name().is_empty() {
                places.insert(node.file_path(), nodes.len() as u32);
                nodes.push(index);
                paths.push(node.file_path());
                services.push(node.service_name());
            }
        }
        let mut links: Vec<BTreeMap<u32, Links>> = vec![BTreeMap::new(); nodes.len()];
        for edge in graph.edges() {
            let count = match &edge.data {
                EdgeData::Import(names) => names.len().max(1) as u32,
                _ if edge.kind == EdgeKind::Calls => 1,
                _ => continue,
            };
            let place = |node| places.get(graph.node(node).file_path()).copied();
            if let (Some(source), Some(target)) = (place(edge.source), place(edge.target))
                && source != target
            {
                links[source as usize].entry(target).or_default().uses += count;
                links[target as usize].entry(source).or_default().used += count;
            }
        }
        Self { nodes, paths, services, links }
    }

    /// The number of communities of linked files, and the files that work with another service than their own.
    fn misplaced(&self, resolution: f64) -> (usize, Vec<MisplacedFile>) {
        let options = CommunityOptions { resolution, ..CommunityOptions::default() };
        let found = communities(&Csr::outgoing(self), &options);
        let mut members: Vec<BTreeMap<&str, usize>> = vec![BTreeMap::new(); found.count];
        for (file, community) in found.membership.iter().enumerate() {
            if !self.links[file].is_empty() {
                *members[*community as usize].entry(self.services[file]).or_default() += 1;
            }
        }
        let count = members.iter().filter(|services| !services.is_empty()).count();
        let misplaced = found.membership.iter().enumerate().filter_map(|(file, community)| {
            let services = &members[*community as usize];
            // The first by name of those with most files.
            let (dominant, files) = services.iter().rev().max_by_key(|(_, files)| **files)?;
            self.judge(file, dominant, *files as f64 / services.values().sum::<usize>() as f64)
        });
        (count, misplaced.collect())
    }

    /// Whether a file whose community belongs to a service, with such a share of its files, works with that service.
    fn judge(&self, file: usize, service: &str, share: f64) -> Option<MisplacedFile> {
        let declared = self.services[file];
        let to = |name: &str| -> Links {
            let links = self.links[file].iter().filter(|(other, _)| self.services[**other as usize] == name);
            links.map(|(_, links)| *links).sum()
        };
        let (own, theirs) = (to(declared), to(service));
        let all: Links = self.links[file].values().copied().sum();
        let is_misplaced = declared != service
            && share > 0.5
            && theirs.all() >= LEAST_LINKS
            && theirs.all() * 2 > all.all()
            && theirs.used * 2 > all.used
            && theirs.uses >= own.uses;
        is_misplaced.then(|| MisplacedFile {
            file: self.paths[file].into(),
            declared_service: declared.into(),
            community_service: service.into(),
            confidence: (share.min(f64::from(theirs.all()) / f64::from(all.all())) * 1000.0).round() / 1000.0,
            links_to_declared: own.all(),
            links_to_community: theirs.all(),
        })
    }

    /// The files that no import joins to any other, of whatever service or library. A file that declares nothing marks a
    /// directory or holds settings.
    fn isolated(&self, graph: &'a KnowledgeGraph) -> impl Iterator<Item = NodeIndex> {
        self.nodes.iter().copied().filter(|file| {
            let has =
                |kind| graph.edges_out(*file).chain(graph.edges_in(*file)).any(|edge| edge.kind == kind);
            has(EdgeKind::DefinesSymbol) && !has(EdgeKind::Imports)
        })
    }
}

impl Adjacency for Files<'_> {
    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn edge_count(&self) -> usize {
        self.links.iter().map(BTreeMap::len).sum()
    }

    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        self.links[node as usize].iter().for_each(|(other, links)| visit(*other, links.all() as f32));
    }
}

fn coupling(graph: &KnowledgeGraph) -> Vec<ServiceCoupling> {
    let mut pairs: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for edge in graph.edges() {
        let (source, target) =
            (graph.node(edge.source).service_name(), graph.node(edge.target).service_name());
        if !source.is_empty() && !target.is_empty() && source != target {
            *pairs.entry((source.min(target), source.max(target))).or_default() += 1;
        }
    }
    let mut coupling: Vec<ServiceCoupling> = pairs
        .into_iter()
        .map(|((a, b), cross_edges)| ServiceCoupling {
            service_a: a.into(),
            service_b: b.into(),
            cross_edges,
        })
        .collect();
    // Stable, so that equal ones stay in the order of their names.
    coupling.sort_by_key(|pair| Reverse(pair.cross_edges));
    coupling
}
