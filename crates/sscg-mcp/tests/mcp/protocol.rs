//! Malformed messages and misbehaving clients.

use serde_json::{Value, json};
use sscg::index::{EmbeddedStore, Store, index_directory};

use crate::client::{Client, Sandbox, text_of};

#[tokio::test]
async fn what_is_no_request_is_answered_as_the_protocol_says() {
    let sandbox = Sandbox::parcel();
    let mut client = Client::start(&sandbox.server()).await;
    let answer = client.request("tools/call", json!({ "name": "serach_code", "arguments": {} })).await;
    assert_eq!(answer["error"], json!({ "code": -32602, "message": "Unknown tool: serach_code" }));
    let answer = client.request("tools/call", json!({ "name": "search_code", "arguments": "words" })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = client.request("tools/call", json!({ "arguments": {} })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = client.request("tools/destroy", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    let answer = client.request("logging/setLevel", json!({ "level": "info" })).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    // Missing arguments count as empty ones.
    let answer = client.request("tools/call", json!({ "name": "index_status" })).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
}

#[tokio::test]
async fn overview_vocabulary_files_and_declarations_are_resources() {
    let sandbox = Sandbox::parcel();
    let mut client = Client::start(&sandbox.server()).await;
    let listed = client.request("resources/list", json!({})).await;
    let uris = |list: &Value, key: &str| -> Vec<String> {
        let all =
            list.as_array().expect("a list").iter().map(|it| it[key].as_str().expect("a URI").to_owned());
        all.collect()
    };
    assert_eq!(uris(&listed["result"]["resources"], "uri"), ["sscg://overview", "sscg://vocabulary"]);
    let templates = client.request("resources/templates/list", json!({})).await;
    assert_eq!(
        uris(&templates["result"]["resourceTemplates"], "uriTemplate"),
        [
            "sscg://vocabulary/{+path}{?budget,project}",
            "sscg://file/{+path}{?budget,project}",
            "sscg://symbol/{+name}{?budget,project}",
        ]
    );
    let uri = "sscg://vocabulary";
    let answer = client.request("resources/read", json!({ "uri": uri })).await;
    let text = answer["result"]["contents"][0]["text"].as_str().expect("a text");
    assert!(text.contains("RoadNetwork") && text.contains("Session"), "{text}");
    let part = format!("{uri}/web?budget=300");
    let answer = client.request("resources/read", json!({ "uri": part })).await;
    let text = answer["result"]["contents"][0]["text"].as_str().expect("a text");
    assert!(!text.contains("RoadNetwork") && text.contains("Session"), "{text}");
    for (uri, part) in [
        ("sscg://overview", "Most referenced, by other files:"),
        ("sscg://file/web/src/session.ts:1-3", "\n1\t"),
        ("sscg://symbol/Invoice", "class Invoice"),
    ] {
        let answer = client.request("resources/read", json!({ "uri": uri })).await;
        let text = answer["result"]["contents"][0]["text"].as_str().unwrap_or_default();
        assert!(text.contains(part), "{uri}: {answer}");
    }
    for (uri, message) in [
        (
            "sscg://words",
            "no resource \"sscg://words\"; read one of sscg://overview, sscg://vocabulary, sscg://file, sscg://symbol, or \
             call a tool",
        ),
        (
            "sscg://vocabulary?budget=7",
            "a budget of 7 tokens holds no vocabulary; give `budget` at least 200",
        ),
    ] {
        let answer = client.request("resources/read", json!({ "uri": uri })).await;
        assert_eq!(answer["error"], json!({ "code": -32602, "message": message }));
    }
}

#[tokio::test]
async fn prompts_tell_what_to_ask_about_their_argument() {
    let sandbox = Sandbox::parcel();
    let mut client = Client::start(&sandbox.server()).await;
    let listed = client.request("prompts/list", json!({})).await;
    let prompts = listed["result"]["prompts"].as_array().expect("prompts");
    assert_eq!(prompts.len(), 3, "{listed}");
    for prompt in prompts {
        let argument = prompt["arguments"][0]["name"].as_str().expect("an argument");
        let asked = json!({ "name": prompt["name"], "arguments": { argument: "Session > close" } });
        let answer = client.request("prompts/get", asked).await;
        let text = answer["result"]["messages"][0]["content"]["text"].as_str().expect("a text");
        assert!(text.contains("Session > close") && !text.contains("{}"), "{text}");
        let answer = client.request("prompts/get", json!({ "name": prompt["name"] })).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let answer = client.request("prompts/get", json!({ "name": "sing" })).await;
    let message = "no prompt \"sing\"; one of: explain_flow, what_breaks, find_tests";
    assert_eq!(answer["error"]["message"], message, "{answer}");
}

#[tokio::test]
async fn lines_that_are_no_messages_change_nothing() {
    let sandbox = Sandbox::parcel();
    let mut client = Client::start(&sandbox.server()).await;
    for line in
        ["", "{", "nonsense", "\u{0}\u{1}", "[1, 2", "\"text\"", "{}", "[]", "null", "{\"jsonrpc\": \"2.0\"}"]
    {
        client.send_line(line).await;
    }
    client.send_line(&"x".repeat(20 << 20)).await;
    assert!(
        client.text("search_code", json!({ "query": "symbol = Invoice" })).await.contains("class Invoice")
    );
    // An invalid message is answered with an error without a request id.
    let mut codes: Vec<i64> = Vec::new();
    for notice in &client.notices {
        assert!(notice["id"].is_null(), "{notice}");
        codes.extend(notice["error"]["code"].as_i64());
    }
    codes.sort_unstable();
    assert_eq!(codes.iter().filter(|code| **code == -32_700).count(), 4, "{:?}", client.notices);
    assert!(codes.contains(&-32_600), "{:?}", client.notices);
}

#[tokio::test]
async fn clients_are_answered_side_by_side() {
    let sandbox = Sandbox::parcel();
    let server = sandbox.server();
    let ask = async |name: &str| {
        let mut client = Client::start(&server).await;
        for _ in 0..5 {
            let text = client.text("search_code", json!({ "query": format!("symbol = {name}") })).await;
            assert!(text.contains(name), "{text}");
        }
        client.leave().await.expect("it ends well");
    };
    tokio::join!(ask("Invoice"), ask("Money"));
}

#[tokio::test]
async fn a_client_that_vanishes_in_the_middle_of_a_call_harms_no_other() {
    let sandbox = Sandbox::parcel();
    let server = sandbox.server();
    for _ in 0..3 {
        let mut client = Client::start(&server).await;
        let params = json!({ "name": "search_code", "arguments": { "query": "how are parcels routed" } });
        client.send(&json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params })).await;
        client.leave().await.expect("it ends well");
    }
    let mut client = Client::start(&server).await;
    assert!(
        client.text("search_code", json!({ "query": "symbol = Invoice" })).await.contains("class Invoice")
    );
}

#[tokio::test]
async fn a_client_that_says_nothing_or_nonsense_first_is_let_go() {
    let sandbox = Sandbox::new();
    let server = sandbox.server();
    Client::connect(&server).leave().await.expect("it ends well");
    let mut client = Client::connect(&server);
    client.send(&json!({ "jsonrpc": "2.0", "id": 1, "result": {} })).await;
    let error = client.leave().await.expect_err("no handshake");
    assert!(error.to_string().contains("does not begin as the protocol asks"), "{error}");
}

#[tokio::test]
async fn a_call_that_is_cancelled_is_not_answered() {
    let sandbox = Sandbox::parcel();
    // While another holder has the index lock, calls wait.
    let place = index_directory(&sandbox.tree(), Some(&sandbox.path("index"))).expect("a base is given");
    let lock =
        EmbeddedStore::new(place).lock(&sandbox.tree().to_string_lossy()).expect("ours").expect("free");
    let mut client = Client::start(&sandbox.server()).await;
    let params = json!({ "name": "search_code", "arguments": { "query": "how are parcels routed" } });
    for id in [70, 71] {
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        client.send(&call).await;
    }
    let cancelled = json!({ "requestId": 70, "reason": "enough" });
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled })).await;
    // Messages are read in order, so the cancellation has been read when the ping is answered.
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
    drop(lock);
    loop {
        let message = client.receive().await;
        assert_ne!(message["id"], 70, "{message}");
        if message["id"] == 71 {
            assert_eq!(message["result"]["isError"], false, "{message}");
            break;
        }
    }
    let result = client.call("search_code", json!({ "query": "symbol = Invoice" })).await;
    assert!(text_of(&result).contains("class Invoice"));
    assert_eq!(client.notices, Vec::<Value>::new());
}
