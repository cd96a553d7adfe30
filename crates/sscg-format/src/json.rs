//! Answers as JSON.

use serde_json::{Map, Value};

use crate::{Answer, Renderer};

/// Every field, indented.
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
}

/// On one line, without empty fields and without what another field already says.
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
        let mut value = serde_json::to_value(answer).expect("an answer has only string keys");
        if let Value::Object(fields) = &mut value {
            // The nodes repeat what the results say of themselves.
            fields.remove("subgraph_nodes");
        }
        prune(&mut value);
        value.to_string() + "\n"
    }
}

/// Drops what says nothing: empty strings, lists and objects, counts of zero, certain confidence.
fn prune(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(prune);
            if fields.get("confidence").is_some_and(|confidence| confidence == "exact") {
                fields.remove("confidence");
            }
            if fields.get("candidates").is_some_and(|candidates| *candidates == 1) {
                fields.remove("candidates");
            }
            // `chunk_id` holds path, lines, kind and name.
            if fields.contains_key("chunk_id") {
                for part in ["path", "start_line", "end_line", "kind", "score", "language"] {
                    fields.remove(part);
                }
            }
            *fields = std::mem::take(fields)
                .into_iter()
                .filter(|(_, value)| says_something(value))
                .collect::<Map<_, _>>();
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
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Bool(_) => true,
    }
}
