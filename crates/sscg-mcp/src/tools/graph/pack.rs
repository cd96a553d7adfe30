//! `graph_pack`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::{GraphQuery, SearchRequest};

use super::super::search_code::formats;
use super::{GraphData, Output};
use crate::content::MAX_TOKENS;
use crate::tool::{Call, Effect, Failure, Reply, Tool};

/// So many are chosen if nobody says how many.
const COUNT: usize = 20;

/// Which of many nodes say most.
pub(crate) struct GraphPack;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// What to choose from: files, directories, globs or declarations. The whole project if left out.
    #[schemars(extend("examples" = [["src/net"]]))]
    #[serde(default)]
    nodes: Vec<String>,
    /// How many to choose, usually 20.
    #[schemars(range(min = 1, max = 200))]
    count: Option<usize>,
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
        let Arguments { budget, format, project, .. } = &arguments;
        let output = Output { budget: *budget, format: format.clone(), project: project.clone() };
        let query = GraphQuery::Pack { nodes: arguments.nodes, count: arguments.count.unwrap_or(COUNT) };
        output.answer(query, call)
    }
}
