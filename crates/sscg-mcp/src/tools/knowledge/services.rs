//! `get_service_context`, `validate_service_boundaries`, `check_cross_service_events`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::knowledge::query::{
    BoundariesRequest, BoundaryValidation, EventValidation, EventsRequest, ServiceContext,
};

use super::answer;
use crate::content::MAX_TOKENS;
use crate::failure::Failure;
use crate::tool::{Effect, Reply, Tool, ToolCall};

/// Context for work on a service.
pub(crate) struct GetServiceContext;

/// Arguments of `get_service_context`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ContextArguments {
    /// Service.
    #[schemars(length(min = 1), extend("examples" = ["orders"]))]
    service_name: String,
    /// Include called endpoints of others (default true).
    include_consumed_apis: Option<bool>,
    /// Include its own endpoints (default true).
    include_provided_apis: Option<bool>,
    /// Include published and consumed events (default true).
    include_events: Option<bool>,
    /// Include owned and used entities (default true).
    include_entities: Option<bool>,
    /// Include its callers and called services (default true).
    include_dependencies: Option<bool>,
    /// Maximum distance of services in calls (default 2).
    #[schemars(range(min = 1, max = 20))]
    max_depth: Option<u32>,
    /// Token budget (default 2000).
    #[schemars(range(min = 50, max = MAX_TOKENS))]
    max_tokens: Option<usize>,
    /// Project, by its directory; required only if the server has several.
    project: Option<String>,
}

impl Tool for GetServiceContext {
    const NAME: &'static str = "get_service_context";
    const TITLE: &'static str = "Context of a service";
    const DESCRIPTION: &'static str = "\
Describe a service and its connections to the others. Use it before you write or change code of a service: it gives the \
endpoints of others that it calls and its own, the events that it publishes and consumes, with the services at the other end, the \
entities it owns and uses with their fields, and what to watch for at each connection.
The answer is text that fits `max_tokens`; the least important parts are omitted, with a note.
Example: {\"service_name\": \"orders\"}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = ContextArguments;
    type Output = ServiceContext;

    fn call(arguments: ContextArguments, call: &ToolCall) -> Result<Reply<ServiceContext>, Failure> {
        answer(arguments.project.as_deref(), call, |knowledge, config| {
            let mut request = config.context(arguments.service_name);
            request.include_consumed_apis =
                arguments.include_consumed_apis.unwrap_or(request.include_consumed_apis);
            request.include_provided_apis =
                arguments.include_provided_apis.unwrap_or(request.include_provided_apis);
            request.include_events = arguments.include_events.unwrap_or(request.include_events);
            request.include_entities = arguments.include_entities.unwrap_or(request.include_entities);
            request.include_dependencies =
                arguments.include_dependencies.unwrap_or(request.include_dependencies);
            request.max_depth = arguments.max_depth.unwrap_or(request.max_depth);
            request.max_tokens = arguments.max_tokens.unwrap_or(request.max_tokens);
            knowledge.service_context(&request)
        })
    }
}

/// Finds files in the wrong service.
pub(crate) struct ValidateServiceBoundaries;

/// Arguments of `validate_service_boundaries`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct BoundaryArguments {
    /// Community resolution: above 1 for smaller ones, below 1 for larger (default 1).
    #[schemars(range(min = 0.01, max = 100.0))]
    resolution: Option<f64>,
    /// Project, by its directory; required only if the server has several.
    project: Option<String>,
}

impl Tool for ValidateServiceBoundaries {
    const NAME: &'static str = "validate_service_boundaries";
    const TITLE: &'static str = "Check service boundaries";
    const DESCRIPTION: &'static str = "\
Compare the service that owns each file with the services that it works with. Use it to find misplaced code, or to judge the \
division of a repository into services.
The answer lists misplaced files with the number of links to either service, files without imports in either direction, and the \
number of edges from service to service.
Example: {}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = BoundaryArguments;
    type Output = BoundaryValidation;

    fn call(arguments: BoundaryArguments, call: &ToolCall) -> Result<Reply<BoundaryValidation>, Failure> {
        let mut request = BoundariesRequest::default();
        request.resolution = arguments.resolution.unwrap_or(request.resolution);
        answer(arguments.project.as_deref(), call, |knowledge, _| knowledge.boundaries(&request))
    }
}

/// Finds events without a publisher or a consumer.
pub(crate) struct CheckCrossServiceEvents;

/// Arguments of `check_cross_service_events`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct EventArguments {
    /// Service that publishes or consumes the events; empty for all.
    #[serde(default)]
    service_name: String,
    /// Project, by its directory; required only if the server has several.
    project: Option<String>,
}

impl Tool for CheckCrossServiceEvents {
    const NAME: &'static str = "check_cross_service_events";
    const TITLE: &'static str = "Check events between services";
    const DESCRIPTION: &'static str = "\
Find events that are published but not consumed, and events that are consumed but not published. Use it before you call an event \
handler dead, rename a topic, or remove a message.
The answer lists events by topic, subject, routing key or channel with the services at either end; problems come first, with the \
places that publish or consume.
Example: {\"service_name\": \"orders\"}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = EventArguments;
    type Output = EventValidation;

    fn call(arguments: EventArguments, call: &ToolCall) -> Result<Reply<EventValidation>, Failure> {
        let request = EventsRequest::default().with_service_name(arguments.service_name);
        answer(arguments.project.as_deref(), call, |knowledge, _| knowledge.events(&request))
    }
}
