//! Hand-written service maps and domain models; `docs/services.md` describes the format.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use sscg_core::Confidence;

use super::text::{Format, join, parse, strings, text_of};
use crate::{Entity, EntityReference, FactEvidence, Problem, Relationship, SchemaField, Service, Source};

/// Declared facts.
#[derive(Debug, Default)]
pub(super) struct Declared {
    pub(super) services: Vec<Service>,
    pub(super) libraries: Vec<Box<str>>,
    /// Contract files with the services that provide them.
    pub(super) contracts: Vec<(Box<str>, Box<str>)>,
    pub(super) entities: Vec<Entity>,
    pub(super) references: Vec<EntityReference>,
    pub(super) relationships: Vec<Relationship>,
}

const TOP: &[&str] = &["version", "project", "services", "libraries", "entities", "relationships"];
const SERVICE: &[&str] = &[
    "name",
    "root",
    "domain",
    "description",
    "stack",
    "estimated_loc",
    "hosts",
    "address_variables",
    "owns_entities",
    "provides_contracts",
];
const ENTITY: &[&str] = &["name", "description", "owning_service", "referenced_by", "fields"];
const FIELD: &[&str] = &["name", "type", "required", "description"];
const RELATIONSHIP: &[&str] =
    &["source", "target", "from", "to", "relationship_type", "type", "cardinality", "description"];

/// Reads one input into `declared`; earlier declarations take precedence.
pub(super) fn read(input: &str, text: &str, declared: &mut Declared, problems: &mut Vec<Problem>) {
    let format = Format::of(input).unwrap_or(match text.trim_start().starts_with('{') {
        true => Format::Json,
        false => Format::Yaml,
    });
    let document = match parse(format, text).as_deref() {
        Ok([document @ Value::Object(_), ..]) => document.clone(),
        Ok(_) => return problems.push(Problem::new(input, "is no table of services or entities")),
        Err(broken) => return problems.push(broken.problem(input)),
    };
    let mut reader = DeclarationReader { input, declared, problems, owners: BTreeMap::new() };
    reader.top(&document);
}

/// Reader of one input.
struct DeclarationReader<'r> {
    input: &'r str,
    declared: &'r mut Declared,
    problems: &'r mut Vec<Problem>,
    /// Owner of each entity, from the `owns_entities` of services.
    owners: BTreeMap<Box<str>, Box<str>>,
}

