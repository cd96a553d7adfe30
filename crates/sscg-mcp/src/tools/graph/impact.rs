//! `impact`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::graph::traverse::ImpactOptions;
use sscg::{GraphQuery, SearchRequest};

use super::super::search_code::formats;
use super::{GraphData, Output, confidence_of, confidence_schema, relations_of, relations_schema};
use crate::content::MAX_TOKENS;
use crate::tool::{Call, Effect, Failure, Reply, Tool};

/// What a change of a declaration may affect.
pub(crate) struct Impact;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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

impl Tool for Impact {
    const NAME: &'static str = "impact";
    const TITLE: &'static str = "Impact of a change";
    const DESCRIPTION: &'static str = "\
Tell what a change of a declaration may affect, before you change it: its callers and theirs, subclasses, overriding methods, tests. grep \
finds only equal names, and only one step.
The answer lists them nearest and surest first with file and lines, marks tests, and says how many uses of the name could not be \
tied to any declaration: those grep can check.
Example: {\"symbol\": \"Session > close\"}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = GraphData;

    fn call(arguments: Arguments, call: &Call) -> Result<Reply<GraphData>, Failure> {
        let default = ImpactOptions::default();
        let Arguments { budget, format, project, .. } = &arguments;
        let output = Output { budget: *budget, format: format.clone(), project: project.clone() };
        let query = GraphQuery::Impact {
            symbol: arguments.symbol,
            options: ImpactOptions {
                depth: arguments.depth.unwrap_or(default.depth),
                limit: arguments.limit.unwrap_or(default.limit),
                relations: relations_of(&arguments.relations),
                min_confidence: confidence_of(arguments.min_confidence.as_deref()),
            },
        };
        output.answer(query, call)
    }
}
