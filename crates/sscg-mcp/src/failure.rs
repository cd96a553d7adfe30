//! Calls without an answer.

use rmcp::model::{CallToolResult, ContentBlock};
use sscg::ErrorKind;

use crate::record::{CallOutcome, CallResult};

/// Reason why a call has no answer.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    /// Next step for the caller.
    pub(crate) hint: String,
    /// False if nothing is wrong and the project is merely being indexed.
    pub(crate) is_error: bool,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into(), is_error: true }
    }

    /// Reports a panic; its location is on standard error.
    pub(crate) fn mistake() -> Self {
        Self::new("the call failed", "this is a mistake in SSCG; please report it with what was asked")
    }

    /// Returns the message and the hint in one line.
    pub(crate) fn told(&self) -> String {
        format!("{}; {}", self.message, self.hint)
    }

    pub(crate) fn into_call_result(self) -> CallResult {
        let Self { message, hint, is_error } = self;
        let kind = if is_error { "error: " } else { "" };
        let content = vec![ContentBlock::text(format!("{kind}{message}\nhint: {hint}"))];
        let (result, outcome) = if is_error {
            (CallToolResult::error(content), CallOutcome::Failed)
        } else {
            (CallToolResult::success(content), CallOutcome::NotReady)
        };
        CallResult { result, outcome, results: None }
    }
}

impl From<sscg::Error> for Failure {
    fn from(error: sscg::Error) -> Self {
        Self {
            message: error.to_string(),
            hint: error.hint().to_owned(),
            is_error: error.kind() != ErrorKind::NotReady,
        }
    }
}
