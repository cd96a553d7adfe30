//! Ids of code, which every tool takes that takes a name.

use serde_json::{Value, json};

use crate::client::{Client, Sandbox};

/// Returns the ids that answers have for a function of the project.
async fn ids(client: &mut Client) -> Vec<String> {
    let call = json!({ "query": "symbol = plan_tour", "format": "evidence" });
    let evidence: Value =
        serde_json::from_str(client.text("search_code", call).await.lines().next().expect("a line"))
            .expect("JSON");
    let field = |name: &str| evidence[name].as_str().expect("a text").to_owned();
    let call = json!({ "query": "symbol = plan_tour", "format": "compact" });
    let compact: Value = serde_json::from_str(&client.text("search_code", call).await).expect("JSON");
    let chunk = compact["results"][0]["chunk_id"].as_str().expect("an id").to_owned();
    let (file, start, end) = (field("file_path"), &evidence["start_line"], &evidence["end_line"]);
    vec![
        "plan_tour".to_owned(),
        field("symbol_id"),
        field("id"),
        chunk,
        format!("symbol::{}", field("symbol_id")),
        format!("{file}:{end}"),
        format!("{file}:{start}-{end}"),
        format!("{file}: plan_tour {start}-{end}"),
        format!("plan_tour — {file}:{start}-{end}"),
        format!("plan_tour ({file}:{start}-{end})"),
    ]
}

#[tokio::test]
async fn every_tool_takes_any_id() {
    let sandbox = Sandbox::parcel();
    let mut client = Client::start(&sandbox.server()).await;
    for id in ids(&mut client).await {
        let calls = [
            ("search_code", json!({ "query": format!("symbol = {id}") })),
            ("search_code", json!({ "more": [id] })),
            ("search_code", json!({ "query": "how are stops ordered", "anchor": id })),
            ("look_up", json!({ "mode": "show", "names": [id] })),
            ("look_up", json!({ "mode": "callers", "names": [id] })),
            ("look_up", json!({ "mode": "callees", "names": [id] })),
            ("look_up", json!({ "mode": "tests", "names": [id] })),
            ("look_up", json!({ "mode": "mentions", "names": [id] })),
            ("impact", json!({ "symbol": id })),
            ("graph_expand", json!({ "seeds": [id] })),
            ("graph_pack", json!({ "nodes": [id] })),
            ("graph_trace", json!({ "from": id, "to": "nearest" })),
            ("query_graph_neighborhood", json!({ "node": id })),
            ("symbol_context", json!({ "symbol": id })),
            ("find_cross_service_impact", json!({ "node_id": id })),
            ("hybrid_search", json!({ "query": "order of stops", "anchor_node_id": id })),
        ];
        for (tool, arguments) in calls {
            let result = client.call(tool, arguments.clone()).await;
            let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
            assert_eq!(result["isError"], false, "{tool} {arguments}: {text}");
            assert!(!text.starts_with("No results"), "{tool} {arguments}: {text}");
            // The start or the shortest path of a trace is the declaration itself; an impact on services names no code.
            if tool != "find_cross_service_impact" && tool != "hybrid_search" {
                assert!(text.contains("plan_tour"), "{tool} {arguments}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn code_by_id_is_sent_alone() {
    let sandbox = Sandbox::parcel();
    let mut client = Client::start(&sandbox.server()).await;
    let text = client.text("search_code", json!({ "more": "plan_tour, nearest" })).await;
    assert!(text.starts_with("Search: \"plan_tour, nearest\" | 2 results |"), "{text}");
    assert!(text.contains("pub fn plan_tour(") && text.contains("fn nearest("), "{text}");
    assert!(!text.contains("called by") && !text.contains("pub struct Stop"), "{text}");
    let failure = client.failure("search_code", json!({ "more": ["no_such_thing"] })).await;
    assert!(failure.contains("nothing is named \"no_such_thing\""), "{failure}");
}
