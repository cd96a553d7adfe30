//! HTTP transport.

use std::net::SocketAddr;

use serde_json::{Value, json};
use sscg_mcp::{Error, HttpServerOptions, Server};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use ureq::http::Response;
use ureq::{Agent, Body};

use crate::client::{Sandbox, hello, text_of};

/// Listening server.
struct Listening {
    url: String,
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl Listening {
    async fn start(server: &Server, token: Option<&str>) -> Self {
        Self::start_at("127.0.0.1:0", server, token).await
    }

    async fn start_at(address: &str, server: &Server, token: Option<&str>) -> Self {
        let address = address.parse().expect("an address");
        let mut options = HttpServerOptions::new(address);
        options.token = token.map(str::to_owned);
        let listening = server.listen(options).await.expect("a free port");
        let (url, address) = (listening.url(), listening.address());
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(listening.serve(async { _ = stopped.await }));
        Self { url, address, stop, serving }
    }

    async fn end(self) {
        drop(self.stop);
        self.serving.await.expect("it ends well");
    }
}

/// Sends a request on a thread that may block.
async fn post(url: &str, headers: &[(&str, &str)], message: Value) -> Response<Body> {
    let (url, body) = (url.to_owned(), message.to_string());
    let headers: Vec<(String, String)> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let send = move || {
        let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
        let mut request = agent
            .post(&url)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        for (name, value) in &headers {
            request = request.header(name, value);
        }
        request.send(&body).expect("an answer")
    };
    tokio::task::spawn_blocking(send).await.expect("no panic")
}

fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello("2025-11-25", json!({ "roots": {} })) })
}

async fn status(url: &str, headers: &[(&str, &str)]) -> u16 {
    post(url, headers, initialize()).await.status().as_u16()
}

/// Returns the message with an id from a plain response or an event stream.
async fn message(response: Response<Body>) -> Value {
    let read = move || response.into_body().read_to_string().expect("text");
    let text = tokio::task::spawn_blocking(read).await.expect("no panic");
    let lines = text.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
    let mut messages = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages.find(|message| message.get("id").is_some()).unwrap_or_else(|| panic!("no message: {text:?}"))
}

/// Opens a session and returns its id.
async fn session(url: &str) -> String {
    let response = post(url, &[], initialize()).await;
    assert_eq!(response.status(), 200);
    let id = response.headers()["mcp-session-id"].to_str().expect("text").to_owned();
    assert_eq!(message(response).await["result"]["serverInfo"]["name"], "sscg");
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let response = post(url, &[("Mcp-Session-Id", &id)], ready).await;
    assert_eq!(response.status(), 202);
    id
}

fn search(query: &str) -> Value {
    let params = json!({ "name": "search_code", "arguments": { "query": query } });
    json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params })
}

#[tokio::test]
async fn sessions_are_answered_side_by_side() {
    let sandbox = Sandbox::parcel();
    let listening = Listening::start(&sandbox.server(), None).await;
    let url = &*listening.url;
    let ask = async |name: &str| {
        let id = session(url).await;
        for _ in 0..3 {
            let response = post(url, &[("Mcp-Session-Id", &id)], search(&format!("symbol = {name}"))).await;
            let answer = message(response).await;
            assert!(text_of(&answer["result"]).contains(name), "{answer}");
        }
        id
    };
    let (one, other) = tokio::join!(ask("Invoice"), ask("Money"));
    assert_ne!(one, other);
    assert_eq!(post(url, &[("Mcp-Session-Id", "made-up")], search("symbol = Invoice")).await.status(), 404);
    listening.end().await;
}

#[tokio::test]
async fn clients_of_the_newest_version_have_no_session() {
    let sandbox = Sandbox::parcel();
    let listening = Listening::start(&sandbox.server(), None).await;
    let mut request = search("symbol = Invoice");
    request["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "roots": {} },
    });
    let headers =
        [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "search_code")];
    let response = post(&listening.url, &headers, request).await;
    assert!(response.headers().get("mcp-session-id").is_none());
    let answer = message(response).await;
    assert!(text_of(&answer["result"]).contains("class Invoice"), "{answer}");
    listening.end().await;
}

#[tokio::test]
async fn pages_of_other_sites_and_names_of_other_hosts_are_refused() {
    let sandbox = Sandbox::new();
    let listening = Listening::start(&sandbox.server(), None).await;
    let url = &*listening.url;
    assert_eq!(status(url, &[("Origin", "http://localhost:6274")]).await, 200);
    assert_eq!(status(url, &[("Origin", "http://127.0.0.1:6274")]).await, 200);
    for origin in ["https://example.org", "http://localhost.example.org", "null", "file://"] {
        assert_eq!(status(url, &[("Origin", origin)]).await, 403, "{origin}");
    }
    // A browser sends this after DNS rebinding to 127.0.0.1.
    assert_eq!(status(url, &[("Host", "rebound.example.org")]).await, 403);
    let elsewhere = url.replace("/mcp", "/");
    assert_eq!(status(&elsewhere, &[]).await, 404);
    listening.end().await;
}

