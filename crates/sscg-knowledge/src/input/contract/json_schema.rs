//! JSON Schema.

use serde_json::Value;

use super::about;
use super::reference::{ContractReader, schemas};
use crate::input::text::{split, text_of};
use crate::{Contract, ContractType};

const DRAFTS: [&str; 8] =
    ["draft-03", "draft-04", "draft-05", "draft-06", "draft-07", "2019-09", "2020-12", "org/schema"];

/// Reads a JSON Schema; `None` if the document is not one.
pub(super) fn read<'t>(reader: &mut ContractReader<'t, '_>, document: &'t Value) -> Option<Contract> {
    let keys = ["type", "properties", "allOf", "anyOf", "oneOf", "enum", "$defs", "definitions"];
    if !document.is_object() || !keys.iter().any(|key| document.get(key).is_some()) {
        return None;
    }
    let draft = text_of(document, "$schema");
    if draft.contains("json-schema.org") && !DRAFTS.iter().any(|known| draft.contains(known)) {
        reader.note(format!("draft {draft} of JSON Schema is not known; it is read like 2020-12"));
    }
    let mut contract = about(reader, document, ContractType::JsonSchema);
    let (_, name) = split(reader.path);
    let title = text_of(document, "title");
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let own_name = if title.is_empty() { stem } else { &*title };
    contract.title = title.as_ref().into();
    contract.version = text_of(document, "version").into();
    contract.hints.clear();
    let root = reader.root(document);
    contract.schemas = vec![(own_name.into(), reader.fields(root))];
    for definitions in ["$defs", "definitions"] {
        contract.schemas.extend(schemas(reader, root.get(definitions)));
    }
    Some(contract)
}
