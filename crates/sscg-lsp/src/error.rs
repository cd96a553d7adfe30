//! Errors of a language server.

/// Error of this crate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LspError {
    /// Command without a program.
    #[error("the command of the language server is empty")]
    NoCommand,
    /// Program that cannot be started.
    #[error("cannot start the language server {program}: {message}")]
    Start {
        /// Name or path of the program.
        program: String,
        /// Error of the system.
        message: String,
    },
    /// Server that ended, or closed its output.
    #[error("the language server {program} ended{}", after(output))]
    Ended {
        /// Name or path of the program.
        program: String,
        /// Last lines of its standard error.
        output: String,
    },
    /// Server that did not answer in time.
    #[error("the language server {program} did not answer in time{}", after(output))]
    Timeout {
        /// Name or path of the program.
        program: String,
        /// Last lines of its standard error.
        output: String,
    },
    /// Wait that the caller [canceled](crate::Wait::unless).
    #[error("the wait for the language server {program} was canceled")]
    Canceled {
        /// Name or path of the program.
        program: String,
    },
    /// Message that is not part of the protocol, or a request that the server refused.
    #[error("the language server {program} sent an unexpected message: {message}")]
    Protocol {
        /// Name or path of the program.
        program: String,
        /// Problem.
        message: String,
    },
}

fn after(output: &str) -> String {
    if output.is_empty() { String::new() } else { format!(": {output}") }
}
