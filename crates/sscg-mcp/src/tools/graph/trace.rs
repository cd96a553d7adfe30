//! `graph_trace`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::GraphQuery;
use sscg::graph::Direction;

use super::super::common::{Edges, Limits};
use super::{GraphData, answer};
use crate::failure::Failure;
use crate::tool::{Effect, Reply, Tool, ToolCall};

/// Paths from one node to another.
pub(crate) struct GraphTrace;

/// Arguments of `graph_trace`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// Start node: `src/auth.py::Session.close`, `Session > close`, or the path of a file.
    #[schemars(length(min = 1), extend("examples" = ["handle_request"]))]
    from: String,
    /// End node.
    #[schemars(length(min = 1), extend("examples" = ["Session > close"]))]
    to: String,
    /// Maximum path length (default 5).
    #[schemars(range(min = 1, max = 20))]
    depth: Option<u32>,
    /// Path limit (default 10).
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// Follow edges in both directions.
    #[serde(default)]
    both_ways: bool,
    #[serde(flatten)]
    edges: Edges,
    #[serde(flatten)]
    limits: Limits,
}

impl Tool for GraphTrace {
    const NAME: &'static str = "graph_trace";
    const TITLE: &'static str = "Paths between nodes";
    const DESCRIPTION: &'static str = "\
Find the shortest paths in the code graph from one declaration or file to another: how a handler comes to call that query, why \
this module depends on that one. For nearby nodes use query_graph_neighborhood.
The answer gives each path step by step with relation, line and confidence, shortest first, or notes that there is none.
Example: {\"from\": \"handle_request\", \"to\": \"Session > close\"}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = GraphData;

    fn call(arguments: Arguments, call: &ToolCall) -> Result<Reply<GraphData>, Failure> {
        answer(arguments.limits, call, |config| GraphQuery::Trace {
            from: arguments.from,
            to: arguments.to,
            max_depth: arguments.depth.unwrap_or(config.trace_depth),
            max_paths: arguments.limit.unwrap_or(config.trace_limit),
            edges: arguments.edges.filter((!arguments.both_ways).then_some(Direction::Outgoing)),
        })
    }
}
