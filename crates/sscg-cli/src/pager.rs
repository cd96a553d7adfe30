//! Pager of answers on a terminal.

use std::env;
use std::io::{self, IsTerminal, Write, stdout};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::color::Painted;

/// Variables with the command of the pager; the first that is set counts, and an empty one turns it off.
const VARIABLES: [&str; 2] = ["SSCG_PAGER", "PAGER"];

/// Pager without such a variable: it ends by itself if everything fits the screen, shows colors, and leaves the text there.
const DEFAULT: &str = "less -FRX";

static PAGER: Mutex<Pager> = Mutex::new(Pager::Off);

/// State of the pager.
#[derive(Debug)]
enum Pager {
    /// Output goes to standard output.
    Off,
    /// The first output starts the pager.
    Allowed,
    Running {
        child: Child,
        input: ChildStdin,
    },
}

/// Allows a pager for the output of this command, if standard output is a terminal that can show one.
pub(crate) fn allow() {
    let is_dumb = env::var_os("TERM").is_none_or(|terminal| terminal == "dumb");
    if stdout().is_terminal() && (cfg!(windows) || !is_dumb) {
        *PAGER.lock().unwrap_or_else(PoisonError::into_inner) = Pager::Allowed;
    }
}

/// Writes an answer to the pager if there is one, otherwise to standard output.
pub(crate) fn write(text: &Painted) -> io::Result<()> {
    let mut pager = PAGER.lock().unwrap_or_else(PoisonError::into_inner);
    if matches!(*pager, Pager::Allowed) {
        *pager = start().unwrap_or(Pager::Off);
    }
    match &mut *pager {
        Pager::Running { input, .. } => {
            input.write_all(text.on_terminal(&stdout()).as_bytes())?;
            input.flush()
        }
        _ => text.write(stdout().lock()),
    }
}

/// Waits until the pager is closed.
pub(crate) fn finish() {
    let mut pager = PAGER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Pager::Running { mut child, input } = std::mem::replace(&mut *pager, Pager::Off) {
        drop(input);
        // There is nobody left to report an error to.
        let _ = child.wait();
    }
}

/// Starts the pager; `None` if there is none, or it cannot be started.
fn start() -> Option<Pager> {
    let set = VARIABLES.iter().find_map(|name| env::var(name).ok());
    let line = set.unwrap_or_else(|| DEFAULT.to_owned());
    if line.trim() == "cat" {
        return None;
    }
    let mut words = line.split_whitespace();
    let program = words.next()?;
    let mut command = Command::new(which::which(program).ok()?);
    command.args(words).stdin(Stdio::piped());
    if env::var_os("LESS").is_none() {
        // For a variable that names it without options, as git does.
        command.env("LESS", "FRX");
    }
    let mut child = command.spawn().ok()?;
    let input = child.stdin.take()?;
    // Ctrl-C is for the pager, which stops a search in its text with it. Without the handler, it would be left behind.
    let _ = ctrlc::set_handler(|| {});
    Some(Pager::Running { child, input })
}
