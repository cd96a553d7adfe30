//! Queries on services and their connections.

mod build;
mod nodes;
mod services;

use schemars::JsonSchema;
use serde::Serialize;
use sscg::Corpus;
use sscg::config::KnowledgeConfig;
use sscg::knowledge::query::{
    BoundaryValidation, CrossServiceImpact, EventValidation, Neighborhood, QueryError, SearchResults,
    ServiceContext,
};
use sscg::knowledge::{AsText, Knowledge};

use crate::content;
use crate::failure::Failure;
use crate::tool::{Countable, Reply, ToolCall};

pub(super) use build::BuildKnowledgeGraph;
pub(super) use nodes::{FindCrossServiceImpact, HybridSearch, QueryGraphNeighborhood};
pub(super) use services::{CheckCrossServiceEvents, GetServiceContext, ValidateServiceBoundaries};

/// Runs a query, made with the project's defaults, on the current service graph of a project.
fn answer<A: AsText + Serialize + JsonSchema>(
    project: Option<&str>,
    call: &ToolCall,
    ask: impl FnOnce(&Knowledge, &KnowledgeConfig) -> Result<A, QueryError>,
) -> Result<Reply<A>, Failure> {
    answer_about(String::new(), project, call, |_, knowledge, config| ask(knowledge, config))
}

/// Runs a query about a node, if it names one, like [`answer`]. An id of code that the service graph does not have, such as
/// `src/a.py:12`, refers to its declaration.
fn answer_about<A: AsText + Serialize + JsonSchema>(
    node: String,
    project: Option<&str>,
    call: &ToolCall,
    ask: impl FnOnce(String, &Knowledge, &KnowledgeConfig) -> Result<A, QueryError>,
) -> Result<Reply<A>, Failure> {
    let project = call.project(project)?;
    let defaults = call.projects.settings(&project, &call.wait_policy())?;
    let knowledge = call.projects.knowledge(&project, None, &call.wait_policy())?;
    let declared = || {
        let (snapshot, _) = call.projects.refresh(&project, Corpus::Code, &call.wait_policy()).ok()?;
        sscg::node_ids(&snapshot, &node).ok()?.iter().find_map(|id| knowledge.find(id))
    };
    let id = knowledge.find(&node).or_else(|| if node.is_empty() { None } else { declared() });
    let asked = ask(id.unwrap_or(node), &knowledge, &defaults.knowledge);
    Ok(reply(asked.map_err(sscg::Error::from)?))
}

fn reply<A: AsText>(data: A) -> Reply<A> {
    Reply { content: vec![content::item(content::within_limit(data.to_text()), 1.0)], data }
}

impl Countable for ServiceContext {}

impl Countable for BoundaryValidation {
    fn count(&self) -> Option<usize> {
        Some(self.misplaced_files.len())
    }
}

impl Countable for EventValidation {
    fn count(&self) -> Option<usize> {
        Some(self.total_events)
    }
}

impl Countable for Neighborhood {
    fn count(&self) -> Option<usize> {
        Some(self.nodes.len())
    }
}

impl Countable for SearchResults {
    fn count(&self) -> Option<usize> {
        Some(self.results.len())
    }
}

impl Countable for CrossServiceImpact {
    fn count(&self) -> Option<usize> {
        let Self { impacted_services, impacted_contracts, impacted_entities, .. } = self;
        Some(impacted_services.len() + impacted_contracts.len() + impacted_entities.len())
    }
}
