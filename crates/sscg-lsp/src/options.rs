//! Options of a server.

use std::path::PathBuf;

use serde_json::Value;

/// Options of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LanguageServerOptions {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Absolute path of the project's root, the working directory of the server.
    pub root: PathBuf,
    /// Options that the server takes at its start (default `null`).
    pub initialization: Value,
}

impl LanguageServerOptions {
    /// Creates options for a program with its arguments.
    pub fn new(command: impl IntoIterator<Item = String>, root: impl Into<PathBuf>) -> Self {
        Self { command: command.into_iter().collect(), root: root.into(), initialization: Value::Null }
    }

    /// Sets the options that the server takes at its start.
    pub fn with_initialization(mut self, initialization: Value) -> Self {
        self.initialization = initialization;
        self
    }
}
