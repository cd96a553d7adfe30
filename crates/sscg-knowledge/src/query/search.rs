//! Search by semantic similarity and position in the graph.

use derive_setters::Setters;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::QueryError;
use super::error::{node, node_kinds, service};
use crate::graph::NodeRecord;
use crate::{ContextRecord, KnowledgeGraph, Node, NodeData, NodeIndex, NodeKind};

/// Search request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct HybridSearchRequest {
    /// Query in words.
    #[setters(into)]
    pub query: String,
    /// Possible names of the target; none by default.
    pub terms: Vec<String>,
    /// Maximum number of results (default 10, at least 1).
    pub n_results: usize,
    /// Comma-separated kinds of nodes to search; empty for all.
    #[setters(into)]
    pub node_types: String,
    /// Service whose nodes are searched; empty for all.
    #[setters(into)]
    pub service_name: String,
    /// Node near which results rank higher; if empty, results with a high PageRank do.
    #[setters(into)]
    pub anchor_node_id: String,
    /// Weight of the semantic similarity, from 0 to 1 (default 0.6).
    pub semantic_weight: f64,
    /// Weight of the position in the graph, from 0 to 1 (default 0.4).
    pub graph_weight: f64,
    /// True to search the context records of services and communities instead of nodes (default false).
    pub records: bool,
}

impl Default for HybridSearchRequest {
    fn default() -> Self {
        Self {
            query: String::new(),
            terms: Vec::new(),
            n_results: 10,
            node_types: String::new(),
            service_name: String::new(),
            anchor_node_id: String::new(),
            semantic_weight: 0.6,
            graph_weight: 0.4,
            records: false,
        }
    }
}

/// Semantic similarity of texts to a query. This crate has no model; the implementor caches the embeddings of nodes.
pub trait Semantics {
    /// Returns for each node the cosine similarity of its [document](Node::document) to the query. NaN counts as 0.
    ///
    /// # Errors
    /// Fails if the model is unavailable; the text gives the reason in one line.
    fn similarities(&self, query: &str, nodes: &[&Node]) -> Result<Vec<f32>, String>;
}

/// Results of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SearchResults {
    /// Results, best first.
    pub results: Vec<SearchResult>,
    /// Context records, best first, if the request is for records.
    pub contexts: Vec<ContextResult>,
    /// The query.
    pub query: String,
    /// Node near which results rank higher; empty if none.
    pub anchor_node_id: String,
}

/// Result of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SearchResult {
    /// Id of the node.
    pub node_id: Box<str>,
    /// Weighted sum of the two scores.
    pub score: f64,
    /// Similarity of document and query.
    pub semantic_score: f64,
    /// Proximity to the anchor, or else its PageRank, from 0 to 1.
    pub graph_score: f64,
    /// Number of edges to the anchor; −1 without an anchor or a path.
    pub distance: i64,
    /// Embedded text.
    pub document: String,
    /// Ids of further results in the same file, best first.
    pub same_file: Vec<Box<str>>,
    /// Node.
    #[serde(flatten)]
    pub node: NodeRecord,
}

/// Context record that a search finds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ContextResult {
    /// Similarity of text and query.
    pub score: f64,
    /// Record.
    #[serde(flatten)]
    pub record: ContextRecord,
}

/// Number of candidates per requested result that are scored by their position in the graph.
const OVER_FETCH: usize = 3;

/// Maximum difference of scores that count as equal.
const TIER: f64 = 0.05;

/// Searches nodes by semantic similarity and position in the graph.
///
/// The nodes that pass the filters and have the highest positive similarity to the query and its terms are scored by
/// `semantic_weight · semantic_score + graph_weight · graph_score`. Among results within 0.05 of the best of them, the
/// one with the higher PageRank comes first. Nodes of one file form one result: the best of them, which lists the
/// others.
///
/// # Errors
/// Fails if the anchor or the service does not exist, a kind is unknown, a weight is out of range, the query is empty,
/// `n_results` is 0, or the model is unavailable.
pub fn hybrid_search(
    graph: &KnowledgeGraph,
    request: &HybridSearchRequest,
    semantics: &dyn Semantics,
) -> Result<SearchResults, QueryError> {
    check(request)?;
    let kinds = node_kinds(&request.node_types)?;
    if !request.service_name.is_empty() {
        service(graph, &request.service_name)?;
    }
    let anchor = match &*request.anchor_node_id {
        "" => None,
        id => Some(node(graph, id)?),
    };
    let admits = |node: &Node| {
        kinds.as_ref().is_none_or(|kinds| kinds.contains(&node.kind()))
            && (request.service_name.is_empty() || belongs_to(node, &request.service_name))
    };
    let (indices, nodes): (Vec<NodeIndex>, Vec<&Node>) =
        graph.indexed_nodes().filter(|(_, node)| admits(node)).unzip();
    let asked: Vec<&str> =
        std::iter::once(&request.query).chain(&request.terms).map(String::as_str).collect();
    let similarities = semantics
        .similarities(&asked.join(" "), &nodes)
        .map_err(|why| QueryError::invalid(format!("the nodes cannot be compared with the query: {why}")))?;
    if similarities.len() != nodes.len() {
        return Err(QueryError::invalid(
            "the model gave another number of similarities than it was asked for",
        ));
    }
    let similarity = |similarity: f32| if similarity.is_nan() { 0.0 } else { f64::from(similarity) };
    let mut candidates: Vec<(f64, NodeIndex)> =
        similarities.into_iter().map(similarity).zip(indices).collect();
    let id = |node: NodeIndex| graph.node(node).id();
    // An unrelated node is no answer, however central it is.
    candidates.retain(|(similarity, _)| *similarity > 0.0);
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| id(a.1).cmp(id(b.1))));
    candidates.truncate(request.n_results.saturating_mul(OVER_FETCH));

    let place = GraphProximity::new(graph, anchor);
    let mut scored: Vec<Scored> = candidates
        .into_iter()
        .map(|(semantic_score, node)| {
            let (graph_score, distance) = place.score(graph, node);
            let score = request.semantic_weight * semantic_score + request.graph_weight * graph_score;
            Scored { node, score, semantic_score, graph_score, distance }
        })
        .collect();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| id(a.node).cmp(id(b.node))));
    sort_tiers(graph, &mut scored);
    Ok(SearchResults {
        results: fold_files(graph, &scored, request.n_results),
        contexts: Vec::new(),
        query: request.query.clone(),
        anchor_node_id: request.anchor_node_id.clone(),
    })
}

