//! Options of a server.

use std::fmt;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use derive_setters::Setters;
use sscg::EngineOptions;
use sscg::config::{GraphConfig, KnowledgeConfig, SearchConfig};

use crate::{Recorder, Toolset};

/// Options of a server.
#[derive(Clone, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct ServerOptions {
    /// Directories that requests may read, each a project (default none).
    pub roots: Vec<PathBuf>,
    /// Names of projects that have no directory, beside the roots (default none). [`ServerOptions::open`] returns their
    /// [published](EngineOptions::published) indexes.
    pub published: Vec<String>,
    /// True to let the roots that a client names replace these (default false). Applies only to stdio, where the client
    /// has started the server.
    pub follow_client: bool,
    /// Offered toolsets (default [`Toolset::Search`]).
    pub toolsets: Vec<Toolset>,
    /// True to list every argument of each tool (default false: tools accept all of them, and list those that most calls
    /// need, because every conversation pays for each word of the list).
    pub all_arguments: bool,
    /// True to replace code that a session has received before by marks such as `... 40-62 sent before` in the text of
    /// `search_code`; with the argument `repeat` all code is sent. Code of more than 60,000 tokens ago counts as forgotten
    /// (default false, because agents that share a connection, such as subagents, do not share what they have received).
    pub session_memory: bool,
    /// True to add `structuredContent` to answers: typed data without source text, beside the text (default false,
    /// because several clients show an agent only this data where it is present).
    pub structured: bool,
    /// Maximum wait of a request for an index, after which it is answered from what is ready (default 10 seconds).
    pub max_wait: Duration,
    /// Maximum number of concurrent calls; others wait in order of arrival. A call that waits for an index does not
    /// count. Defaults to the number of cores.
    pub concurrency: NonZero<usize>,
    /// Maximum estimated memory of all open projects in bytes (default 1 GiB); the least recently used ones are closed.
    pub memory: usize,
    /// Function that configures a project; called once per project with its absolute path, or the name of a published
    /// one, on first use.
    pub open: OpenProject,
    /// Receiver of a record of each tool call (default none).
    pub recorder: Option<Recorder>,
}

/// Function that configures a project from its path or name.
pub type OpenProject = Arc<dyn Fn(&Path) -> Result<ProjectOptions, sscg::Error> + Send + Sync>;

/// Options of one project.
#[derive(Clone, Debug, Default, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct ProjectOptions {
    /// Engine options: the location of the index, signal weights, models.
    pub engine: EngineOptions,
    /// Defaults of answers.
    pub search: SearchConfig,
    /// Defaults of queries of the code graph.
    pub graph: GraphConfig,
    /// Defaults of queries of the service graph.
    pub knowledge: KnowledgeConfig,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            roots: Vec::new(),
            published: Vec::new(),
            follow_client: false,
            toolsets: vec![Toolset::Search],
            all_arguments: false,
            session_memory: false,
            structured: false,
            max_wait: Duration::from_secs(10),
            concurrency: thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
            memory: 1 << 30,
            open: Arc::new(|_| Ok(ProjectOptions::default())),
            recorder: None,
        }
    }
}

impl fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerOptions")
            .field("roots", &self.roots)
            .field("published", &self.published)
            .field("follow_client", &self.follow_client)
            .field("toolsets", &self.toolsets)
            .field("all_arguments", &self.all_arguments)
            .field("session_memory", &self.session_memory)
            .field("structured", &self.structured)
            .field("max_wait", &self.max_wait)
            .field("concurrency", &self.concurrency)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}
