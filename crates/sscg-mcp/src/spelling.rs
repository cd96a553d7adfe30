//! Arguments as models write them, corrected to a schema.
//!
//! Models guess names (`max_tokens` for `budget`, `filePath` for `path`) and types (a text for a list). A call that leaves
//! no doubt is answered; the rest is left for [`check`](crate::arguments::check), which says what is wrong.

use rmcp::model::JsonObject;
use serde_json::Value;

/// Names of arguments that mean the same. A name that a tool has itself is never replaced, and of several groups with a
/// name the first counts that has an argument of the tool.
const SYNONYMS: &[&[&str]] = &[
    &["query", "question", "q", "prompt", "search_query", "query_text", "search", "input", "text", "pattern"],
    &["path", "file", "file_path", "filename", "directory", "dir", "folder", "include", "glob", "scope"],
    &["language", "lang"],
    &["budget", "max_tokens", "tokens", "token_budget", "token_limit", "max_output_tokens"],
    &["limit", "max_results", "top_k", "k", "n", "n_results", "num_results", "count", "max_nodes"],
    &["terms", "keywords", "hints", "identifiers", "guesses"],
    &[
        "project",
        "project_name",
        "repo",
        "repository",
        "root",
        "workspace",
        "project_path",
        "repo_path",
        "cwd",
    ],
    &["names", "symbol", "target", "function", "declaration", "identifier", "text", "pattern", "query"],
    &["symbol", "name", "symbol_name", "function", "declaration", "target"],
    &["seeds", "symbol", "name", "node", "start"],
    &["node", "node_id", "symbol", "name", "center"],
    &["from", "source", "start"],
    &["to", "target", "destination", "end"],
    &["depth", "max_depth", "radius", "hops", "steps"],
    &["format", "output_format", "response_format", "output"],
    &["mode", "kind", "type", "operation", "action"],
    &["query", "symbol", "name", "function", "declaration"],
];

/// Names of objects that some models put all arguments into.
const WRAPPERS: &[&str] = &["arguments", "args", "input", "params", "parameters"];

/// Corrects arguments: names that can only mean one argument of the schema; a text for a number, a boolean or a list, a
/// number for a text, `5.0` for 5, a single item or a text with commas for a list; another case of a listed value; all arguments in an
/// object; and `null` for an absent optional argument.
pub(crate) fn corrected(schema: &JsonObject, arguments: JsonObject) -> JsonObject {
    let none = JsonObject::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_needed = |name: &str| required.iter().any(|it| it == name);
    let mut corrected = JsonObject::new();
    let mut others = JsonObject::new();
    for (name, value) in unwrapped(known, arguments) {
        if value.is_null() && !is_needed(&name) {
            continue;
        }
        let into = if known.contains_key(&name) { &mut corrected } else { &mut others };
        into.insert(name, value);
    }
    // Of several other names for one argument, the first counts; the next has its error.
    for (name, value) in others {
        let meant = meant(known, &name).filter(|meant| !corrected.contains_key(*meant));
        corrected.insert(meant.map_or(name, str::to_owned), value);
    }
    for (name, value) in &mut corrected {
        if let Some(property) = known.get(name) {
            *value = of_type(property, value.take());
        }
    }
    corrected
}

/// Returns the arguments in an object that is the only argument and that the schema does not have.
fn unwrapped(known: &JsonObject, arguments: JsonObject) -> JsonObject {
    let is_wrapper = |name: &String| WRAPPERS.contains(&name.as_str()) && !known.contains_key(name);
    match arguments.iter().next() {
        Some((name, Value::Object(inner))) if arguments.len() == 1 && is_wrapper(name) => inner.clone(),
        _ => arguments,
    }
}

/// Returns the argument of the schema that another name means, if any: the same name in another notation, or the first
/// of its synonyms that the schema has.
fn meant<'s>(known: &'s JsonObject, name: &str) -> Option<&'s str> {
    let named = |form: &str| known.keys().find(|key| plain(key) == form).map(String::as_str);
    let form = plain(name);
    named(&form).or_else(|| {
        let groups = SYNONYMS.iter().filter(|group| group.iter().any(|synonym| plain(synonym) == form));
        groups.copied().flatten().find_map(|synonym| named(&plain(synonym)))
    })
}

