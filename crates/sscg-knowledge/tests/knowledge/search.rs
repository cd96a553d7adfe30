//! Search by semantic similarity and position in the graph.

use sscg_knowledge::graph::ServiceNode;
use sscg_knowledge::query::{HybridSearchRequest, SearchResult, Semantics, hybrid_search};
use sscg_knowledge::{EdgeKind, KnowledgeGraph, Node, NodeKind};

use crate::support::{Words, add_file, add_symbol, built, join};

/// Model for which all documents are equally similar to a query.
struct Same;

impl Semantics for Same {
    fn similarities(&self, _: &str, nodes: &[&Node]) -> Result<Vec<f32>, String> {
        Ok(vec![0.5; nodes.len()])
    }
}

fn search(graph: &KnowledgeGraph, change: impl Fn(&mut HybridSearchRequest)) -> Vec<SearchResult> {
    let mut request = HybridSearchRequest::default().with_query("order payment");
    change(&mut request);
    hybrid_search(graph, &request, &Words).unwrap().results
}

#[test]
fn hybrid_search_combines_scores() {
    let (graph, _) = built();
    for (semantic_weight, graph_weight) in [(0.6, 0.4), (1.0, 0.0), (0.2, 0.7)] {
        let results = search(&graph, |request| {
            (request.semantic_weight, request.graph_weight) = (semantic_weight, graph_weight);
        });
        assert!(!results.is_empty());
        for it in &results {
            let expected = semantic_weight * it.semantic_score + graph_weight * it.graph_score;
            assert!((it.score - expected).abs() < 1e-9);
        }
    }
}

#[test]
fn terms_are_looked_for_beside_the_query() {
    let (graph, _) = built();
    let semantic = |terms: &[&str]| {
        let results = search(&graph, |request| {
            request.query = "who is charged".into();
            request.terms = terms.iter().map(|term| (*term).to_owned()).collect();
        });
        results.iter().map(|it| it.semantic_score).fold(0.0, f64::max)
    };
    assert_eq!(semantic(&[]), 0.0);
    assert!(semantic(&["order", "payment"]) > 0.0);
}

/// Returns three files, each of which imports the next.
fn chain() -> KnowledgeGraph {
    let mut graph = KnowledgeGraph::new();
    let nodes: Vec<_> = ["near", "middle", "far"].iter().map(|name| add_file(&mut graph, name, "")).collect();
    join(&mut graph, nodes[0], EdgeKind::Imports, nodes[1]);
    join(&mut graph, nodes[1], EdgeKind::Imports, nodes[2]);
    add_file(&mut graph, "elsewhere", "");
    graph.compute_metrics(0.85, 1.0);
    graph
}

#[test]
fn hybrid_search_with_anchor_reranks_by_distance() {
    let graph = chain();
    let request = HybridSearchRequest::default().with_query("anything").with_anchor_node_id("file::near");
    let found = hybrid_search(&graph, &request, &Same).unwrap();
    let found: Vec<(&str, i64)> = found.results.iter().map(|it| (&*it.node_id, it.distance)).collect();
    let expected = [("file::near", 0), ("file::middle", 1), ("file::far", 2), ("file::elsewhere", -1)];
    assert_eq!(found, expected);
}

#[test]
fn hybrid_search_without_anchor_uses_pagerank() {
    let graph = chain();
    let request = HybridSearchRequest::default().with_query("anything");
    let found = hybrid_search(&graph, &request, &Same).unwrap().results;
    assert_eq!((&*found[0].node_id, found[0].graph_score, found[0].distance), ("file::far", 1.0, -1));
    let highest = graph.nodes().iter().map(Node::pagerank).fold(0.0, f64::max);
    for it in &found {
        assert!((it.graph_score - it.node.pagerank / highest).abs() < 1e-9);
    }
}

#[test]
fn of_scores_that_are_as_good_as_each_other_the_higher_pagerank_comes_first() {
    let graph = chain();
    // The scores of the nearest and the farthest differ by less than 0.05.
    let request = HybridSearchRequest::default()
        .with_query("anything")
        .with_anchor_node_id("file::near")
        .with_semantic_weight(1.0)
        .with_graph_weight(0.04);
    let found = hybrid_search(&graph, &request, &Same).unwrap().results;
    let ranks: Vec<f64> = found.iter().map(|it| it.node.pagerank).collect();
    assert!(ranks.is_sorted_by(|a, b| a >= b), "{ranks:?}");
}

