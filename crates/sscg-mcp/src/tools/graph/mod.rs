//! Queries on the code graph, one file per tool.

mod expand;
mod impact;
mod neighborhood;
mod pack;
mod symbol_context;
mod trace;

use schemars::JsonSchema;
use serde::Serialize;
use sscg::GraphQuery;
use sscg::config::GraphConfig;
use sscg::format::{GraphAnswer, GraphNode, SubgraphEdge};

use super::common::Limits;
use crate::content;
use crate::failure::Failure;
use crate::tool::{Countable, Reply, ToolCall};

pub(super) use expand::GraphExpand;
pub(super) use impact::Impact;
pub(super) use neighborhood::QueryGraphNeighborhood;
pub(super) use pack::GraphPack;
pub(super) use symbol_context::SymbolContext;
pub(super) use trace::GraphTrace;

/// Runs a query on the graph, made with the project's defaults.
fn answer(
    limits: Limits,
    call: &ToolCall,
    query: impl FnOnce(&GraphConfig) -> GraphQuery,
) -> Result<Reply<GraphData>, Failure> {
    let project = call.project(limits.project.as_deref())?;
    let config = call.projects.settings(&project, &call.wait_policy())?;
    let request = limits.explore(query(&config.graph), &config.search);
    let response = call.projects.explore(&project, &request, &call.wait_policy())?;
    let data = GraphData::from(&response.answer);
    Ok(Reply { content: vec![content::item(response.text, 1.0)], data })
}

/// Part of a graph as data.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct GraphData {
    /// Number of tokens of the accompanying text.
    token_count: usize,
    /// Queried nodes, by id.
    seeds: Vec<String>,
    /// Queried and found nodes, nearest first.
    nodes: Vec<GraphNode>,
    /// Edges.
    edges: Vec<SubgraphEdge>,
    /// Paths from one seed to another, shortest first, each as its node ids.
    paths: Vec<Vec<String>>,
    /// Nodes or paths omitted because of a limit or the budget.
    omitted: usize,
    /// Number of unresolved uses of the seeds' names that may be uses of the seeds.
    unresolved_uses: Option<usize>,
    /// Places of the likeliest of them.
    unresolved_at: Vec<String>,
    /// Reasons why the answer is out of date.
    warnings: Vec<String>,
}

impl Countable for GraphData {
    fn count(&self) -> Option<usize> {
        Some(self.nodes.len())
    }
}

impl From<&GraphAnswer> for GraphData {
    fn from(answer: &GraphAnswer) -> Self {
        Self {
            token_count: answer.token_count,
            seeds: answer.seeds.clone(),
            nodes: answer.nodes.clone(),
            edges: answer.edges.clone(),
            paths: answer.paths.clone(),
            omitted: answer.omitted,
            unresolved_uses: answer.unresolved_uses,
            unresolved_at: answer.unresolved_at.clone(),
            warnings: answer.warnings.clone(),
        }
    }
}
