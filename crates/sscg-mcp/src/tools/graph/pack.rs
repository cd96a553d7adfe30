//! `graph_pack`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::GraphQuery;

use super::super::common::Limits;
use super::{GraphData, answer};
use crate::failure::Failure;
use crate::tool::{Effect, Reply, Tool, ToolCall};

/// Most informative of many nodes.
pub(crate) struct GraphPack;

/// Arguments of `graph_pack`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// Candidates: files, directories, globs or declarations. Defaults to the whole project.
    #[schemars(extend("examples" = [["src/net"]]))]
    #[serde(default)]
    nodes: Vec<String>,
    /// Number to choose (default 20).
    #[schemars(range(min = 1, max = 200))]
    count: Option<usize>,
    #[serde(flatten)]
    limits: Limits,
}

impl Tool for GraphPack {
    const NAME: &'static str = "graph_pack";
    const TITLE: &'static str = "Key declarations";
    const DESCRIPTION: &'static str = "\
Choose the few most informative declarations of a part of the code, or of all of it: those that much depends on. Use it to get to \
know an unfamiliar project or directory before specific questions.
The answer lists them with signatures, lines and the reason for each, then their connections.
Example: {\"nodes\": [\"src/net\"], \"count\": 15}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = GraphData;

    fn call(arguments: Arguments, call: &ToolCall) -> Result<Reply<GraphData>, Failure> {
        answer(arguments.limits, call, |config| GraphQuery::Pack {
            nodes: arguments.nodes,
            count: arguments.count.unwrap_or(config.pack_count),
        })
    }
}
