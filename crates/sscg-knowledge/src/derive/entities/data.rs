//! Classification of types that carry data or are stored.

use rustc_hash::FxHashSet;
use sscg_core::{Modifiers, Relation, SymbolId, SymbolKind};
use sscg_graph::{Direction, Node};

use super::Types;
use crate::derive::annotation::{Annotation, annotations};
use crate::derive::code::Code;

/// Role of a type with fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// Type that is mapped to a table or collection of a database.
    Stored,
    /// Type that carries data.
    Data,
    /// Type that is part of the program logic: it has state or behavior.
    Program,
}

/// Decorators, derives and bases of stored types, by their external names.
const STORED: &[&str] = &[
    "@mikro-orm/core.Entity",
    "@nestjs/mongoose.Schema",
    "@typegoose/typegoose.modelOptions",
    "beanie.Document",
    "diesel::Queryable",
    "diesel::prelude::Queryable",
    "django.db.models.Model",
    "github.com/jinzhu/gorm.Model",
    "gorm.io/gorm.Model",
    "mongoengine.Document",
    "odmantic.Model",
    "peewee.Model",
    "sea_orm::DeriveEntityModel",
    "sea_orm::entity::prelude::DeriveEntityModel",
    "sequelize-typescript.Table",
    "sqlalchemy.orm.DeclarativeBase",
    "sqlx::FromRow",
    "sqlx::prelude::FromRow",
    "tortoise.models.Model",
    "typeorm.Entity",
];

/// Decorators, derives and bases of types that carry data.
const DATA: &[&str] = &[
    "attr.define",
    "attr.s",
    "attrs.define",
    "dataclasses.dataclass",
    "msgspec.Struct",
    "pydantic.BaseModel",
    "pydantic.dataclasses.dataclass",
    "pydantic.main.BaseModel",
    "serde::Deserialize",
    "serde::Serialize",
    "sqlmodel.SQLModel",
    "typing.NamedTuple",
    "typing.TypedDict",
];

/// Maximum depth of the followed bases.
const DEPTH: u32 = 8;

/// Packages of Java with annotations of stored types, and these annotations.
const MAPPERS: &[(&str, &[&str])] = &[
    ("jakarta.persistence", &["Entity", "MappedSuperclass"]),
    ("javax.persistence", &["Entity", "MappedSuperclass"]),
    ("org.springframework.data", &["Document", "RedisHash", "Table"]),
];

/// Returns the types that annotations of Java, or sets in a context of Entity Framework, name as stored.
pub(super) fn annotated(code: &Code<'_>) -> FxHashSet<SymbolId> {
    let packages: Vec<&str> = MAPPERS.iter().map(|(package, _)| *package).collect();
    let mut stored = FxHashSet::default();
    for file in code.files_using(&packages) {
        for (symbol, own) in annotations(code, file) {
            let is_stored = |it: &Annotation<'_>| {
                MAPPERS.iter().any(|(package, names)| it.is_of(package) && names.contains(&it.name))
            };
            stored.extend(own.iter().any(is_stored).then_some(symbol));
        }
    }
    for file in code.csharp_naming(&["DbSet"]) {
        for symbol in code.project.symbols_of(file) {
            let declaration = code.project.symbol(symbol);
            let held = declaration.signature.split_once("DbSet<").and_then(|(_, held)| held.split_once('>'));
            let Some((held, _)) = held else { continue };
            let name = held.rsplit('.').next().unwrap_or(held);
            stored.extend(code.declared_or_linked(file, declaration.span.start, name));
        }
    }
    stored
}

impl Types<'_> {
    /// Returns the role of a type; `None` if it has no fields.
    pub(super) fn nature(&self, ty: SymbolId) -> Option<Nature> {
        self.fields(ty).next()?;
        let project = self.code.project;
        let marks = self.marks(ty, DEPTH);
        let has = |names: &[&str]| marks.iter().any(|mark| names.contains(&mark.as_str()));
        let is_table = || {
            let (file, local) = project.local_symbol(ty);
            let facts = &project.files()[file].facts;
            facts.children(local).any(|child| &*facts.symbols[child].name == "__tablename__")
                || facts.symbols[local].signature.contains("table=True")
                || facts.symbols[local].signature.contains("(db.Model)")
                || self.fields(ty).any(|field| project.symbol(field).signature.contains("gorm:\""))
        };
        Some(match project.symbol_kind(ty) {
            _ if project.symbol_modifiers(ty).contains(Modifiers::TEST) => Nature::Program,
            _ if has(STORED) || self.stored.contains(&ty) || is_table() => Nature::Stored,
            SymbolKind::Interface | SymbolKind::TypeAlias if !self.has_methods(ty) => Nature::Data,
            _ if has(DATA) => Nature::Data,
            SymbolKind::Class if self.is_plain(ty) => Nature::Data,
            _ => Nature::Program,
        })
    }

    /// Returns the external names of a type's decorators, derives and bases, including those of its bases.
    fn marks(&self, ty: SymbolId, depth: u32) -> Vec<String> {
        let graph = self.code.graph;
        let mut marks = Vec::new();
        let Some(depth) = depth.checked_sub(1) else { return marks };
        for edge in graph.edges_at(graph.id(Node::Symbol(ty)), Direction::Outgoing) {
            match (edge.relation, graph.node(edge.target)) {
                (Relation::Decorates | Relation::Inherits | Relation::Implements, Node::External(at)) => {
                    marks.push(graph.externals()[at as usize].name.to_string());
                }
                (Relation::Inherits, Node::Symbol(base)) => marks.extend(self.marks(base, depth)),
                _ => {}
            }
        }
        marks
    }

    fn has_methods(&self, ty: SymbolId) -> bool {
        let project = self.code.project;
        let (file, local) = project.local_symbol(ty);
        let facts = &project.files()[file].facts;
        facts.children(local).any(|child| facts.symbols[child].kind == SymbolKind::Method)
    }

    /// True if a class has annotated fields and no methods or attributes.
    fn is_plain(&self, ty: SymbolId) -> bool {
        let project = self.code.project;
        let (file, local) = project.local_symbol(ty);
        let facts = &project.files()[file].facts;
        let does = |kind| matches!(kind, SymbolKind::Method | SymbolKind::Constructor);
        facts.children(local).all(|child| !does(facts.symbols[child].kind))
            && self.fields(ty).all(|field| !super::written::of(&project.symbol(field).signature).is_empty())
            && facts.symbols[local].attributes.is_empty()
    }
}
