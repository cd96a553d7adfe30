//! Queries on services and their connections.

mod build;
mod nodes;
mod services;

use schemars::JsonSchema;
use serde::Serialize;
use sscg::config::KnowledgeConfig;
use sscg::knowledge::query::QueryError;
use sscg::knowledge::{Knowledge, Tell};

use crate::content;
use crate::failure::Failure;
use crate::tool::{Reply, ToolCall};

pub(super) use build::BuildKnowledgeGraph;
pub(super) use nodes::{FindCrossServiceImpact, HybridSearch, QueryGraphNeighborhood};
pub(super) use services::{CheckCrossServiceEvents, GetServiceContext, ValidateServiceBoundaries};

/// Runs a query, made with the project's defaults, on the current service graph of a project.
fn answer<A: Tell + Serialize + JsonSchema>(
    project: Option<&str>,
    call: &ToolCall,
    ask: impl FnOnce(&Knowledge, &KnowledgeConfig) -> Result<A, QueryError>,
) -> Result<Reply<A>, Failure> {
    let project = call.project(project)?;
    let defaults = call.projects.settings(&project, &call.wait_policy())?;
    let knowledge = call.projects.knowledge(&project, None, &call.wait_policy())?;
    Ok(reply(ask(&knowledge, &defaults.knowledge).map_err(sscg::Error::from)?))
}

fn reply<A: Tell>(data: A) -> Reply<A> {
    Reply { content: vec![content::item(content::within_limit(data.tell()), 1.0)], data }
}
