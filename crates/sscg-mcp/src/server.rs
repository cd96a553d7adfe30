//! Request handling of the server.

use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, Once};
use std::thread;
use std::time::Instant;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData,
    GetPromptRequestParams, GetPromptResponse, Implementation, InputResponses, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use sscg::format::SentCode;
use sscg::{Corpus, Progress, WaitPolicy};
use tokio::sync::watch;

use crate::failure::Failure;
use crate::permits::Permits;
use crate::projects::Projects;
use crate::roots::{Asked, ClientRoots};
use crate::running::RunningCall;
use crate::tool::{Described, Registered, ToolCall};
use crate::{Error, ServerOptions, paths, prompts, resources, tools};

/// Instructions for agents about the server as a whole.
const INSTRUCTIONS: &str = "\
SSCG indexes the code of this project and its connections. Call search_code before you read files: with a question in plain words, \
a pasted error message or line of code, or `symbol = Outer > inner`. Add `terms` to a question: six to fourteen guesses at names in \
the code; the resource sscg://vocabulary lists the project's own names to guess from. Start with a `budget` of 1000; 2000 with \
`after: 1000` sends what follows, and further matches are listed with their lines. Then use look_up, with several names in one call, \
instead of reading and grep: `show` prints the code of names and lines, `callers` and `text` list every place, and each list is marked \
as complete or not. Answers show the current files; you need not read them again.";

/// Model Context Protocol server for a set of projects.
///
/// Cheap to clone; clones share projects and indexes. [`Server::for_client`] makes a clone that serves another
/// connection.
///
/// ```
/// use sscg_mcp::{Server, ServerOptions, Toolset};
///
/// let root = tempfile::tempdir()?;
/// let mut options = ServerOptions::default();
/// options.roots = vec![root.path().to_owned()];
/// options.toolsets = Toolset::parse_list("search,docs")?;
/// assert!(Server::new(options.clone()).is_ok());
///
/// options.roots = vec![root.path().join("gone")];
/// assert!(Server::new(options).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
    client: Arc<ClientRoots>,
    /// Code that this client has received, if it is remembered.
    sent: Option<Arc<Mutex<SentCode>>>,
}

/// State shared by all clients.
struct Shared {
    options: ServerOptions,
    tools: Vec<Registered>,
    projects: Arc<Projects>,
    permits: Permits,
    /// True if the user chose the roots. If a server follows its clients, its own root is merely the current directory.
    roots_are_chosen: bool,
    warm_up: Once,
}

impl Server {
    /// Creates a server. Reads nothing but checks that the roots exist.
    ///
    /// # Errors
    /// Fails if a root is not a readable directory, or the name of a published project is empty or a path.
    pub fn new(mut options: ServerOptions) -> Result<Self, Error> {
        for root in &mut options.roots {
            let fail = |source| Error::Root { path: root.clone(), source };
            let canonical = root.canonicalize().map_err(fail)?;
            std::fs::read_dir(&canonical).map_err(fail)?;
            *root = canonical;
        }
        for name in &options.published {
            // A name must not be taken for a directory.
            let [Component::Normal(_)] = Path::new(name).components().collect::<Vec<_>>()[..] else {
                return Err(Error::Name { name: name.clone() });
            };
            options.roots.push(PathBuf::from(name));
        }
        let described = Described { structured: options.structured, all_arguments: options.all_arguments };
        let tools = tools::register(&options.toolsets, described);
        let projects = Arc::new(Projects::new(options.open.clone(), options.memory));
        let permits = Permits::new(options.concurrency);
        let roots_are_chosen = !options.follow_client;
        let warm_up = Once::new();
        let shared = Shared { options, tools, projects, permits, roots_are_chosen, warm_up };
        Ok(Self::of(Arc::new(shared)))
    }

    /// Returns a server for a client of which nothing is known.
    fn of(shared: Arc<Shared>) -> Self {
        let sent = shared.options.session_memory.then(Arc::default);
        Self { shared, client: Arc::default(), sent }
    }

    /// Returns the same server for another client, which may have other roots, and has received nothing.
    #[must_use]
    pub fn for_client(&self) -> Self {
        Self::of(Arc::clone(&self.shared))
    }

