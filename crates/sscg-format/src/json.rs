//! Answers as JSON.

use std::collections::HashMap;

use serde_json::{Map, Value};
use sscg_core::Provenance;

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
        numbered(answer).to_string() + "\n"
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
    items(&mut value, "subgraph_edges").for_each(without_usual_provenance);
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

/// Parts of an answer that refer to nodes of its subgraph.
const REFERRING: [&str; 4] = ["subgraph_edges", "subgraph_order", "patterns", "unconnected"];

/// Returns a [compact] answer whose nodes have numbers: each is a row of `subgraph_nodes`, other parts have the 1-based
/// number of the row instead of the id, and the row of a result has the number of the result.
pub(crate) fn numbered(answer: &Answer) -> Value {
    let mut value = compact(answer);
    let results: HashMap<&str, usize> =
        answer.results.iter().map(|result| result.chunk_id.as_str()).zip(1..).collect();
    for (row, node) in items(&mut value, "subgraph_nodes").zip(&answer.subgraph_nodes) {
        if let Some(result) = results.get(node.id.as_str()) {
            row.shift_remove("id");
            row.shift_insert(0, "result".to_owned(), Value::from(*result));
        }
    }
    if answer.subgraph_edges.is_empty() && answer.unconnected.is_empty() {
        // Nothing refers to their rows.
        if let Some(Value::Array(rows)) = value.get_mut("subgraph_nodes") {
            rows.retain(|row| row.as_object().is_some_and(|fields| fields.len() > 1));
        }
    }
    let rows = answer.subgraph_nodes.iter().map(|node| node.id.as_str()).zip(1..).collect();
    number_nodes(&mut value, &rows, &REFERRING);
    prune(&mut value);
    value
}

/// Replaces a node's id by the number of its row in these parts.
pub(crate) fn number_nodes(value: &mut Value, rows: &HashMap<&str, usize>, parts: &[&str]) {
    fn each(value: &mut Value, rows: &HashMap<&str, usize>) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| each(item, rows)),
            Value::Object(fields) => fields.values_mut().for_each(|field| each(field, rows)),
            leaf => {
                if let Some(row) = leaf.as_str().and_then(|id| rows.get(id)) {
                    *leaf = Value::from(*row);
                }
            }
        }
    }
    for part in parts {
        if let Some(part) = value.get_mut(part) {
            each(part, rows);
        }
    }
}

/// Returns an answer about the graph without empty fields and without fields that ids contain: `file::name`.
pub(crate) fn compact_graph(answer: &GraphAnswer) -> Value {
    let mut value = serde_json::to_value(answer).expect("an answer has only string keys");
    for node in items(&mut value, "nodes") {
        node.retain(|key, _| key != "file" && key != "name");
    }
    items(&mut value, "edges").for_each(without_usual_provenance);
    prune(&mut value);
    value
}

/// Drops the provenance of nearly all edges.
fn without_usual_provenance(edge: &mut Map<String, Value>) {
    let is_usual =
        |value: &Value| [Provenance::Resolver, Provenance::Flow].iter().any(|it| *value == it.as_str());
    edge.retain(|key, value| key != "provenance" || !is_usual(value));
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
