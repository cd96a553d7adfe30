//! Answers as TOON: tables in place of lists of objects.

use serde_json::Value;

use crate::{Answer, GraphAnswer, Renderer, json};

/// Fields of [`Compact`](crate::Compact) as [TOON](https://toonformat.dev): each list of similar objects is a table
/// that names its columns once. In the subgraph, a node is referred to by its 1-based row number.
#[derive(Clone, Copy, Debug)]
pub struct Toon;

impl Renderer for Toon {
    fn name(&self) -> &'static str {
        "toon"
    }

    fn description(&self) -> &'static str {
        "what compact says in tables, in fewer tokens"
    }

    fn render(&self, answer: &Answer) -> String {
        encode(json::numbered(answer))
    }

    fn render_graph(&self, answer: &GraphAnswer) -> String {
        let mut value = json::compact_graph(answer);
        let rows = answer.nodes.iter().map(|node| node.id.as_str()).zip(1..).collect();
        json::number_nodes(&mut value, &rows, &["seeds", "edges", "paths"]);
        encode(value)
    }
}

fn encode(mut value: Value) -> String {
    even_rows(&mut value);
    let toon = toon_format::encode_default(&value).expect("JSON can be written as TOON");
    toon + "\n"
}

/// Gives all objects of a list of flat objects the same fields, so that it becomes a table.
fn even_rows(value: &mut Value) {
    let Value::Object(fields) = value else { return };
    for list in fields.values_mut().filter_map(Value::as_array_mut) {
        let is_plain = |item: &Value| {
            let plain = |field: &Value| !field.is_array() && !field.is_object();
            item.as_object().is_some_and(|fields| fields.values().all(plain))
        };
        if !list.iter().all(is_plain) {
            continue;
        }
        let mut keys: Vec<String> = Vec::new();
        for item in list.iter().filter_map(Value::as_object) {
            for key in item.keys().filter(|key| !keys.contains(*key)).cloned().collect::<Vec<_>>() {
                keys.push(key);
            }
        }
        for item in list.iter_mut().filter_map(Value::as_object_mut) {
            *item = keys.iter().map(|key| (key.clone(), item.remove(key).unwrap_or(Value::Null))).collect();
        }
    }
}
