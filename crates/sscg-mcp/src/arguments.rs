//! Validation of arguments against a schema. [`spelling`](crate::spelling) has corrected them before.

use rmcp::model::JsonObject;
use serde_json::Value;
use sscg::core::quoted;

use crate::failure::Failure;

/// Default maximum length of a string argument in characters; no name and no path is longer.
const MAX_CHARACTERS: u64 = 1_000;
/// Default maximum length of a list.
const MAX_ITEMS: u64 = 100;

/// Checks arguments against the schema that clients see, which describes a flat object. The error has the first problem
/// and the expected value.
pub(crate) fn check(schema: &JsonObject, arguments: &JsonObject) -> Result<(), Failure> {
    let none = JsonObject::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (name, value) in arguments {
        let Some(property) = known.get(name) else {
            let name: String = name.chars().take(100).collect();
            return Err(Failure::new(format!("there is no argument `{name}`"), takes(known, required)));
        };
        check_value(property, value).map_err(|problem| {
            let told = property.get("description").and_then(Value::as_str).unwrap_or("see the input schema");
            Failure::new(format!("`{name}` {problem}"), format!("`{name}`: {told}"))
        })?;
    }
    match required.iter().filter_map(Value::as_str).find(|name| !arguments.contains_key(*name)) {
        Some(missing) => Err(Failure::new(format!("`{missing}` is missing"), takes(known, required))),
        None => Ok(()),
    }
}

fn takes(known: &JsonObject, required: &[Value]) -> String {
    let name = |name: &String| {
        let needed = required.iter().any(|it| it == name);
        format!("{name}{}", if needed { " (required)" } else { "" })
    };
    match known.is_empty() {
        true => "it takes no arguments".to_owned(),
        false => format!("it takes {}", known.keys().map(name).collect::<Vec<_>>().join(", ")),
    }
}

/// Checks a value; the error completes a sentence that starts with the name of the argument.
fn check_value(schema: &Value, value: &Value) -> Result<(), String> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    let expected = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    match (expected, value) {
        ("string", Value::String(text)) => {
            let most = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(MAX_CHARACTERS);
            let count = text.chars().count() as u64;
            if schema.get("minLength").and_then(Value::as_u64).is_some_and(|least| count < least) {
                return Err("is empty".to_owned());
            }
            if count > most {
                return Err(format!("has {count} characters; at most {most} are read"));
            }
            match schema.get("enum").and_then(Value::as_array) {
                Some(known) if !known.contains(value) => {
                    let known: Vec<&str> = known.iter().filter_map(Value::as_str).collect();
                    Err(format!("cannot be {}; it is one of {}", quoted(text), known.join(", ")))
                }
                _ => Ok(()),
            }
        }
        ("integer" | "number", Value::Number(number)) => {
            let value = number.as_f64().unwrap_or(f64::NAN);
            if expected == "integer" && !(number.is_u64() || number.is_i64()) {
                return Err(format!("is {number}; it is a whole number"));
            }
            match (limit("minimum"), limit("maximum")) {
                (Some(least), _) if value < least => Err(format!("is {number}; it is at least {least}")),
                (_, Some(most)) if value > most => Err(format!("is {number}; it is at most {most}")),
                _ => Ok(()),
            }
        }
        ("array", Value::Array(items)) => {
            let most = schema.get("maxItems").and_then(Value::as_u64).unwrap_or(MAX_ITEMS);
            if items.len() as u64 > most {
                return Err(format!("has {} items; at most {most} are read", items.len()));
            }
            let of_items = schema.get("items").unwrap_or(&Value::Null);
            items.iter().enumerate().try_for_each(|(at, item)| {
                check_value(of_items, item).map_err(|problem| format!("at place {} {problem}", at + 1))
            })
        }
        ("boolean", Value::Bool(_)) => Ok(()),
        _ => Err(format!("is {}; it is {}", described(value), expectation(schema, expected))),
    }
}

fn described(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn expectation(schema: &Value, expected: &str) -> String {
    match expected {
        "string" => "a text".to_owned(),
        "integer" => "a whole number".to_owned(),
        "number" => "a number".to_owned(),
        "boolean" => "true or false".to_owned(),
        "array" => {
            let of = schema.pointer("/items/type").and_then(Value::as_str).unwrap_or_default();
            format!("a list, each item {}", expectation(&Value::Null, of))
        }
        _ => "something else".to_owned(),
    }
}
