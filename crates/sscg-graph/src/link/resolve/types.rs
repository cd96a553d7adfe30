//! Types of values, their members, and inheritance.

use sscg_core::{
    Confidence, FileId, Head, LocalSymbol, Modifiers, NameRef, Reference, Relation, Symbol, SymbolKind,
    TypeHint,
};

use super::infer::{HintScope, Shape};
use super::{DEPTH, Linker, Resolution, ResolveError};
use crate::link::lineage::{Ancestor, Bases};
use crate::link::tables::{Decl, MOST_OF_A_NAME, Scope, is_global};

/// Maximum number of candidates for a base. With more, the base is unknown: otherwise a type would inherit from each of
/// thousands of declarations of one class.
const MOST_BASES: usize = 32;

impl<'a> Linker<'a> {
    /// Returns the type of an implementation block.
    pub(in crate::link) fn owner_of(&self, block: Decl) -> Option<Decl> {
        self.context.note(block.file);
        self.found.owners.ty(block)
    }

    /// Returns the implementation blocks of a type.
    pub(in crate::link) fn blocks(&self, ty: Decl) -> &'a [Decl] {
        self.context.note(ty.file);
        self.found.owners.blocks(ty)
    }

    fn is_trait_impl(&self, block: Decl) -> bool {
        self.context.note(block.file);
        self.found.lineages.is_trait_impl(block)
    }

    /// Returns the trait that an implementation block implements.
    pub(in crate::link) fn trait_of(&self, block: Decl) -> Option<Decl> {
        self.context.note(block.file);
        self.found.lineages.implemented_trait(block)
    }

    /// Returns the name of the trait that an implementation block implements.
    pub(super) fn trait_name(&self, block: Decl) -> Option<&'a str> {
        self.context.note(block.file);
        self.found.lineages.implemented_trait_name(block)
    }

    /// Returns the supertypes of a type, nearest first; `None` if it names no base.
    pub(in crate::link) fn ancestors(&self, ty: Decl) -> Option<&'a [Ancestor]> {
        self.context.note(ty.file);
        self.found.lineages.ancestors(ty)
    }

    /// Returns the direct and indirect subtypes of a type.
    pub(in crate::link) fn subtypes(&self, ty: Decl) -> &'a [Decl] {
        self.context.note_subtypes(ty);
        self.found.lineages.subtypes(ty)
    }

    /// Returns the types of the project in a declaration's own annotation or return type.
    pub(super) fn declared_types(&self, symbol: Decl, depth: u32) -> Result<Vec<Decl>, ResolveError> {
        let (values, _) = self.declared_type(symbol, depth)?;
        Ok(values.into_iter().filter_map(Shape::declaration).collect())
    }

    /// Returns the members `name` of a type: its own before inherited ones, inherent ones before those of a trait.
    pub(in crate::link) fn member(
        &self,
        owner: Decl,
        name: &str,
        wanted: Relation,
        depth: u32,
    ) -> Option<(Vec<Decl>, Confidence)> {
        if let Some(own) = self.own_member(owner, name, wanted) {
            return Some((own, Confidence::Exact));
        }
        let ancestors = self.ancestors(owner).unwrap_or_default();
        if let Some(inherited) = self.inherited(ancestors, name, wanted, depth) {
            return Some(inherited);
        }
        if self.symbol(owner).kind != SymbolKind::TypeAlias {
            return None;
        }
        let depth = self.deeper(depth).ok()?;
        let aliased = self.declared_types(owner, depth).ok()?;
        self.members(&aliased, name, wanted, depth)
    }

    /// Returns the members `name` of several types, any of which may be meant.
    pub(super) fn members(
        &self,
        owners: &[Decl],
        name: &str,
        wanted: Relation,
        depth: u32,
    ) -> Option<(Vec<Decl>, Confidence)> {
        let found = owners.iter().filter_map(|owner| self.member(*owner, name, wanted, depth));
        found.reduce(|(mut members, sure), (more, known)| {
            members.extend(more);
            (members, sure.min(known))
        })
    }

    /// Returns the members `name` of the first of these types that has any.
    pub(in crate::link) fn inherited(
        &self,
        ancestors: &[Ancestor],
        name: &str,
        wanted: Relation,
        depth: u32,
    ) -> Option<(Vec<Decl>, Confidence)> {
        ancestors.iter().find_map(|ancestor| {
            let own = self.own_member(ancestor.ty, name, wanted);
            let is_alias = self.symbol(ancestor.ty).kind == SymbolKind::TypeAlias;
            let aliased = || self.member(ancestor.ty, name, wanted, self.deeper(depth).ok()?);
            let (members, sure) = match own {
                Some(own) => (own, Confidence::Exact),
                None if is_alias => aliased()?,
                None => return None,
            };
            Some((members, sure.min(ancestor.confidence)))
        })
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

    pub(in crate::link) fn own_member(&self, owner: Decl, name: &str, wanted: Relation) -> Option<Vec<Decl>> {
        let blocks = self.blocks(owner);
        let members = |of_trait: bool| {
            let blocks = blocks.iter().filter(move |block| self.is_trait_impl(**block) == of_trait);
            blocks.flat_map(|block| self.members_of_block(*block, name))
        };
        // Where a field is never called, only fields are read or written by name.
        let calls_fields = self.rules(owner.file).calls_fields();
        let has_bare_members = self.rules(owner.file).has_implicit_receiver();
        let fits = |symbol: &Decl| {
            let is_field = self.symbol(*symbol).kind == SymbolKind::Field;
            match wanted {
                // A member may have the name of its type: `public Color Color;`.
                _ if has_bare_members && names_type(wanted) => self.symbol(*symbol).kind.is_type(),
                Relation::Calls => calls_fields || !is_field,
                Relation::ReadsFrom | Relation::AssignsTo => calls_fields || is_field,
                _ => true,
            }
        };
        let inherent = self.context.members(owner, name).chain(members(false)).filter(fits);
        let inherent = inherent.filter(|member| self.is_seen(*member));
        let inherent: Vec<_> = inherent.take(MOST_OF_A_NAME).collect();
        if !inherent.is_empty() {
            return Some(self.whole_types(inherent));
        }
        let of_traits: Vec<_> = members(true).filter(fits).collect();
        if !of_traits.is_empty() {
            return Some(of_traits);
        }
        let merged: Vec<_> =
            self.merged_with(owner).flat_map(|part| self.context.members(part, name)).filter(fits).collect();
        (!merged.is_empty()).then_some(merged)
    }

    /// Returns true if the code of the current file sees a member: a private one is passed over in favor of one of a
    /// trait, or of the type that the value dereferences to.
    fn is_seen(&self, member: Decl) -> bool {
        let symbol = self.symbol(member);
        let is_private = !symbol.exported && matches!(symbol.kind, SymbolKind::Method | SymbolKind::Field);
        let Some(file) = self.current.get().filter(|file| is_private && *file != member.file) else {
            return true;
        };
        self.rules(member.file).sees_private(&self.context, file, member.file)
    }

    /// Returns the members `name` of an implementation block, or the member itself if it is declared outside of its type.
    fn members_of_block(&self, block: Decl, name: &str) -> impl Iterator<Item = Decl> + use<'a> {
        let symbol = self.symbol(block);
        let is_member = symbol.receiver.is_some() && *symbol.name == *name;
        is_member.then_some(block).into_iter().chain(self.context.members(block, name))
    }

    /// Returns the type that a member belongs to, inside of which it need not be declared.
    pub(super) fn owner_of_member(&self, member: Decl) -> Option<Decl> {
        match self.symbol(member).receiver {
            Some(_) => self.owner_of(member),
            None => self.context.parent(member).map(|ty| self.whole_type(ty)),
        }
    }

    /// Returns the member `name` of a type around some code, from the innermost one outwards, where code may leave out
    /// the receiver.
    pub(super) fn implicit_member(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &str,
        wanted: Relation,
        depth: u32,
    ) -> Option<(Resolution<'a>, Confidence)> {
        let around = self.context.self_and_ancestors(Decl::new(file, from?));
        let types = around.filter_map(|it| {
            let symbol = self.symbol(it);
            // The name of an aliased type is not looked up in the alias.
            if symbol.kind == SymbolKind::TypeAlias {
                None
            } else if symbol.kind.is_type() {
                Some(self.whole_type(it))
            } else {
                symbol.receiver.as_ref().and_then(|_| self.owner_of(it))
            }
        });
        // A constructor has the name of its type, and is no member by that name.
        let is_member = |it: &Decl| self.symbol(*it).kind != SymbolKind::Constructor;
        // Private members of supertypes are not visible.
        let is_visible = |ty: Decl, it: &Decl| {
            let is_private = self.symbol(*it).modifiers.contains(Modifiers::PRIVATE);
            !is_private || self.owner_of_member(*it) == Some(ty)
        };
        let mut members = types.filter_map(|ty| {
            let (mut members, sure) = self.member(ty, name, wanted, depth)?;
            members.retain(|it| is_member(it) && is_visible(ty, it));
            (!members.is_empty()).then_some((members, sure))
        });
        let (members, sure) = members.next()?;
        Some((Resolution::Symbols(members), sure))
    }

    /// Returns the type that contains the code of `from`: a class, a trait, the type of an implementation block (or the
    /// block itself if its type is external), an object literal with methods.
    pub(super) fn enclosing_type(&self, file: FileId, from: Option<LocalSymbol>) -> Option<Decl> {
        let from = Decl::new(file, from?);
        let owner = self.context.self_and_ancestors(from).find(|symbol| {
            let kind = self.symbol(*symbol).kind;
            let is_owner = kind.has_members() || matches!(kind, SymbolKind::Constant | SymbolKind::Variable);
            is_owner && kind != SymbolKind::Module || self.symbol(*symbol).receiver.is_some()
        })?;
        Some(self.owner_of(owner).unwrap_or(owner))
    }

    pub(super) fn scope_of(&self, file: FileId, from: Option<LocalSymbol>) -> Scope {
        let facts = self.context.facts(file);
        let module = std::iter::successors(from, |symbol| facts.symbols[*symbol].parent)
            .find(|symbol| facts.symbols[*symbol].kind == SymbolKind::Module);
        Scope { file, module }
    }

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
}

/// Returns true if functions take parameters of types of the same names.
pub(super) fn same_parameters(a: &Symbol, b: &Symbol) -> bool {
    fn same(a: &TypeHint, b: &TypeHint) -> bool {
        match (a.named(), b.named()) {
            (Some((a, of)), Some((b, to))) => {
                a.name() == b.name() && of.len() == to.len() && of.iter().zip(to).all(|(a, b)| same(a, b))
            }
            (a, b) => a.is_none() && b.is_none(),
        }
    }
    a.parameters.len() == b.parameters.len()
        && a.parameters.iter().zip(&b.parameters).all(|(a, b)| same(a, b))
}

/// Returns true if only a type can be the target of a relation.
pub(super) fn names_type(relation: Relation) -> bool {
    use Relation::*;
    matches!(
        relation,
        UsesType | Inherits | Implements | AssertsType | Instantiates | Catches | Raises | Decorates
    )
}
