//! The commands, a file each.

pub(crate) mod index;
pub(crate) mod search;
pub(crate) mod status;

use std::path::Path;

use sscg::{Busy, Engine, EngineOptions, IndexOptions, Storage};

use crate::Global;
use crate::failure::Failure;

/// The engine of a directory, with the options of every command.
fn open(path: &Path, global: &Global) -> Result<Engine, Failure> {
    let storage = match &global.index_dir {
        _ if global.ephemeral => Storage::Ephemeral,
        Some(directory) => Storage::Directory(directory.clone()),
        None => Storage::Cache,
    };
    let busy = if global.no_wait { Busy::UseReady } else { Busy::Wait };
    let options = EngineOptions { index: IndexOptions { storage, busy }, ..EngineOptions::default() };
    Ok(Engine::open_with(path, options)?)
}
