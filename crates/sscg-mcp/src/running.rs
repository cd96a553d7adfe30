//! Calls in progress, and what is recorded of them at their end.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rmcp::model::{ContentBlock, JsonObject};
use serde_json::Value;
use tracing::{info, warn};

use crate::record::{CallOutcome, CallRecord, CallResult, Recorder};
use crate::tool::Registered;

/// Duration above which a call is a warning in the log.
const SLOW: Duration = Duration::from_secs(5);

/// Maximum length of a client's name and version in a record.
const CLIENT_CHARS: usize = 100;

/// Call in progress.
pub(crate) struct RunningCall {
    started: Instant,
    record: CallRecord,
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
