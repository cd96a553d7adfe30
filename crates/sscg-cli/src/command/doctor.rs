//! `sscg doctor`

use std::io::{IsTerminal, stdout};
use std::path::PathBuf;

use clap::Args;
use clap::builder::styling::{AnsiColor, Style};
use serde::Serialize;

use super::storage_of;
use crate::doctor::{Check, Status, check_agents, check_files, check_models, check_place, check_project};
use crate::failure::Failure;
use crate::model::Model;
use crate::rerank::Rerank;
use crate::text::json;
use crate::{Found, Global, print};

/// Look for what may be wrong, and say what to do about it.
///
/// Looks at the configuration, the indexes, the project, the models that are configured, and whether agents can start
/// the server. Nothing is indexed. Ends with 2 if something does not work.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// The directory of the project.
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

/// All that was found, as JSON has it.
#[derive(Serialize)]
struct Report {
    schema: &'static str,
    version: &'static str,
    checks: Vec<Check>,
}

impl Doctor {
    pub(crate) fn run(self, global: &Global) -> Result<Found, Failure> {
        let version = env!("SSCG_VERSION");
        let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
        let mut checks = vec![Check::ok("version", format!("sscg {version}, {system} {processor}"))];
        let layers = global.read_layers(&self.path, &[self.model.flag(), self.rerank.flag()]);
        checks.extend(check_files(&self.path, &layers));
        if let Ok(layers) = &layers {
            let mut config = layers.config();
            checks.push(check_place(&storage_of(&self.path, global, &config)?));
            checks.extend(check_models(&config));
            // Looking at the index asks no model.
            config.model.name.clear();
            checks.extend(check_project(&self.path, global, &config));
        }
        checks.extend(check_agents(&self.path));
        let failed = checks.iter().any(|check| check.status == Status::Fail);
        if self.json {
            print(&json(&Report { schema: "sscg.doctor.v1", version, checks }))?;
        } else {
            let is_plain =
                !stdout().is_terminal() || std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty());
            print(&checks.iter().map(|check| line(check, is_plain)).collect::<String>())?;
        }
        if failed { Err(Failure::Told) } else { Ok(Found::Yes) }
    }
}

fn line(check: &Check, is_plain: bool) -> String {
    let (word, color) = match check.status {
        Status::Ok => ("ok", AnsiColor::Green),
        Status::Warn => ("warn", AnsiColor::Yellow),
        Status::Fail => ("fail", AnsiColor::Red),
    };
    let style = if is_plain { Style::new() } else { color.on_default() };
    let hint = check.hint.as_ref().map_or_else(String::new, |hint| format!("{:21}hint: {hint}\n", ""));
    format!("{style}{word:<4}{style:#}  {:<15}{}\n{hint}", check.about, check.message)
}
