//! `graph_expand`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::GraphQuery;

use super::super::common::{Around, Limits};
use super::{GraphData, answer};
use crate::failure::Failure;
use crate::tool::{Effect, Reply, Tool, ToolCall};

/// Neighborhood of several nodes.
pub(crate) struct GraphExpand;

/// Arguments of `graph_expand`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// Start nodes: `src/auth.py::Session.close`, `Session > close`, or the path of a file.
    #[schemars(length(min = 1), extend("examples" = [["Session > close"]]))]
    seeds: Vec<String>,
    #[serde(flatten)]
    around: Around,
    #[serde(flatten)]
    limits: Limits,
}

impl Tool for GraphExpand {
    const NAME: &'static str = "graph_expand";
    const TITLE: &'static str = "Expand from nodes";
    const DESCRIPTION: &'static str = "\
List the nodes within some steps of declarations or files in the code graph, with the edges between them. Use it after \
search_code, to see the connections of several results or what lies behind them; for one node use query_graph_neighborhood.
The answer lists nodes by distance with their signatures and lines, then the edges with relation and confidence. No source code.
Example: {\"seeds\": [\"Session > close\", \"src/pool.py\"], \"depth\": 1}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = GraphData;

    fn call(arguments: Arguments, call: &ToolCall) -> Result<Reply<GraphData>, Failure> {
        let Arguments { seeds, around, limits } = arguments;
        answer(limits, call, |config| GraphQuery::Expand { seeds, reach: around.reach(config) })
    }
}
