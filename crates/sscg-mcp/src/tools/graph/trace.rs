//! `graph_trace`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::graph::traverse::TraceOptions;
use sscg::{GraphQuery, SearchRequest};

use super::super::search_code::formats;
use super::{GraphData, Output, confidence_schema, edges, relations_schema};
use crate::content::MAX_TOKENS;
use crate::tool::{Call, Effect, Failure, Reply, Tool};

/// Which ways lead from one node to another.
pub(crate) struct GraphTrace;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// Where ways start: `src/auth.py::Session.close`, `Session > close`, or the path of a file.
    #[schemars(length(min = 1), extend("examples" = ["handle_request"]))]
    from: String,
    /// Where they end.
    #[schemars(length(min = 1), extend("examples" = ["Session > close"]))]
    to: String,
    /// At most this many steps, usually 5.
    #[schemars(range(min = 1, max = 20))]
    depth: Option<u32>,
    /// At most this many ways, usually 10.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// Follow edges against their direction, too.
    #[serde(default)]
    both_ways: bool,
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

impl Tool for GraphTrace {
    const NAME: &'static str = "graph_trace";
    const TITLE: &'static str = "Ways between two nodes";
    const DESCRIPTION: &'static str = "\
Find the shortest ways in the code graph from one declaration or file to another: how a handler comes to call that query, why this \
module depends on that one. For what is around a node use query_graph_neighborhood.
The answer gives each way step by step with relation, line and confidence, shortest first, or says that there is none.
Example: {\"from\": \"handle_request\", \"to\": \"Session > close\"}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = GraphData;

    fn call(arguments: Arguments, call: &Call) -> Result<Reply<GraphData>, Failure> {
        let default = TraceOptions::default();
        let Arguments { budget, format, project, .. } = &arguments;
        let output = Output { budget: *budget, format: format.clone(), project: project.clone() };
        let query = GraphQuery::Trace {
            from: arguments.from,
            to: arguments.to,
            max_depth: arguments.depth.unwrap_or(default.max_depth),
            max_paths: arguments.limit.unwrap_or(default.max_paths),
            edges: edges(
                Some(if arguments.both_ways { "both" } else { "outgoing" }),
                &arguments.relations,
                arguments.min_confidence.as_deref(),
            ),
        };
        output.answer(query, call)
    }
}
