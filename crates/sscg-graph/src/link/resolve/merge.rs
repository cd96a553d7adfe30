//! Declarations of one name that form one entity, in languages where declarations merge.

use sscg_core::{FileId, LocalSymbol, Modifiers, Relation, Symbol, SymbolKind};

use super::Linker;
use crate::link::tables::{Decl, Scope};

/// Namespace of a use, where types and values have separate ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Type,
    Value,
    Both,
}

impl Space {
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

    /// Returns the global declarations of a name. An interface or alias only adds to a type of the language and does
    /// not count where a value is used. Names of built-in types with rules of their own have none.
    pub(super) fn globals(&self, file: FileId, name: &str, relation: Relation) -> Vec<Decl> {
        let rules = self.rules(file);
        if !rules.merges_declarations() || rules.global_type(name).is_some() {
            return Vec::new();
        }
        let declared = self.context.globals(name).iter().copied();
        let is_type = Space::of(relation) == Space::Type;
        declared.filter(|it| is_type || is_value(self.symbol(*it))).collect()
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

fn is_type(symbol: &Symbol) -> bool {
    symbol.kind.is_type()
}

/// Returns true if a declaration is a value. Classes and enumerations are both types and values.
fn is_value(symbol: &Symbol) -> bool {
    !matches!(symbol.kind, SymbolKind::Interface | SymbolKind::TypeAlias)
}
