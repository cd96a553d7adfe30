//! The commands, a file each.

pub(crate) mod index;
pub(crate) mod search;
pub(crate) mod status;

use std::path::Path;

use sscg::{Engine, EngineOptions};

use crate::Global;
use crate::failure::Failure;

/// The engine of a directory, with the options of every command.
fn open(path: &Path, global: &Global) -> Result<Engine, Failure> {
    let options = EngineOptions { index_dir: global.index_dir.clone(), ..EngineOptions::default() };
    Ok(Engine::open_with(path, options)?)
}
