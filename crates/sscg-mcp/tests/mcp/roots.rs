//! Projects that a client may query.

use serde_json::{Value, json};
use sscg_mcp::{Error, Server};

use crate::client::{Client, Sandbox};

fn uri(sandbox: &Sandbox, name: &str) -> Value {
    json!({ "uri": format!("file://{}", sandbox.path(name).display()), "name": name })
}

/// Sends a call, and answers the server's request for roots.
async fn ask_with_roots(client: &mut Client, arguments: &Value, roots: &Value) -> String {
    let params = json!({ "name": "search_code", "arguments": arguments });
    client.send(&json!({ "jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": params })).await;
    loop {
        let message = client.receive().await;
        if message["method"] == "roots/list" {
            let id = message["id"].clone();
            client.send(&json!({ "jsonrpc": "2.0", "id": id, "result": { "roots": roots } })).await;
        } else if message["id"] == "call" {
            return crate::client::text_of(&message["result"]);
        }
    }
}

fn two(sandbox: &Sandbox) {
    sandbox.write("ada/a.py", "def of_ada():\n    pass\n");
    sandbox.write("my bob/b.py", "def of_bob():\n    pass\n");
}

#[tokio::test]
async fn the_roots_of_a_client_count_until_it_says_that_they_changed() {
    let sandbox = Sandbox::parcel();
    two(&sandbox);
    let server = Server::new(sandbox.options().with_follow_client(true)).expect("it is there");
    let mut client = Client::start_with(&server, json!({ "roots": { "listChanged": true } })).await;
    let ada = json!([uri(&sandbox, "ada")]);
    let text = ask_with_roots(&mut client, &json!({ "query": "symbol = of_ada" }), &ada).await;
    assert!(text.contains("def of_ada"), "{text}");
    let text = client.text("search_code", json!({ "query": "symbol = Invoice" })).await;
    assert!(text.starts_with("No results"), "the server's own root does not count: {text}");
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" })).await;
    let mut bob = uri(&sandbox, "my bob");
    bob["uri"] = bob["uri"].as_str().expect("text").replace(' ', "%20").into();
    let text = ask_with_roots(&mut client, &json!({ "query": "symbol = of_bob" }), &json!([bob])).await;
    assert!(text.contains("def of_bob"), "{text}");
    // A client without roots, or without any existing local directory among them, gets the roots of the server.
    let mut other = Client::start(&server).await;
    assert!(
        other.text("search_code", json!({ "query": "symbol = Invoice" })).await.contains("class Invoice")
    );
    let mut other = Client::start_with(&server, json!({ "roots": {} })).await;
    let elsewhere = json!([{ "uri": "https://example.org" }, { "uri": "file:///nowhere/at/all" }]);
    let text = ask_with_roots(&mut other, &json!({ "query": "symbol = Invoice" }), &elsewhere).await;
    assert!(text.contains("class Invoice"), "{text}");
}

/// Returns the id of the next request for roots.
async fn asked_for_roots(client: &mut Client) -> Value {
    loop {
        let message = client.receive().await;
        if message["method"] == "roots/list" {
            return message["id"].clone();
        }
    }
}

#[tokio::test]
async fn a_client_that_could_not_say_its_roots_is_asked_again() {
    let sandbox = Sandbox::parcel();
    two(&sandbox);
    let server = Server::new(sandbox.options().with_follow_client(true)).expect("it is there");
    let mut client = Client::start_with(&server, json!({ "roots": {} })).await;
    let id = asked_for_roots(&mut client).await;
    let error = json!({ "code": -32603, "message": "not yet" });
    client.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error })).await;
    // Messages are read in order, so the error has been read when the ping is answered.
    client.request("ping", json!({})).await;
    let ada = json!([uri(&sandbox, "ada")]);
    let text = ask_with_roots(&mut client, &json!({ "query": "symbol = of_ada" }), &ada).await;
    assert!(text.contains("def of_ada"), "{text}");
}

#[tokio::test]
async fn roots_that_changed_while_they_were_asked_for_are_asked_for_again() {
    let sandbox = Sandbox::parcel();
    two(&sandbox);
    let server = Server::new(sandbox.options().with_follow_client(true)).expect("it is there");
    let mut client = Client::start_with(&server, json!({ "roots": { "listChanged": true } })).await;
    let id = asked_for_roots(&mut client).await;
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" })).await;
    client.request("ping", json!({})).await;
    let before = json!({ "roots": [uri(&sandbox, "nobody")] });
    client.send(&json!({ "jsonrpc": "2.0", "id": id, "result": before })).await;
    client.request("ping", json!({})).await;
    let ada = json!([uri(&sandbox, "ada")]);
    let text = ask_with_roots(&mut client, &json!({ "query": "symbol = of_ada" }), &ada).await;
    assert!(text.contains("def of_ada"), "{text}");
}

