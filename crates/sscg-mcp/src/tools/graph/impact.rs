//! `impact`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::GraphQuery;
use sscg::graph::traverse::ImpactOptions;

use super::super::common::{Edges, Limits};
use super::{GraphData, answer};
use crate::tool::{Call, Effect, Failure, Reply, Tool};

/// What a change of a declaration may affect.
pub(crate) struct Impact;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// The declaration: `src/auth.py::Session.close`, `Session > close`, or the path of a file.
    #[schemars(length(min = 1), extend("examples" = ["Session > close"]))]
    symbol: String,
    /// At most this many steps; 1 for what uses it directly, usually 3.
    #[schemars(range(min = 1, max = 20))]
    depth: Option<u32>,
    /// At most this many, usually 100.
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
Tell what a change of a declaration may affect, before you change it: its callers and theirs, subclasses, overriding methods, tests. grep \
finds only equal names, and only one step.
The answer lists them nearest and surest first with file and lines, marks tests, and says how many uses of the name could not be \
tied to any declaration. For all lines that use it, without what they lead to, use look_up.
Example: {\"symbol\": \"Session > close\"}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = GraphData;

    fn call(arguments: Arguments, call: &Call) -> Result<Reply<GraphData>, Failure> {
        let default = ImpactOptions::default();
        let query = GraphQuery::Impact {
            symbol: arguments.symbol,
            options: ImpactOptions {
                depth: arguments.depth.unwrap_or(default.depth),
                limit: arguments.limit.unwrap_or(default.limit),
                relations: arguments.edges.relations(),
                min_confidence: arguments.edges.min_confidence(),
            },
        };
        answer(query, arguments.limits, call)
    }
}
