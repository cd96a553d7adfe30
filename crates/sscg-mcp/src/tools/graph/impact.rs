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
    /// Declaration: `src/auth.py::Session.close`, `Session > close`, or the path of a file.
    #[schemars(length(min = 1), extend("examples" = ["Session > close"]))]
    symbol: String,
    /// Maximum depth in steps (default 3); 1 for direct uses only.
    #[schemars(range(min = 1, max = 20))]
    depth: Option<u32>,
    /// Result limit (default 100).
    #[schemars(range(min = 1, max = 1000))]
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
methods, tests. grep finds only equal names, and only one step.
The answer lists them with file and lines, nearest and most relevant first, marks tests, and counts unresolved uses of the name. \
For all lines that use it, without indirect effects, use look_up.
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