pub(super) fn check(request: &HybridSearchRequest) -> Result<(), QueryError> {
    if request.query.trim().is_empty() {
        return Err(QueryError::invalid("`query` is empty: say what is looked for"));
    }
    if request.n_results == 0 {
        return Err(QueryError::invalid("`n_results` is 0, and has to be at least 1"));
    }
    let weights = [("semantic_weight", request.semantic_weight), ("graph_weight", request.graph_weight)];
    for (name, weight) in weights {
        if !(0.0..=1.0).contains(&weight) {
            return Err(QueryError::invalid(format!("`{name}` is {weight}, and has to be from 0 to 1")));
        }
    }
    if weights.iter().all(|(_, weight)| *weight == 0.0) {
        return Err(QueryError::invalid(
            "`semantic_weight` and `graph_weight` are both 0: nothing would count",
        ));
    }
    Ok(())
}

fn belongs_to(node: &Node, service: &str) -> bool {
    match node.data() {
        NodeData::DomainEntity(entity) => &*entity.owning_service == service,
        _ => node.service_name() == service,
    }
}

struct Scored {
    node: NodeIndex,
    score: f64,
    semantic_score: f64,
    graph_score: f64,
    distance: i64,
}

/// Reference for the graph score of a node.
enum GraphProximity {
    /// Distances to the anchor, and the largest of them.
    Anchor(Vec<Option<u32>>, f64),
    /// Highest PageRank.
    PageRank(f64),
}

impl GraphProximity {
    fn new(graph: &KnowledgeGraph, anchor: Option<NodeIndex>) -> Self {
        match anchor {
            Some(anchor) => {
                let distances = graph.distances(anchor);
                let largest = distances.iter().flatten().max().copied().unwrap_or_default();
                Self::Anchor(distances, f64::from(largest))
            }
            None => Self::PageRank(graph.nodes().iter().map(Node::pagerank).fold(0.0, f64::max)),
        }
    }

    /// Returns the score of a node, from 0 to 1, and its distance.
    fn score(&self, graph: &KnowledgeGraph, node: NodeIndex) -> (f64, i64) {
        match self {
            Self::Anchor(distances, largest) => match distances[node.index()] {
                Some(distance) => (1.0 - f64::from(distance) / (largest + 1.0), i64::from(distance)),
                None => (0.0, -1),
            },
            Self::PageRank(0.0) => (0.0, -1),
            Self::PageRank(highest) => (graph.node(node).pagerank() / highest, -1),
        }
    }
}

/// Sorts results with equal scores by PageRank; the input is sorted by score.
fn sort_tiers(graph: &KnowledgeGraph, mut scored: &mut [Scored]) {
    while let Some(best) = scored.first().map(|it| it.score) {
        let len = scored.partition_point(|it| it.score >= best - TIER);
        let (tier, rest) = scored.split_at_mut(len);
        let rank = |it: &Scored| graph.node(it.node).pagerank();
        tier.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        scored = rest;
    }
}

/// Returns the first results, with the nodes of a file folded into one.
fn fold_files(graph: &KnowledgeGraph, scored: &[Scored], n_results: usize) -> Vec<SearchResult> {
    let mut results: Vec<SearchResult> = Vec::new();
    let mut by_file: FxHashMap<&str, usize> = FxHashMap::default();
    for it in scored {
        let node = graph.node(it.node);
        let is_code = matches!(node.kind(), NodeKind::File | NodeKind::Symbol);
        if is_code && let Some(&first) = by_file.get(node.file_path()) {
            results[first].same_file.push(node.id().into());
        } else if results.len() < n_results {
            if is_code {
                by_file.insert(node.file_path(), results.len());
            }
            results.push(SearchResult {
                node_id: node.id().into(),
                score: it.score,
                semantic_score: it.semantic_score,
                graph_score: it.graph_score,
                distance: it.distance,
                document: node.document(),
                same_file: Vec::new(),
                node: node.into(),
            });
        }
    }
    results
}
