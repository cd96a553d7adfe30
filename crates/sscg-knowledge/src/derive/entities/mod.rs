//! Domain entities among the types, and their relationships.
//!
//! A type that an object-relational mapper stores is an entity, with exact confidence. Without a mapper, most types
//! that carry data are bodies, responses and payloads. A heuristic then selects the types that a service keeps under
//! keys or in lists of its state, keeps as parts of such types, or returns with an identity of their own. It applies
//! only to types that request handlers reach.

mod data;
mod kept;
mod reach;
mod relations;
mod written;

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use sscg_core::{Confidence, Modifiers, ModuleSystem, SymbolId, SymbolKind};
use sscg_graph::Node;

use super::code::Code;
use crate::{Entity, Model, SchemaField, Site};
use data::Nature;

/// Type that is an entity.
#[derive(Clone, Copy, Debug)]
struct DetectedEntity {
    symbol: SymbolId,
    is_stored: bool,
}

/// Reader of the types of a project.
struct Types<'a> {
    code: &'a Code<'a>,
    /// Types with fields and their roles, by service.
    types: BTreeMap<&'a str, Vec<(SymbolId, Nature)>>,
    /// Types of Java and C# that a mapper stores.
    stored: FxHashSet<SymbolId>,
}

/// Adds the entities in the code of services, one for each name, and their relationships. The model must already
/// contain the endpoints.
pub(crate) fn derive(code: &Code<'_>, model: &mut Model) {
    let endpoints = &model.endpoints;
    let types = Types::new(code);
    let mut found: Vec<(&str, DetectedEntity)> = Vec::new();
    for (service, of_service) in &types.types {
        let stored = of_service.iter().filter(|(_, nature)| *nature == Nature::Stored);
        let mut symbols: Vec<SymbolId> = stored.map(|(symbol, _)| *symbol).collect();
        let stored: FxHashSet<SymbolId> = symbols.iter().copied().collect();
        let of_service = endpoints.iter().filter(|endpoint| *endpoint.service == **service);
        let handlers: Vec<Site> = of_service.filter_map(|endpoint| endpoint.handler).collect();
        let reached = reach::from(code, service, &handlers);
        let mut guessed = types.kept(service);
        guessed.extend(types.answered(service, handlers.iter().filter_map(|handler| handler.symbol)));
        symbols.extend(guessed.into_iter().filter(|symbol| reached.contains_key(&Node::Symbol(*symbol))));
        types.add_parts(&mut symbols);
        symbols.sort_unstable();
        symbols.dedup();
        found.extend(
            symbols
                .into_iter()
                .map(|symbol| (*service, DetectedEntity { symbol, is_stored: stored.contains(&symbol) })),
        );
    }
    // Of the types of one name, a stored one is the entity, or else the one found first.
    found.sort_by_key(|(_, found)| (!found.is_stored, found.symbol));
    let mut names = FxHashSet::default();
    found.retain(|(_, found)| names.insert(code.project.symbol_name(found.symbol)));
    let relationships = types.relationships(&found.iter().map(|(_, found)| found.symbol).collect::<Vec<_>>());
    let entities = found.into_iter().map(|(service, found)| types.entity(service, found));
    let mut entities: Vec<Entity> = entities.collect();
    entities.sort_by(|a, b| a.name.cmp(&b.name));
    model.entities.extend(entities);
    model.relationships.extend(relationships);
}

impl<'a> Types<'a> {
    fn new(code: &'a Code<'a>) -> Self {
        let mut reader = Self { code, types: BTreeMap::new(), stored: data::annotated(code) };
        let mut types: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for (file, entry) in code.project.files().iter_enumerated() {
            let Some(service) = code.service_of(file).filter(|_| !code.is_test_file(file)) else { continue };
            for symbol in code.project.symbols_of(file) {
                let kind = entry.facts.outline().symbols()[code.project.local_symbol(symbol).1].kind;
                if matches!(
                    kind,
                    SymbolKind::Class | SymbolKind::Interface | SymbolKind::Struct | SymbolKind::TypeAlias
                ) && let Some(nature) = reader.nature(symbol)
                {
                    types.entry(service).or_default().push((symbol, nature));
                }
            }
        }
        reader.types = types;
        reader
    }

    /// Returns the data fields of a type.
    fn fields(&self, ty: SymbolId) -> impl Iterator<Item = SymbolId> {
        let project = self.code.project;
        let (file, local) = project.local_symbol(ty);
        let children =
            project.files()[file].facts.children(local).map(move |child| project.symbol_id(file, child));
        children.filter(move |child| {
            project.symbol_kind(*child) == SymbolKind::Field && !project.symbol_name(*child).starts_with("__")
        })
    }

    fn entity(&self, service: &str, found: DetectedEntity) -> Entity {
        let symbol = self.code.project.symbol(found.symbol);
        let file = self.code.project.symbol_file(found.symbol);
        let confidence = if found.is_stored { Confidence::Exact } else { Confidence::Inferred };
        let site = self.code.site(file, symbol.span.start, symbol.name_line);
        Entity {
            name: symbol.name.clone(),
            description: symbol.doc.as_deref().and_then(|doc| doc.lines().next()).unwrap_or_default().into(),
            owning_service: service.into(),
            fields: self.fields(found.symbol).map(|field| self.field(field)).collect(),
            symbol: Some(found.symbol),
            evidence: self.code.evidence(site, confidence),
        }
    }

    /// Returns the type of a field as written; empty if there is none.
    fn ty(&self, field: SymbolId) -> &str {
        let symbol = self.code.project.symbol(field);
        let file = self.code.project.symbol_file(field);
        match self.code.project.files()[file].language.modules {
            ModuleSystem::DirectoryPackages => written::beside(&symbol.signature, &symbol.name, false),
            ModuleSystem::DeclaredPackages | ModuleSystem::Namespaces => {
                written::beside(&symbol.signature, &symbol.name, true)
            }
            _ => written::of(&symbol.signature),
        }
    }

    fn field(&self, field: SymbolId) -> SchemaField {
        let symbol = self.code.project.symbol(field);
        let ty = self.ty(field);
        let is_optional = symbol.modifiers.contains(Modifiers::OPTIONAL) || written::is_optional(ty);
        SchemaField {
            name: symbol.name.clone(),
            ty: ty.into(),
            required: !is_optional,
            description: symbol.doc.as_deref().and_then(|doc| doc.lines().next()).unwrap_or_default().into(),
        }
    }
}
