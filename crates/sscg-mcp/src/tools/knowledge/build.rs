//! `build_knowledge_graph`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::knowledge::{BuildReport, GivenInputs};

use super::reply;
use crate::failure::Failure;
use crate::tool::{Countable, Effect, Reply, Tool, ToolCall};

/// Builds the service graph.
pub(crate) struct BuildKnowledgeGraph;

/// Arguments of `build_knowledge_graph`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// Project, by its directory; required only if the server has several.
    #[serde(default)]
    project_name: String,
    /// True to drop interfaces given before; false to keep them unless new ones are given (default true).
    force_rebuild: Option<bool>,
    /// Interfaces of services as a JSON object by service, each with `endpoints` (`method`, `path`, `handler`,
    /// `file_path`), `events_published` and `events_consumed` (`event_name`, `channel`), added to the detected ones.
    /// Empty for none.
    #[serde(default)]
    service_interfaces_json: String,
}

impl Countable for BuildReport {}

impl Tool for BuildKnowledgeGraph {
    const NAME: &'static str = "build_knowledge_graph";
    const TITLE: &'static str = "Build the service graph";
    const DESCRIPTION: &'static str = "\
Find the services of a repository and their connections: endpoints, requests, events, contracts, entities. The other tools of this \
set build the graph by themselves and keep it up to date: use this first to list services and unreadable inputs, or to add \
interfaces that the repository does not show.
The answer counts services, nodes and edges by type, and lists problems with inputs; the rest is built anyway.
Example: {}";
    const EFFECT: Effect = Effect::Indexes;
    type Arguments = Arguments;
    type Output = BuildReport;

    fn call(arguments: Arguments, call: &ToolCall) -> Result<Reply<BuildReport>, Failure> {
        let Arguments { project_name, force_rebuild, service_interfaces_json } = arguments;
        let project = call.project(Some(&*project_name).filter(|name| !name.is_empty()))?;
        let mut inputs = GivenInputs::default();
        inputs.service_interfaces_json = Some(service_interfaces_json).filter(|json| !json.is_empty());
        let is_built = inputs.service_interfaces_json.is_some() || force_rebuild.unwrap_or(true);
        let given = is_built.then_some(inputs);
        let knowledge = call.projects.knowledge(&project, given, &call.wait_policy())?;
        Ok(reply(knowledge.report().clone()))
    }
}
