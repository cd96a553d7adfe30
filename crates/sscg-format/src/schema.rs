//! JSON schemas of answers.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use crate::{Answer, GRAPH_SCHEMA_VERSION, GraphAnswer, SCHEMA_VERSION};

/// Returns the JSON schema (draft 2020-12) of an [`Answer`] in the `verbose` format, as indented JSON. `compact` leaves
/// fields out.
pub fn schema() -> String {
    of::<Answer>(format!("SSCG answer, version {SCHEMA_VERSION}"))
}

/// Returns the JSON schema of a [`GraphAnswer`], like [`schema`].
pub fn graph_schema() -> String {
    of::<GraphAnswer>(format!("SSCG answer about the graph, version {GRAPH_SCHEMA_VERSION}"))
}

fn of<T: JsonSchema>(title: String) -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    serde_json::to_string_pretty(&schema.to_value()).expect("a schema is JSON")
}
