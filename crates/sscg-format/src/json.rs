//! Answers as JSON.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::{Answer, GraphAnswer, Renderer, ResultItem};

/// JSON with every field, indented.
#[derive(Clone, Copy, Debug)]
pub struct Verbose;

impl Renderer for Verbose {
    fn name(&self) -> &'static str {
        "verbose"
    }

    fn description(&self) -> &'static str {
        "JSON with every field"
    }

    fn render(&self, answer: &Answer) -> String {
        let json = serde_json::to_string_pretty(answer).expect("an answer has only string keys");
        json + "\n"
    }

    fn render_graph(&self, answer: &GraphAnswer) -> String {
        let json = serde_json::to_string_pretty(answer).expect("an answer has only string keys");
        json + "\n"
    }
}

/// JSON on one line, without empty or redundant fields.
#[derive(Clone, Copy, Debug)]
pub struct Compact;

impl Renderer for Compact {
    fn name(&self) -> &'static str {
        "compact"
    }

    fn description(&self) -> &'static str {
        "JSON on one line, without empty or redundant fields"
    }

    fn render(&self, answer: &Answer) -> String {
        let mut value = compact(answer);
        drop_results(&mut value, answer);
        value.to_string() + "\n"
    }

    fn render_graph(&self, answer: &GraphAnswer) -> String {
        compact_graph(answer).to_string() + "\n"
    }
}

/// Fields that a `chunk_id` contains: `file:lines:kind:name`.
const SAID_BY_ID: [&str; 3] = ["file", "lines", "kind"];

/// Details that a result's `graph` contains, too.
const SAID_BY_GRAPH: [&str; 5] = ["extends", "implements", "subtypes", "calls", "called_by"];

/// Returns an answer without empty or redundant fields.
pub(crate) fn compact(answer: &Answer) -> Value {
    let mut value = serde_json::to_value(answer).expect("an answer has only string keys");
    if let Value::Object(fields) = &mut value {
        // The code itself shows its style, and without edges the order has no meaning.
        fields.shift_remove("code");
        if answer.subgraph_edges.is_empty() {
            fields.shift_remove("subgraph_order");
        }
    }
    for node in items(&mut value, "subgraph_nodes") {
        node.retain(|key, _| !SAID_BY_ID.contains(&key.as_str()) && key != "name");
    }
    for (item, result) in items(&mut value, "results").zip(&answer.results) {
        item.retain(|key, _| {
            !SAID_BY_ID.contains(&key.as_str()) && key != "language" && key != "rank_sources"
        });
        if result.blended_score.is_none() {
            item.remove("score");
        }
        // `graph` lacks the calls of calls.
        let is_deep =
            result.details.calls.iter().chain(&result.details.called_by).any(|call| !call.calls.is_empty());
        if let Some(Value::Object(details)) = item.get_mut("details") {
            details.retain(|key, _| {
                let calls = key == "calls" || key == "called_by";
                !SAID_BY_GRAPH.contains(&key.as_str()) || (calls && is_deep)
            });
            for key in ["types_in", "types_out"] {
                let types = details.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten();
                types.filter_map(Value::as_object_mut).for_each(|ty| {
                    ty.remove("id");
                });
            }
        }
    }
    for (item, snapshot) in items(&mut value, "snapshots").zip(&answer.snapshots) {
        // The text of code starts with the path, and results have their lines.
        let is_trusted = |result: &ResultItem| result.trusted && snapshot.results.contains(&result.chunk_id);
        if answer.results.iter().any(is_trusted) {
            item.retain(|key, _| key == "text");
        }
    }
    prune(&mut value);
    value
}

/// Drops the nodes of a [compact] answer that are results and have no fields but their id.
pub(crate) fn drop_results(value: &mut Value, answer: &Answer) {
    if let Some(Value::Array(nodes)) = value.get_mut("subgraph_nodes") {
        let results: HashSet<&str> = answer.results.iter().map(|result| result.chunk_id.as_str()).collect();
        let is_result = |node: &Value| node["id"].as_str().is_some_and(|id| results.contains(id));
        nodes.retain(|node| !is_result(node) || node.as_object().is_some_and(|fields| fields.len() > 1));
    }
    prune(value);
}

/// Returns an answer about the graph without empty fields and without fields that ids contain: `file::name`.
pub(crate) fn compact_graph(answer: &GraphAnswer) -> Value {
    let mut value = serde_json::to_value(answer).expect("an answer has only string keys");
    for node in items(&mut value, "nodes") {
        node.retain(|key, _| key != "file" && key != "name");
    }
    prune(&mut value);
    value
}

/// Returns the objects in a list of an object.
fn items<'a>(value: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    value.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Counts that are dropped if they are zero.
const COUNTS: [&str; 4] = ["omitted", "omitted_results", "omitted_boundary_edges", "pending"];

/// Drops empty strings, lists and objects, and some counts of zero.
fn prune(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(prune);
            fields.retain(|key, value| {
                let is_zero = COUNTS.contains(&key.as_str()) && value.as_u64() == Some(0);
                says_something(value) && !is_zero
            });
        }
        Value::Array(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Number(_) | Value::Bool(_) => true,
    }
}
