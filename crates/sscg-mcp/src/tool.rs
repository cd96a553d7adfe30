//! Tools: their interface, calls and results.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sscg::format::{O200k, SentCode, TextRenderer, fit};
use sscg::{Progress, Response, WaitPolicy};

use crate::failure::Failure;
use crate::permits::YieldWhileWaiting;
use crate::projects::Projects;
use crate::record::{CallOutcome, CallResult};
use crate::schema::schema_of;
use crate::{arguments, spelling};

/// Key in the `_meta` of a result without an answer because the project is being indexed: its empty data could be
/// mistaken for an answer.
pub(crate) const NOT_READY: &str = "sscg/not-ready";

/// Tool with its description and implementation.
pub(crate) trait Tool {
    /// Name.
    const NAME: &'static str;
    /// Display name.
    const TITLE: &'static str;
    /// Description for agents: when to use it, an example, the content of the answer.
    const DESCRIPTION: &'static str;
    /// Side effect of a call.
    const EFFECT: Effect;
    /// Arguments. The schema contains all that is checked; see [`arguments::check`].
    type Arguments: DeserializeOwned + JsonSchema;
    /// Answer as data. The default is returned by a call that has no answer yet.
    type Output: Serialize + JsonSchema + Default + Countable;

    /// Runs the tool.
    fn call(arguments: Self::Arguments, call: &ToolCall) -> Result<Reply<Self::Output>, Failure>;
}

/// Answer with a number of results, for the record of calls.
pub(crate) trait Countable {
    /// Returns the number of results; `None` for an answer that is no list.
    fn count(&self) -> Option<usize> {
        None
    }
}

/// Side effect of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// No visible effect.
    Reads,
    /// Writes the index.
    Indexes,
}

/// Answer of a tool.
pub(crate) struct Reply<O> {
    pub(crate) content: Vec<ContentBlock>,
    pub(crate) data: O,
}

/// Context of a call.
pub(crate) struct ToolCall {
    pub(crate) projects: Arc<Projects>,
    /// Roots of this client.
    pub(crate) roots: Vec<PathBuf>,
    /// Start of the call.
    pub(crate) begun: Instant,
    /// Maximum total wait for indexes, however many the call needs.
    pub(crate) max_wait: Duration,
    /// Code that the client has received, if it is remembered.
    pub(crate) sent: Option<Arc<Mutex<SentCode>>>,
    /// Observer of indexing.
    pub(crate) observer: Box<dyn Fn(Progress) -> ControlFlow<()> + Send + Sync>,
    /// Runs a wait without holding a worker permit, so that another call can proceed.
    pub(crate) yield_while_waiting: YieldWhileWaiting,
}

impl ToolCall {
    pub(crate) fn wait_policy(&self) -> WaitPolicy<'_> {
        let left = self.max_wait.saturating_sub(self.begun.elapsed());
        WaitPolicy::default()
            .with_limit(left)
            .with_observer(&*self.observer)
            .with_yield_while_waiting(&*self.yield_while_waiting)
    }

    /// Omits code that the client received before from an answer, unless it is to be repeated, and remembers the rest. Only text
    /// has marks for omitted lines.
    pub(crate) fn omit_sent(&self, project: &Path, response: &mut Response, format: &str, repeat: bool) {
        let Some(sent) = self.sent.as_ref().filter(|_| format == "text") else { return };
        let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
        let project = project.to_string_lossy();
        if !repeat && sent.omit_from(&project, &mut response.answer) > 0 {
            response.text = fit(&mut response.answer, &TextRenderer, &O200k);
        }
        sent.remember(&project, &response.answer);
    }

    /// Returns the named project, or the only one.
    pub(crate) fn project(&self, name: Option<&str>) -> Result<PathBuf, Failure> {
        self.projects.choose(&self.roots, name)
    }

    /// Returns the directory to index, which must be within the roots.
    pub(crate) fn directory(&self, path: Option<&str>) -> Result<PathBuf, Failure> {
        self.projects.add_directory(&self.roots, path.map(Path::new))
    }
}

/// Function that runs a tool; structured results are returned if the flag is set.
type Call = fn(JsonObject, &ToolCall, bool) -> Result<CallResult, Failure>;

/// Entry of a list of tools.
pub(crate) struct Entry {
    describe: fn(Described) -> Registered,
}

/// Options of the descriptions of tools.
#[derive(Clone, Copy)]
pub(crate) struct Described {
    /// True to describe structured results, and return them.
    pub(crate) structured: bool,
    /// True to list the arguments that few calls need, too.
    pub(crate) all_arguments: bool,
}

impl Entry {
    pub(crate) const fn of<T: Tool>() -> Self {
        Self { describe: describe::<T> }
    }

    /// Returns the tool with its description for clients.
    pub(crate) fn register(&self, options: Described) -> Registered {
        (self.describe)(options)
    }
}