#[test]
fn query_nodes_returns_results() {
    let (graph, _) = built();
    let best = search(&graph, |request| {
        request.query = "Takes orders".into();
        request.graph_weight = 0.0;
    });
    assert_eq!(&*best[0].node_id, "service::orders");
    let json = serde_json::to_value(&best[0]).unwrap();
    assert_eq!((&json["node_type"], &json["service_name"]), (&"service".into(), &"orders".into()));
    assert_eq!(
        json["document"],
        "Service: orders. Domain: sales. Description: Takes orders. Stack: typescript."
    );
}

#[test]
fn query_nodes_with_node_type_filter() {
    let (graph, _) = built();
    let search = |kinds: &str| {
        search(&graph, |request| {
            request.query = "event endpoint".into();
            request.node_types = kinds.into();
        })
    };
    let events = search("event");
    assert_eq!(events.len(), 4);
    assert!(events.iter().all(|it| it.node.data.kind() == NodeKind::Event));
    let both = search("event,endpoint");
    assert_eq!(both.len(), 8);
}

#[test]
fn query_nodes_with_service_filter() {
    let (graph, _) = built();
    let found = search(&graph, |request| {
        request.service_name = "payments".into();
        request.n_results = 100;
    });
    assert!(!found.is_empty());
    for it in &found {
        let json = serde_json::to_value(it).unwrap();
        let service = json.get("service_name").or(json.get("owning_service")).unwrap();
        assert_eq!(service, "payments");
    }
    assert!(found.iter().any(|it| &*it.node_id == "domain_entity::Payment"));
}

#[test]
fn query_nodes_with_where_filter() {
    let (graph, _) = built();
    let found = search(&graph, |request| {
        request.query = "payments".into();
        request.service_name = "payments".into();
        request.node_types = "endpoint".into();
    });
    let ids: Vec<&str> = found.iter().map(|it| &*it.node_id).collect();
    assert_eq!(ids, ["endpoint::payments::POST::/payments"]);
}

#[test]
fn upsert_nodes_idempotent() {
    let mut graph = KnowledgeGraph::new();
    for _ in 0..2 {
        add_symbol(&mut graph, "a.rs", "order", "a");
    }
    assert_eq!((graph.node_count(), search(&graph, |_| {}).len()), (1, 1));
}

#[test]
fn none_metadata_values_converted() {
    let mut graph = KnowledgeGraph::new();
    graph.add_node(ServiceNode { service_name: "bare".into(), ..ServiceNode::default() }.into());
    let node = &graph.nodes()[0];
    // Unknown values are omitted from the document.
    assert_eq!(node.document(), "Service: bare.");
    let json = serde_json::to_value(&search(&graph, |request| request.query = "bare".into())[0]).unwrap();
    assert_eq!(
        (&json["domain"], &json["description"], &json["community_id"]),
        (&"".into(), &"".into(), &(-1).into())
    );
}

#[test]
fn nodes_of_one_file_are_one_result_that_names_the_others() {
    let mut graph = KnowledgeGraph::new();
    add_file(&mut graph, "a.rs", "");
    add_symbol(&mut graph, "a.rs", "order", "");
    add_symbol(&mut graph, "a.rs", "payment_order", "");
    add_symbol(&mut graph, "b.rs", "order", "");
    let found = search(&graph, |request| request.query = "order payment rust".into());
    let files: Vec<usize> = found.iter().map(|it| it.same_file.len()).collect();
    assert_eq!((found.len(), files.iter().sum::<usize>()), (2, 2));
}

#[test]
fn what_has_nothing_to_do_with_the_query_is_not_found() {
    assert_eq!(search(&built().0, |request| request.query = "xyzzy".into()), []);
}

#[test]
fn there_are_at_most_as_many_results_as_were_asked_for() {
    let (graph, _) = built();
    for n_results in [1, 3] {
        assert_eq!(search(&graph, |request| request.n_results = n_results).len(), n_results);
    }
}

#[test]
fn a_model_that_fails_is_told_of() {
    struct Away;
    impl Semantics for Away {
        fn similarities(&self, _: &str, _: &[&Node]) -> Result<Vec<f32>, String> {
            Err("the provider is away".into())
        }
    }
    struct Short;
    impl Semantics for Short {
        fn similarities(&self, _: &str, _: &[&Node]) -> Result<Vec<f32>, String> {
            Ok(Vec::new())
        }
    }
    let (graph, _) = built();
    let request = HybridSearchRequest::default().with_query("x");
    let error = hybrid_search(&graph, &request, &Away).unwrap_err().error;
    assert!(error.contains("the provider is away"), "{error}");
    assert!(hybrid_search(&graph, &request, &Short).is_err());
}
