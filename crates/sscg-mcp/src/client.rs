//! Client of the service-level tools, for programs that can work without their answers.
//!
//! Examples are a pipeline that asks which services a change affects, and a quality gate that checks whether an
//! apparently dead event has a consumer elsewhere. Neither should fail because the server is unavailable: the typed
//! calls of [`Client`] then return an empty answer, and [`Client::last_error`] returns the reason. [`Client::call`]
//! returns errors to its caller.
//!
//! ```no_run
//! use sscg_mcp::client::Client;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let client = Client::of_command("sscg", ["mcp", ".", "--tools", "knowledge", "--structured"]);
//! let events = client.check_cross_service_events(&Default::default()).await;
//! println!("{} events have no listener", events.orphaned_events.len());
//! # }
//! ```

use std::ffi::OsString;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::process::Stdio;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;

use derive_setters::Setters;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RunningService, ServiceError};
use rmcp::{RoleClient, ServiceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sscg::knowledge::BuildReport;
use sscg::knowledge::query::{
    BoundariesRequest, BoundaryValidation, CrossServiceImpact, EventValidation, EventsRequest,
    HybridSearchRequest, ImpactRequest, Neighborhood, NeighborhoodRequest, SearchResults, ServiceContext,
    ServiceContextRequest,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::{Child, Command};
use tokio::sync::Mutex;

use crate::Server;
use crate::tool::NOT_READY;

/// Retry and timeout options of a client.
#[derive(Clone, Debug, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct ClientOptions {
    /// Maximum number of attempts per call, at least 1 (default 3).
    pub attempts: u32,
    /// Wait before the second attempt, doubled before each further one (default 1 second).
    pub backoff: Duration,
    /// Timeout of one attempt (default 2 minutes: the first answer may need an index). Starting the server has the same
    /// timeout.
    pub timeout: Duration,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self { attempts: 3, backoff: Duration::from_secs(1), timeout: Duration::from_secs(120) }
    }
}

/// Error of a call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The client was created without a server.
    #[error("there is no server: the client is disabled")]
    Disabled,
    /// The server could not be started.
    #[error("the server cannot be started: {0}")]
    Start(#[source] io::Error),
    /// The server does not answer or has exited.
    #[error("the server does not answer: {0}")]
    Away(String),
    /// The server is indexing the project and has no answer yet.
    #[error("the server is not ready: {0}")]
    NotReady(String),
    /// The tool rejected the call.
    #[error("{0}")]
    Tool(String),
    /// The server returned no structured content, or none of the expected type.
    #[error("the answer is not what the tool promises: {0}; is the server started with --structured?")]
    Answer(String),
}

impl ClientError {
    /// True if a retry may help.
    fn is_transient(&self) -> bool {
        matches!(self, Self::Start(_) | Self::Away(_) | Self::NotReady(_))
    }
}

/// Open connection, with the server process that it depends on.
struct Connected {
    service: RunningService<RoleClient, ()>,
    _process: Option<Child>,
}

type Connecting<'a> = Pin<Box<dyn Future<Output = Result<Connected, ClientError>> + Send + 'a>>;
type Connect = dyn Fn() -> Connecting<'static> + Send + Sync;

/// Client of the tools of [`Toolset::Knowledge`](crate::Toolset::Knowledge).
///
/// The first call starts the server or connects to it, and so does a call after a lost connection. Calls may run
/// concurrently.
pub struct Client {
    connect: Option<Box<Connect>>,
    options: ClientOptions,
    connected: Mutex<Option<Arc<Connected>>>,
    last_error: StdMutex<Option<String>>,
}

impl Client {
    /// Creates a client of a server that runs as a child process and communicates over its standard input and output.
    pub fn of_command<A: Into<OsString>>(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let program = program.into();
        let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
        Self::new(move || {
            let mut command = Command::new(&program);
            command.args(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            command.kill_on_drop(true);
            Box::pin(async move {
                let mut process = command.spawn().map_err(ClientError::Start)?;
                let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
                    return Err(ClientError::Away("its streams are missing".to_owned()));
                };
                Ok(Connected { service: handshake(output, input).await?, _process: Some(process) })
            })
        })
    }

