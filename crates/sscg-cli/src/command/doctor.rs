//! `sscg doctor`

use clap::Args;

use super::{Directory, storage_of};
use crate::doctor::{check_agents, check_files, check_models, check_place, check_project, program, report};
use crate::failure::Failure;
use crate::model::Model;
use crate::rerank::Rerank;
use crate::{CommandResult, Global};

/// Find problems, and suggest solutions.
///
/// Checks the configuration, the indexes, the project and the configured models. Starts the server as each agent does, and
/// calls one of its tools. The project is not indexed. Exits with 2 if something does not work.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    directory: Directory,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: Model,
    #[command(flatten)]
    rerank: Rerank,
}

impl Doctor {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let mut checks = vec![program()];
        let layers = global.read_layers(self.directory.path(), &[self.model.flag(), self.rerank.flag()]);
        checks.extend(check_files(self.directory.path(), &layers));
        if let Ok(layers) = &layers {
            let mut config = layers.config();
            checks.push(check_place(&storage_of(self.directory.path(), global, &config)?));
            checks.extend(check_models(&config));
            // The check of the index needs no model.
            config.model.name.clear();
            checks.extend(check_project(self.directory.path(), global, &config));
        }
        checks.extend(check_agents(self.directory.path()));
        report(checks, self.json, "sscg.doctor.v1")
    }
}
