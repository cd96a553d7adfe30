//! Checks of `sscg doctor`, one file for each area.

mod agents;
mod index;
mod server;
mod settings;

use serde::Serialize;

use crate::failure::hint_of;

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

    fn error(about: &'static str, error: &sscg::Error) -> Self {
        Self::fail(about, error.to_string(), hint_of(error))
    }
}