/// Tool that a server offers.
#[derive(Clone)]
pub(crate) struct Registered {
    /// Tool as clients with one project see it.
    pub(crate) tool: rmcp::model::Tool,
    /// Tool as clients with several projects see it.
    pub(crate) tool_of_several: rmcp::model::Tool,
    /// Schema of all arguments.
    pub(crate) arguments: JsonObject,
    call: Call,
    is_structured: bool,
}

impl Registered {
    /// Corrects names and types of arguments.
    pub(crate) fn corrected(&self, arguments: JsonObject) -> JsonObject {
        spelling::corrected(&self.arguments, arguments)
    }

    /// Runs the tool if the corrected arguments match its schema.
    pub(crate) fn call(&self, arguments: JsonObject, call: &ToolCall) -> CallResult {
        let outcome = arguments::check(&self.arguments, &arguments)
            .and_then(|()| (self.call)(arguments, call, self.is_structured));
        outcome.unwrap_or_else(Failure::into_call_result)
    }
}

fn describe<T: Tool>(options: Described) -> Registered {
    let reads = T::EFFECT == Effect::Reads;
    let annotations = ToolAnnotations::new().read_only(reads).open_world(false);
    let annotations = if reads { annotations } else { annotations.destructive(false).idempotent(true) };
    let arguments = schema_of::<T::Arguments>();
    let all: &[&str] = &[RARE, OF_SEVERAL];
    let tool = |without: &[&str]| {
        let without = if options.all_arguments { &[] } else { without };
        let tool = rmcp::model::Tool::new(T::NAME, T::DESCRIPTION, listed(&arguments, without))
            .with_title(T::TITLE)
            .with_annotations(annotations.clone());
        match options.structured {
            true => tool.with_raw_output_schema(Arc::new(schema_of::<T::Output>())),
            false => tool,
        }
    };
    let (tool, tool_of_several) = (tool(all), tool(&[RARE]));
    Registered { tool, tool_of_several, arguments, call: call::<T>, is_structured: options.structured }
}

/// Key of the schema of an argument that few calls need. It is accepted, but listed only on request: every conversation pays
/// for each word of the list.
const RARE: &str = "x-rare";

/// Key of the schema of an argument that is of use only with several projects.
const OF_SEVERAL: &str = "x-several";

/// Returns the part of a schema of arguments that clients see: `without` arguments with one of these keys, and without limits
/// that no call exceeds if any are left out.
fn listed(arguments: &JsonObject, without: &[&str]) -> JsonObject {
    let mut listed = arguments.clone();
    let mut is_complete = true;
    if let Some(Value::Object(properties)) = listed.get_mut("properties") {
        let before = properties.len();
        properties.retain(|_, property| without.iter().all(|key| property.get(*key).is_none()));
        is_complete = properties.len() == before;
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            let noise: &[&str] =
                if without.is_empty() { &[] } else { &["minLength", "maxLength", "minItems"] };
            for key in [RARE, OF_SEVERAL].iter().chain(noise) {
                property.remove(*key);
            }
        }
    }
    // Clients may refuse arguments that the schema does not admit. Arguments are flattened from several structs, none of which
    // can have this attribute.
    if is_complete {
        listed.insert("additionalProperties".to_owned(), false.into());
    }
    listed
}

fn call<T: Tool>(arguments: JsonObject, call: &ToolCall, is_structured: bool) -> Result<CallResult, Failure> {
    let arguments = serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Failure::new(error.to_string(), "see the tool's input schema"))?;
    let data = |output: T::Output| serde_json::to_value(output).ok().filter(|_| is_structured);
    match T::call(arguments, call) {
        Ok(Reply { content, data: output }) => {
            let results = output.count();
            let mut result = CallToolResult::success(content);
            result.structured_content = data(output);
            Ok(CallResult { result, outcome: CallOutcome::Answered, results })
        }
        // A failure that is not an error has data of the promised schema.
        Err(failure) if !failure.is_error => {
            let mut call = failure.into_call_result();
            call.result.structured_content = data(T::Output::default());
            call.result.meta = Some(MetaObject(JsonObject::from_iter([(NOT_READY.to_owned(), true.into())])));
            Ok(call)
        }
        Err(failure) => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ServerOptions;

    #[test]
    fn a_call_that_needs_two_indexes_waits_no_longer_than_for_one() {
        let call = ToolCall {
            projects: Arc::new(Projects::new(ServerOptions::default().open, 0)),
            roots: Vec::new(),
            begun: Instant::now(),
            max_wait: Duration::from_millis(5),
            sent: None,
            observer: Box::new(sscg::unobserved),
            yield_while_waiting: Box::new(|wait| wait()),
        };
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(call.wait_policy().limit, Some(Duration::ZERO));
    }
}