/// Returns a name without case, separators and plural: `filePaths` and `file_path` are `filepath`.
fn plain(name: &str) -> String {
    let name: String = name.chars().take(100).filter(|char| char.is_alphanumeric()).collect();
    let name = name.to_lowercase();
    match name.strip_suffix('s') {
        Some(singular) if !singular.is_empty() && !singular.ends_with('s') => singular.to_owned(),
        _ => name,
    }
}

/// Converts a value to the type of a property where that can be meant; returns other values unchanged.
fn of_type(property: &Value, value: Value) -> Value {
    let expected = property.get("type").and_then(Value::as_str).unwrap_or_default();
    match (expected, value) {
        ("string", Value::String(text)) => Value::String(listed(property, text)),
        ("string", Value::Number(number)) => Value::String(number.to_string()),
        ("string", Value::Array(items)) => match <[Value; 1]>::try_from(items) {
            Ok([only]) => of_type(property, only),
            Err(items) => joined(items),
        },
        ("integer" | "number" | "boolean", Value::String(text)) => {
            // `True` is true, and `8,000` is 8000.
            let mut plain = text.trim().to_lowercase();
            if expected == "integer" {
                plain.retain(|char| !matches!(char, ',' | '_'));
            }
            let read = serde_json::from_str(&plain).ok();
            let read = read.filter(|read: &Value| read.is_number() || read.is_boolean());
            let Some(read) = read else { return Value::String(text) };
            of_type(property, read)
        }
        ("integer", number @ Value::Number(_)) => whole(number),
        ("array", Value::String(text)) => {
            let items = items_of(&text).unwrap_or_else(|| vec![Value::String(text)]);
            of_type(property, Value::Array(items))
        }
        ("array", Value::Array(items)) => {
            let of_items = property.get("items").unwrap_or(&Value::Null);
            Value::Array(items.into_iter().map(|item| of_type(of_items, item)).collect())
        }
        (_, value) => value,
    }
}

/// Returns the listed value that a text means in another case or notation, or the text itself.
fn listed(property: &Value, text: String) -> String {
    let values = property.get("enum").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let form = plain(&text);
    let mut values = values.iter().filter_map(Value::as_str);
    let exact = values.clone().any(|value| value == text);
    match values.find(|value| !exact && plain(value) == form) {
        Some(meant) => meant.to_owned(),
        None => text,
    }
}

/// Returns the items of a list that was written as a text: JSON, or parts between commas or in lines. A text with brackets or
/// quotes may be a glob, a signature or code, so it is one item.
fn items_of(text: &str) -> Option<Vec<Value>> {
    if let Ok(Value::Array(items)) = serde_json::from_str(text.trim()) {
        return Some(items);
    }
    let is_plain = !text.contains(['(', ')', '[', ']', '{', '}', '<', '>', '"', '\'', '`', '=']);
    let parts: Vec<&str> = text.split([',', '\n']).map(str::trim).filter(|part| !part.is_empty()).collect();
    (is_plain && parts.len() > 1).then(|| parts.into_iter().map(Value::from).collect())
}

/// Joins texts of a list for an argument that is one text; returns other lists unchanged.
fn joined(items: Vec<Value>) -> Value {
    let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    match texts {
        Some(texts) if !texts.is_empty() => Value::String(texts.join(" ")),
        _ => Value::Array(items),
    }
}

/// Converts an integral float such as `5.0` to an integer; returns other values unchanged.
fn whole(value: Value) -> Value {
    let number = value.as_f64().filter(|number| value.is_f64() && number.fract() == 0.0);
    match number.filter(|number| (0.0..=f64::from(u32::MAX)).contains(number)) {
        Some(number) => Value::from(number as u64),
        None => value,
    }
}
