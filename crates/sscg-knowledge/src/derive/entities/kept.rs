//! Types that services store and return.

use rustc_hash::FxHashSet;

use sscg_core::{FileId, Slot, SymbolId, SymbolKind, Value};

use super::Types;
use super::data::Nature;
use super::written::{self, Holds};

/// Suffixes in names of types that only transfer data or that describe how a program works.
const PASSING: &[&str] = &[
    "Answer",
    "Args",
    "Body",
    "Cache",
    "Client",
    "Command",
    "Config",
    "Configuration",
    "Context",
    "Create",
    "Dto",
    "DTO",
    "Error",
    "Event",
    "Form",
    "Handler",
    "In",
    "Info",
    "Input",
    "Model",
    "Options",
    "Out",
    "Output",
    "Params",
    "Payload",
    "Props",
    "Query",
    "Read",
    "Reply",
    "Request",
    "Response",
    "Result",
    "Schema",
    "Settings",
    "State",
    "Stats",
    "Status",
    "Summary",
    "Update",
    "View",
];

impl<'a> Types<'a> {
    /// Returns the types whose objects a service keeps under keys or in lists of its state.
    pub(super) fn kept(&self, service: &str) -> Vec<SymbolId> {
        let project = self.code.project;
        let mut kept = Vec::new();
        for (file, _) in project.files().iter_enumerated() {
            if self.code.service_of(file) != Some(service) || self.code.is_test_file(file) {
                continue;
            }
            for symbol in project.symbols_of(file) {
                let declaration = project.symbol(symbol);
                let in_state = match (declaration.kind, project.parent(symbol)) {
                    (SymbolKind::Field, Some(owner)) => !self.is_data(service, owner),
                    (SymbolKind::Variable | SymbolKind::Constant, None) => true,
                    _ => continue,
                };
                let is_field = declaration.kind == SymbolKind::Field;
                let ty = written::of(&declaration.signature);
                let holds = written::holds(ty);
                // A list outside of any object is a table of constants.
                let is_kept = in_state && (holds == Holds::Keyed || is_field && holds == Holds::List);
                if is_kept {
                    let types = self.named(service, file, ty);
                    kept.extend(types.filter(|ty| holds == Holds::Keyed || self.has_identity(*ty)));
                }
            }
            kept.extend(self.stored_under_keys(service, file));
        }
        kept
    }

    /// Returns the types whose objects are stored under keys: `templates[name] = Template(..)`.
    fn stored_under_keys(&self, service: &str, file: FileId) -> Vec<SymbolId> {
        let project = self.code.project;
        let facts = &project.files()[file].facts;
        let flow = &facts.flow;
        let made =
            flow.stores.iter().filter(|store| matches!(store.slot, Slot::Element(_))).filter_map(|store| {
                let Value::Call(call) = &flow.values[store.value] else { return None };
                match &flow.values[flow.calls[*call].callee] {
                    Value::Symbol(symbol) => Some(&*facts.symbols[*symbol].name),
                    Value::Import(import) => Some(&*facts.imports[*import].local),
                    _ => None,
                }
            });
        made.flat_map(|name| self.named(service, file, name)).collect()
    }

    /// Returns the types with an identity that handlers return.
    pub(super) fn answered(&self, service: &str, handlers: impl Iterator<Item = SymbolId>) -> Vec<SymbolId> {
        let project = self.code.project;
        let returned = handlers.flat_map(|handler| {
            let ty = written::returned(&project.symbol(handler).signature);
            self.named(service, project.symbol_file(handler), ty)
        });
        returned.filter(|ty| self.fields(*ty).any(|field| is_own_id(project.symbol_name(field)))).collect()
    }

    /// Adds the types in collections of entities that have an id or refer to one, transitively.
    pub(super) fn add_parts(&self, entities: &mut Vec<SymbolId>) {
        let project = self.code.project;
        let mut seen: FxHashSet<SymbolId> = entities.iter().copied().collect();
        let mut at = 0;
        while let Some(entity) = entities.get(at).copied() {
            at += 1;
            let file = project.symbol_file(entity);
            let Some(service) = self.code.service_of(file) else { continue };
            for field in self.fields(entity) {
                let ty = written::of(&project.symbol(field).signature);
                if written::holds(ty) == Holds::One {
                    continue;
                }
                let parts = self
                    .named(service, file, ty)
                    .filter(|part| self.fields(*part).any(|field| is_id(project.symbol_name(field))));
                entities.extend(parts.filter(|part| seen.insert(*part)));
            }
        }
    }

    /// Returns the types of a service that carry data and are named in a type as written.
    pub(super) fn named(&self, service: &str, file: FileId, ty: &str) -> impl Iterator<Item = SymbolId> {
        let of_service = self.types.get(service);
        written::names(ty).filter_map(move |name| {
            let symbol = self.code.declared(file, 0, name)?;
            let (_, nature) = of_service?.iter().find(|(known, _)| *known == symbol)?;
            let is_thing = *nature != Nature::Program && !PASSING.iter().any(|end| is_end(name, end));
            is_thing.then_some(symbol)
        })
    }

    fn is_data(&self, service: &str, ty: SymbolId) -> bool {
        let of_service = self.types.get(service).into_iter().flatten();
        of_service.filter(|(known, _)| *known == ty).any(|(_, nature)| *nature != Nature::Program)
    }

    /// True if a field can distinguish objects of the type.
    fn has_identity(&self, ty: SymbolId) -> bool {
        let project = self.code.project;
        self.fields(ty).any(|field| {
            let name = project.symbol_name(field);
            is_id(name) || matches!(name, "slug" | "sku" | "code" | "key" | "number" | "email")
        })
    }
}

/// True if a longer name ends in the word; the word alone is an entity of its own.
fn is_end(name: &str, word: &str) -> bool {
    name.len() > word.len() && name.ends_with(word)
}

/// True if the field is the id of its own object.
fn is_own_id(name: &str) -> bool {
    matches!(name, "id" | "_id" | "uuid" | "guid" | "ID" | "Id")
}

/// True if the field is an id, of its own object or of another.
fn is_id(name: &str) -> bool {
    is_own_id(name) || name.ends_with("_id") || name.ends_with("Id")
}
