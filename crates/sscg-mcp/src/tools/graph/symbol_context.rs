//! `symbol_context`

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::common::Limits;
use super::super::search_code::reply;
use crate::content::SearchData;
use crate::failure::Failure;
use crate::tool::{Effect, Reply, Tool, ToolCall};

/// Declaration with its surroundings.
pub(crate) struct SymbolContext;

/// Arguments of `symbol_context`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// Declaration: `Session > close`, `close`, or with its file `src/auth.py > Session > close`.
    #[schemars(length(min = 1), extend("examples" = ["Session > close"]))]
    symbol: String,
    /// Call-tree depth around it (default 2); 0 means unlimited.
    #[schemars(range(min = 0, max = 100))]
    call_depth: Option<u32>,
    #[serde(flatten)]
    limits: Limits,
}

impl Tool for SymbolContext {
    const NAME: &'static str = "symbol_context";
    const TITLE: &'static str = "Declaration context";
    const DESCRIPTION: &'static str = "\
Show one declaration with its context: its source, members, types in and out, callees and callers over several steps, and its \
nearest neighbors in the graph. Use it when you know the name and are about to change or use the declaration; search_code with \
`symbol = ...` gives a shorter answer.
Example: {\"symbol\": \"Session > close\"}";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Output = SearchData;

    fn call(arguments: Arguments, call: &ToolCall) -> Result<Reply<SearchData>, Failure> {
        let project = call.project(arguments.limits.project.as_deref())?;
        let config = call.projects.settings(&project, &call.wait_policy())?;
        let mut request = arguments.limits.search(format!("symbol = {}", arguments.symbol), &config.search);
        request.call_depth = match arguments.call_depth {
            Some(0) => None,
            steps => steps.or(Some(2)),
        };
        request.ego_graph = request.ego_graph.max(1);
        let response = call.projects.search(&project, &request, &call.wait_policy())?;
        Ok(reply(&response, &request.format, "ask for it in words with search_code"))
    }
}
