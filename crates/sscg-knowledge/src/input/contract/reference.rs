//! Resolution of `$ref`, and the fields of the referenced schemas.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::input::text::{Tree, join, split, strings};
use crate::{Problem, SchemaField};

/// Maximum length of a chain of references; no real contract has longer ones.
const MAX_STEPS: usize = 32;

/// Reader of one contract and of the files that it references.
pub(super) struct ContractReader<'t, 'p> {
    tree: &'t Tree<'t>,
    /// File of the contract.
    pub(super) path: &'t str,
    problems: &'p mut Vec<Problem>,
}

/// Value in a file.
#[derive(Clone, Copy)]
pub(super) struct DocumentValue<'t> {
    pub(super) file: &'t str,
    pub(super) value: &'t Value,
}

impl<'t> DocumentValue<'t> {
    /// Returns the value under a key.
    pub(super) fn get(self, key: &str) -> Option<Self> {
        Some(Self { value: self.value.get(key)?, ..self })
    }

    /// Returns the entries of an object.
    pub(super) fn entries(self) -> impl Iterator<Item = (&'t str, DocumentValue<'t>)> {
        let entries = self.value.as_object().into_iter().flatten();
        entries.map(move |(key, value)| (key.as_str(), Self { value, ..self }))
    }

    /// Returns the items of a list, or the value itself if it is not a list.
    pub(super) fn items(self) -> impl Iterator<Item = DocumentValue<'t>> {
        let items = match self.value {
            Value::Array(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        items.iter().map(move |value| Self { value, ..self })
    }
}

impl<'t, 'p> ContractReader<'t, 'p> {
    pub(super) fn new(tree: &'t Tree<'t>, path: &'t str, problems: &'p mut Vec<Problem>) -> Self {
        Self { tree, path, problems }
    }

    /// Returns the text of the contract.
    pub(super) fn text(&self) -> &'t str {
        self.tree.text(self.path)
    }

    /// Returns the root of the contract.
    pub(super) fn root(&self, document: &'t Value) -> DocumentValue<'t> {
        DocumentValue { file: self.path, value: document }
    }

    /// Reports a problem with the contract, once.
    pub(super) fn note(&mut self, message: impl Into<Box<str>>) {
        let problem = Problem::new(self.path, message);
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Follows `$ref` to its final target; without `$ref` returns the place itself. `None` if the target is not in the
    /// tree.
    pub(super) fn resolve(&mut self, place: DocumentValue<'t>) -> Option<DocumentValue<'t>> {
        let mut here = place;
        let mut steps: Vec<*const Value> = Vec::new();
        while let Some(target) = here.value.get("$ref").and_then(Value::as_str) {
            if steps.contains(&std::ptr::from_ref(here.value)) || steps.len() == MAX_STEPS {
                self.note(format!("`$ref` goes round in a circle: {target}; what refers to it is left out"));
                return None;
            }
            steps.push(here.value);
            here = self.follow(here.file, target)?;
        }
        Some(here)
    }

    fn follow(&mut self, file: &'t str, target: &str) -> Option<DocumentValue<'t>> {
        let (other, pointer) = target.split_once('#').unwrap_or((target, ""));
        if other.contains("://") {
            return None;
        }
        let tree = self.tree;
        let file = match other {
            "" => file,
            other => {
                let path = join(split(file).0, other);
                match path.and_then(|path| tree.own_path(&path)) {
                    Some(path) => path,
                    None => {
                        self.note(format!("refers to {other}, which is not among the files that are read"));
                        return None;
                    }
                }
            }
        };
        let pointer = percent_decode_str(pointer).decode_utf8_lossy();
        let found = tree.value(file).and_then(|root| root.pointer(&pointer));
        if found.is_none() {
            self.note(format!("`$ref` leads to nothing: {target}"));
        }
        found.map(|value| DocumentValue { file, value })
    }

    /// Returns the fields of an object type: its properties and those of its `allOf` parts.
    pub(super) fn fields(&mut self, schema: DocumentValue<'t>) -> Vec<SchemaField> {
        let (mut fields, mut required) = (Vec::new(), Vec::new());
        self.collect(schema, &mut Vec::new(), &mut fields, &mut required);
        for name in required {
            match fields.iter_mut().find(|field| *field.name == *name) {
                Some(field) => field.required = true,
                None => {
                    fields.push(SchemaField { name: name.into(), required: true, ..SchemaField::default() })
                }
            }
        }
        fields
    }

    fn collect(
        &mut self,
        schema: DocumentValue<'t>,
        within: &mut Vec<*const Value>,
        fields: &mut Vec<SchemaField>,
        required: &mut Vec<&'t str>,
    ) {
        let Some(schema) = self.resolve(schema) else { return };
        if within.contains(&std::ptr::from_ref(schema.value)) {
            return self.note("a schema is made of itself by `allOf`; it is read once");
        }
        if within.len() == MAX_STEPS {
            return self.note("schemas are made of each other too deeply; the rest is left out");
        }
        within.push(schema.value);
        for part in schema.get("allOf").into_iter().flat_map(DocumentValue::items) {
            self.collect(part, within, fields, required);
        }
        for (name, property) in schema.get("properties").into_iter().flat_map(DocumentValue::entries) {
            let description = property.value.get("description").and_then(Value::as_str).unwrap_or_default();
            let field = SchemaField {
                name: name.into(),
                ty: type_name(property.value).into(),
                required: false,
                description: description.trim().into(),
            };
            match fields.iter_mut().find(|known| known.name == field.name) {
                Some(known) => *known = field,
                None => fields.push(field),
            }
        }
        required.extend(strings(schema.value.get("required")));
        within.pop();
    }
}

/// Returns the name of a schema where it is used: its type, or the last part of its `$ref`.
fn type_name(schema: &Value) -> Cow<'_, str> {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let name = target.rsplit(['/', '#']).find(|part| !part.is_empty()).unwrap_or_default();
        return name.split_once('.').map_or(name, |(stem, _)| stem).into();
    }
    let types: Vec<_> = strings(schema.get("type")).into_iter().filter(|ty| *ty != "null").collect();
    match types.as_slice() {
        ["array"] => match schema.get("items").map(type_name) {
            Some(item) if !item.is_empty() => format!("{item}[]").into(),
            _ => "array".into(),
        },
        [] => {
            let choices = ["allOf", "oneOf", "anyOf"].into_iter().find_map(|key| schema.get(key)?.as_array());
            let names =
                choices.into_iter().flatten().filter(|choice| choice.get("type") != Some(&"null".into()));
            let names: Vec<_> = names.map(type_name).filter(|name| !name.is_empty()).collect();
            names.join(" | ").into()
        }
        types => types.join(" | ").into(),
    }
}

/// Returns the data types of a contract with their fields, in document order.
pub(super) fn schemas<'t>(
    reader: &mut ContractReader<'t, '_>,
    place: Option<DocumentValue<'t>>,
) -> Vec<(Box<str>, Vec<SchemaField>)> {
    let all = place.into_iter().flat_map(DocumentValue::entries);
    all.map(|(name, schema)| (name.into(), reader.fields(schema))).collect()
}
