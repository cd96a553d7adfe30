//! Properties of every graph.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sscg_knowledge::{BuildOptions, EdgeKind, KnowledgeGraph, Model, NodeKind, build};

use crate::shop_graph::shop;
use crate::support::{built, linked, model};

/// Returns the graphs of the small project and of the shop.
fn graphs() -> [KnowledgeGraph; 2] {
    [built().0, shop().0]
}

#[test]
fn knowledge_graph_is_multidigraph() {
    let (graph, _) = shop();
    let ends: Vec<_> = graph.edges().iter().map(|edge| (edge.source, edge.target)).collect();
    let each: BTreeSet<_> = ends.iter().copied().collect();
    assert!(each.len() < ends.len(), "no two nodes are joined by several edges");
    // An edge does not imply one in the opposite direction.
    assert!(each.iter().any(|(source, target)| !each.contains(&(*target, *source))));
}

#[test]
fn all_nodes_have_node_type() {
    for graph in graphs() {
        for node in graph.nodes() {
            let json = serde_json::to_value(graph.node_record(graph.find(node.id()).unwrap())).unwrap();
            assert_eq!(json["node_type"], node.kind().as_str());
        }
    }
}

#[test]
fn all_edges_have_relation_key() {
    for graph in graphs() {
        for edge in graph.edges() {
            let json = serde_json::to_value(graph.edge_record(edge)).unwrap();
            let relation = json["relation"].as_str().unwrap();
            assert_eq!(EdgeKind::from_wire(relation), Some(edge.kind));
        }
    }
}

#[test]
fn edges_join_the_kinds_of_nodes_that_they_speak_of() {
    use EdgeKind as E;
    use NodeKind as N;
    for graph in graphs() {
        for edge in graph.edges() {
            let ends = (graph.node(edge.source).kind(), graph.node(edge.target).kind());
            let fits = match edge.kind {
                E::ContainsFile => ends == (N::Service, N::File),
                E::DefinesSymbol => ends == (N::File, N::Symbol),
                E::Imports => ends == (N::File, N::File),
                E::Calls | E::Inherits | E::Implements => ends == (N::Symbol, N::Symbol),
                E::ProvidesContract => ends == (N::Service, N::Contract),
                E::ExposesEndpoint => ends == (N::Contract, N::Endpoint),
                E::HandlesEndpoint => matches!(ends, (N::Symbol | N::File, N::Endpoint)),
                E::OwnsEntity | E::ReferencesEntity => ends == (N::Service, N::DomainEntity),
                E::ImplementsEntity => ends == (N::Symbol, N::DomainEntity),
                E::PublishesEvent | E::ConsumesEvent => ends == (N::Service, N::Event),
                E::ServiceCalls => ends == (N::Service, N::Service),
                E::DomainRelationship => ends == (N::DomainEntity, N::DomainEntity),
                _ => false,
            };
            assert!(fits, "{:?}", graph.edge_record(edge));
        }
    }
}

#[test]
fn service_nodes_connected_to_files() {
    for graph in graphs() {
        for (service, node) in graph.nodes_of(NodeKind::Service) {
            assert!(graph.targets(service, EdgeKind::ContainsFile).next().is_some(), "{}", node.id());
        }
    }
}

#[test]
fn no_orphan_symbols() {
    for graph in graphs() {
        for (symbol, node) in graph.nodes_of(NodeKind::Symbol) {
            assert_eq!(graph.sources(symbol, EdgeKind::DefinesSymbol).count(), 1, "{}", node.id());
        }
    }
}

#[test]
fn endpoint_nodes_linked_to_contracts() {
    for graph in graphs() {
        for (endpoint, node) in graph.nodes_of(NodeKind::Endpoint) {
            assert!(graph.sources(endpoint, EdgeKind::ExposesEndpoint).next().is_some(), "{}", node.id());
        }
    }
}

#[test]
fn pagerank_sums_to_approximately_one() {
    for graph in graphs() {
        let sum: f64 = graph.nodes().iter().map(|node| node.pagerank()).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{sum}");
    }
}

#[test]
fn community_ids_cover_all_nodes() {
    for graph in graphs() {
        assert!(graph.nodes().iter().all(|node| node.community_id().is_some()));
    }
}

#[test]
fn node_id_prefix_matches_node_type() {
    for graph in graphs() {
        for node in graph.nodes() {
            assert!(node.id().starts_with(&format!("{}::", node.kind())), "{}", node.id());
        }
    }
}

proptest! {
    /// Any subset of the findings gives a consistent graph.
    #[test]
    fn any_part_of_a_model_gives_a_whole_graph(keep in proptest::collection::vec(any::<bool>(), 24)) {
        let (project, code) = linked(crate::support::FILES);
        let mut part: Model = model(&project);
        let mut at = 0;
        let mut keeps = || {
            at += 1;
            keep[at % keep.len()]
        };
        part.services.retain(|_| keeps());
        part.contracts.retain(|_| keeps());
        part.endpoints.retain(|_| keeps());
        part.requests.retain(|_| keeps());
        part.events.retain(|_| keeps());
        part.entities.retain(|_| keeps());
        let (graph, report) = build(&project, &code, part, &BuildOptions::default());
        prop_assert!(report.success);
        for (endpoint, _) in graph.nodes_of(NodeKind::Endpoint) {
            prop_assert!(graph.sources(endpoint, EdgeKind::ExposesEndpoint).next().is_some());
        }
        let text = graph.to_json();
        prop_assert_eq!(KnowledgeGraph::from_json(&text).unwrap().to_json(), text);
    }
}
