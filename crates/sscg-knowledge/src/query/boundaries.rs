//! Comparison of the service of each file with the service that it works with.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::iter::Sum;

use derive_setters::Setters;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::Adjacency;
use sscg_rank::{CommunityOptions, Csr, communities};

use super::QueryError;
use crate::{EdgeData, EdgeKind, KnowledgeGraph, NodeIndex, NodeKind};

/// Request for a validation of service boundaries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct BoundariesRequest {
    /// Resolution of the communities: higher values give smaller ones (default 1, finite, above 0).
    pub resolution: f64,
}

impl Default for BoundariesRequest {
    fn default() -> Self {
        Self { resolution: 1.0 }
    }
}

/// Result of a validation of service boundaries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct BoundaryValidation {
    /// Number of communities of the services' files; files without links are in none.
    pub communities_detected: usize,
    /// Count of services with files.
    pub services_declared: usize,
    /// Share of the services' files that are not misplaced; 1 if there are no files.
    pub alignment_score: f64,
    /// Misplaced files, highest confidence first.
    pub misplaced_files: Vec<MisplacedFile>,
    /// Files of services that define symbols, but neither import files of the project nor are imported by any.
    pub isolated_files: Vec<Box<str>>,
    /// Pairs of services with edges between them, most edges first.
    pub service_coupling: Vec<ServiceCoupling>,
}

/// File that works with another service than its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MisplacedFile {
    /// Path.
    pub file: Box<str>,
    /// Service of the file.
    pub declared_service: Box<str>,
    /// Service that it works with.
    pub community_service: Box<str>,
    /// From 0 to 1: the smaller of that service's shares of the files of its community and of the file's links.
    pub confidence: f64,
    /// Number of imported names and calls that link it to its own service.
    pub links_to_declared: u32,
    /// The same count for the other service.
    pub links_to_community: u32,
}

/// Two services with edges between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ServiceCoupling {
    /// Service whose name comes first.
    pub service_a: Box<str>,
    /// The other.
    pub service_b: Box<str>,
    /// Number of edges between nodes of the two.
    pub cross_edges: usize,
}

/// Minimum number of links to another service; fewer are no evidence of where a file belongs.
const LEAST_LINKS: u32 = 3;

/// Compares the service of each file with the service that it works with.
///
/// The files of services are linked by imports and by calls between their symbols, with one link per imported name and
/// per call; files of libraries are ignored. A file is misplaced if all of these conditions hold:
///
/// - Most files of its community belong to another service. Its neighbors alone would misplace many files between
///   services.
/// - More than half of its links, and at least three, lead to files of that service. Communities alone would misplace
///   files at the edge of small services.
/// - More than half of its uses by other files are in that service. A file that merely uses another service is a client
///   and belongs where it is.
/// - It uses that service at least as much as its own. A file that a service offers to another also belongs where it
///   is.
///
/// O(edges) plus the cost of community detection.
///
/// # Errors
/// Fails if the resolution is out of range.
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

/// Files of services and the number of links between each pair. The vectors are parallel.
struct Files<'a> {
    /// Nodes of the files.
    nodes: Vec<NodeIndex>,
    /// Paths of the files.
    paths: Vec<&'a str>,
    /// Services of the files.
    services: Vec<&'a str>,
    /// Links of each file to other files, by index.
    links: Vec<BTreeMap<u32, Links>>,
}

/// Number of links of a file with another.
#[derive(Clone, Copy, Default)]
struct Links {
    /// Uses of the other file.
    uses: u32,
    /// Uses by the other file.
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

    /// Returns the number of communities of linked files, and the misplaced files.
    fn misplaced(&self, resolution: f64) -> (usize, Vec<MisplacedFile>) {
        let options = CommunityOptions::default().with_resolution(resolution);
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
            // On a tie, the first by name.
            let (dominant, files) = services.iter().rev().max_by_key(|(_, files)| **files)?;
            self.judge(file, dominant, *files as f64 / services.values().sum::<usize>() as f64)
        });
        (count, misplaced.collect())
    }

    /// Returns the misplacement of a file whose community belongs to `service` with this share of its files; `None` if
    /// the file is not misplaced.
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

    /// Returns the files without imports in either direction, of any service or library. Files without declarations are
    /// skipped: they mark a directory or hold settings.
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
    // The sort is stable, so equal pairs stay in the order of their names.
    coupling.sort_by_key(|pair| Reverse(pair.cross_edges));
    coupling
}
