//! The commands, a file each.

pub(crate) mod gc;
pub(crate) mod index;
pub(crate) mod search;
pub(crate) mod status;
pub(crate) mod watch;

use std::path::Path;

use sscg::{Busy, Engine, EngineOptions, IndexOptions, Storage};

use crate::Global;
use crate::failure::Failure;

/// Where the options of every command say that indexes are kept.
fn storage(global: &Global) -> Storage {
    match &global.index_dir {
        _ if global.ephemeral => Storage::Ephemeral,
        Some(directory) => Storage::Directory(directory.clone()),
        None => Storage::Cache,
    }
}

/// The engine of a directory, with the options of every command.
fn open(path: &Path, global: &Global) -> Result<Engine, Failure> {
    let busy = if global.no_wait { Busy::UseReady } else { Busy::Wait };
    let index = IndexOptions { storage: storage(global), busy };
    let options = EngineOptions { index, ..EngineOptions::default() };
    Ok(Engine::open_with(path, options)?)
}
