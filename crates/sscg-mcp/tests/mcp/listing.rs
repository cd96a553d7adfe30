//! Descriptions of the server and its tools that clients receive.

use expect_test::{expect, expect_file};
use serde_json::{Value, json};
use sscg_mcp::{Server, ServerOptions, Toolset};

use crate::client::{Client, Sandbox, hello};

async fn tools(options: ServerOptions) -> Vec<Value> {
    let mut client = Client::start(&Server::new(options).expect("the tree is there")).await;
    let answer = client.request("tools/list", json!({})).await;
    answer["result"]["tools"].as_array().expect("a list").clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect()
}

#[tokio::test]
async fn the_server_says_what_it_is_and_how_to_use_it() {
    let sandbox = Sandbox::new();
    let mut client = Client::connect(&sandbox.server());
    let answer = client.request("initialize", hello("2025-11-25", json!({}))).await;
    let mut result = answer["result"].clone();
    result["serverInfo"]["version"] = "-".into();
    expect_file!["listing/initialize.json"].assert_eq(&format!("{result:#}\n"));
}

#[tokio::test]
async fn every_version_with_a_handshake_is_spoken_and_others_are_offered_the_newest() {
    let sandbox = Sandbox::new();
    let server = sandbox.server();
    let mut spoken = Vec::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "1999-01-01"] {
        let answer = Client::connect(&server).request("initialize", hello(version, json!({}))).await;
        spoken.push(answer["result"]["protocolVersion"].as_str().expect("a version").to_owned());
    }
    let expected = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2025-11-25", "2025-11-25"];
    assert_eq!(spoken, expected);
}

#[tokio::test]
async fn a_client_of_the_newest_version_needs_no_handshake() {
    let sandbox = Sandbox::parcel();
    let mut client = Client::connect(&sandbox.server());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = client.request("tools/list", json!({ "_meta": meta.clone() })).await;
    assert_eq!(answer["result"]["tools"].as_array().expect("a list").len(), 18, "{answer}");
    let arguments = json!({ "query": "symbol = Invoice" });
    let answer = client
        .request("tools/call", json!({ "_meta": meta, "name": "search_code", "arguments": arguments }))
        .await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
}

#[tokio::test]
async fn tools_come_in_sets_of_which_one_is_the_default() {
    let sandbox = Sandbox::new();
    let with = |toolsets| sandbox.options().with_toolsets(toolsets);
    let toolsets = ServerOptions::default().toolsets;
    assert_eq!(names(&tools(with(toolsets)).await), ["search_code", "look_up", "impact"]);
    let index = tools(with(vec![Toolset::Index])).await;
    assert_eq!(names(&index), ["index_directory", "reindex", "index_status"]);
    assert_eq!(names(&tools(with(vec![Toolset::Docs])).await), ["doc_search"]);
    // The order of the requested sets does not matter.
    let all = tools(with(vec![Toolset::Docs, Toolset::Search])).await;
    assert_eq!(names(&all), ["search_code", "look_up", "impact", "doc_search"]);
}

#[tokio::test]
async fn each_tool_is_told_as_agreed() {
    let sandbox = Sandbox::new();
    for set in Toolset::ALL {
        for tool in tools(sandbox.options().with_toolsets(vec![*set])).await {
            let name = tool["name"].as_str().expect("a name");
            expect_file![format!("listing/{set}/{name}.json")].assert_eq(&format!("{tool:#}\n"));
        }
    }
}

#[tokio::test]
async fn schemas_of_data_are_told_only_where_data_is_sent() {
    let sandbox = Sandbox::new();
    assert!(tools(sandbox.options()).await.iter().all(|tool| tool.get("outputSchema").is_none()));
    let structured = tools(sandbox.options().with_structured(true)).await;
    assert!(structured.iter().all(|tool| tool["outputSchema"]["type"] == "object"));
}

/// Every conversation pays for each word of the default list, and for the instructions.
#[tokio::test]
async fn the_default_tools_are_listed_in_few_tokens() {
    let sandbox = Sandbox::new();
    let tokens = |value: &Value| sscg::core::TokenCounter::count(&sscg::format::O200k, &value.to_string());
    let options = sandbox.options().with_toolsets(ServerOptions::default().toolsets);
    let [few, all] = [false, true].map(|all| options.clone().with_all_arguments(all));
    let (few, all) = (tools(few).await, tools(all).await);
    let each: Vec<usize> = few.iter().map(tokens).collect();
    let (whole, full) = (tokens(&few.clone().into()), tokens(&all.into()));
    assert!(whole <= 900, "{each:?} {whole}");
    expect!["[382, 346, 169] of tools, 899 in all; 1700 with all arguments"]
        .assert_eq(&format!("{each:?} of tools, {whole} in all; {full} with all arguments"));
}

#[tokio::test]
async fn arguments_that_are_not_listed_are_accepted_and_checked() {
    let sandbox = Sandbox::parcel();
    let server = sandbox.server();
    let listed = tools(sandbox.options()).await;
    assert!(listed[0]["inputSchema"]["properties"].get("limit").is_none());
    assert!(listed[0]["inputSchema"].get("additionalProperties").is_none(), "clients may check calls");
    let mut client = Client::start(&server).await;
    let mut ask = async |arguments: Value| {
        let call = json!({ "name": "search_code", "arguments": arguments });
        client.request("tools/call", call).await["result"].clone()
    };
    let [one, many] = [1, 10].map(|limit| json!({ "query": "how are retries scheduled", "limit": limit }));
    let (one, many) = (ask(one).await, ask(many).await);
    let has_one =
        |answer: &Value| answer["content"][0]["text"].as_str().expect("a text").contains("| 1 result |");
    assert!(has_one(&one) && !has_one(&many), "{one} {many}");
    let wrong = ask(json!({ "query": "how are retries scheduled", "limit": 0 })).await;
    assert_eq!(wrong["isError"], true);
}
