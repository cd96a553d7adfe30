//! `sscg doctor`

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::storage_of;
use crate::color::{GREEN, PLAIN, Painted, RED, YELLOW};
use crate::doctor::{Check, Status, check_agents, check_files, check_models, check_place, check_project};
use crate::failure::Failure;
use crate::model::Model;
use crate::rerank::Rerank;
use crate::text::json;
use crate::{CommandResult, Global, print, print_painted};

/// Find problems, and suggest solutions.
///
/// Checks the configuration, the indexes, the project and the configured models. Starts the server as each agent does, and
/// calls one of its tools. The project is not indexed. Exits with 2 if something does not work.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Directory of the project.
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: Model,
    #[command(flatten)]
    rerank: Rerank,
}

/// All checks, as JSON.
#[derive(Serialize)]
struct Report {
    schema: &'static str,
    version: &'static str,
    checks: Vec<Check>,
}

impl Doctor {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let version = env!("SSCG_VERSION");
        let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
        let mut checks = vec![Check::ok("version", format!("sscg {version}, {system} {processor}"))];
        let layers = global.read_layers(&self.path, &[self.model.flag(), self.rerank.flag()]);
        checks.extend(check_files(&self.path, &layers));
        if let Ok(layers) = &layers {
            let mut config = layers.config();
            checks.push(check_place(&storage_of(&self.path, global, &config)?));
            checks.extend(check_models(&config));
            // The check of the index needs no model.
            config.model.name.clear();
            checks.extend(check_project(&self.path, global, &config));
        }
        checks.extend(check_agents(&self.path));
        let failed = checks.iter().any(|check| check.status == Status::Fail);
        if self.json {
            print(&json(&Report { schema: "sscg.doctor.v1", version, checks }))?;
        } else {
            let mut page = Painted::default();
            checks.iter().for_each(|check| write(check, &mut page));
            print_painted(&page)?;
        }
        if failed { Err(Failure::Told) } else { Ok(CommandResult::Found) }
    }
}

fn write(check: &Check, page: &mut Painted) {
    let (style, word) = match check.status {
        Status::Ok => (GREEN, "ok"),
        Status::Warn => (YELLOW, "warn"),
        Status::Fail => (RED, "fail"),
    };
    page.push(style, word);
    let gap = 4 - word.len();
    page.push(PLAIN, &format!("{:gap$}  {:<15}{}\n", "", check.about, check.message));
    if let Some(hint) = &check.hint {
        page.push(PLAIN, &format!("{:21}hint: {hint}\n", ""));
    }
}
