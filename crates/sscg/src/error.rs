//! What can go wrong, with what to do about it.

use sscg_index::{IndexError, describe};
use sscg_retrieve::QueryError;

/// An error of the engine.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    hint: String,
    argument: Option<&'static str>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What to do where indexing needs more memory than it may take.
const MEMORY_HINT: &str =
    "allow more with --max-memory or SSCG_MAX_MEMORY, or ask about a directory of the project alone";

/// Whose doing an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request: its question, filters or limits.
    Request,
    /// The project: its directory cannot be searched.
    Project,
    /// The provider of a model: it cannot be reached, or does not answer as it should.
    Provider,
    /// Nobody's: the project is being indexed, and nothing is ready yet.
    NotReady,
    /// The process: it takes more memory than it may.
    Memory,
    /// The configuration: one of its files, an environment variable or a flag.
    Configuration,
}

impl Error {
    /// An error whose cause is what was asked for.
    pub fn request(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Request, message.into(), hint.into())
    }

    /// The same; the hint names an argument, in backticks, before anything else that is in backticks.
    pub(crate) fn argument_of_request(
        argument: &'static str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self { argument: Some(argument), ..Self::request(message, hint) }
    }

    /// An error whose cause is the project or its index.
    pub fn project(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Project, message.into(), hint.into())
    }

    fn new(kind: ErrorKind, message: String, hint: String) -> Self {
        Self { kind, message, hint, argument: None, source: None }
    }

    pub(crate) fn not_ready(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::NotReady, ..Self::request(message, hint) }
    }

    pub(crate) fn memory(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Memory, message.into(), MEMORY_HINT.to_owned())
    }

    pub(crate) fn provider(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Provider, ..Self::request(message, hint) }
    }

    pub(crate) fn configuration(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Configuration, ..Self::request(message, hint) }
    }

    /// Whose doing it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What to do next, as a sentence.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// The argument that the hint names first, in backticks, such as `limit`. On a command line it is a flag, elsewhere a
    /// field.
    pub fn argument(&self) -> Option<&'static str> {
        self.argument
    }
}

impl From<QueryError> for Error {
    fn from(error: QueryError) -> Self {
        let hint = match &error {
            QueryError::Empty | QueryError::OnlyStopWords(_) => {
                "name what you look for: \"how are retries scheduled\", or a declaration: \"symbol = Retry > next\""
            }
            QueryError::SymbolPath(_) => "write it as \"symbol = Outer > inner\"",
            QueryError::PathFilter { .. } => "give a file, a directory, or a glob such as 'src/**/*.rs'",
            _ => "ask differently",
        };
        Self { source: Some(Box::new(error.clone())), ..Self::request(error.to_string(), hint) }
    }
}

impl From<sscg_knowledge::query::QueryError> for Error {
    fn from(error: sscg_knowledge::query::QueryError) -> Self {
        // Nothing is like it, so nothing can be named. The command line and the server call the questions differently.
        let general =
            "a search of the service graph in words shows its nodes, and building it shows its services";
        let hint = error.hint().unwrap_or_else(|| general.to_owned());
        Self::request(error.error, hint)
    }
}

impl From<IndexError> for Error {
    fn from(error: IndexError) -> Self {
        let hint = match &error {
            IndexError::Root { .. } => "check the path, and that you may read it",
            IndexError::NotADirectory { .. } => "give the directory; a single file is chosen with --path",
            IndexError::Changed { .. } => "run the command again",
            IndexError::Embedding { .. } => "check the model's provider, or name another --model",
            IndexError::OutOfMemory { .. } => MEMORY_HINT,
            IndexError::NoCacheDirectory => {
                "say where the index may live, with --index-dir or SSCG_INDEX_DIR"
            }
            _ => {
                "say where the index may live, with --index-dir or SSCG_INDEX_DIR, or remove the damaged one"
            }
        };
        let mut message = error.to_string();
        if let IndexError::Root { source, .. } = &error {
            message = format!("{message}: {}", describe(source));
        }
        let kind = match &error {
            IndexError::OutOfMemory { .. } => ErrorKind::Memory,
            _ => ErrorKind::Project,
        };
        Self { source: Some(Box::new(error)), ..Self::new(kind, message, hint.to_owned()) }
    }
}