impl DeclarationReader<'_> {
    fn note(&mut self, message: impl Into<Box<str>>) {
        self.problems.push(Problem::new(self.input, message));
    }

    fn evidence(&self) -> FactEvidence {
        FactEvidence {
            confidence: Confidence::Exact,
            source: Source::Declared,
            file: self.input.into(),
            line: 0,
        }
    }

    fn top(&mut self, document: &Value) {
        self.keys("the file", document, TOP);
        let version = text_of(document, "version");
        if !matches!(&*version, "" | "1" | "1.0") {
            self.note(format!("version {version} is not known, 1 is; what looks like it is read"));
        }
        self.declared.libraries.extend(
            strings(document.get("libraries")).into_iter().filter_map(|root| join("", root)).map(Into::into),
        );
        let mut seen = Vec::new();
        for (name, service) in self.named("services", document) {
            self.repeated("service", &name, &mut seen);
            self.service(&name, &service);
        }
        seen.clear();
        for (name, entity) in self.named("entities", document) {
            self.repeated("entity", &name, &mut seen);
            self.entity(&name, &entity);
        }
        for (name, owner) in std::mem::take(&mut self.owners) {
            self.owned(name, owner);
        }
        match document.get("relationships") {
            None | Some(Value::Null) => {}
            Some(Value::Array(all)) => all.iter().for_each(|relationship| self.relationship(relationship)),
            Some(_) => self.note("`relationships` is no list; it is left out"),
        }
    }

    /// Returns the entries of a list of named items, or of a table keyed by name.
    fn named(&mut self, key: &str, document: &Value) -> Vec<(Box<str>, Value)> {
        let mut entries = Vec::new();
        match document.get(key) {
            None | Some(Value::Null) => {}
            Some(Value::Array(items)) => {
                for (at, item) in items.iter().enumerate() {
                    match item {
                        Value::String(name) if !name.is_empty() => {
                            entries.push((name.as_str().into(), Value::Object(Map::new())));
                        }
                        item => match text_of(item, "name") {
                            name if name.is_empty() => {
                                self.note(format!(
                                    "number {} of `{key}` has no name; it is left out",
                                    at + 1
                                ));
                            }
                            name => entries.push((name.into(), item.clone())),
                        },
                    }
                }
            }
            Some(Value::Object(table)) => {
                let entry = |(name, item): (&String, &Value)| (name.as_str().into(), item.clone());
                entries.extend(table.iter().map(entry));
            }
            Some(_) => self.note(format!("`{key}` is neither a list nor a table; it is left out")),
        }
        entries
    }

    fn repeated(&mut self, what: &str, name: &str, seen: &mut Vec<Box<str>>) {
        if seen.iter().any(|known| **known == *name) {
            self.note(format!(
                "{what} {name} is declared twice; the first is kept and completed by what the other adds"
            ));
        } else {
            seen.push(name.into());
        }
    }

    fn service(&mut self, name: &str, value: &Value) {
        self.keys(&format!("service {name}"), value, SERVICE);
        let root = value.get("root").and_then(Value::as_str);
        let root: Option<Option<Box<str>>> = root.map(|root| join("", root).map(Into::into));
        if root == Some(None) {
            self.note(format!("the root of {name} is not below the project's; it is left out"));
        }
        let root = root.flatten();
        let text = |key| text_of(value, key).trim().into();
        let texts = |key| strings(value.get(key)).into_iter().map(Into::into).collect();
        let service = Service {
            name: name.into(),
            root,
            domain: text("domain"),
            description: text("description"),
            stack: stack(value.get("stack")),
            estimated_loc: value
                .get("estimated_loc")
                .and_then(Value::as_u64)
                .map_or(0, |loc| u32::try_from(loc).unwrap_or(u32::MAX)),
            hosts: texts("hosts"),
            address_variables: texts("address_variables"),
            evidence: Some(self.evidence()),
        };
        for entity in strings(value.get("owns_entities")) {
            match self.owners.get(entity) {
                Some(owner) if **owner != *name => {
                    let owner = owner.clone();
                    self.note(format!("{owner} and {name} both own {entity}; {owner} keeps it"));
                }
                _ => drop(self.owners.insert(entity.into(), name.into())),
            }
        }
        let provided = strings(value.get("provides_contracts")).into_iter();
        self.declared.contracts.extend(provided.map(|file| (file.into(), name.into())));
        match self.declared.services.iter_mut().find(|known| *known.name == *name) {
            Some(known) => complete(known, service),
            None => self.declared.services.push(service),
        }
    }

    fn entity(&mut self, name: &str, value: &Value) {
        self.keys(&format!("entity {name}"), value, ENTITY);
        let fields = self.fields(name, value.get("fields"));
        let evidence = self.evidence();
        let service_of = |service: &str| EntityReference {
            service: service.into(),
            entity: name.into(),
            evidence: evidence.clone(),
        };
        self.declared.references.extend(strings(value.get("referenced_by")).into_iter().map(service_of));
        let entity = Entity {
            name: name.into(),
            description: text_of(value, "description").trim().into(),
            owning_service: text_of(value, "owning_service").into(),
            fields,
            symbol: None,
            evidence,
        };
        let Some(known) = self.declared.entities.iter_mut().find(|known| *known.name == *name) else {
            return self.declared.entities.push(entity);
        };
        fill(&mut known.description, entity.description);
        for field in entity.fields {
            if known.fields.iter().all(|it| it.name != field.name) {
                known.fields.push(field);
            }
        }
        self.owned(name.into(), entity.owning_service);
    }

    /// Records the owner of an entity, which need not be declared itself.
    fn owned(&mut self, name: Box<str>, owner: Box<str>) {
        let evidence = self.evidence();
        match self.declared.entities.iter_mut().find(|known| known.name == name) {
            Some(known) if known.owning_service.is_empty() => known.owning_service = owner,
            Some(known) if known.owning_service == owner || owner.is_empty() => {}
            Some(known) => {
                let kept = known.owning_service.clone();
                self.note(format!("{kept} and {owner} both own {name}; {kept} keeps it"));
            }
            None => self.declared.entities.push(Entity {
                name,
                description: Box::default(),
                owning_service: owner,
                fields: Vec::new(),
                symbol: None,
                evidence,
            }),
        }
    }

    /// Reads fields from a list of tables or names, or from a table of types.
    fn fields(&mut self, entity: &str, value: Option<&Value>) -> Vec<SchemaField> {
        match value {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(types)) => {
                let field = |(name, ty): (&String, &Value)| SchemaField {
                    name: name.as_str().into(),
                    ty: ty.as_str().map_or_else(|| text_of(ty, "type").into(), Into::into),
                    required: ty.get("required") == Some(&Value::Bool(true)),
                    description: text_of(ty, "description").into(),
                };
                types.iter().map(field).collect()
            }
            Some(Value::Array(items)) => items.iter().filter_map(|item| self.field(entity, item)).collect(),
            Some(_) => {
                self.note(format!(
                    "the fields of {entity} are neither a list nor a table; they are left out"
                ));
                Vec::new()
            }
        }
    }

    fn field(&mut self, entity: &str, value: &Value) -> Option<SchemaField> {
        if let Value::String(name) = value {
            return Some(SchemaField { name: name.as_str().into(), ..SchemaField::default() });
        }
        let name = text_of(value, "name");
        if name.is_empty() {
            self.note(format!("a field of {entity} has no name; it is left out"));
            return None;
        }
        self.keys(&format!("field {name} of {entity}"), value, FIELD);
        Some(SchemaField {
            name: name.into(),
            ty: text_of(value, "type").into(),
            required: value.get("required") == Some(&Value::Bool(true)),
            description: text_of(value, "description").into(),
        })
    }

    fn relationship(&mut self, value: &Value) {
        self.keys("a relationship", value, RELATIONSHIP);
        let either = |a, b| match text_of(value, a) {
            text if text.is_empty() => text_of(value, b),
            text => text,
        };
        let (from, to) = (either("source", "from"), either("target", "to"));
        if from.is_empty() || to.is_empty() {
            return self.note("a relationship lacks its `source` or its `target`; it is left out");
        }
        let relationship_type = either("relationship_type", "type").to_lowercase();
        let relationship = Relationship {
            from: from.into(),
            to: to.into(),
            relationship_type: if relationship_type.is_empty() {
                "references".into()
            } else {
                relationship_type.into()
            },
            cardinality: text_of(value, "cardinality").into(),
            evidence: self.evidence(),
        };
        if !self.declared.relationships.contains(&relationship) {
            self.declared.relationships.push(relationship);
        }
    }

    /// Reports unknown keys of a table, with the known key that was probably meant.
    fn keys(&mut self, of: &str, value: &Value, known: &[&str]) {
        for key in value.as_object().into_iter().flat_map(Map::keys) {
            if known.contains(&key.as_str()) {
                continue;
            }
            let meant = match nearest(key, known.iter().copied()) {
                Some(near) => format!("; did you mean `{near}`?"),
                None => format!("; known are {}", known.join(", ")),
            };
            self.note(format!("`{key}` of {of} is not known and left out{meant}"));
        }
    }
}

