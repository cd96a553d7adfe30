//! Errors, each with a hint for the user.

use sscg_core::{UnknownName, quoted};
use sscg_index::{IndexError, describe};
use sscg_retrieve::RetrievalError;

/// Error of the engine.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    hint: String,
    argument: Option<&'static str>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Hint for indexing that needs more memory than it may take.
const MEMORY_HINT: &str =
    "allow more with --max-memory or SSCG_MAX_MEMORY, or ask about a directory of the project alone";

/// Cause of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Request: its question, filters or limits.
    Request,
    /// Name in a request: nothing in the project has it.
    NotFound,
    /// Project: its directory cannot be searched.
    Project,
    /// Provider of a model: it cannot be reached, or its response is not valid.
    Provider,
    /// None: the project is being indexed, and nothing is ready yet.
    NotReady,
    /// Process: it takes more memory than it may.
    Memory,
    /// None: the [observer](sscg_index::Observer) of the index update canceled it.
    Canceled,
    /// Configuration: one of its files, an environment variable or a flag.
    Configuration,
}

impl Error {
    /// Creates an error caused by the request.
    pub fn request(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Request, message.into(), hint.into())
    }

    /// Creates an error caused by the request, whose hint names an argument, in backticks, before anything else in
    /// backticks.
    pub(crate) fn argument_of_request(
        argument: &'static str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self { argument: Some(argument), ..Self::request(message, hint) }
    }

    /// Creates an error caused by a name that nothing has.
    pub(crate) fn not_found(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::NotFound, ..Self::request(message, hint) }
    }

    /// Creates an error caused by the project or its index.
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

    /// Returns the cause.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the hint on what to do next, as a sentence.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// Returns the argument that the hint names first, in backticks, such as `limit`. On a command line it is a flag,
    /// elsewhere a field.
    pub fn argument(&self) -> Option<&'static str> {
        self.argument
    }
}

impl From<UnknownName> for Error {
    fn from(error: UnknownName) -> Self {
        let problem = format!("unknown {} {}", error.set, quoted(&error.name));
        Self::request(problem, format!("one of: {}", error.known.join(", ")))
    }
}

impl From<RetrievalError> for Error {
    fn from(error: RetrievalError) -> Self {
        let hint = match &error {
            RetrievalError::Empty | RetrievalError::OnlyStopWords(_) => {
                "name what you look for: \"how are retries scheduled\", or a declaration: \"symbol = Retry > next\""
            }
            RetrievalError::SymbolPath(_) => "write it as \"symbol = Outer > inner\"",
            RetrievalError::PathFilter { .. } => "give a file, a directory, or a glob such as 'src/**/*.rs'",
            _ => "ask differently",
        };
        Self { source: Some(Box::new(error.clone())), ..Self::request(error.to_string(), hint) }
    }
}

impl From<sscg_knowledge::query::QueryError> for Error {
    fn from(error: sscg_knowledge::query::QueryError) -> Self {
        // There is no similar name to suggest. The command line and the server have different names for these
        // queries.
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
            IndexError::Canceled => "ask again: indexing goes on from what is done",
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
            IndexError::Canceled => ErrorKind::Canceled,
            _ => ErrorKind::Project,
        };
        Self { source: Some(Box::new(error)), ..Self::new(kind, message, hint.to_owned()) }
    }
}
