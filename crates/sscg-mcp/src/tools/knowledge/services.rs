//! `get_service_context`, `validate_service_boundaries`, `check_cross_service_events`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::knowledge::query::{
    BoundariesRequest, BoundaryValidation, EventValidation, EventsRequest, ServiceContext,
    ServiceContextRequest,
};

use super::answer;
use crate::content::MAX_TOKENS;
use crate::tool::{Call, Effect, Failure, Reply, Tool};

/// What somebody who works on a service has to know.
pub(crate) struct GetServiceContext;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ContextArguments {
    /// The service.
    #[schemars(length(min = 1), extend("examples" = ["orders"]))]
    service_name: String,
    /// Tell of endpoints of others that it calls. Usually true.
    include_consumed_apis: Option<bool>,
    /// Tell of endpoints that it answers. Usually true.
    include_provided_apis: Option<bool>,
    /// Tell of events that it sends and listens to. Usually true.
    include_events: Option<bool>,
    /// Tell of entities that it owns and uses. Usually true.
    include_entities: Option<bool>,
    /// Tell of services that it calls and that call it. Usually true.
    include_dependencies: Option<bool>,
    /// Tell of services that are so many calls away. Usually 2.
    #[schemars(range(min = 1, max = 20))]
    max_depth: Option<u32>,
    /// At most this many tokens. Usually 2000.
    #[schemars(range(min = 50, max = MAX_TOKENS))]
    max_tokens: Option<usize>,
    /// Which project, by its directory; needed only if the server has several.
    project: Option<String>,
}

impl Tool for GetServiceContext {
    const NAME: &'static str = "get_service_context";
    const TITLE: &'static str = "Context of a service";
    const DESCRIPTION: &'static str = "\
Tell what somebody who works on a service has to know of the others. Use it before you write or change code of a service: it gives the \
endpoints of others that it calls and its own, the events that it sends and listens to with who is at the other end, the entities \
it owns and uses with their fields, and what to mind at each seam.
The answer is text that fits `max_tokens`; what mattered least is left out, and it says so.
Example: {\"service_name\": \"orders\"}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = ContextArguments;
    type Output = ServiceContext;

    fn call(arguments: ContextArguments, call: &Call) -> Result<Reply<ServiceContext>, Failure> {
        let default = ServiceContextRequest::default();
        let request = ServiceContextRequest {
            service_name: arguments.service_name,
            include_consumed_apis: arguments.include_consumed_apis.unwrap_or(default.include_consumed_apis),
            include_provided_apis: arguments.include_provided_apis.unwrap_or(default.include_provided_apis),
            include_events: arguments.include_events.unwrap_or(default.include_events),
            include_entities: arguments.include_entities.unwrap_or(default.include_entities),
            include_dependencies: arguments.include_dependencies.unwrap_or(default.include_dependencies),
            max_depth: arguments.max_depth.unwrap_or(default.max_depth),
            max_tokens: arguments.max_tokens.unwrap_or(default.max_tokens),
        };
        answer(arguments.project.as_deref(), call, |knowledge| knowledge.service_context(&request))
    }
}

/// Finds files that stand in the wrong service.
pub(crate) struct ValidateServiceBoundaries;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct BoundaryArguments {
    /// How small communities are: more than 1 for smaller ones, less for larger. Usually 1.
    #[schemars(range(min = 0.01, max = 100.0))]
    resolution: Option<f64>,
    /// Which project, by its directory; needed only if the server has several.
    project: Option<String>,
}

impl Tool for ValidateServiceBoundaries {
    const NAME: &'static str = "validate_service_boundaries";
    const TITLE: &'static str = "Check service boundaries";
    const DESCRIPTION: &'static str = "\
Compare the services that files stand in with those that they work with. Use it to find code that belongs elsewhere, or to judge how a \
repository is cut into services.
The answer names misplaced files with how many links tie them to either service, files that nothing uses, and how many edges lead \
from service to service.
Example: {}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = BoundaryArguments;
    type Output = BoundaryValidation;

    fn call(arguments: BoundaryArguments, call: &Call) -> Result<Reply<BoundaryValidation>, Failure> {
        let default = BoundariesRequest::default();
        let request = BoundariesRequest { resolution: arguments.resolution.unwrap_or(default.resolution) };
        answer(arguments.project.as_deref(), call, |knowledge| knowledge.boundaries(&request))
    }
}

/// Finds events without a sender or a listener.
pub(crate) struct CheckCrossServiceEvents;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct EventArguments {
    /// Only events that this service sends or listens to; empty for all.
    #[serde(default)]
    service_name: String,
    /// Which project, by its directory; needed only if the server has several.
    project: Option<String>,
}

impl Tool for CheckCrossServiceEvents {
    const NAME: &'static str = "check_cross_service_events";
    const TITLE: &'static str = "Check events between services";
    const DESCRIPTION: &'static str = "\
Find events that are sent and nobody listens to, and those that are listened to and nobody sends. Use it before you call an event handler \
dead, rename a topic, or remove a message.
The answer lists events by topic, subject, routing key or channel with the services at either end; what is amiss comes first, with \
where it is sent or listened to.
Example: {\"service_name\": \"orders\"}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = EventArguments;
    type Output = EventValidation;

    fn call(arguments: EventArguments, call: &Call) -> Result<Reply<EventValidation>, Failure> {
        let request = EventsRequest { service_name: arguments.service_name };
        answer(arguments.project.as_deref(), call, |knowledge| knowledge.events(&request))
    }
}
