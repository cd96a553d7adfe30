//! What goes wrong, told to people: a message, what to do next, and an exit code.

use std::io;
use std::process::ExitCode;

use crate::note;

/// Nothing matched.
pub(crate) const EXIT_NOTHING_FOUND: u8 = 1;
/// The command could not do its work.
pub(crate) const EXIT_ERROR: u8 = 2;

/// What to do where an index cannot be written.
pub(crate) const ROOM_HINT: &str =
    "make room or give permission there, keep indexes elsewhere with --index-dir, or none with --ephemeral";

/// Why a command did not end well.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The engine said so.
    Engine(sscg::Error),
    /// The server does not run.
    Server(sscg_mcp::Error),
    /// The user was told already.
    Told,
    /// Standard output could not be written.
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
    /// What the engine said, for someone who tells it elsewhere.
    pub(crate) fn into_error(self) -> sscg::Error {
        match self {
            Failure::Engine(error) => error,
            _ => sscg::Error::project("the project cannot be opened", "standard error says why"),
        }
    }

    /// Tells the user, and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Failure::Engine(error) => tell(error),
            Failure::Server(error) => {
                note(&format!("error: {error}"));
                hint(&error.hint());
            }
            Failure::Told => {}
            // A reader that has seen enough is no failure.
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            Failure::Output(error) => {
                note(&format!("error: cannot write the answer: {}", sscg::index::describe(error)));
                hint("write to another place, or ask for less with --budget");
            }
        }
        ExitCode::from(EXIT_ERROR)
    }
}

/// Tells of an error, and what to do next.
pub(crate) fn tell(error: &sscg::Error) {
    note(&format!("error: {error}"));
    hint(&hint_of(error));
}

/// What to do next, with an argument as the flag that it is here.
pub(crate) fn hint_of(error: &sscg::Error) -> String {
    match error.argument() {
        Some(name) => error.hint().replacen(&format!("`{name}`"), &format!("--{name}"), 1),
        None => error.hint().to_owned(),
    }
}

/// Tells what to do next.
pub(crate) fn hint(text: &str) {
    note(&format!("hint: {text}"));
}