    /// Creates a client of a server within this program.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use sscg::{EngineOptions, Storage};
    /// use sscg_mcp::client::Client;
    /// use sscg_mcp::{ProjectOptions, Server, ServerOptions, Toolset};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let root = tempfile::tempdir()?;
    /// # std::fs::write(root.path().join("ship.py"), "def ship(): pass\n")?;
    /// let mut options = ServerOptions::default();
    /// options.roots = vec![root.path().to_owned()];
    /// options.toolsets = vec![Toolset::Knowledge];
    /// options.structured = true;
    /// options.open = Arc::new(|_| {
    ///     let mut project = ProjectOptions::default();
    ///     project.engine = EngineOptions::stored_in(Storage::Ephemeral);
    ///     Ok(project)
    /// });
    /// let client = Client::of_server(Server::new(options)?);
    /// let report = client.build_knowledge_graph("", false, "").await;
    /// assert!(report.success, "{:?}", client.last_error());
    /// # Ok(())
    /// # }
    /// ```
    pub fn of_server(server: Server) -> Self {
        Self::new(move || {
            let server = server.for_client();
            Box::pin(async move {
                let (here, there) = tokio::io::duplex(1 << 16);
                tokio::spawn(async move {
                    if let Ok(serving) = server.serve(there).await {
                        _ = serving.waiting().await;
                    }
                });
                let (output, input) = tokio::io::split(here);
                Ok(Connected { service: handshake(output, input).await?, _process: None })
            })
        })
    }

    /// Creates a client without a server, for settings that turn the tools off: each typed call returns the empty
    /// answer.
    pub fn disabled() -> Self {
        Self { connect: None, ..Self::new(|| Box::pin(async { Err(ClientError::Disabled) })) }
    }

    fn new(connect: impl Fn() -> Connecting<'static> + Send + Sync + 'static) -> Self {
        Self {
            connect: Some(Box::new(connect)),
            options: ClientOptions::default(),
            connected: Mutex::default(),
            last_error: StdMutex::default(),
        }
    }

    /// Returns the client with other options.
    #[must_use]
    pub fn with_options(self, options: ClientOptions) -> Self {
        Self { options, ..self }
    }

    /// Returns the error of the typed call that ended last, if it failed.
    pub fn last_error(&self) -> Option<String> {
        self.last_error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Calls a tool and returns its structured answer.
    ///
    /// # Errors
    /// Fails if there is no answer after all attempts, or the tool rejects the arguments.
    pub async fn call<T: DeserializeOwned>(
        &self,
        tool: &'static str,
        arguments: &impl Serialize,
    ) -> Result<T, ClientError> {
        let connect = self.connect.as_ref().ok_or(ClientError::Disabled)?;
        let arguments = match serde_json::to_value(arguments) {
            Ok(Value::Object(arguments)) => arguments,
            other => return Err(ClientError::Tool(format!("arguments are an object, not {other:?}"))),
        };
        let mut backoff = self.options.backoff;
        for attempt in 1.. {
            let request = CallToolRequestParams::new(tool).with_arguments(arguments.clone());
            match self.attempt(connect, request).await {
                Err(error) if error.is_transient() && attempt < self.options.attempts => {
                    tokio::time::sleep(backoff).await;
                    backoff *= 2;
                }
                outcome => return outcome.and_then(data),
            }
        }
        unreachable!("the last attempt returns")
    }

    async fn attempt(
        &self,
        connect: &Connect,
        request: CallToolRequestParams,
    ) -> Result<CallToolResult, ClientError> {
        let too_long = |_| ClientError::Away("it takes too long".to_owned());
        let connected = {
            let mut connected = self.connected.lock().await;
            match &*connected {
                Some(connected) => Arc::clone(connected),
                None => {
                    let made =
                        tokio::time::timeout(self.options.timeout, connect()).await.map_err(too_long)??;
                    Arc::clone(connected.insert(Arc::new(made)))
                }
            }
        };
        let answer = connected.service.peer().call_tool(request);
        let outcome = match tokio::time::timeout(self.options.timeout, answer).await.map_err(too_long) {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(ServiceError::McpError(refused))) => Err(ClientError::Tool(refused.message.into_owned())),
            Ok(Err(away)) => Err(ClientError::Away(away.to_string())),
            Err(late) => Err(late),
        };
        if matches!(outcome, Err(ClientError::Away(_))) {
            // Another call may have reconnected meanwhile.
            let mut known = self.connected.lock().await;
            if known.as_ref().is_some_and(|known| Arc::ptr_eq(known, &connected)) {
                *known = None;
            }
        }
        let result = outcome?;
        if result.meta.as_ref().is_some_and(|meta| meta.0.contains_key(NOT_READY)) {
            return Err(ClientError::NotReady(text(&result)));
        }
        if result.is_error == Some(true) {
            return Err(ClientError::Tool(text(&result)));
        }
        Ok(result)
    }

