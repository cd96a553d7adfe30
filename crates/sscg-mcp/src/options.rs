//! How a server is set up.

use std::fmt;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use sscg::EngineOptions;
use sscg::config::SearchConfig;

use crate::Toolset;

/// How a server is set up.
#[derive(Clone)]
pub struct ServerOptions {
    /// The directories that requests may look at. Each is a project. None by default.
    pub roots: Vec<PathBuf>,
    /// Whether the roots that a client names, if it names any, count instead of these. Only over stdio, where the client
    /// is the one who started the server. Off by default.
    pub follow_client: bool,
    /// Which tools are offered; [`Toolset::Search`] by default.
    pub toolsets: Vec<Toolset>,
    /// Whether answers also come as `structuredContent`: typed data without source text, beside the text. Off by default,
    /// because several clients show an agent nothing but that where it is present.
    pub structured: bool,
    /// How long a request waits for an index before it is answered from what is ready. 10 seconds by default.
    pub patience: Duration,
    /// How many calls are worked on at once; others wait for their turn, in the order they came. One that waits for an index
    /// is not counted. As many as there are cores by default.
    pub concurrency: NonZero<usize>,
    /// How many bytes the open projects may take together, by estimate; those asked about least recently are closed. 1 GiB
    /// by default.
    pub memory: usize,
    /// How a project is opened; called once for each, with its absolute path, when it is first asked about.
    pub open: Open,
}

/// How a project is opened.
pub type Open = Arc<dyn Fn(&Path) -> Result<ProjectOptions, sscg::Error> + Send + Sync>;

/// How one project is searched.
#[derive(Clone, Debug, Default)]
pub struct ProjectOptions {
    /// Where its index is kept, how signals are weighed, which models are asked.
    pub engine: EngineOptions,
    /// What an answer holds where a request does not say.
    pub search: SearchConfig,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            roots: Vec::new(),
            follow_client: false,
            toolsets: vec![Toolset::Search],
            structured: false,
            patience: Duration::from_secs(10),
            concurrency: thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
            memory: 1 << 30,
            open: Arc::new(|_| Ok(ProjectOptions::default())),
        }
    }
}

impl fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerOptions")
            .field("roots", &self.roots)
            .field("follow_client", &self.follow_client)
            .field("toolsets", &self.toolsets)
            .field("structured", &self.structured)
            .field("patience", &self.patience)
            .field("concurrency", &self.concurrency)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}