    /// Returns the same server, which ignores the roots that clients name: a remote client must not choose what is read
    /// here.
    pub(crate) fn with_own_roots(&self) -> Self {
        let Shared { options, tools, projects, permits, roots_are_chosen, .. } = &*self.shared;
        let shared = Shared {
            options: ServerOptions { follow_client: false, ..options.clone() },
            tools: tools.clone(),
            projects: Arc::clone(projects),
            permits: permits.clone(),
            roots_are_chosen: *roots_are_chosen,
            warm_up: Once::new(),
        };
        Self::of(Arc::new(shared))
    }

    /// Returns the effective roots, given those of the client.
    fn roots(&self, of_client: Vec<PathBuf>) -> Vec<PathBuf> {
        if of_client.is_empty() { self.shared.options.roots.clone() } else { of_client }
    }

    /// Loads the project for the first query in the background, unless nobody chose the directory and it is not a
    /// project, such as the user's home.
    fn warm_up(&self, of_client: &[PathBuf]) {
        let own = &self.shared.options.roots;
        let (roots, are_chosen) =
            if of_client.is_empty() { (&own[..], self.shared.roots_are_chosen) } else { (of_client, true) };
        let [project] = roots else { return };
        if !are_chosen && !paths::is_project(project, std::env::home_dir().as_deref()) {
            return;
        }
        let (shared, project) = (Arc::clone(&self.shared), project.clone());
        self.shared.warm_up.call_once(|| {
            thread::spawn(move || {
                // The first query reports any error.
                _ = shared.projects.refresh(&project, Corpus::Code, &WaitPolicy::default());
            });
        });
    }

    /// Returns the effective roots of a call, given the client's answer to a request for its roots, if any.
    async fn roots_of_call(
        &self,
        answers: Option<&InputResponses>,
        context: &RequestContext<RoleServer>,
    ) -> Asked {
        if !self.shared.options.follow_client {
            return Asked::Known(self.roots(Vec::new()));
        }
        match self.client.of_call(answers, context).await {
            Asked::Known(of_client) => Asked::Known(self.roots(of_client)),
            required @ Asked::Required(_) => required,
        }
    }

    fn tool(&self, name: &str) -> Option<&Registered> {
        self.shared.tools.iter().find(|registered| registered.tool.name == name)
    }