/// Returns the most similar name by Jaro-Winkler similarity, if any exceeds 0.8.
pub(super) fn nearest<'n>(name: &str, among: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let similarity = |known: &str| strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase());
    let all = among.into_iter().map(|known| (similarity(known), known));
    let best = all.filter(|(similarity, _)| *similarity > 0.8).max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, known)| known)
}

/// Completes a service with the facts of another source; known values are kept.
pub(super) fn complete(known: &mut Service, more: Service) {
    known.root = known.root.take().or(more.root);
    fill(&mut known.domain, more.domain);
    fill(&mut known.description, more.description);
    for (of, values) in more.stack {
        known.stack.entry(of).or_insert(values);
    }
    if known.estimated_loc == 0 {
        known.estimated_loc = more.estimated_loc;
    }
    known.hosts.extend(more.hosts);
    known.address_variables.extend(more.address_variables);
    known.evidence = known.evidence.take().or(more.evidence);
}

fn fill(known: &mut Box<str>, more: Box<str>) {
    if known.is_empty() {
        *known = more;
    }
}

/// Returns the technology stack of a service: a table by category, or names alone under `technologies`.
fn stack(value: Option<&Value>) -> BTreeMap<Box<str>, Vec<Box<str>>> {
    let texts = |value| {
        strings(Some(value)).into_iter().filter(|text| !text.is_empty()).map(Into::into).collect::<Vec<_>>()
    };
    match value {
        Some(Value::Object(table)) => {
            let entries = table.iter().map(|(of, value)| (of.as_str().into(), texts(value)));
            entries.filter(|(_, values)| !values.is_empty()).collect()
        }
        Some(value) if !texts(value).is_empty() => BTreeMap::from([("technologies".into(), texts(value))]),
        _ => BTreeMap::new(),
    }
}
