//! Relationships between entities, by the types and the names of their fields.

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::wiring::Expression;
use sscg_core::{Confidence, FileId, Relation, SymbolId};
use sscg_graph::{Direction, Node};

use super::Types;
use super::written::{self, Holds};
use crate::Relationship;

/// Type and cardinality of a relationship.
type Kind = (&'static str, &'static str);

const HAS_MANY: Kind = ("has_many", "1:N");
const BELONGS_TO: Kind = ("belongs_to", "N:1");
const HAS_ONE: Kind = ("has_one", "1:1");
const MANY_TO_MANY: Kind = ("has_many", "N:M");
const REFERENCES: Kind = ("references", "N:1");

impl Types<'_> {
    /// Returns the relationships between entities, one of each type for each pair.
    pub(super) fn relationships(&self, entities: &[SymbolId]) -> Vec<Relationship> {
        let project = self.code.project;
        let by_name: FxHashMap<&str, SymbolId> =
            entities.iter().map(|entity| (project.symbol_name(*entity), *entity)).collect();
        let folded: FxHashMap<String, SymbolId> =
            entities.iter().map(|entity| (fold(project.symbol_name(*entity)), *entity)).collect();
        let mut related = Vec::new();
        let mut direct = FxHashSet::default();
        for entity in entities {
            let file = project.symbol_file(*entity);
            for field in self.fields(*entity) {
                let declaration = project.symbol(field);
                let ty = self.ty(field);
                let said = self.mapped(file, field);
                let named = written::names(ty).find_map(|name| by_name.get(name).copied());
                let target = named.or_else(|| by_name.get(&*said.as_ref()?.1.clone()?).copied());
                if let Some(target) = target {
                    direct.insert((*entity, target));
                    let sure = if said.is_some() { Confidence::Exact } else { Confidence::Inferred };
                    let kind = said
                        .map_or_else(|| of_type(ty), |(kind, _)| kind.unwrap_or_else(|| of_type_mapped(ty)));
                    related.push((*entity, target, kind, declaration.name_line, sure));
                }
            }
        }
        for entity in entities {
            for field in self.fields(*entity) {
                let declaration = project.symbol(field);
                let named =
                    declaration.name.strip_suffix("_id").or_else(|| declaration.name.strip_suffix("Id"));
                let Some(target) = named.and_then(|name| folded.get(&fold(name))).copied() else { continue };
                if target != *entity && direct.insert((*entity, target)) {
                    related.push((*entity, target, REFERENCES, declaration.name_line, Confidence::Inferred));
                }
            }
        }
        let mut relationships: Vec<Relationship> = related
            .into_iter()
            .map(|(from, to, (kind, cardinality), line, confidence)| {
                let site = crate::Site { file: project.symbol_file(from), symbol: Some(from), line };
                Relationship {
                    from: project.symbol_name(from).into(),
                    to: project.symbol_name(to).into(),
                    relationship_type: kind.into(),
                    cardinality: cardinality.into(),
                    evidence: self.code.evidence(site, confidence),
                }
            })
            .collect();
        let key = |it: &Relationship| (it.from.clone(), it.to.clone(), it.relationship_type.clone());
        relationships.sort_by_cached_key(|it| (key(it), it.evidence.line));
        relationships.dedup_by_key(|it| key(it));
        relationships
    }

    /// Returns the mapping of a field: the kind of the relationship, if given, and the name of the other entity, if it
    /// is a text or name.
    fn mapped(&self, file: FileId, field: SymbolId) -> Option<(Option<Kind>, Option<String>)> {
        let (graph, span) = (self.code.graph, self.code.project.symbol(field).span);
        let decorated = graph.edges_at(graph.id(Node::Symbol(field)), Direction::Outgoing).find_map(|edge| {
            match (edge.relation, graph.node(edge.target)) {
                (Relation::Decorates, Node::External(at)) => {
                    of_decorator(&graph.externals()[at as usize].name)
                }
                _ => None,
            }
        });
        if let Some(kind) = decorated {
            return Some((Some(kind), None));
        }
        let wired = self.code.wired(file);
        let call = wired.calls().find(|call| {
            span.contains(call.span) && call.callee.last_name().is_some_and(|name| of_call(name).is_some())
        })?;
        let target = call.positional(0).and_then(|other| match other {
            Expression::Text(name) => name.rsplit('.').next().map(str::to_owned),
            other => other.last_name().map(str::to_owned),
        });
        Some((of_call(call.callee.last_name()?)?, target))
    }
}

/// Returns the relationship that a type implies.
fn of_type(ty: &str) -> Kind {
    if written::holds(ty) == Holds::One { HAS_ONE } else { HAS_MANY }
}

/// Returns the relationship that the type of a mapped field implies: a single value means that the entity belongs to
/// it.
fn of_type_mapped(ty: &str) -> Kind {
    if written::holds(ty) == Holds::One { BELONGS_TO } else { HAS_MANY }
}

fn of_decorator(name: &str) -> Option<Kind> {
    Some(match name.rsplit('.').next()? {
        "OneToMany" | "HasMany" => HAS_MANY,
        "ManyToOne" | "BelongsTo" => BELONGS_TO,
        "OneToOne" | "HasOne" => HAS_ONE,
        "ManyToMany" | "BelongsToMany" => MANY_TO_MANY,
        _ => return None,
    })
}

/// Returns the relationship that a call in a class body declares; `Some(None)` if only the type of the field determines
/// it.
fn of_call(name: &str) -> Option<Option<Kind>> {
    match name {
        "relationship" | "Relationship" => Some(None),
        "ForeignKey" | "ForeignKeyField" => Some(Some(BELONGS_TO)),
        "OneToOneField" => Some(Some(HAS_ONE)),
        "ManyToManyField" => Some(Some(MANY_TO_MANY)),
        _ => None,
    }
}

/// Returns a name without case and underscores.
fn fold(name: &str) -> String {
    name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}
