//! `query_graph_neighborhood`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::GraphQuery;
use sscg::core::SymbolKind;

use super::super::common::{Around, Limits, some_of};
use super::{GraphData, answer};
use crate::failure::Failure;
use crate::tool::{Effect, Reply, Tool, ToolCall};

/// Neighborhood of one node.
pub(crate) struct QueryGraphNeighborhood;

/// Arguments of `query_graph_neighborhood`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// Center node: `src/auth.py::Session.close`, `Session > close`, or the path of a file.
    #[schemars(length(min = 1), extend("examples" = ["Session > close"]))]
    node: String,
    /// Only declarations of these kinds.
    #[schemars(schema_with = "kinds")]
    #[serde(default)]
    kinds: Vec<String>,
    #[serde(flatten)]
    around: Around,
    #[serde(flatten)]
    limits: Limits,
}

fn kinds(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    some_of(SymbolKind::ALL.iter().map(|kind| kind.as_str()))
}

impl Tool for QueryGraphNeighborhood {
    const NAME: &'static str = "query_graph_neighborhood";
    const TITLE: &'static str = "Neighborhood of a node";
    const DESCRIPTION: &'static str = "\
List the nodes within some steps of one declaration or file: what it calls, extends, imports or reads, and the reverse. Use it \
for questions such as who calls this, or which classes are near that; for source code use search_code.
The answer lists nodes by distance with their signatures and lines, then the edges with relation and confidence.
Example: {\"node\": \"Session > close\", \"direction\": \"incoming\", \"depth\": 1}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = GraphData;

    fn call(arguments: Arguments, call: &ToolCall) -> Result<Reply<GraphData>, Failure> {
        answer(arguments.limits, call, |config| GraphQuery::Neighborhood {
            node: arguments.node,
            reach: arguments.around.reach(config),
            kinds: arguments.kinds.iter().filter_map(|name| name.parse().ok()).collect(),
        })
    }
}
