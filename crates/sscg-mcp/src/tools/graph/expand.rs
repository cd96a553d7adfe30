//! `graph_expand`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::{GraphQuery, SearchRequest};

use super::super::search_code::formats;
use super::{GraphData, Output, confidence_schema, direction_schema, reach, relations_schema};
use crate::content::MAX_TOKENS;
use crate::tool::{Call, Effect, Failure, Reply, Tool};

/// What is around some nodes.
pub(crate) struct GraphExpand;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The nodes to start from: `src/auth.py::Session.close`, `Session > close`, or the path of a file.
    #[schemars(length(min = 1), extend("examples" = [["Session > close"]]))]
    seeds: Vec<String>,
    /// At most this many steps, usually 2.
    #[schemars(range(min = 1, max = 20))]
    depth: Option<u32>,
    /// At most this many nodes, usually 50.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// `outgoing` from what uses to what is used, `incoming` the other way; both if left out.
    #[schemars(schema_with = "direction_schema")]
    #[serde(default)]
    direction: Option<String>,
    /// Follow only these relations; all of what code does if left out.
    #[schemars(schema_with = "relations_schema")]
    #[serde(default)]
    relations: Vec<String>,
    /// Follow only edges that are at least so sure.
    #[schemars(schema_with = "confidence_schema")]
    #[serde(default)]
    min_confidence: Option<String>,
    /// At most this many tokens in the answer, usually 8000. A budget above 25000 is refused.
    #[schemars(range(min = SearchRequest::MIN_BUDGET, max = MAX_TOKENS))]
    budget: Option<usize>,
    /// `text` to read, which is the default; `compact` and `verbose` are JSON, `toon` is tables.
    #[schemars(schema_with = "formats")]
    #[serde(default)]
    format: Option<String>,
    /// Which project, by its directory; needed only if the server has several.
    project: Option<String>,
}

impl Tool for GraphExpand {
    const NAME: &'static str = "graph_expand";
    const TITLE: &'static str = "Expand from nodes";
    const DESCRIPTION: &'static str = "\
Name what is within some steps of declarations or files in the code graph, with the edges between them. Use it after search_code, to see \
what several results have to do with each other or what lies behind them; for one node use query_graph_neighborhood.
The answer lists nodes by distance with their signatures and lines, then the edges with relation and confidence. No source code.
Example: {\"seeds\": [\"Session > close\", \"src/pool.py\"], \"depth\": 1}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = GraphData;

    fn call(arguments: Arguments, call: &Call) -> Result<Reply<GraphData>, Failure> {
        let Arguments { budget, format, project, .. } = &arguments;
        let output = Output { budget: *budget, format: format.clone(), project: project.clone() };
        let query = GraphQuery::Expand {
            seeds: arguments.seeds,
            reach: reach(
                arguments.depth,
                arguments.limit,
                arguments.direction.as_deref(),
                &arguments.relations,
                arguments.min_confidence.as_deref(),
            ),
        };
        output.answer(query, call)
    }
}
