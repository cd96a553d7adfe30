//! Declarations of one name that form one entity, in languages where declarations merge.

use sscg_core::{Confidence, FileId, LocalSymbol, Modifiers, NameRef, Relation, Symbol, SymbolKind};

use super::{Linker, Resolution};
use crate::link::tables::{Decl, Scope};

/// Namespace of a use, where types and values have separate ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Type,
    Value,
    Both,
}

impl Space {
    /// Returns the namespace of the first segment of a name; the type `a.B` is in a namespace or enumeration.
    pub(super) fn of_first(name: &NameRef, relation: Relation) -> Self {
        match relation {
            _ if name.path.len() > 1 => Self::Value,
            // `instanceof` names a value, `as` a type.
            Relation::AssertsType => Self::Both,
            relation => Self::of(relation),
        }
    }

    fn of(relation: Relation) -> Self {
        match relation {
            Relation::UsesType | Relation::AssertsType | Relation::Inherits | Relation::Implements => {
                Self::Type
            }
            Relation::Imports => Self::Both,
            _ => Self::Value,
        }
    }
}

/// Maximum number of parts of one type.
const MOST_PARTS: usize = 128;

impl Linker<'_> {
    /// Selects the representatives of declarations that merge: an interface in several parts, overloads, a type and a
    /// value that share a name. One represents the type and one the value; a use refers to one of the two, an import to
    /// both.
    pub(super) fn merged(&self, symbols: Vec<Decl>, relation: Relation) -> Vec<Decl> {
        let merges = |symbol: &Decl| self.rules(symbol.file).merges_declarations();
        if symbols.len() < 2 || !symbols.iter().any(merges) {
            return symbols;
        }
        let mut kept: Vec<Decl> = Vec::new();
        let mut named: Vec<_> = symbols.iter().map(|symbol| (self.declared_name(*symbol), *symbol)).collect();
        named.sort_by_key(|(name, _)| *name);
        for parts in named.chunk_by(|(a, _), (b, _)| a == b) {
            let parts = || parts.iter().map(|(_, part)| *part);
            if !parts().any(|part| merges(&part)) {
                kept.extend(parts());
                continue;
            }
            let ty = parts()
                .filter(|part| is_type(self.symbol(*part)))
                .min_by_key(|part| !is_value(self.symbol(*part)));
            // Among overloads, the one with a body is the implementation.
            let value = parts().filter(|part| is_value(self.symbol(*part))).min_by_key(|part| {
                (self.symbol(*part).kind == SymbolKind::Module, self.symbol(*part).body.is_none())
            });
            let meant = match Space::of(relation) {
                Space::Type => [ty.or(value), None],
                Space::Value => [value.or(ty), None],
                Space::Both => [ty, value],
            };
            kept.extend(meant.into_iter().flatten());
        }
        kept.sort_unstable();
        kept.dedup();
        kept
    }

    /// Returns the global declarations of a name. Names of built-in types with rules of their own have none.
    pub(super) fn globals(&self, file: FileId, name: &str) -> &[Decl] {
        let rules = self.rules(file);
        let has_own_rules = !rules.merges_declarations() || rules.global_type(name).is_some();
        if has_own_rules { &[] } else { self.context.globals(name) }
    }

    /// Returns the part of a result that belongs to a namespace, if there is one.
    pub(super) fn of_space<'a>(
        &self,
        (found, confidence): (Resolution<'a>, Confidence),
        space: Space,
    ) -> Option<(Resolution<'a>, Confidence)> {
        let Resolution::Symbols(mut symbols) = found else { return Some((found, confidence)) };
        symbols.retain(|it| match space {
            Space::Type => is_type(self.symbol(*it)),
            Space::Value => is_value(self.symbol(*it)),
            Space::Both => true,
        });
        (!symbols.is_empty()).then_some((Resolution::Symbols(symbols), confidence))
    }

    /// Returns the other declarations that merge with a type: all of them have its members.
    pub(super) fn merged_with(&self, ty: Decl) -> impl Iterator<Item = Decl> {
        let symbol = self.symbol(ty);
        let scope = Scope { file: ty.file, module: symbol.parent };
        let merges = symbol.kind.is_type() && self.rules(ty.file).merges_declarations();
        let parts = if merges { self.context.declared(scope, &symbol.name) } else { &[] };
        let parts = parts.iter().map(move |part| Decl::new(ty.file, *part));
        parts.filter(move |part| *part != ty && is_type(self.symbol(*part)))
    }

    /// Returns the parts of the types of a file that another part stands for, each with that part.
    pub(super) fn parts_in(&self, file: FileId) -> impl Iterator<Item = (Decl, Decl)> {
        let symbols = self.context.facts(file).symbols.iter_enumerated();
        let parts =
            symbols.filter(|(_, symbol)| is_part(symbol)).map(move |(local, _)| Decl::new(file, local));
        parts.map(|part| (part, self.main_part(part))).filter(|(part, main)| part != main)
    }

    /// Returns the part that stands for the whole type: the one in the file that is named after the type, or the first.
    /// Independent of the contents of the parts, which change more often.
    fn main_part(&self, part: Decl) -> Decl {
        let name = &*self.symbol(part).name;
        let is_named = |it: &Decl| {
            let path = self.context.path(it.file);
            let file = path.rsplit('/').next().unwrap_or(path);
            file.rsplit_once('.').is_some_and(|(stem, _)| stem == name)
        };
        let parts = self.parts_of(part);
        parts.iter().copied().find(is_named).or(parts.first().copied()).unwrap_or(part)
    }

    /// Returns all parts of a type, in the order of the project.
    fn parts_of(&self, part: Decl) -> Vec<Decl> {
        let symbol = self.symbol(part);
        if !is_part(symbol) {
            return vec![part];
        }
        let around = self.context.parent(part).filter(|it| self.symbol(*it).kind != SymbolKind::Module);
        let named: Vec<Decl> = match around {
            Some(ty) => {
                let parts = self.parts_of(ty).into_iter();
                parts.flat_map(|ty| self.context.members(ty, &symbol.name)).collect()
            }
            None => {
                let package = self.context.package_path(Scope { file: part.file, module: symbol.parent });
                let family = self.context.language(part.file).family;
                package
                    .map_or(&[][..], |package| self.context.in_package(family, package, &symbol.name))
                    .to_vec()
            }
        };
        let is_same = |it: &Decl| {
            let other = self.symbol(*it);
            is_part(other) && other.type_parameters.len() == symbol.type_parameters.len()
        };
        named.into_iter().filter(is_same).take(MOST_PARTS).collect()
    }

    /// Returns the part of a type that stands for the whole; the declaration itself if it has no parts.
    pub(super) fn whole_type(&self, ty: Decl) -> Decl {
        if is_part(self.symbol(ty)) { self.owner_of(ty).unwrap_or(ty) } else { ty }
    }

    /// Replaces parts of types by those that stand for the whole.
    pub(super) fn whole_types(&self, mut found: Vec<Decl>) -> Vec<Decl> {
        if found.iter().any(|it| is_part(self.symbol(*it))) {
            found.iter_mut().for_each(|it| *it = self.whole_type(*it));
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    /// Returns true if symbols are declarations of one name in one scope that merge.
    pub(super) fn is_one_name(&self, symbols: &[Decl]) -> bool {
        let Some((first, rest)) = symbols.split_first() else { return false };
        let name = self.declared_name(*first);
        self.rules(name.0).merges_declarations()
            && rest.iter().all(|symbol| self.declared_name(*symbol) == name)
    }

    /// Returns the scope and name of a declaration, and whether it is static.
    fn declared_name(&self, symbol: Decl) -> (FileId, Option<LocalSymbol>, &str, bool) {
        let declaration = self.symbol(symbol);
        let is_static = declaration.modifiers.contains(Modifiers::STATIC);
        (symbol.file, declaration.parent, &declaration.name, is_static)
    }
}

/// Returns true for one of several parts of a type.
fn is_part(symbol: &Symbol) -> bool {
    symbol.modifiers.contains(Modifiers::PARTIAL) && symbol.kind.is_type()
}

fn is_type(symbol: &Symbol) -> bool {
    symbol.kind.is_type()
}

/// Returns true if a declaration is a value. Classes and enumerations are both types and values.
fn is_value(symbol: &Symbol) -> bool {
    !matches!(symbol.kind, SymbolKind::Interface | SymbolKind::TypeAlias)
}
