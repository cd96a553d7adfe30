//! Record of a call: log events, and data for an audit.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::Serialize;
use serde_json::Value;
use tracing::{info, warn};

use crate::tool::Registered;

/// Duration above which a call is a warning in the log.
const SLOW: Duration = Duration::from_secs(5);

/// Maximum length of a client's name and version in a record.
const CLIENT_CHARS: usize = 100;

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

/// Call in progress.
pub(crate) struct RunningCall {
    started: Instant,
    record: CallRecord,
}

/// Result of a tool with its number of results.
pub(crate) struct CallResult {
    pub(crate) result: CallToolResult,
    pub(crate) outcome: CallOutcome,
    pub(crate) results: Option<usize>,
}

impl RunningCall {
    /// Starts a call with corrected arguments.
    pub(crate) fn start(tool: &Registered, arguments: &JsonObject, client: Option<String>) -> Self {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let known = tool.arguments.get("properties").and_then(Value::as_object);
        let mut sizes = BTreeMap::new();
        for (name, value) in arguments {
            let is_known = known.is_some_and(|known| known.contains_key(name));
            *sizes.entry(if is_known { name.clone() } else { "other".to_owned() }).or_default() +=
                value.to_string().len();
        }
        let record = CallRecord {
            time: milliseconds(time),
            client: client.map(|client| client.chars().take(CLIENT_CHARS).collect()),
            tool: tool.tool.name.to_string(),
            arguments: sizes,
            outcome: CallOutcome::Canceled,
            results: None,
            bytes: 0,
            ms: 0,
        };
        Self { started: Instant::now(), record }
    }

    /// Ends the call with its result; `None` if the client canceled it. Writes the log event and calls the recorder.
    pub(crate) fn end(self, result: Option<&CallResult>, recorder: Option<&Recorder>) {
        let Self { started, mut record } = self;
        let taken = started.elapsed();
        record.ms = milliseconds(taken);
        if let Some(CallResult { result, outcome, results }) = result {
            let text = |block: &ContentBlock| block.as_text().map_or(0, |text| text.text.len());
            (record.outcome, record.results) = (*outcome, *results);
            record.bytes = result.content.iter().map(text).sum();
        }
        let CallRecord { tool, outcome, results, bytes, ms, .. } = &record;
        if taken > SLOW {
            warn!(tool, ?outcome, results, bytes, ms, "slow call");
        } else {
            info!(tool, ?outcome, results, bytes, ms, "call");
        }
        if let Some(recorder) = recorder {
            recorder(&record);
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
