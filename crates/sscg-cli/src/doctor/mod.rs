//! Checks of `sscg doctor`, one file for each area, and their report, which `sscg self-check` shares.

mod agents;
mod index;
mod server;
mod settings;

use serde::Serialize;

use crate::color::{GREEN, PLAIN, Painted, RED, YELLOW};
use crate::failure::{Failure, hint_of};
use crate::text::json;
use crate::{CommandResult, print, print_painted};

pub(crate) use agents::check_agents;
pub(crate) use index::{check_place, check_project};
pub(crate) use settings::{check_files, check_models};

/// Result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    /// Subject of the check, in a word.
    pub(crate) about: &'static str,
    pub(crate) status: Status,
    pub(crate) message: String,
    /// Suggested next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

/// Outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Ok,
    /// Works, but not as well as it could.
    Warn,
    /// Does not work.
    Fail,
}

impl Check {
    pub(crate) fn ok(about: &'static str, message: impl Into<String>) -> Self {
        Self { about, status: Status::Ok, message: message.into(), hint: None }
    }

    pub(crate) fn warn(about: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { about, status: Status::Warn, message: message.into(), hint: Some(hint.into()) }
    }

    pub(crate) fn fail(about: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { about, status: Status::Fail, message: message.into(), hint: Some(hint.into()) }
    }

    pub(crate) fn error(about: &'static str, error: &sscg::Error) -> Self {
        Self::fail(about, error.to_string(), hint_of(error))
    }
}

/// All checks, as JSON.
#[derive(Serialize)]
struct Report {
    schema: &'static str,
    version: &'static str,
    checks: Vec<Check>,
}

/// Returns the version of the program, as a check.
pub(crate) fn program() -> Check {
    let version = env!("SSCG_VERSION");
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    Check::ok("version", format!("sscg {version}, {system} {processor}"))
}

/// Prints checks; fails if one of them does.
pub(crate) fn report(
    checks: Vec<Check>,
    as_json: bool,
    schema: &'static str,
) -> Result<CommandResult, Failure> {
    let failed = checks.iter().any(|check| check.status == Status::Fail);
    if as_json {
        print(&json(&Report { schema, version: env!("SSCG_VERSION"), checks }))?;
    } else {
        let mut page = Painted::default();
        checks.iter().for_each(|check| write(check, &mut page));
        print_painted(&page)?;
    }
    if failed { Err(Failure::Told) } else { Ok(CommandResult::Found) }
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
