//! The commands, a file each.

pub(crate) mod config;
pub(crate) mod export;
pub(crate) mod gc;
pub(crate) mod graph;
pub(crate) mod index;
pub(crate) mod search;
pub(crate) mod status;
pub(crate) mod watch;

use std::path::Path;

use sscg::{Config, Engine, EngineOptions, IndexOptions, Storage};

use crate::failure::Failure;
use crate::{Global, model};

/// Where the index of a directory is kept: in the shared store, if one is given.
#[cfg_attr(
    not(feature = "lancedb"),
    expect(unused_variables, reason = "only shared stores are named by flags and know projects by name")
)]
fn storage_of(path: &Path, global: &Global, config: &Config) -> Result<Storage, Failure> {
    #[cfg(feature = "lancedb")]
    if let Some(storage) = global.shared.storage(path)? {
        return Ok(storage);
    }
    Ok(config.index.storage())
}

/// The engine of a directory, or of what was published of it.
fn open(path: &Path, global: &Global, config: &Config) -> Result<Engine, Failure> {
    #[cfg(feature = "lancedb")]
    if let Some(engine) = global.shared.published(path, config)? {
        return Ok(engine.with_embedder(model::open(&config.model)?));
    }
    open_tree(path, global, config)
}

/// The engine of a directory, its index kept where it is shared, if it is.
fn open_tree(path: &Path, global: &Global, config: &Config) -> Result<Engine, Failure> {
    let storage = storage_of(path, global, config)?;
    let (busy, embedder) = (config.index.busy(), model::open(&config.model)?);
    let index = IndexOptions { storage, busy, embedder, ..IndexOptions::default() };
    let options = EngineOptions { index, rank: config.rank.clone(), ..EngineOptions::default() };
    Ok(Engine::open_with(path, options)?)
}
