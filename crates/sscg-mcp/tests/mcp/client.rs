//! Client with hand-written messages.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sscg::{EngineOptions, Storage};
use sscg_mcp::{OpenProject, ProjectOptions, Server, ServerOptions, Toolset};
use tempfile::TempDir;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex, split,
};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Temporary directory with the subdirectories `tree` and `index`.
pub(crate) struct Sandbox {
    directory: TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let sandbox = Self { directory: tempfile::tempdir().expect("temporary directory") };
        fs::create_dir(sandbox.path("tree")).expect("ours");
        sandbox
    }

    /// Creates a sandbox with the project in `fixtures/projects` as its tree.
    pub(crate) fn parcel() -> Self {
        let sandbox = Self::new();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/projects/parcel"), &sandbox.tree());
        sandbox
    }

    /// Creates a sandbox with the services in `fixtures/services` as its tree.
    pub(crate) fn shop() -> Self {
        let sandbox = Self::new();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/services/shop"), &sandbox.tree());
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().expect("it exists").join(name)
    }

    pub(crate) fn tree(&self) -> PathBuf {
        self.path("tree")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a file stands in a directory")).expect("ours");
        fs::write(path, text).expect("ours");
    }

    /// Returns options of a server on the tree, with all tools and with its index in the sandbox.
    pub(crate) fn options(&self) -> ServerOptions {
        let index = self.path("index");
        let open: OpenProject = Arc::new(move |_| {
            let engine = EngineOptions::stored_in(Storage::Directory(index.clone()));
            Ok(ProjectOptions::default().with_engine(engine))
        });
        // Indexing is slow in unoptimized builds.
        ServerOptions::default()
            .with_roots(vec![self.tree()])
            .with_toolsets(Toolset::ALL.to_vec())
            .with_open(open)
            .with_max_wait(Duration::from_secs(300))
    }

    pub(crate) fn server(&self) -> Server {
        Server::new(self.options()).expect("the tree is there")
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("ours");
    for entry in fs::read_dir(from).expect("the fixture exists") {
        let entry = entry.expect("readable");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("ours");
        }
    }
}

/// Connection to a server in a task of its own.
pub(crate) struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
    serving: JoinHandle<Result<(), sscg_mcp::Error>>,
    _stop: oneshot::Sender<()>,
    id: u64,
    /// Received messages that are not answers.
    pub(crate) notices: Vec<Value>,
}

impl Client {
    /// Connects without a handshake.
    pub(crate) fn connect(server: &Server) -> Self {
        let (here, there) = duplex(1 << 16);
        let (input, output) = split(there);
        let (stop, stopped) = oneshot::channel::<()>();
        let server = server.for_client();
        let serving = tokio::spawn(server.serve_streams(input, output, async move {
            // A dropped sender must not stop the server.
            if stopped.await.is_err() {
                std::future::pending::<()>().await;
            }
        }));
        let (input, output) = split(here);
        Self {
            lines: BufReader::new(input).lines(),
            output,
            serving,
            _stop: stop,
            id: 0,
            notices: Vec::new(),
        }
    }

    /// Connects, with a handshake.
    pub(crate) async fn start(server: &Server) -> Self {
        Self::start_with(server, json!({})).await
    }

    /// Connects, with a handshake of a client with these capabilities.
    pub(crate) async fn start_with(server: &Server, capabilities: Value) -> Self {
        let mut client = Self::connect(server);
        client.request("initialize", hello("2025-11-25", capabilities)).await;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string()).await;
    }

    pub(crate) async fn send_line(&mut self, line: &str) {
        self.output.write_all(format!("{line}\n").as_bytes()).await.expect("the server reads");
        self.output.flush().await.expect("the server reads");
    }

    /// Returns the next message of the server.
    pub(crate) async fn receive(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(300), self.lines.next_line());
        let line = line.await.expect("it answers").expect("UTF-8").expect("it does not hang up");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Sends a request and returns the answer, an error or a result.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        loop {
            let message = self.receive().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.notices.push(message);
        }
    }

    /// Returns the result of a call.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// Returns the text of a successful result.
    pub(crate) async fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], false, "{result}");
        text_of(&result)
    }

    /// Returns the text of a result that is an error.
    pub(crate) async fn failure(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        text_of(&result)
    }

    /// Disconnects and waits for the end of the server.
    pub(crate) async fn leave(self) -> Result<(), sscg_mcp::Error> {
        let Self { lines, output, serving, .. } = self;
        drop((lines, output));
        let ended = tokio::time::timeout(Duration::from_secs(60), serving);
        ended.await.expect("it ends").expect("it does not panic")
    }
}

pub(crate) fn hello(version: &str, capabilities: Value) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": { "name": "test", "version": "1" },
    })
}

/// Returns the concatenated text items of a result.
pub(crate) fn text_of(result: &Value) -> String {
    let items = result["content"].as_array().expect("a list").iter();
    items.map(|item| item["text"].as_str().expect("text")).collect()
}
