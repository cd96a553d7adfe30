//! Graph without its build.

use proptest::prelude::*;
use sscg_core::Confidence;
use sscg_knowledge::graph::EdgeRecord;
use sscg_knowledge::{EdgeData, EdgeKind, KnowledgeGraph, NodeData, NodeKind, Source};

use crate::support::{
    add_endpoint, add_event, add_file, add_service, add_symbol, built, evidence, exact, ids, join,
};

#[test]
fn add_node_creates_node_with_attributes() {
    let mut graph = KnowledgeGraph::new();
    let file = add_file(&mut graph, "src/auth.rs", "auth");
    let node = graph.node(file);
    assert_eq!((node.id(), node.kind(), node.service_name()), ("file::src/auth.rs", NodeKind::File, "auth"));
    let json = serde_json::to_value(graph.node_record(file)).unwrap();
    assert_eq!(json["node_type"], "file");
    assert_eq!(json["file_path"], "src/auth.rs");
    assert_eq!((&json["pagerank"], &json["community_id"]), (&0.0.into(), &(-1).into()));
    assert_eq!(add_file(&mut graph, "src/auth.rs", "other"), file);
    assert_eq!(graph.node(file).service_name(), "auth");
}

#[test]
fn add_edge_creates_edge_with_key() {
    let mut graph = KnowledgeGraph::new();
    let (a, b) = (add_file(&mut graph, "a.rs", ""), add_file(&mut graph, "b.rs", ""));
    let names = EdgeData::Import(["run".into()].into());
    graph.add_edge(a, b, EdgeKind::Imports, names, evidence(Confidence::Inferred, Source::Graph, ""));
    let record: EdgeRecord = graph.edge_record(&graph.edges()[0]);
    let json = serde_json::to_value(record).unwrap();
    assert_eq!(json["source"], "file::a.rs");
    assert_eq!(json["target"], "file::b.rs");
    assert_eq!(json["relation"], "IMPORTS");
    assert_eq!(json["imported_names"], "[\"run\"]");
    assert_eq!((&json["line"], &json["confidence"]), (&1.into(), &"inferred".into()));
}

#[test]
fn multiple_edges_between_same_nodes() {
    let mut graph = KnowledgeGraph::new();
    let (a, b) = (add_symbol(&mut graph, "a.rs", "A", ""), add_symbol(&mut graph, "a.rs", "B", ""));
    join(&mut graph, a, EdgeKind::Calls, b);
    join(&mut graph, a, EdgeKind::Inherits, b);
    let kinds: Vec<EdgeKind> = graph.edges_out(a).map(|edge| edge.kind).collect();
    assert_eq!(kinds, [EdgeKind::Calls, EdgeKind::Inherits]);
    assert_eq!(graph.edges_in(b).len(), 2);
}

#[test]
fn services_call_each_endpoint_by_an_edge_of_its_own() {
    let mut graph = KnowledgeGraph::new();
    let (a, b) = (add_service(&mut graph, "a"), add_service(&mut graph, "b"));
    for via in ["endpoint::b::GET::/x", "endpoint::b::GET::/y", "endpoint::b::GET::/x"] {
        let data = EdgeData::ServiceCall { via_endpoint: via.into(), import_count: 0, sites: Vec::new() };
        graph.add_edge(a, b, EdgeKind::ServiceCalls, data, exact());
    }
    let called: Vec<&str> = graph.edges_out(a).map(|edge| edge.data.via_endpoint()).collect();
    assert_eq!(called, ["endpoint::b::GET::/x", "endpoint::b::GET::/y"]);
}

#[test]
fn of_two_edges_that_say_the_same_the_surer_evidence_stays() {
    let mut graph = KnowledgeGraph::new();
    let (a, b) = (add_service(&mut graph, "a"), add_event(&mut graph, "e"));
    for (confidence, file) in
        [(Confidence::Inferred, "1"), (Confidence::Exact, "2"), (Confidence::Ambiguous, "3")]
    {
        let evidence = evidence(confidence, Source::Code, file);
        graph.add_edge(a, b, EdgeKind::PublishesEvent, EdgeData::None, evidence);
    }
    let edges = graph.edges();
    assert_eq!((edges.len(), &*edges[0].evidence.file), (1, "2"));
}

#[test]
fn get_node_returns_attributes() {
    let mut graph = KnowledgeGraph::new();
    add_endpoint(&mut graph, "auth", "GET", "/users/{id}");
    let node = graph.get("endpoint::auth::GET::/users/{id}").unwrap();
    let NodeData::Endpoint(endpoint) = node.data() else { panic!("{node:?}") };
    assert_eq!((&*endpoint.method, &*endpoint.path, &*endpoint.service_name), ("GET", "/users/{id}", "auth"));
}

#[test]
fn get_node_returns_none_for_missing() {
    assert!(KnowledgeGraph::new().get("file::none").is_none());
}