    /// Returns the answer of a call, or the empty answer.
    async fn or_empty<T: DeserializeOwned + Default>(
        &self,
        tool: &'static str,
        arguments: &impl Serialize,
    ) -> T {
        let (answer, error) = match self.call(tool, arguments).await {
            Ok(answer) => (answer, None),
            Err(error) => (T::default(), Some(error.to_string())),
        };
        *self.last_error.lock().unwrap_or_else(PoisonError::into_inner) = error;
        answer
    }
}

async fn handshake(
    output: impl AsyncRead + Send + Unpin + 'static,
    input: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<RunningService<RoleClient, ()>, ClientError> {
    ().serve((output, input)).await.map_err(|error| ClientError::Away(error.to_string()))
}

/// Returns the text of a result.
fn text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|content| content.as_text());
    texts.map(|content| content.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn data<T: DeserializeOwned>(result: CallToolResult) -> Result<T, ClientError> {
    let structured =
        result.structured_content.ok_or_else(|| ClientError::Answer("it has no data".to_owned()))?;
    serde_json::from_value(structured).map_err(|error| ClientError::Answer(error.to_string()))
}

/// Tools by name. Their arguments and answers have the types of the library; see [`sscg::knowledge::query`].
impl Client {
    /// Builds the service graph of a project and returns its counts. An empty `project_name` selects the server's only
    /// project; an empty `service_interfaces_json` adds no interfaces. Without an answer, `success` is false.
    pub async fn build_knowledge_graph(
        &self,
        project_name: &str,
        force_rebuild: bool,
        service_interfaces_json: &str,
    ) -> BuildReport {
        let arguments = json!({
            "project_name": project_name,
            "force_rebuild": force_rebuild,
            "service_interfaces_json": service_interfaces_json,
        });
        self.or_empty("build_knowledge_graph", &arguments).await
    }

    /// Returns the context of a service: its relations to other services.
    pub async fn get_service_context(&self, request: &ServiceContextRequest) -> ServiceContext {
        self.or_empty("get_service_context", request).await
    }

    /// Returns the nodes around a node and the edges among them.
    pub async fn query_graph_neighborhood(&self, request: &NeighborhoodRequest) -> Neighborhood {
        self.or_empty("query_graph_neighborhood", request).await
    }

    /// Returns the nodes that match a query in words.
    pub async fn hybrid_search(&self, request: &HybridSearchRequest) -> SearchResults {
        self.or_empty("hybrid_search", request).await
    }

    /// Returns the impact of a change of a node on other services.
    pub async fn find_cross_service_impact(&self, request: &ImpactRequest) -> CrossServiceImpact {
        self.or_empty("find_cross_service_impact", request).await
    }

    /// Returns the files that belong to one service and work with another.
    pub async fn validate_service_boundaries(&self, request: &BoundariesRequest) -> BoundaryValidation {
        self.or_empty("validate_service_boundaries", request).await
    }

    /// Returns the events without a consumer and those without a publisher.
    pub async fn check_cross_service_events(&self, request: &EventsRequest) -> EventValidation {
        self.or_empty("check_cross_service_events", request).await
    }
}
