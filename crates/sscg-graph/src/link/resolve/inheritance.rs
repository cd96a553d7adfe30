//! Types of blocks, bases of types and overridden methods, as declarations name them.

use sscg_core::{
    Confidence, FileId, Head, LocalSymbol, Modifiers, NameRef, Reference, Relation, Symbol, SymbolKind,
    TypeHint,
};

use super::choose::same_parameters;
use super::shape::{HintScope, Shape};
use super::{DEPTH, Linker, Resolution};
use crate::link::lineage::{Ancestor, Bases};
use crate::link::tables::{Decl, is_global};

/// Maximum number of candidates for a base. With more, the base is unknown: otherwise a type would inherit from each of
/// thousands of declarations of one class.
const MOST_BASES: usize = 32;

impl<'a> Linker<'a> {
    /// Returns the type of each implementation block of a file, of each member that is declared outside of its type, and
    /// of each part of a type that has another main part, if it is part of the project.
    pub(in crate::link) fn owners_of(&self, file: FileId) -> Vec<(Decl, Decl)> {
        let facts = self.context.facts(file);
        let owned = facts.symbols.iter_enumerated().filter_map(|(local, symbol)| {
            let ty = symbol.ty.as_ref().filter(|_| symbol.kind == SymbolKind::Impl);
            Some((local, symbol, symbol.receiver.as_ref().or_else(|| Some(ty?.named()?.0))?))
        });
        owned
            .filter_map(|(local, block, ty)| {
                self.begin();
                let (found, _) = self.name(file, block.parent, ty, Relation::UsesType, DEPTH).ok()?;
                match found {
                    // Several types are under conditions that are not evaluated here.
                    Resolution::Symbols(types) => {
                        Some(types.into_iter().map(move |ty| (Decl::new(file, local), ty)))
                    }
                    Resolution::Values(_) | Resolution::Scope(_) | Resolution::External(..) => None,
                }
            })
            .flatten()
            .chain(self.parts_in(file))
            .collect()
    }

    /// Returns the bases of the types of a file. An unknown base may have any member, which matters unless the compiler
    /// rejects a choice between two.
    pub(in crate::link) fn bases_of(&self, file: FileId) -> Vec<Bases> {
        let facts = self.context.facts(file);
        let unknown = if self.rules(file).rejects_ambiguous_members() { vec![] } else { vec![None] };
        let parents = facts
            .references
            .iter()
            .filter(|reference| matches!(reference.relation, Relation::Inherits | Relation::Implements));
        // `Omit<Base, "id">` has members of `Base`.
        let derived = facts.symbols.iter_enumerated().filter_map(|(local, symbol)| {
            let ty = symbol
                .ty
                .as_ref()
                .filter(|_| symbol.kind.is_type() && symbol.kind != SymbolKind::TypeAlias)?;
            self.begin();
            let (bases, _) = self.hinted(HintScope { file, from: Some(local) }, ty, DEPTH).ok()?;
            let named = bases.into_iter().filter_map(Shape::declaration).map(Some).collect();
            Some(Bases { declaration: Decl::new(file, local), is_block: false, named, name: Box::default() })
        });
        let written = parents.filter_map(|reference| {
            let from = reference.from?;
            let symbol = &facts.symbols[from];
            let scope = symbol.parent;
            self.begin();
            let found = self.name(file, scope, &reference.target, reference.relation, DEPTH);
            let named = match found {
                Ok((Resolution::Symbols(bases), _)) if bases.len() > MOST_BASES => unknown.clone(),
                Ok((Resolution::Symbols(bases), _)) => {
                    let bases = match reference.arguments {
                        Some(count) => self.by_type_arity(bases, usize::from(count)),
                        None => bases,
                    };
                    let bases = self.narrow(bases, reference.relation);
                    // A global declaration may add to an external type.
                    let is_part = |base: &Decl| is_global(self.context.facts(base.file), self.symbol(*base));
                    let is_unsure = bases.len() > 1 || bases.iter().any(is_part);
                    let unsure = if is_unsure { unknown.clone() } else { Vec::new() };
                    unsure.into_iter().chain(bases.into_iter().map(Some)).collect()
                }
                _ => unknown.clone(),
            };
            let is_block = symbol.kind == SymbolKind::Impl;
            let name = reference.target.name().into();
            Some(Bases { declaration: Decl::new(file, from), is_block, named, name })
        });
        let blankets = facts.symbols.iter_enumerated().filter_map(|(local, block)| {
            let (bound, implemented) = self.blanket(file, local, block)?;
            let named = vec![Some(implemented)];
            Some(Bases { declaration: bound, is_block: false, named, name: Box::default() })
        });
        written.chain(derived).chain(blankets).chain(self.structural_bases(file)).collect()
    }