#[tokio::test]
async fn a_token_is_asked_for_where_there_is_one_and_needed_where_others_can_connect() {
    let sandbox = Sandbox::new();
    let server = sandbox.server();
    let listening = Listening::start(&server, Some("open sesame")).await;
    let url = &*listening.url;
    let response = post(url, &[], initialize()).await;
    assert_eq!(
        (response.status().as_u16(), &response.headers()["www-authenticate"]),
        (401, &"Bearer".parse().expect("a value"))
    );
    for wrong in ["Bearer open", "Bearer open sesame!", "Basic open sesame", "open sesame", "Bearer"] {
        assert_eq!(status(url, &[("Authorization", wrong)]).await, 401, "{wrong}");
    }
    assert_eq!(status(url, &[("Authorization", "Bearer open sesame")]).await, 200);
    assert_eq!(status(url, &[("Authorization", "bearer open sesame")]).await, 200);
    let refused = async |address: &str, token: Option<&str>| {
        let address = address.parse().expect("an address");
        let mut options = HttpServerOptions::new(address);
        options.token = token.map(str::to_owned);
        let listening = server.listen(options).await;
        listening.err().expect("no token")
    };
    let error = refused("0.0.0.0:0", None).await;
    assert!(matches!(error, Error::TokenRequired { .. }));
    assert!(error.hint().contains("--token-env"), "{}", error.hint());
    for (address, token) in [("0.0.0.0:0", ""), ("127.0.0.1:0", ""), ("127.0.0.1:0", " \n")] {
        assert!(matches!(refused(address, Some(token)).await, Error::BlankToken), "{address} {token:?}");
    }
    let taken = server.listen(HttpServerOptions::new(listening.address)).await;
    assert!(matches!(taken.err().expect("it is in use"), Error::Bind { .. }));
    listening.end().await;
}

/// Files written by `echo` end with a newline.
#[tokio::test]
async fn blanks_around_a_token_do_not_count() {
    let sandbox = Sandbox::new();
    let listening = Listening::start(&sandbox.server(), Some(" sesame\n")).await;
    assert_eq!(status(&listening.url, &[("Authorization", "Bearer sesame")]).await, 200);
    assert_eq!(status(&listening.url, &[("Authorization", "Bearer other")]).await, 401);
    listening.end().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn other_addresses_of_this_machine_are_listened_on_too() {
    let sandbox = Sandbox::new();
    let listening = Listening::start_at("127.0.0.2:0", &sandbox.server(), None).await;
    let url = &*listening.url;
    assert_eq!(status(url, &[]).await, 200);
    assert_eq!(status(url, &[("Origin", "http://127.0.0.2:6274")]).await, 200);
    assert_eq!(status(url, &[("Host", "rebound.example.org")]).await, 403);
    listening.end().await;
}

#[tokio::test]
async fn there_is_an_end_to_sessions() {
    let sandbox = Sandbox::parcel();
    let listening = Listening::start(&sandbox.server(), None).await;
    let url = &*listening.url;
    let id = session(url).await;
    let mut refused = None;
    for _ in 0..1000 {
        let response = post(url, &[], initialize()).await;
        if response.status() != 200 {
            refused = Some(response);
            break;
        }
    }
    let refused = refused.expect("not one more");
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    // Existing sessions are served, and once one ends, another may start.
    let answer = message(post(url, &[("Mcp-Session-Id", &id)], search("symbol = Invoice")).await).await;
    assert!(text_of(&answer["result"]).contains("class Invoice"), "{answer}");
    let (address, session) = (url.to_owned(), id.clone());
    let end =
        move || ureq::delete(&address).header("Mcp-Session-Id", &session).call().expect("an answer").status();
    assert!(tokio::task::spawn_blocking(end).await.expect("no panic").is_success());
    assert_eq!(status(url, &[]).await, 200);
    listening.end().await;
}

#[tokio::test]
async fn what_is_read_is_for_the_server_to_say() {
    let sandbox = Sandbox::parcel();
    let server = Server::new(sandbox.options().with_follow_client(true)).expect("it is there");
    let listening = Listening::start(&server, None).await;
    let id = session(&listening.url).await;
    // The client has roots, but is not asked for them.
    let response = post(&listening.url, &[("Mcp-Session-Id", &id)], search("symbol = Invoice")).await;
    assert!(text_of(&message(response).await["result"]).contains("class Invoice"));
    listening.end().await;
}

#[tokio::test]
async fn what_is_no_message_is_refused_and_harms_nobody() {
    let sandbox = Sandbox::parcel();
    let listening = Listening::start(&sandbox.server(), None).await;
    let url = &*listening.url;
    let id = session(url).await;
    let headers = [("Mcp-Session-Id", &*id)];
    assert!(post(url, &headers, json!([1, 2])).await.status().is_client_error());
    assert!(post(url, &headers, json!({ "id": 1 })).await.status().is_client_error());
    let huge = search(&"a ".repeat(10 << 20));
    assert_eq!(post(url, &headers, huge).await.status(), 413);
    let large = search(&"a ".repeat(5 << 20));
    let answer = message(post(url, &headers, large).await).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let answer = message(post(url, &headers, search("symbol = Invoice")).await).await;
    assert!(text_of(&answer["result"]).contains("class Invoice"));
    listening.end().await;
}
