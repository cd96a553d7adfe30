//! JSON schemas of arguments and data.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// Returns the schema of a type, inlined and reduced to the parts that inform an agent, which pays for each token.
pub(crate) fn schema_of<T: JsonSchema>() -> JsonObject {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = schema.to_value();
    clean(&mut schema);
    match schema {
        Value::Object(mut object) => {
            object.remove("title");
            object.remove("description");
            object
        }
        _ => unreachable!("a struct has an object as its schema"),
    }
}

/// Removes number formats, null and empty defaults, null types, and line breaks in descriptions.
fn clean(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            // An argument may have one of these names; its schema is an object and stays.
            let is_noise = |key: &str, value: &Value| match key {
                "format" => value.is_string(),
                "default" => value.is_null() || value.as_array().is_some_and(Vec::is_empty),
                _ => false,
            };
            fields.retain(|key, value| !is_noise(key, value));
            if let Some(Value::Array(types)) = fields.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    fields.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::String(told)) = fields.get_mut("description") {
                *told = told.replace('\n', " ");
            }
            fields.values_mut().for_each(clean);
        }
        Value::Array(items) => items.iter_mut().for_each(clean),
        _ => {}
    }
}
