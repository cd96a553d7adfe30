//! `graph_pack`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::GraphQuery;

use super::super::common::Limits;
use super::{GraphData, answer};
use crate::tool::{Call, Effect, Failure, Reply, Tool};

/// Which of many nodes say most.
pub(crate) struct GraphPack;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// What to choose from: files, directories, globs or declarations. The whole project if left out.
    #[schemars(extend("examples" = [["src/net"]]))]
    #[serde(default)]
    nodes: Vec<String>,
    /// How many to choose, usually 20.
    #[schemars(range(min = 1, max = 200))]
    count: Option<usize>,
    #[serde(flatten)]
    limits: Limits,
}

impl Tool for GraphPack {
    const NAME: &'static str = "graph_pack";
    const TITLE: &'static str = "Most telling declarations";
    const DESCRIPTION: &'static str = "\
Choose the few declarations that say most about a part of the code, or about all of it: those that much depends on. Use it to get to \
know an unfamiliar project or directory before asking anything in particular.
The answer lists them with signatures, lines and why each was chosen, then how they are tied.
Example: {\"nodes\": [\"src/net\"], \"count\": 15}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = GraphData;

    fn call(arguments: Arguments, call: &Call) -> Result<Reply<GraphData>, Failure> {
        let count = arguments.count.unwrap_or(GraphQuery::PACK_COUNT);
        let query = GraphQuery::Pack { nodes: arguments.nodes, count };
        answer(query, arguments.limits, call)
    }
}
