//! `sscg hook AGENT`: suggests the server to an agent that is about to search without it, or has just done so.
//!
//! Agents run it for each call of their own search tools, with the call as JSON on standard input. A suggestion is a line
//! of JSON on standard output. There are few in a session, and nothing is ever refused: agents take some exit codes for a
//! refusal, so every problem ends in silence and success. No index is opened.

mod event;
mod sessions;
mod shell;
mod suggestion;

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;

use serde_json::{Value, json};
use sscg::Layers;

use crate::agents::Home;
use crate::configuration::users_file;

use event::Event;
pub(crate) use sessions::forget as forget_sessions;

/// Name of the command. It is no command of the parser of arguments, which refuses unknown arguments with an exit code that
/// blocks the call of the agent.
pub(crate) const NAME: &str = "hook";

/// Maximum size of an event in bytes. Larger ones hold long results of tools.
const MAX_EVENT: u64 = 16 << 20;

/// Reads an event of an agent, and prints a suggestion if there is one.
pub(crate) fn run(agent: Option<&OsStr>) {
    let mut input = std::io::stdin().lock();
    let mut text = Vec::new();
    let is_read = input.by_ref().take(MAX_EVENT).read_to_end(&mut text).is_ok();
    // An agent may fail if nobody reads what it writes.
    let _ = std::io::copy(&mut input, &mut std::io::sink());
    let answer = if is_read { answer(agent.and_then(OsStr::to_str), &text) } else { None };
    if let Some(answer) = answer {
        let _ = writeln!(std::io::stdout(), "{answer}");
    }
}

fn answer(agent: Option<&str>, text: &[u8]) -> Option<Value> {
    let event = Event::parse(&serde_json::from_slice(text).ok()?)?;
    let suggestion = suggestion::suggest(&event)?;
    let limit = limit(&event.directory)?;
    if !sessions::may_suggest(&Home::of_user()?, &event.session, limit) {
        return None;
    }
    Some(match agent {
        Some("cursor") => json!({ "additional_context": suggestion }),
        _ => json!({
            "hookSpecificOutput": { "hookEventName": event.name, "additionalContext": suggestion },
        }),
    })
}

/// Returns the maximum number of suggestions in a session.
fn limit(directory: &Path) -> Option<usize> {
    let layers = Layers::read(directory, users_file().as_deref(), |name| std::env::var_os(name)).ok()?;
    Some(layers.config().agents.suggestions)
}
