//! Log events, on standard error or in a file.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::prelude::*;

use crate::Global;
use crate::failure::Failure;

/// Writes the log events that a filter lets through, until the process ends. Without a filter, nothing is written, and
/// events cost nothing.
pub(crate) fn start(global: &Global) -> Result<(), Failure> {
    let Some(filter) = global.log.as_deref().map(str::trim).filter(|filter| !filter.is_empty()) else {
        return Ok(());
    };
    let events: Targets = filter.parse().map_err(|error| {
        let message = format!("the log filter {filter:?} is not understood: {error}");
        sscg::Error::project(
            message,
            "write a level, as in --log info, or levels by crate: sscg_mcp=info,sscg_index=debug",
        )
    })?;
    let writer = match &global.log_file {
        Some(path) => BoxMakeWriter::new(Mutex::new(append_to(path)?)),
        None => BoxMakeWriter::new(io::stderr),
    };
    let lines = layer().with_writer(writer).with_ansi(false);
    tracing_subscriber::registry().with(lines.with_filter(events)).init();
    Ok(())
}

/// Opens a file to append lines to; makes it if there is none.
pub(crate) fn append_to(path: &Path) -> Result<std::fs::File, Failure> {
    OpenOptions::new().create(true).append(true).open(path).map_err(|error| {
        let message = format!("cannot write {}: {}", path.display(), sscg::index::describe(&error));
        sscg::Error::project(message, "name a file in a directory that exists and can be written").into()
    })
}
