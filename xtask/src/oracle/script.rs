//! Oracles that are programs of their own.

use std::process::Command;

use anyhow::{Context, Result};

use super::fact::Fact;
use crate::workspace::output;

/// Runs an oracle's program and reads the facts that it prints, a JSON object on each line.
///
/// The program is told the directory to measure, prints nothing else on standard output, and says on standard
/// error what went wrong. Its facts have the form of [`Fact`]:
///
/// ```json
/// {"kind":"covered","path":"src/a.ts","line":10,"name":"f","relations":["calls"]}
/// {"kind":"edge","relation":"calls","source":{"path":"src/a.ts","line":10,"name":"f"},
///  "target":{"path":"src/b.ts","line":3,"name":"g"},"at":23}
/// {"kind":"unknown","relation":"calls","source":{"path":"src/a.ts","line":10,"name":"f"},"name":"send","at":25}
/// ```
///
/// Paths are relative to the directory; a line is that of the declaration's name, from 1; `at` is the line of
/// the use. The name of a file's top-level code is empty, with line 0; `"name":"*"` covers a file and all that
/// is declared in it. Edges have both ends in the project. A source or target without a symbol of its own (a
/// closure) is taken for the declaration around its line, and an edge that then starts where it ends is left
/// out, as is one whose target has no symbol.
pub(super) fn facts(program: &mut Command) -> Result<Vec<Fact>> {
    let printed = output(program)?;
    let lines = printed.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line)
                .with_context(|| format!("line {} of the oracle's facts: {line}", at + 1))
        })
        .collect()
}
