//! Arguments as models write them, corrected to a schema.
//!
//! Models guess names (`max_tokens` for `budget`, `filePath` for `path`) and types (a text for a list). A call that leaves
//! no doubt is answered; the rest is left for [`check`](crate::arguments::check), which says what is wrong.

use rmcp::model::JsonObject;
use serde_json::Value;

/// Names of arguments that mean the same. A name that a tool has itself is never replaced, and of several groups with a
/// name the first counts that has an argument of the tool.
const SYNONYMS: &[&[&str]] = &[
    &["query", "question", "q", "prompt", "search_query", "query_text", "search", "input", "text"],
    &["path", "file", "file_path", "filename", "directory", "dir", "folder", "include", "glob"],
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
    &["names", "symbol", "target", "function", "declaration", "identifier", "text", "query"],
    &["symbol", "name", "symbol_name", "function", "declaration", "target"],
    &["seeds", "symbol", "name", "node", "start"],
    &["node", "node_id", "symbol", "name", "center"],
    &["from", "source", "start"],
    &["to", "target", "destination", "end"],
    &["depth", "max_depth", "radius", "hops", "steps"],
    &["format", "output_format", "response_format", "output"],
    &["mode", "operation", "action"],
    &["kinds", "type"],
    &["more", "ids", "result_ids", "chunk_ids", "follow_up", "expand"],
];

/// Other names of `query` whose value is the name of a declaration.
const DECLARATIONS: &[&str] = &["symbol", "name", "symbol_name", "function", "declaration"];

/// Arguments whose items may be any text, so that a text with commas is one item.
const TEXTS: &[&str] = &["names"];

/// Names of objects that some models put all arguments into.
const WRAPPERS: &[&str] = &["arguments", "args", "input", "params", "parameters"];

/// Corrects arguments: names that can only mean one argument of the schema; a text for a number, a boolean or a list, a
/// number for a text, `5.0` for 5, a single item or a text with commas for a list; another case of a listed value; all
/// arguments in an object; and `null` for an absent optional argument.
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
    // Of several other names for one argument, the first counts; a second one is refused.
    for (name, value) in others {
        let (meant, value) = match look_up(known, &name, &value) {
            Some(query) => (Some("query"), query),
            None => (meant(known, &name), value),
        };
        let meant = meant.filter(|meant| !corrected.contains_key(*meant));
        corrected.insert(meant.map_or(name, str::to_owned), value);
    }
    // Code by id needs no question, although schemas require one: a call without either is a mistake.
    if known.contains_key("more") && corrected.contains_key("more") {
        corrected.entry("query".to_owned()).or_insert_with(|| "code by id".into());
    }
    for (name, value) in &mut corrected {
        if let Some(property) = known.get(name) {
            *value = of_type(property, value.take(), !TEXTS.contains(&name.as_str()));
        }
    }
    corrected
}

/// Returns the query that looks up a declaration, for a tool with queries that got the name of one.
fn look_up(known: &JsonObject, name: &str, value: &Value) -> Option<Value> {
    let is_name = DECLARATIONS.iter().any(|other| plain(other) == plain(name));
    let declaration = value.as_str().filter(|_| is_name && known.contains_key("query"))?;
    Some(Value::String(format!("symbol = {declaration}")))
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

/// Converts a value to the type of a property where that can be meant; returns other values unchanged. With `has_commas`,
/// they separate the items of a list that is a text.
fn of_type(property: &Value, value: Value, has_commas: bool) -> Value {
    let expected = property.get("type").and_then(Value::as_str).unwrap_or_default();
    match (expected, value) {
        ("string", Value::String(text)) => Value::String(listed(property, text)),
        ("string", Value::Number(number)) => Value::String(number.to_string()),
        ("string", Value::Array(items)) => joined(property, items),
        ("integer" | "number" | "boolean", Value::String(text)) => {
            // `True` is true, and `8,000` is 8000.
            let lower = text.trim().to_lowercase();
            let plain = if expected == "integer" { without_groups(&lower) } else { lower };
            let read = serde_json::from_str(&plain).ok();
            let read = read.filter(|read: &Value| read.is_number() || read.is_boolean());
            read.map_or(Value::String(text), |read| of_type(property, read, has_commas))
        }
        ("integer", number @ Value::Number(_)) => whole(number),
        ("array", Value::String(text)) => {
            let items = items_of(&text, has_commas).unwrap_or_else(|| vec![Value::String(text)]);
            of_type(property, Value::Array(items), has_commas)
        }
        ("array", Value::Array(items)) => {
            let of_items = property.get("items").unwrap_or(&Value::Null);
            Value::Array(items.into_iter().map(|item| of_type(of_items, item, has_commas)).collect())
        }
        (_, value) => value,
    }
}

/// Removes the separators between groups of three digits: `8,000` and `8_000` are 8000. Returns other texts unchanged.
fn without_groups(text: &str) -> String {
    let (first, rest) = text.split_once([',', '_']).unwrap_or((text, ""));
    let is_grouped = first.len() <= 3 && rest.split([',', '_']).all(|group| group.len() == 3);
    if is_grouped { text.replace([',', '_'], "") } else { text.to_owned() }
}

/// Returns the listed value that a text means in another case or with other separators, or the text itself.
fn listed(property: &Value, text: String) -> String {
    let mut values =
        property.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let form = text.trim().to_lowercase().replace(['-', ' '], "_");
    values.find(|value| *value == form).map_or(text, str::to_owned)
}

/// Returns the items of a list that was written as a text: JSON, or names and paths between commas.
fn items_of(text: &str, has_commas: bool) -> Option<Vec<Value>> {
    if let Ok(Value::Array(items)) = serde_json::from_str(text.trim()) {
        return items.iter().all(Value::is_string).then_some(items);
    }
    let is_name = |part: &&str| {
        let mut chars = part.chars();
        !part.is_empty() && chars.all(|char| char.is_alphanumeric() || "_-./*:".contains(char))
    };
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let is_list = has_commas && parts.len() > 1 && parts.iter().all(is_name);
    is_list.then(|| parts.into_iter().map(Value::from).collect())
}

/// Returns the text that a list means for an argument that is one text: its only item, or all of them where commas separate
/// items. Returns other lists unchanged.
fn joined(property: &Value, items: Vec<Value>) -> Value {
    let about = property.get("description").and_then(Value::as_str).unwrap_or_default();
    let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    match texts.as_deref() {
        Some([only]) => Value::String((*only).to_owned()),
        Some(texts) if about.starts_with("Comma-separated") && !texts.is_empty() => texts.join(",").into(),
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
