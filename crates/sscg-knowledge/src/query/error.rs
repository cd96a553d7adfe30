//! Errors of queries.

use serde::Serialize;

use crate::{EdgeKind, KnowledgeGraph, NodeIndex, NodeKind, graph};

/// Error of a query. Its JSON form is an object with `error` and `did_you_mean`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{error}")]
#[non_exhaustive]
pub struct QueryError {
    /// Description of the error.
    pub error: String,
    /// Suggestions: names of services, ids of nodes or names of kinds, most similar first.
    pub did_you_mean: Vec<String>,
}

impl QueryError {
    pub(crate) fn invalid(error: impl Into<String>) -> Self {
        Self { error: error.into(), did_you_mean: Vec::new() }
    }

    /// Returns the suggestions on one line.
    pub fn hint(&self) -> Option<String> {
        match &self.did_you_mean[..] {
            [] => None,
            names => Some(format!("did you mean {}?", names.join(", "))),
        }
    }
}

/// Returns the service with this name.
pub(crate) fn service(graph: &KnowledgeGraph, name: &str) -> Result<NodeIndex, QueryError> {
    graph.find(&graph::service_id(name)).ok_or_else(|| {
        let services = graph.nodes_of(NodeKind::Service).map(|(_, node)| node.service_name());
        QueryError {
            error: format!("the graph has no service `{name}`"),
            did_you_mean: most_similar(name, services),
        }
    })
}

/// Returns the node with this id.
pub(crate) fn node(graph: &KnowledgeGraph, id: &str) -> Result<NodeIndex, QueryError> {
    graph.find(id).ok_or_else(|| {
        // An id without a kind means the nodes with this name.
        let called = |node: &crate::Node| node.id().split_once("::").is_some_and(|(_, rest)| rest == id);
        let mut meant: Vec<String> =
            graph.nodes().iter().filter(|node| called(node)).map(|node| node.id().to_owned()).collect();
        if meant.is_empty() {
            let kind = match id.split_once("::").map(|(kind, _)| NodeKind::from_wire(kind)) {
                Some(kind) => kind,
                // An id that looks like a path means a file.
                None => id.contains('/').then_some(NodeKind::File),
            };
            let nodes = graph.nodes().iter().filter(|node| kind.is_none_or(|kind| node.kind() == kind));
            meant = most_similar(id, nodes.map(|node| node.id()));
        }
        QueryError { error: format!("the graph has no node `{id}`"), did_you_mean: meant }
    })
}

/// Parses a comma-separated list of node kinds; `None` means all.
pub(crate) fn node_kinds(list: &str) -> Result<Option<Vec<NodeKind>>, QueryError> {
    kinds(list, "type of node", NodeKind::from_wire, NodeKind::ALL.iter().map(|kind| kind.as_str()))
}

/// Parses a comma-separated list of edge kinds; `None` means all.
pub(crate) fn edge_kinds(list: &str) -> Result<Option<Vec<EdgeKind>>, QueryError> {
    kinds(list, "type of edge", EdgeKind::from_wire, EdgeKind::ALL.iter().map(|kind| kind.as_str()))
}

fn kinds<K>(
    list: &str,
    what: &str,
    of: impl Fn(&str) -> Option<K>,
    all: impl Iterator<Item = &'static str> + Clone,
) -> Result<Option<Vec<K>>, QueryError> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    let kinds: Result<Vec<K>, QueryError> = names
        .map(|name| {
            of(name).ok_or_else(|| {
                let all = all.clone().map(str::to_owned).collect();
                QueryError { error: format!("there is no {what} `{name}`"), did_you_mean: all }
            })
        })
        .collect();
    kinds.map(|kinds| (!kinds.is_empty()).then_some(kinds))
}

const SUGGESTIONS: usize = 5;

/// Minimum Jaro-Winkler similarity of a suggestion.
const LIKE: f64 = 0.8;

/// Returns the most similar names, or all of them if none is similar and there are few.
fn most_similar<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let folded = name.to_lowercase();
    let mut scored: Vec<(f64, &str)> =
        names.map(|other| (strsim::jaro_winkler(&other.to_lowercase(), &folded), other)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let like = scored.iter().take(SUGGESTIONS).filter(|(similarity, _)| *similarity >= LIKE).count();
    let shown = if like == 0 && scored.len() <= SUGGESTIONS * 2 { scored.len() } else { like };
    scored.into_iter().take(shown).map(|(_, name)| name.to_owned()).collect()
}
