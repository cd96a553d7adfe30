//! `symbol_context`

use schemars::JsonSchema;
use serde::Deserialize;
use sscg::SearchRequest;

use super::super::common::Limits;
use super::super::search_code::reply;
use crate::content::SearchData;
use crate::tool::{Call, Effect, Failure, Reply, Tool};

/// All about one declaration.
pub(crate) struct SymbolContext;

/// What it takes.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// The declaration: `Session > close`, `close`, or with its file `src/auth.py > Session > close`.
    #[schemars(length(min = 1), extend("examples" = ["Session > close"]))]
    symbol: String,
    /// Follow calls so many steps from it, and to it, usually 2; 0 to their ends.
    #[schemars(range(min = 0, max = 100))]
    call_depth: Option<u32>,
    #[serde(flatten)]
    limits: Limits,
}

impl Tool for SymbolContext {
    const NAME: &'static str = "symbol_context";
    const TITLE: &'static str = "All about a declaration";
    const DESCRIPTION: &'static str = "\
Show one declaration with all that is around it: its source, members, types in and out, what it calls and what calls it over \
several steps, and its nearest neighbours in the graph. Use it when you know the name and are about to change or use it; \
search_code with `symbol = ...` is the shorter answer.
Example: {\"symbol\": \"Session > close\"}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = SearchData;

    fn call(arguments: Arguments, call: &Call) -> Result<Reply<SearchData>, Failure> {
        let project = call.project(arguments.limits.project.as_deref())?;
        let config = call.projects.settings(&project, &call.patience())?;
        let defaults = arguments.limits.search(format!("symbol = {}", arguments.symbol), &config);
        let request = SearchRequest {
            call_depth: match arguments.call_depth {
                Some(0) => None,
                steps => steps.or(Some(2)),
            },
            ego_graph: defaults.ego_graph.max(1),
            ..defaults
        };
        let response = call.projects.search(&project, &request, &call.patience())?;
        Ok(reply(&response, &request.format, "ask for it in words with search_code"))
    }
}