    /// Runs a call on a thread that may block, once it has a permit; `None` if it panicked. Reports indexing progress
    /// if the client requested it. If the client cancels, it gets no answer, and the call waits for no index; indexing in
    /// progress is completed.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ToolCall) -> T + Send + 'static,
        roots: Vec<PathBuf>,
        context: RequestContext<RoleServer>,
    ) -> Result<Option<T>, ErrorData> {
        let cancelled = || ErrorData::internal_error("cancelled", None);
        let permit = tokio::select! {
            biased;
            () = context.ct.cancelled() => return Err(cancelled()),
            permit = self.shared.permits.get() => permit,
        };
        let (told, mut news) = watch::channel(Progress::default());
        let cancellation = context.ct.clone();
        let call = ToolCall {
            projects: Arc::clone(&self.shared.projects),
            roots,
            begun: Instant::now(),
            max_wait: self.shared.options.max_wait,
            sent: self.sent.clone(),
            observer: Box::new(move |progress| {
                if progress.counts().is_some() {
                    told.send_replace(progress);
                }
                if cancellation.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }),
            yield_while_waiting: Box::new(move |wait| permit.yield_while_waiting(wait)),
        };
        let mut work = tokio::task::spawn_blocking(move || work(&call));
        let token = context.meta.get_progress_token();
        let mut last = 0;
        loop {
            tokio::select! {
                biased;
                outcome = &mut work => return Ok(outcome.ok()),
                () = context.ct.cancelled() => return Err(cancelled()),
                Ok(()) = news.changed(), if token.is_some() => {
                    let progress = *news.borrow_and_update();
                    if let Some(token) = token.clone()
                        && let Some((done, total)) = progress.counts().filter(|(done, _)| *done > last)
                    {
                        last = done;
                        let progress = ProgressNotificationParam::new(token, done as f64)
                            .with_total(total as f64)
                            .with_message(format!("{}: {done} of {total}", progress.phase()));
                        // If the client does not accept it, the connection is closed, which is handled elsewhere.
                        _ = context.peer.notify_progress(progress).await;
                    }
                }
            }
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let about =
            Implementation::new("sscg", env!("CARGO_PKG_VERSION")).with_title("SSCG").with_description(
                "Answers questions about code with a connected, ranked subgraph and its source",
            );
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts();
        ServerConfig::new(capabilities.build()).with_server_info(about).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // A client that is asked for its roots while it asks for tools may wait for the tools first.
        let of_client = self.client.count().filter(|count| *count > 0);
        let is_one = of_client.unwrap_or(self.shared.options.roots.len()) <= 1;
        let tools = self.shared.tools.iter();
        let tools =
            tools.map(|it| if is_one { it.tool.clone() } else { it.tool_of_several.clone() }).collect();
        if !self.shared.options.follow_client {
            self.warm_up(&[]);
        }
        Ok(ListToolsResult { tools, ..ListToolsResult::default() })
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.tool(name).map(|registered| registered.tool_of_several.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tool(&request.name).cloned() else {
            let name: String = request.name.chars().take(100).collect();
            return Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None));
        };
        let roots = match self.roots_of_call(request.input_responses.as_ref(), &context).await {
            Asked::Known(roots) => roots,
            Asked::Required(input) => return Ok((*input).into()),
        };
        let arguments = request.arguments.unwrap_or_default();
        let client = context.peer.peer_info().map(|info| {
            let Implementation { name, version, .. } = &info.client_info;
            format!("{name} {version}")
        });
        let arguments = tool.corrected(arguments);
        let running = RunningCall::start(&tool, &arguments, client);
        let outcome = self.run(move |call| tool.call(arguments, call), roots, context).await;
        let outcome = outcome.map(|result| result.unwrap_or_else(|| Failure::mistake().into_call_result()));
        running.end(outcome.as_ref().ok(), self.shared.options.recorder.as_ref());
        Ok(outcome?.result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let roots = match self.roots_of_call(None, &context).await {
            Asked::Known(roots) => roots,
            // A client that would have to be asked first gets the server's own roots.
            Asked::Required(_) => self.roots(Vec::new()),
        };
        Ok(ListResourcesResult { resources: resources::list(&roots), ..ListResourcesResult::default() })
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let resource_templates = resources::templates();
        Ok(ListResourceTemplatesResult { resource_templates, ..ListResourceTemplatesResult::default() })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let roots = match self.roots_of_call(request.input_responses.as_ref(), &context).await {
            Asked::Known(roots) => roots,
            Asked::Required(input) => return Ok((*input).into()),
        };
        let uri = request.uri.clone();
        let outcome = self.run(move |call| resources::read(&uri, call), roots, context).await?;
        let text = match outcome {
            Some(Ok(text)) => text,
            // A failure that is not an error is readable content: the project is being indexed.
            Some(Err(failure)) if !failure.is_error => failure.told(),
            Some(Err(failure)) => return Err(ErrorData::invalid_params(failure.told(), None)),
            None => return Err(ErrorData::internal_error(Failure::mistake().told(), None)),
        };
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, request.uri)]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult { prompts: prompts::list(), ..ListPromptsResult::default() })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let prompt = prompts::get(&request.name, &arguments);
        Ok(prompt.map_err(|failure| ErrorData::invalid_params(failure.told(), None))?.into())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let of_client = if self.shared.options.follow_client {
            self.client.of_peer(&context.peer).await
        } else {
            Vec::new()
        };
        self.warm_up(&of_client);
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.client.forget();
    }

    /// Handles a request that is not part of the protocol, because of its method or its parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        match request.method.as_str() {
            "tools/call" => {
                let expected = "tools/call takes a name, which is a text, and arguments, which are an object";
                Err(ErrorData::invalid_params(expected, None))
            }
            "resources/read" => {
                Err(ErrorData::invalid_params("resources/read takes a uri, which is a text", None))
            }
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None)),
        }
    }
}
