//! Record of a call, for an audit.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::CallToolResult;
use serde::Serialize;

/// Receiver of the record of each call, after it ended. It runs on a thread that serves clients, so it should be quick.
pub type Recorder = Arc<dyn Fn(&CallRecord) + Send + Sync>;

/// Record of a tool call: what was called, when, how long, and the sizes of arguments and result. It has no text of
/// questions, code or paths.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CallRecord {
    /// Start of the call, in milliseconds since 1970-01-01 UTC.
    pub time: u64,
    /// Name and version of the client, if it gave them, at most 100 characters.
    pub client: Option<String>,
    /// Name of the tool.
    pub tool: String,
    /// Size of each argument, in bytes of its JSON. Unknown arguments are summed under `other`.
    pub arguments: BTreeMap<String, usize>,
    /// Outcome of the call.
    pub outcome: CallOutcome,
    /// Number of results, nodes or listed places; `None` for tools without any, and for calls without an answer.
    pub results: Option<usize>,
    /// Size of the text of the result, in bytes.
    pub bytes: usize,
    /// Duration of the call in milliseconds, including the wait for its turn and for an index.
    pub ms: u64,
}

/// Outcome of a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallOutcome {
    /// Answered, even if nothing was found.
    Answered,
    /// No answer yet: the project is being indexed.
    NotReady,
    /// Refused or failed, with a message to the client.
    Failed,
    /// Canceled by the client.
    Canceled,
}

/// Result of a tool with its number of results.
pub(crate) struct CallResult {
    pub(crate) result: CallToolResult,
    pub(crate) outcome: CallOutcome,
    pub(crate) results: Option<usize>,
}
