//! The commands, a file each.

pub(crate) mod export;
pub(crate) mod gc;
pub(crate) mod index;
pub(crate) mod search;
pub(crate) mod status;
pub(crate) mod watch;

use std::path::Path;

use sscg::{Busy, Engine, EngineOptions, IndexOptions, Storage};

use crate::Global;
use crate::failure::Failure;
use crate::model::Model;

/// Where the options of every command say that indexes are kept.
fn storage(global: &Global) -> Storage {
    match &global.index_dir {
        _ if global.ephemeral => Storage::Ephemeral,
        Some(directory) => Storage::Directory(directory.clone()),
        None => Storage::Cache,
    }
}

/// Where the index of a directory is kept: in the shared store, if one is given.
#[cfg_attr(
    not(feature = "lancedb"),
    expect(unused_variables, reason = "only shared stores know projects by name")
)]
fn storage_of(path: &Path, global: &Global) -> Result<Storage, Failure> {
    #[cfg(feature = "lancedb")]
    if let Some(storage) = global.shared.storage(path)? {
        return Ok(storage);
    }
    Ok(storage(global))
}

/// The engine of a directory, or of what was published of it, with the options of every command.
fn open(path: &Path, global: &Global, model: &Model) -> Result<Engine, Failure> {
    #[cfg(feature = "lancedb")]
    if let Some(engine) = global.shared.published(path)? {
        return Ok(engine.with_embedder(model.open()?));
    }
    open_tree(path, global, model)
}

/// The engine of a directory, its index kept where it is shared, if it is.
fn open_tree(path: &Path, global: &Global, model: &Model) -> Result<Engine, Failure> {
    let busy = if global.no_wait { Busy::UseReady } else { Busy::Wait };
    let index = IndexOptions {
        storage: storage_of(path, global)?,
        busy,
        embedder: model.open()?,
        ..IndexOptions::default()
    };
    let options = EngineOptions { index, ..EngineOptions::default() };
    Ok(Engine::open_with(path, options)?)
}
