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
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod mentions;
pub(crate) mod neighbors;
pub(crate) mod outline;
pub(crate) mod overview;
pub(crate) mod pack;
pub(crate) mod search;
pub(crate) mod self_check;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod symbol;
pub(crate) mod tests;
pub(crate) mod text;
pub(crate) mod trace;
pub(crate) mod vocabulary;
pub(crate) mod watch;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use sscg::{Config, Engine, EngineOptions, IndexOptions, Storage};
use tokio::runtime::Builder;
use tokio::sync::Notify;

use crate::failure::Failure;
use crate::{Global, model, note};

/// Directory of a command: the last argument, or the option that look-ups of several names have.
#[derive(Debug, Args)]
struct Directory {
    /// Directory of the project; -C DIR is the same.
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Directory of the project.
    #[arg(long, short = 'C', value_name = "DIR", conflicts_with = "path", hide = true)]
    directory: Option<PathBuf>,
}

impl Directory {
    fn path(&self) -> &Path {
        self.directory.as_ref().unwrap_or(&self.path)
    }
}

/// Directories of a question: the last arguments, or the option that look-ups of several names have.
#[derive(Debug, Args)]
struct Directories {
    /// Directory to search; -C DIR is the same. Of several, each is a project; the most relevant come first.
    #[arg(value_name = "PATH", default_value = ".")]
    roots: Vec<PathBuf>,
    /// Directory to search.
    #[arg(long = "directory", short = 'C', value_name = "DIR", conflicts_with = "roots", hide = true)]
    directories: Vec<PathBuf>,
}

impl Directories {
    fn paths(&self) -> &[PathBuf] {
        if self.directories.is_empty() { &self.roots } else { &self.directories }
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
    open_with(path, global, config, options(config)?)
}

/// Opens the engine of a directory, or of its published index, with [these](options) or more options.
fn open_with(
    path: &Path,
    global: &Global,
    config: &Config,
    options: EngineOptions,
) -> Result<Engine, Failure> {
    Ok(Engine::open_with(path, answering(options, path, global, config)?)?)
}

/// Adds the source of answers to the options of an engine: the published index of a directory if a store is given,
/// otherwise the storage of its own index.
fn answering(
    options: EngineOptions,
    path: &Path,
    global: &Global,
    config: &Config,
) -> Result<EngineOptions, Failure> {
    #[cfg(feature = "lancedb")]
    if let Some(published) = global.shared.published(&global.shared.name(path))? {
        return Ok(options.with_published(published));
    }
    stored(options, path, global, config)
}

/// Returns the names of the projects in the shared index that these arguments mean, if a store is given.
#[cfg_attr(
    not(feature = "lancedb"),
    expect(unused_variables, clippy::unnecessary_wraps, reason = "only shared stores know projects by name")
)]
fn published_projects(global: &Global, paths: &[PathBuf]) -> Result<Option<Vec<String>>, Failure> {
    #[cfg(feature = "lancedb")]
    let names = global.shared.projects(paths)?;
    #[cfg(not(feature = "lancedb"))]
    let names = None;
    Ok(names)
}

/// Adds the source of answers to the options of an engine for one of several projects. With a shared index, `root` is the
/// name of the project in it.
fn answering_for(
    options: EngineOptions,
    root: &Path,
    global: &Global,
    config: &Config,
) -> Result<EngineOptions, Failure> {
    #[cfg(feature = "lancedb")]
    if let Some(published) = global.shared.published(&root.to_string_lossy())? {
        return Ok(options.with_published(published));
    }
    stored(options, root, global, config)
}

/// Opens the engine of a directory, with the index in the shared store, if one is given.
pub(crate) fn open_tree(path: &Path, global: &Global, config: &Config) -> Result<Engine, Failure> {
    Ok(Engine::open_with(path, stored(options(config)?, path, global, config)?)?)
}

/// Adds the storage of a directory's index to the options of its engine.
fn stored(
    mut options: EngineOptions,
    path: &Path,
    global: &Global,
    config: &Config,
) -> Result<EngineOptions, Failure> {
    options.index.storage = storage_of(path, global, config)?;
    Ok(options)
}

/// Returns the options for an engine, without storage.
fn options(config: &Config) -> Result<EngineOptions, Failure> {
    let mut index = IndexOptions::default().with_busy(config.index.busy());
    index.embedder = model::open(&config.model)?;
    index.max_memory = config.index.max_memory();
    Ok(EngineOptions::default().with_index(index).with_rank(config.rank.clone()))
}

/// Runs a server on two threads. A signal that ends processes notifies it, so that it returns.
fn run_server<T>(serve: impl AsyncFnOnce(&Notify) -> T) -> Result<T, Failure> {
    let stop = Arc::new(Notify::new());
    let stopper = Arc::clone(&stop);
    if let Err(error) = ctrlc::set_handler(move || stopper.notify_one()) {
        note(&format!("warning: a signal will end this at once: {error}"));
    }
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| {
        let message = format!("cannot start threads: {}", sscg::index::describe(&error));
        sscg::Error::project(message, "raise the limit of processes, or end some")
    })?;
    let outcome = runtime.block_on(serve(&stop));
    // Unfinished indexing is not awaited: whatever is stored of it is valid.
    runtime.shutdown_background();
    Ok(outcome)
}