/// Agents start their servers in their own current directory.
#[tokio::test]
async fn a_directory_that_nobody_chose_is_read_in_advance_only_if_it_is_a_project() {
    let sandbox = Sandbox::parcel();
    let follow = || sandbox.options().with_follow_client(true);
    for marked in [false, true] {
        if marked {
            sandbox.write("tree/pyproject.toml", "");
        }
        let mut client = Client::start(&Server::new(follow()).expect("it is there")).await;
        client.request("tools/list", json!({})).await;
        let started = std::time::Instant::now();
        let is_indexed = || sandbox.path("index").exists();
        let max_wait = std::time::Duration::from_secs(if marked { 60 } else { 1 });
        while !is_indexed() && started.elapsed() < max_wait {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        assert_eq!(is_indexed(), marked);
    }
}

#[tokio::test]
async fn a_server_that_does_not_follow_clients_does_not_ask_for_their_roots() {
    let sandbox = Sandbox::parcel();
    let mut client = Client::start_with(&sandbox.server(), json!({ "roots": {} })).await;
    assert!(
        client.text("search_code", json!({ "query": "symbol = Invoice" })).await.contains("class Invoice")
    );
    assert!(client.notices.is_empty(), "{:?}", client.notices);
}

#[tokio::test]
async fn a_client_of_the_newest_version_is_asked_by_an_answer() {
    let sandbox = Sandbox::parcel();
    two(&sandbox);
    let server = Server::new(sandbox.options().with_follow_client(true)).expect("it is there");
    let mut client = Client::connect(&server);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "roots": {} },
    });
    let mut params =
        json!({ "_meta": meta, "name": "search_code", "arguments": { "query": "symbol = of_ada" } });
    let answer = client.request("tools/call", params.clone()).await;
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    let requests = answer["result"]["inputRequests"].as_object().expect("requests");
    let (name, request) = requests.iter().next().expect("one");
    assert_eq!(request["method"], "roots/list");
    params["inputResponses"] = json!({ name.as_str(): { "roots": [uri(&sandbox, "ada")] } });
    let answer = client.request("tools/call", params).await;
    assert!(crate::client::text_of(&answer["result"]).contains("def of_ada"), "{answer}");
}

#[tokio::test]
async fn of_several_projects_a_search_takes_all_and_other_tools_take_one() {
    let sandbox = Sandbox::parcel();
    two(&sandbox);
    let roots = vec![sandbox.path("ada"), sandbox.path("my bob")];
    let server = Server::new(sandbox.options().with_roots(roots)).expect("they are there");
    let mut client = Client::start(&server).await;
    let text = client.text("search_code", json!({ "query": "symbol = of_bob" })).await;
    let bob = text.find(&format!("Project {}\n", sandbox.path("my bob").display())).expect("it has one");
    let ada =
        text.find(&format!("Project {}: nothing found\n", sandbox.path("ada").display())).expect("named");
    assert!(bob < ada && text.contains("def of_bob"), "{text}");
    let arguments = json!({ "query": "symbol = of_bob", "path": ["app.py"] });
    let text = client.failure("search_code", arguments).await;
    assert!(text.contains("`project` is missing"), "{text}");
    let listed = client.request("tools/list", json!({})).await["result"]["tools"].clone();
    let one =
        Client::start(&sandbox.server()).await.request("tools/list", json!({})).await["result"]["tools"]
            .clone();
    for tool in ["look_up", "impact", "symbol_context"] {
        let project = |tools: &Value| {
            let tools = tools.as_array().expect("a list");
            let tool = tools.iter().find(|it| it["name"] == tool).expect("it is listed");
            tool["inputSchema"]["properties"].get("project").is_some()
        };
        assert!(project(&listed) && !project(&one), "{tool}");
    }
    let text = client.failure("look_up", json!({ "mode": "callers", "names": ["of_bob"] })).await;
    assert!(text.contains("`project` is missing") && text.contains("my bob"), "{text}");
    let arguments = json!({ "query": "symbol = of_bob", "project": "my bob" });
    assert!(client.text("search_code", arguments).await.contains("def of_bob"));
    let missing = Server::new(sandbox.options().with_roots(vec![sandbox.path("nobody")]));
    assert!(matches!(missing.err().expect("it is not there"), Error::Root { .. }));
}