    /// Returns the only bound of the type parameter that a block implements a trait for, and the trait: every type with
    /// the former has the members of the latter.
    fn blanket(&self, file: FileId, local: LocalSymbol, block: &'a Symbol) -> Option<(Decl, Decl)> {
        let (ty, _) = block.ty.as_ref().filter(|_| block.kind == SymbolKind::Impl)?.named()?;
        if ty.head != Head::TypeParameter || ty.path.len() > 1 {
            return None;
        }
        let mut bounds = block.bounds.iter().filter(|bound| *bound.parameter == *ty.path[0]);
        let (Some(bound), None) = (bounds.next(), bounds.next()) else { return None };
        let is_implemented = |it: &&Reference| it.from == Some(local) && it.relation == Relation::Implements;
        let implemented = self.context.facts(file).references.iter().find(is_implemented)?;
        let declaration = |from, name: &'a NameRef| {
            self.begin();
            match self.name(file, from, name, Relation::Implements, DEPTH).ok()?.0 {
                Resolution::Symbols(found) if found.len() == 1 => Some(found[0]),
                _ => None,
            }
        };
        let bound = declaration(Some(local), bound.ty.named()?.0)?;
        Some((bound, declaration(block.parent, &implemented.target)?))
    }

    /// Returns the methods that a method overrides or implements: the nearest ones of its name in its type's
    /// supertypes. In the implementation of a trait, those are the trait's.
    pub(in crate::link) fn overridden(&self, member: Decl) -> Option<(Vec<Decl>, Confidence)> {
        self.begin();
        let declaration = self.symbol(member);
        if declaration.kind != SymbolKind::Method || declaration.modifiers.contains(Modifiers::PRIVATE) {
            return None;
        }
        let owner = self.owner_of_member(member)?;
        if self.symbol(owner).kind == SymbolKind::Impl {
            let declared = self.own_member(self.trait_of(owner)?, &declaration.name, Relation::Overrides)?;
            return Some((declared, Confidence::Exact));
        }
        // A method of a trait hides one of the same name in a trait that it requires, and replaces none.
        if self.symbol(owner).kind == SymbolKind::Trait {
            return None;
        }
        let ancestors = self.ancestors(owner)?;
        let (mut replaced, confidence) = if self.rules(member.file).has_overloads() {
            self.overridden_overload(member, ancestors)?
        } else {
            self.inherited(ancestors, &declaration.name, Relation::Overrides, DEPTH)?
        };
        let is_static = |symbol: Decl| self.symbol(symbol).modifiers.contains(Modifiers::STATIC);
        replaced.retain(|symbol| is_static(*symbol) == is_static(member) && *symbol != member);
        if replaced.len() > 1 {
            let count = u8::try_from(declaration.parameters.len()).unwrap_or(u8::MAX);
            replaced = self.by_arity(member.file, replaced, count);
            let has_same = |it: &Decl| same_parameters(self.symbol(*it), declaration);
            if self.rules(member.file).has_overloads() && replaced.iter().any(has_same) {
                replaced.retain(has_same);
            }
        }
        (!replaced.is_empty()).then_some((replaced, confidence))
    }

    /// Returns the methods that a method overrides where functions of one name may differ in their parameters: those of
    /// the nearest supertype that has any with as many parameters, of the same types if possible.
    fn overridden_overload(&self, method: Decl, ancestors: &[Ancestor]) -> Option<(Vec<Decl>, Confidence)> {
        let own = self.symbol(method);
        let name = |ty: &'a TypeHint| match ty.named() {
            Some((name, [value])) if name.name() == TypeHint::NULLABLE => {
                (name.name(), value.named().map(|(name, _)| name.name()))
            }
            named => (named.map_or("", |(name, _)| name.name()), None),
        };
        let types = |symbol: &'a Symbol| -> Vec<_> { symbol.parameters.iter().map(name).collect() };
        ancestors.iter().find_map(|ancestor| {
            let mut found = self.own_member(ancestor.ty, &own.name, Relation::Overrides)?;
            found.retain(|it| {
                let symbol = self.symbol(*it);
                symbol.kind == SymbolKind::Method
                    && !symbol.modifiers.contains(Modifiers::PRIVATE)
                    && symbol.parameters.len() == own.parameters.len()
            });
            if found.iter().any(|it| types(self.symbol(*it)) == types(own)) {
                found.retain(|it| types(self.symbol(*it)) == types(own));
            }
            (!found.is_empty()).then_some((found, ancestor.confidence))
        })
    }
}
