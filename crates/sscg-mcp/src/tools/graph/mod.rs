//! Questions about the graph itself, a file for each tool.

mod expand;
mod impact;
mod neighborhood;
mod pack;
mod symbol_context;
mod trace;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use sscg::core::{Confidence, Relation, RelationSet, SymbolKind};
use sscg::format::{GraphAnswer, GraphNode, SubgraphEdge};
use sscg::graph::Direction;
use sscg::graph::traverse::EdgeFilter;
use sscg::{GraphQuery, GraphRequest, Reach};

use crate::content::{self, MAX_TOKENS};
use crate::tool::{Call, Failure, Reply};

pub(super) use expand::GraphExpand;
pub(super) use impact::Impact;
pub(super) use neighborhood::QueryGraphNeighborhood;
pub(super) use pack::GraphPack;
pub(super) use symbol_context::SymbolContext;
pub(super) use trace::GraphTrace;

/// How much is told, and of which project: what all these tools take.
struct Output {
    budget: Option<usize>,
    format: Option<String>,
    project: Option<String>,
}

impl Output {
    /// Asks.
    fn answer(&self, query: GraphQuery, call: &Call) -> Result<Reply<GraphData>, Failure> {
        let project = call.project(self.project.as_deref())?;
        let defaults = call.projects.settings(&project)?.graph_request(query);
        let request = GraphRequest {
            budget: self.budget.unwrap_or(defaults.budget).min(MAX_TOKENS),
            format: self.format.clone().unwrap_or(defaults.format),
            ..defaults
        };
        let response = call.projects.explore(&project, &request, &call.patience())?;
        let data = GraphData::from(&response.answer);
        Ok(Reply { content: vec![content::item(response.text, 1.0)], data })
    }
}

/// How far to go.
fn reach(
    depth: Option<u32>,
    limit: Option<usize>,
    direction: Option<&str>,
    relations: &[String],
    min_confidence: Option<&str>,
) -> Reach {
    let default = Reach::default();
    Reach {
        depth: depth.unwrap_or(default.depth),
        limit: limit.unwrap_or(default.limit),
        edges: edges(direction, relations, min_confidence),
    }
}

/// Which edges are followed. The schema has checked the names.
fn edges(direction: Option<&str>, relations: &[String], min_confidence: Option<&str>) -> EdgeFilter {
    let default = EdgeFilter::default();
    EdgeFilter {
        direction: match direction {
            Some("outgoing") => Some(Direction::Outgoing),
            Some("incoming") => Some(Direction::Incoming),
            _ => None,
        },
        relations: relations_of(relations),
        min_confidence: confidence_of(min_confidence),
        ..default
    }
}

/// All of what code does, if none is named.
fn relations_of(names: &[String]) -> RelationSet {
    if names.is_empty() {
        return RelationSet::CODE;
    }
    Relation::ALL
        .iter()
        .copied()
        .filter(|relation| names.iter().any(|name| name == relation.as_str()))
        .collect()
}

fn confidence_of(name: Option<&str>) -> Confidence {
    let known = Confidence::ALL.into_iter().find(|confidence| Some(confidence.as_str()) == name);
    known.unwrap_or(Confidence::Ambiguous)
}

fn schema(value: Value) -> schemars::Schema {
    schemars::Schema::try_from(value).expect("an object is a schema")
}

fn relations_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let names: Vec<&str> = Relation::ALL.iter().map(|relation| relation.as_str()).collect();
    schema(json!({ "type": "array", "items": { "type": "string", "enum": names } }))
}

fn confidence_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let names: Vec<&str> = Confidence::ALL.iter().map(|confidence| confidence.as_str()).collect();
    schema(json!({ "type": "string", "enum": names }))
}

fn direction_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schema(json!({ "type": "string", "enum": ["outgoing", "incoming", "both"] }))
}

fn kinds_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let names: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
    schema(json!({ "type": "array", "items": { "type": "string", "enum": names } }))
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
        }
    }
}
