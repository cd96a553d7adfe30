//! Failures for people: a message, a hint, and an exit code.

use std::io;
use std::process::ExitCode;

use crate::note;

/// Exit code if nothing matched.
pub(crate) const EXIT_NOTHING_FOUND: u8 = 1;
/// Exit code if the command failed.
pub(crate) const EXIT_ERROR: u8 = 2;

/// Hint for an index that cannot be written.
pub(crate) const ROOM_HINT: &str =
    "make room or give permission there, keep indexes elsewhere with --index-dir, or none with --ephemeral";

/// Reason why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Error of the engine.
    Engine(sscg::Error),
    /// Error of the server.
    Server(sscg_mcp::Error),
    /// Failure that has already been reported.
    Told,
    /// Error while writing to standard output.
    Output(io::Error),
}

impl From<sscg::Error> for Failure {
    fn from(error: sscg::Error) -> Self {
        Self::Engine(error)
    }
}

impl From<sscg_mcp::Error> for Failure {
    fn from(error: sscg_mcp::Error) -> Self {
        Self::Server(error)
    }
}

impl Failure {
    /// Returns the error of the engine, to be reported elsewhere.
    pub(crate) fn into_error(self) -> sscg::Error {
        match self {
            Failure::Engine(error) => error,
            _ => sscg::Error::project("the project cannot be opened", "standard error says why"),
        }
    }

    /// Reports the failure, and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Failure::Engine(error) => {
                print_error(error);
                if error.kind() == sscg::ErrorKind::NotFound {
                    return ExitCode::from(EXIT_NOTHING_FOUND);
                }
            }
            Failure::Server(error) => {
                note(&format!("error: {error}"));
                hint(&error.hint());
            }
            Failure::Told => {}
            // A reader that closes the output early is no failure.
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            Failure::Output(error) => {
                note(&format!("error: cannot write the answer: {}", sscg::index::describe(error)));
                hint("write to another place, or ask for less with --budget");
            }
        }
        ExitCode::from(EXIT_ERROR)
    }
}

/// Reports an error and its hint.
pub(crate) fn print_error(error: &sscg::Error) {
    note(&format!("error: {error}"));
    hint(&hint_of(error));
}

/// Returns the hint of an error, with an argument written as its flag.
pub(crate) fn hint_of(error: &sscg::Error) -> String {
    match error.argument() {
        Some(name) => error.hint().replacen(&format!("`{name}`"), &format!("--{name}"), 1),
        None => error.hint().to_owned(),
    }
}

/// Prints a hint.
pub(crate) fn hint(text: &str) {
    note(&format!("hint: {text}"));
}
