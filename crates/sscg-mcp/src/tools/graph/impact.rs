//! `impact`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::GraphQuery;

use super::super::common::{Edges, Limits};
use super::{GraphData, answer};
use crate::failure::Failure;
use crate::tool::{Effect, Reply, Tool, ToolCall};

/// Impact of a change of a declaration.
pub(crate) struct Impact;

/// Arguments of `impact`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// Declaration, or the path of a file.
    #[schemars(length(min = 1))]
    symbol: String,
    /// Maximum steps (default 3).
    #[schemars(range(min = 1, max = 20))]
    depth: Option<u32>,
    /// Result limit (default 100).
    #[schemars(range(min = 1, max = 1000), extend("x-rare" = true))]
    limit: Option<usize>,
    #[serde(flatten)]
    edges: Edges,
    #[serde(flatten)]
    limits: Limits,
}

impl Tool for Impact {
    const NAME: &'static str = "impact";
    const TITLE: &'static str = "Impact of a change";
    const DESCRIPTION: &'static str = "\
List the code that a change of a declaration may affect, before you change it: its callers and theirs, subclasses, overriding \
methods, tests, nearest first. For its own uses alone, look_up lists every line.
Example: {\"symbol\": \"Session > close\"}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = GraphData;

    fn call(arguments: Arguments, call: &ToolCall) -> Result<Reply<GraphData>, Failure> {
        let Arguments { symbol, depth, limit, edges, limits } = arguments;
        answer(limits, call, |config| GraphQuery::Impact {
            symbol,
            options: config
                .impact()
                .with_depth(depth.unwrap_or(config.impact_depth))
                .with_limit(limit.unwrap_or(config.impact_limit))
                .with_relations(edges.relations())
                .with_min_confidence(edges.min_confidence()),
        })
    }
}
