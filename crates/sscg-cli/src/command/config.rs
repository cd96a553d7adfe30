//! `sscg config`

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::Serialize;
use sscg::config::{FILE_NAME, write_template};
use sscg::{Error, Layers};

use super::Directory;
use super::search::Limits;
use crate::configuration::users_file;
use crate::failure::Failure;
use crate::model::Model;
use crate::rerank::Rerank;
use crate::{CommandResult, Global, print, text};

/// Show the configuration and its origins, or write a template.
#[derive(Debug, Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Show(Show),
    Init(Init),
}

/// Print every key with its value for a directory, and its origin.
#[derive(Debug, Args)]
struct Show {
    #[command(flatten)]
    directory: Directory,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    model: Model,
    #[command(flatten)]
    rerank: Rerank,
}

/// Write a file with every key, commented out. An existing file is not changed.
#[derive(Debug, Args)]
struct Init {
    #[command(flatten)]
    directory: Directory,
    /// Write your own file, for all directories.
    #[arg(long, conflicts_with_all = ["path", "directory"])]
    user: bool,
}

/// Effective configuration with its origins, as JSON.
#[derive(Serialize)]
struct EffectiveConfig {
    schema: &'static str,
    config: sscg::Config,
    /// Origins by the full names of keys.
    origins: BTreeMap<&'static str, String>,
}

impl EffectiveConfig {
    fn new(layers: &Layers) -> Self {
        let origins = layers.origins().map(|(key, origin)| (key, origin.to_string())).collect();
        Self { schema: "sscg.config.v1", config: layers.config(), origins }
    }
}

impl Config {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        match self.action {
            Action::Show(Show { directory, json, limits, model, rerank }) => {
                let [code, format, limit, budget] = limits.flags();
                let layers = global
                    .layers(directory.path(), &[code, format, limit, budget, model.flag(), rerank.flag()])?;
                print(&if json { text::json(&EffectiveConfig::new(&layers)) } else { layers.to_string() })?;
            }
            Action::Init(Init { directory, user }) => {
                let file = if user { own_file()? } else { directory.path().join(FILE_NAME) };
                write_template(&file)?;
                print(&format!("{} has every key, commented out\n", file.display()))?;
            }
        }
        Ok(CommandResult::Found)
    }
}

fn own_file() -> Result<PathBuf, Failure> {
    let unknown = || {
        let message = "there is no directory for your configuration";
        Error::project(message, "name a file with SSCG_CONFIG").into()
    };
    users_file().ok_or_else(unknown)
}
