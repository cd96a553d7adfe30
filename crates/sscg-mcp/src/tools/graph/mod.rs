//! Questions about the graph itself, a file for each tool.

mod expand;
mod impact;
mod neighborhood;
mod pack;
mod symbol_context;
mod trace;

use schemars::JsonSchema;
use serde::Serialize;
use sscg::GraphQuery;
use sscg::format::{GraphAnswer, GraphNode, SubgraphEdge};

use super::common::Limits;
use crate::content;
use crate::tool::{Call, Failure, Reply};

pub(super) use expand::GraphExpand;
pub(super) use impact::Impact;
pub(super) use neighborhood::QueryGraphNeighborhood;
pub(super) use pack::GraphPack;
pub(super) use symbol_context::SymbolContext;
pub(super) use trace::GraphTrace;

/// Asks the graph.
fn answer(query: GraphQuery, limits: Limits, call: &Call) -> Result<Reply<GraphData>, Failure> {
    let project = call.project(limits.project.as_deref())?;
    let config = call.projects.settings(&project, &call.patience())?;
    let request = limits.explore(query, &config);
    let response = call.projects.explore(&project, &request, &call.patience())?;
    let data = GraphData::from(&response.answer);
    Ok(Reply { content: vec![content::item(response.text, 1.0)], data })
}

/// Part of a graph as data.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct GraphData {
    /// The tokens of the text that comes with this.
    token_count: usize,
    /// The nodes that were asked about, by id.
    seeds: Vec<String>,
    /// These and what was found, nearest first.
    nodes: Vec<GraphNode>,
    /// How they are tied.
    edges: Vec<SubgraphEdge>,
    /// Ways from one seed to another, shortest first, each the ids of its nodes.
    paths: Vec<Vec<String>>,
    /// Nodes, or paths, that were left out because of a limit or the budget.
    omitted: usize,
    /// Uses of the seeds' names that could not be tied to any declaration.
    unresolved_uses: Option<usize>,
    /// Why the answer is not of the project as it is now.
    warnings: Vec<String>,
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
            warnings: answer.warnings.clone(),
        }
    }
}
