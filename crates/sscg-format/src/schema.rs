//! The JSON schema of answers.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::{Answer, SCHEMA_VERSION};

/// The JSON schema (draft 2020-12) of the `verbose` format. `compact` leaves fields out.
pub fn schema() -> Value {
    let mut schema =
        SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Answer>();
    schema.insert("title".to_owned(), format!("SSCG answer, version {SCHEMA_VERSION}").into());
    schema.to_value()
}