/// Returns `0 -> 1 -> 2 -> 3`, and `4 -> 1`.
fn chain() -> KnowledgeGraph {
    let mut graph = KnowledgeGraph::new();
    let nodes: Vec<_> = (0..5).map(|name| add_file(&mut graph, &name.to_string(), "")).collect();
    for (source, target) in [(0, 1), (1, 2), (2, 3), (4, 1)] {
        join(&mut graph, nodes[source], EdgeKind::Imports, nodes[target]);
    }
    graph
}

fn found(graph: &KnowledgeGraph, nodes: Vec<(sscg_knowledge::NodeIndex, u32)>) -> Vec<String> {
    ids(graph, nodes.into_iter().map(|(node, _)| node))
}

#[test]
fn get_ego_subgraph_respects_radius() {
    let graph = chain();
    let center = graph.find("file::1").unwrap();
    assert_eq!(found(&graph, graph.ego_subgraph(center, 1, false)), ["file::1", "file::2"]);
    assert_eq!(found(&graph, graph.ego_subgraph(center, 0, true)), ["file::1"]);
}

#[test]
fn get_ego_subgraph_undirected() {
    let graph = chain();
    let center = graph.find("file::1").unwrap();
    let around = graph.ego_subgraph(center, 1, true);
    assert_eq!(around[0], (center, 0));
    assert_eq!(found(&graph, around), ["file::0", "file::1", "file::2", "file::4"]);
}

#[test]
fn compute_pagerank_returns_scores() {
    let graph = chain();
    let ranks = graph.pagerank(0.85);
    assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    let rank = |id| ranks[graph.find(id).unwrap().index()];
    assert!(rank("file::1") > rank("file::0"));
}

#[test]
fn compute_communities_returns_sets() {
    let (graph, _) = built();
    let communities = graph.communities(1.0);
    assert!(communities.iter().all(|community| !community.is_empty()));
    assert_eq!(communities.iter().map(|community| community.len()).sum::<usize>(), graph.node_count());
    assert!(communities.len() > 1);
    assert_eq!(communities, graph.communities(1.0));
}

#[test]
fn get_shortest_path_finds_path() {
    let graph = chain();
    let node = |id| graph.find(id).unwrap();
    let path = graph.shortest_path(node("file::0"), node("file::3"), false).unwrap();
    assert_eq!(path, ["file::0", "file::1", "file::2", "file::3"].map(node));
    assert_eq!(graph.shortest_path(node("file::0"), node("file::0"), false).unwrap(), [node("file::0")]);
}

#[test]
fn get_shortest_path_no_path_returns_none() {
    let graph = chain();
    let node = |id| graph.find(id).unwrap();
    assert_eq!(graph.shortest_path(node("file::3"), node("file::0"), false), None);
    assert_eq!(graph.shortest_path(node("file::3"), node("file::0"), true).unwrap().len(), 4);
}

#[test]
fn get_descendants_respects_max_depth() {
    let graph = chain();
    let start = graph.find("file::0").unwrap();
    assert_eq!(found(&graph, graph.descendants(start, 2)), ["file::1", "file::2"]);
    assert_eq!(found(&graph, graph.descendants(start, 9)), ["file::1", "file::2", "file::3"]);
}

#[test]
fn get_ancestors_returns_predecessors() {
    let graph = chain();
    let end = graph.find("file::2").unwrap();
    assert_eq!(found(&graph, graph.ancestors(end, 9)), ["file::0", "file::1", "file::4"]);
}

#[test]
fn to_json_and_from_json_roundtrip() {
    let (graph, _) = built();
    let text = graph.to_json();
    let read = KnowledgeGraph::from_json(&text).unwrap();
    assert_eq!(read.nodes(), graph.nodes());
    assert_eq!(read.edges(), graph.edges());
    assert_eq!(read.to_json(), text);
}

#[test]
fn clear_removes_all_nodes_and_edges() {
    let mut graph = chain();
    graph.clear();
    assert_eq!((graph.node_count(), graph.edge_count()), (0, 0));
    assert!(graph.find("file::0").is_none());
    add_file(&mut graph, "0", "");
    assert_eq!(graph.edges_out(graph.find("file::0").unwrap()).len(), 0);
}

proptest! {
    #[test]
    fn a_shortest_path_is_as_long_as_its_end_is_far(
        edges in proptest::collection::vec((0..12_usize, 0..12_usize), 0..40),
    ) {
        let mut graph = KnowledgeGraph::new();
        let nodes: Vec<_> = (0..12).map(|name| add_file(&mut graph, &name.to_string(), "")).collect();
        for (source, target) in edges {
            join(&mut graph, nodes[source], EdgeKind::Imports, nodes[target]);
        }
        let distances = graph.distances(nodes[0]);
        for node in &nodes {
            let path = graph.shortest_path(nodes[0], *node, true);
            prop_assert_eq!(path.as_ref().map(|path| path.len() as u32 - 1), distances[node.index()]);
            let path = graph.shortest_path(nodes[0], *node, false).unwrap_or_default();
            for step in path.windows(2) {
                prop_assert!(graph.targets(step[0], EdgeKind::Imports).any(|target| target == step[1]));
            }
        }
    }
}
