//! Commands, one file each.

pub(crate) mod callees;
pub(crate) mod callers;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod docs;
pub(crate) mod doctor;
pub(crate) mod expand;
mod explore;
pub(crate) mod export;
pub(crate) mod gc;
pub(crate) mod graph;
pub(crate) mod impact;
pub(crate) mod index;
pub(crate) mod install;
pub(crate) mod knowledge;
mod lookup;
pub(crate) mod mcp;
pub(crate) mod mentions;
pub(crate) mod neighbors;
pub(crate) mod outline;
pub(crate) mod pack;
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod symbol;
pub(crate) mod tests;
pub(crate) mod text;
pub(crate) mod trace;
pub(crate) mod vocabulary;
pub(crate) mod watch;

use std::path::{Path, PathBuf};

use clap::Args;
use sscg::{Config, Engine, EngineOptions, IndexOptions, Storage};

use crate::failure::Failure;
use crate::{Global, model};

/// Directory of a question: the last argument, or the option that look-ups of several names have.
#[derive(Debug, Args)]
struct Directory {
    /// Directory to search.
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Directory to search.
    #[arg(long, short = 'C', value_name = "DIR", conflicts_with = "path", hide = true)]
    directory: Option<PathBuf>,
}

impl Directory {
    fn path(&self) -> &Path {
        self.directory.as_ref().unwrap_or(&self.path)
    }
}

/// Returns the storage of a directory's index: the shared store, if one is given.
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

/// Opens the engine of a directory, or of its published index.
fn open(path: &Path, global: &Global, config: &Config) -> Result<Engine, Failure> {
    #[cfg(feature = "lancedb")]
    if let Some(engine) = global.shared.published(path, config)? {
        return Ok(engine.with_embedder(model::open(&config.model)?));
    }
    open_tree(path, global, config)
}

/// Opens the engine of a directory, with the index in the shared store, if one is given.
pub(crate) fn open_tree(path: &Path, global: &Global, config: &Config) -> Result<Engine, Failure> {
    Ok(Engine::open_with(path, options(path, global, config)?)?)
}

/// Returns the options for the engine of a directory.
fn options(path: &Path, global: &Global, config: &Config) -> Result<EngineOptions, Failure> {
    let storage = storage_of(path, global, config)?;
    let (busy, embedder) = (config.index.busy(), model::open(&config.model)?);
    let max_memory = config.index.max_memory();
    let index = IndexOptions { storage, busy, embedder, max_memory, ..IndexOptions::default() };
    Ok(EngineOptions { index, rank: config.rank.clone(), ..EngineOptions::default() })
}
