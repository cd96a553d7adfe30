//! Context records: their creation from a graph, insertion, search and removal.

use sscg_format::O200k;
use sscg_knowledge::query::{
    HybridSearchRequest, SearchResults, ServiceContextRequest, get_service_context, search_contexts,
};
use sscg_knowledge::{ContextKind, ContextRecord, ContextStore, community_summary};

use crate::support::built;

fn record(id: &str, document: &str) -> ContextRecord {
    let mut record = ContextRecord::default();
    (record.record_id, record.document) = (id.into(), document.into());
    record
}

/// Returns the records that a search finds, which compares texts by their common words.
fn found(store: &ContextStore, change: impl Fn(&mut HybridSearchRequest)) -> SearchResults {
    let mut request = HybridSearchRequest::default();
    request.records = true;
    change(&mut request);
    let similarities = |asked: &str| -> Vec<f32> {
        let common = |record: &ContextRecord| {
            asked.split(' ').filter(|word| record.document.to_lowercase().contains(word)).count() as f32
        };
        store.records().map(common).collect()
    };
    search_contexts(store, &request, &similarities).expect("the request is valid")
}

fn found_ids(results: &SearchResults) -> Vec<&str> {
    results.contexts.iter().map(|found| &*found.record.record_id).collect()
}

#[test]
fn populate_contexts_of_all_services_and_communities() {
    let (graph, report) = built();
    let store = ContextStore::of(&graph, &O200k);
    let of_kind = |kind| store.records().filter(move |record| record.context_type == kind);
    let services: Vec<&str> = of_kind(ContextKind::ServiceContext).map(|it| &*it.service_name).collect();
    assert_eq!(services, ["orders", "payments", "shipping"]);
    assert_eq!(of_kind(ContextKind::CommunitySummary).count(), report.community_count);

    let orders = store.get("ctx::service::orders").expect("it is a service");
    for part in ["Takes orders", "POST | /payments", "order.placed", "services/orders/src/clients.ts"] {
        assert!(orders.document.contains(part), "{part}: {}", orders.document);
    }
    let own = graph.nodes().iter().filter(|node| node.service_name() == "orders").count();
    // With the entity that it owns.
    assert_eq!((orders.node_count, orders.community_id), (own + 1, -1));

    let members: usize = of_kind(ContextKind::CommunitySummary).map(|record| record.node_count).sum();
    assert_eq!(members, graph.nodes().len());
    for record in of_kind(ContextKind::CommunitySummary) {
        let community = u32::try_from(record.community_id).expect("it is one");
        assert_eq!(Some(&record.document), community_summary(&graph, community).as_ref());
        assert!(record.service_name.is_empty());
        let counts = format!("{} nodes, {} edges.", record.node_count, record.edge_count);
        assert!(record.document.lines().next().expect("a line").ends_with(&counts), "{record:?}");
    }
}

#[test]
fn upsert_contexts_keeps_one_record_for_each_id() {
    let mut store = ContextStore::default();
    store.upsert_all([record("ctx::service::b", "old"), record("ctx::service::a", "text")]);
    store.upsert(record("ctx::service::b", "new"));
    let documents: Vec<&str> = store.records().map(|record| &*record.document).collect();
    assert_eq!(documents, ["text", "new"]);
}

#[test]
fn query_contexts_returns_the_most_similar_first() {
    let (graph, _) = built();
    let store = ContextStore::of(&graph, &O200k);
    let all = found(&store, |request| request.query = "takes orders".into());
    assert!(all.results.is_empty() && all.contexts.len() > 1, "{all:?}");
    assert_eq!(found_ids(&all)[0], "ctx::service::orders");
    assert!(all.contexts.is_sorted_by(|a, b| a.score >= b.score));

    let one = found(&store, |request| {
        (request.query, request.n_results) = ("takes orders".into(), 1);
    });
    assert_eq!(found_ids(&one), ["ctx::service::orders"]);
    let of_service = found(&store, |request| {
        (request.query, request.service_name) = ("takes orders".into(), "payments".into());
    });
    assert_eq!(found_ids(&of_service), ["ctx::service::payments"]);
    assert_eq!(found(&store, |request| request.query = "zebra".into()).contexts, []);

    let refused = |change: &dyn Fn(&mut HybridSearchRequest)| {
        let mut request = HybridSearchRequest::default().with_query("orders");
        change(&mut request);
        search_contexts(&store, &request, &|_| Vec::new()).expect_err("it is refused").error
    };
    assert!(refused(&|request| request.node_types = "file".into()).contains("node_types"));
    assert!(refused(&|request| request.service_name = "nobody".into()).contains("nobody"));
    assert!(refused(&|request| request.query = " ".into()).contains("query"));
}

#[test]
fn delete_all_contexts_leaves_none() {
    let (graph, _) = built();
    let mut store = ContextStore::of(&graph, &O200k);
    assert!(store.records().len() > 0);
    store.clear();
    assert_eq!(store, ContextStore::default());
    assert_eq!(found(&store, |request| request.query = "orders".into()).contexts, []);
}

#[test]
fn records_are_opened_by_their_ids() {
    let (graph, _) = built();
    let open = |id: &str| {
        get_service_context(&graph, &ServiceContextRequest::default().with_service_name(id), &O200k)
    };
    assert_eq!(open("ctx::service::orders"), open("orders"));
    let community = open("ctx::community::0").expect("there is one");
    assert_eq!(Some(community.context_text), community_summary(&graph, 0));
    for unknown in ["ctx::service::nobody", "ctx::community::999", "ctx::community::x"] {
        open(unknown).expect_err("there is none");
    }
}
