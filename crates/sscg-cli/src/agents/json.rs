//! Servers in JSON, with comments and trailing commas allowed.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use super::{Entry, Field};

/// JSON with comments and trailing commas.
pub(super) const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses the whole text as a value; null if it is empty.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| error.to_string())?;
    Ok(root.to_serde_value().unwrap_or_default())
}

/// Returns the text with an additional property in the object at these keys.
pub(super) fn insert(text: &str, keys: &[&str], name: &str, entry: &Entry) -> Result<String, String> {
    let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| error.to_string())?;
    let mut object = root.object_value_or_create().ok_or("it holds something else than an object")?;
    for key in keys {
        let inner = object.object_value_or_create(key);
        object = inner.ok_or_else(|| format!("{key:?} is something else than an object"))?;
    }
    let fields = entry.iter().map(|(name, field)| ((*name).to_owned(), value(field)));
    object.append(name, CstInputValue::Object(fields.collect()));
    Ok(root.to_string())
}

/// Returns the text with other fields in a property of the object at these keys.
pub(super) fn update(text: &str, keys: &[&str], name: &str, fields: &Entry) -> Result<String, String> {
    let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| error.to_string())?;
    let mut path = keys.iter().copied().chain([name]);
    let object = path.try_fold(root.object_value().ok_or("it holds no object")?, |object, key| {
        object.object_value(key).ok_or_else(|| format!("{key:?} is something else than an object"))
    })?;
    for (name, field) in fields {
        match object.get(name) {
            Some(property) => property.set_value(value(field)),
            None => drop(object.append(name, value(field))),
        }
    }
    Ok(root.to_string())
}

/// Returns the text without a property of the object at these keys, and without enclosing objects that hold nothing
/// else, not even a comment.
pub(super) fn remove(text: &str, keys: &[&str], name: &str) -> Result<String, String> {
    let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| error.to_string())?;
    let path = keys.iter().try_fold(root.object_value(), |object, key| Some(object?.object_value(key)));
    if let Some(property) = path.flatten().and_then(|object| object.get(name)) {
        property.remove();
    }
    remove_empty(&root, keys);
    Ok(root.to_string())
}

/// Removes the innermost object or list at these keys, and the enclosing objects, as long as they hold nothing, not even a
/// comment.
pub(super) fn remove_empty(root: &CstRootNode, keys: &[&str]) {
    let mut objects: Vec<CstObject> = root.object_value().into_iter().collect();
    for key in keys {
        let Some(inner) = objects.last().and_then(|object| object.object_value(key)) else { break };
        objects.push(inner);
    }
    for (object, key) in objects.iter().zip(keys).rev() {
        let Some(property) = object.get(key) else { continue };
        let children = property.value().map_or_else(Vec::new, |value| value.children());
        if children.iter().any(|child| child.is_comment() || !child.is_trivia() && !child.is_token()) {
            break;
        }
        property.remove();
    }
}

fn value(field: &Field) -> CstInputValue {
    match field {
        Field::Text(text) => CstInputValue::String(text.clone()),
        Field::List(texts) => {
            CstInputValue::Array(texts.iter().map(|text| CstInputValue::String(text.clone())).collect())
        }
    }
}
