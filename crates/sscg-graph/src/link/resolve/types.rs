//! The types of values, their members, and what they inherit.

use sscg_core::{Confidence, FileId, LocalSymbol, Modifiers, Relation, SymbolKind, TypeHint};

use super::{DEPTH, Found, Linker, Missing, NOT_DEFINED};
use crate::link::lineage::{Ancestor, Bases};
use crate::link::tables::{Decl, Scope};

impl<'a> Linker<'a> {
    /// The type that an implementation block belongs to.
    fn owner_of(&self, block: Decl) -> Option<Decl> {
        self.context.note(block.file);
        self.owners.ty(block)
    }

    /// The implementation blocks of a type.
    fn blocks(&self, ty: Decl) -> &'a [Decl] {
        self.context.note(ty.file);
        self.owners.blocks(ty)
    }

    fn is_trait_impl(&self, block: Decl) -> bool {
        self.context.note(block.file);
        self.lineages.is_trait_impl(block)
    }

    /// The trait that an implementation block implements.
    fn trait_of(&self, block: Decl) -> Option<Decl> {
        self.context.note(block.file);
        self.lineages.promise(block)
    }

    /// What a type inherits from, nearest first; `None` if it names nothing.
    pub(in crate::link) fn ancestors(&self, ty: Decl) -> Option<&'a [Ancestor]> {
        self.context.note(ty.file);
        self.lineages.ancestors(ty)
    }

    /// The types that extend a type, directly or not.
    pub(in crate::link) fn heirs(&self, ty: Decl) -> &'a [Decl] {
        self.context.note_heirs(ty);
        self.lineages.heirs(ty)
    }

    /// Whether one type extends another.
    pub(in crate::link) fn extends(&self, ty: Decl, ancestor: Decl) -> bool {
        self.ancestors(ty).unwrap_or_default().iter().any(|known| known.ty == ancestor)
    }

    /// The types a hint gives to a value.
    pub(super) fn hinted_types(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        hint: &'a TypeHint,
        depth: u32,
    ) -> Result<(Vec<Decl>, Confidence), Missing> {
        match hint {
            TypeHint::Named(name) => {
                let (found, confidence) =
                    self.name(file, from, name, Relation::UsesType, depth).map_err(unknown_type)?;
                Ok((self.types(found)?, confidence))
            }
            TypeHint::Result(name) => {
                let (found, confidence) =
                    self.name(file, from, name, Relation::Calls, depth).map_err(unknown_type)?;
                let callees = self.types(found)?;
                let mut types = Vec::new();
                let mut confidence = confidence;
                for callee in callees {
                    let declaration = self.symbol(callee);
                    if declaration.kind.is_type() {
                        types.push(callee);
                    } else if declaration.kind == SymbolKind::EnumMember {
                        types.extend(self.context.parent(callee));
                    } else {
                        types.extend(self.declared_types(callee, depth)?);
                        if !self.rules(callee.file).statically_typed() {
                            confidence = confidence.min(Confidence::Inferred);
                        }
                    }
                }
                types.dedup();
                if types.is_empty() { Err(Missing::ReceiverType) } else { Ok((types, confidence)) }
            }
        }
    }

    /// The types a declaration's own annotation or return type names.
    pub(super) fn declared_types(&self, symbol: Decl, depth: u32) -> Result<Vec<Decl>, Missing> {
        let ty = self.symbol(symbol).ty.as_ref().ok_or(Missing::ReceiverType)?;
        let Decl { file, symbol: local } = symbol;
        let (found, _) = self.name(file, Some(local), ty, Relation::UsesType, depth).map_err(unknown_type)?;
        self.types(found)
    }

    pub(super) fn types(&self, found: Found) -> Result<Vec<Decl>, Missing> {
        match found {
            Found::Symbols(symbols) if !symbols.is_empty() => Ok(symbols),
            Found::Symbols(_) | Found::Scope(_) => Err(Missing::ReceiverType),
            Found::Outside(..) => Err(Missing::OutsideType),
        }
    }

    /// The members `name` of a type: its own before inherited ones, inherent ones before a trait's.
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
        let depth = depth.checked_sub(1)?;
        let aliased = self.declared_types(owner, depth).ok()?;
        self.members(&aliased, name, wanted, depth)
    }

    /// The members `name` of several types, any of which may be meant.
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

    /// The members `name` of the first of these types that has any.
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
            let aliased = || self.member(ancestor.ty, name, wanted, depth.checked_sub(1)?);
            let (members, sure) = match own {
                Some(own) => (own, Confidence::Exact),
                None if is_alias => aliased()?,
                None => return None,
            };
            Some((members, sure.min(ancestor.confidence)))
        })
    }

    /// What a method replaces or provides: the nearest method of its name that its type inherits or promises. In
    /// the implementation of a trait that is the trait's.
    pub(in crate::link) fn overridden(&self, member: Decl) -> Option<(Vec<Decl>, Confidence)> {
        let declaration = self.symbol(member);
        if declaration.kind != SymbolKind::Method || declaration.modifiers.contains(Modifiers::PRIVATE) {
            return None;
        }
        let owner = self.context.parent(member)?;
        if self.symbol(owner).kind == SymbolKind::Impl {
            let promised = self.own_member(self.trait_of(owner)?, &declaration.name, Relation::Overrides)?;
            return Some((promised, Confidence::Exact));
        }
        let ancestors = self.ancestors(owner)?;
        let (mut replaced, confidence) =
            self.inherited(ancestors, &declaration.name, Relation::Overrides, DEPTH)?;
        let is_static = |symbol: Decl| self.symbol(symbol).modifiers.contains(Modifiers::STATIC);
        replaced.retain(|symbol| is_static(*symbol) == is_static(member) && *symbol != member);
        (!replaced.is_empty()).then_some((replaced, confidence))
    }

    pub(in crate::link) fn own_member(&self, owner: Decl, name: &str, wanted: Relation) -> Option<Vec<Decl>> {
        let blocks = self.blocks(owner);
        let members = |of_trait: bool| {
            let blocks = blocks.iter().filter(move |block| self.is_trait_impl(**block) == of_trait);
            blocks.flat_map(|block| self.context.members(*block, name))
        };
        // Where types are written out, a field is never called, and nothing else is read or written by its name.
        let is_typed = self.rules(owner.file).statically_typed();
        let fits = |symbol: &Decl| {
            let is_field = self.symbol(*symbol).kind == SymbolKind::Field;
            match wanted {
                Relation::Calls => !is_typed || !is_field,
                Relation::ReadsFrom | Relation::AssignsTo => !is_typed || is_field,
                _ => true,
            }
        };
        let inherent: Vec<_> = self.context.members(owner, name).chain(members(false)).filter(fits).collect();
        if !inherent.is_empty() {
            return Some(inherent);
        }
        let of_traits: Vec<_> = members(true).filter(fits).collect();
        (!of_traits.is_empty()).then_some(of_traits)
    }

    /// The type whose code `from` is: a class, a trait, the type of an implementation block (or the block
    /// itself if its type is not part of the project), an object whose methods are written out.
    pub(super) fn enclosing_type(&self, file: FileId, from: Option<LocalSymbol>) -> Option<Decl> {
        let from = Decl::new(file, from?);
        let owner = self.context.self_and_ancestors(from).find(|symbol| {
            let kind = self.symbol(*symbol).kind;
            let is_owner = kind.has_members() || matches!(kind, SymbolKind::Constant | SymbolKind::Variable);
            is_owner && kind != SymbolKind::Module
        })?;
        Some(self.owner_of(owner).unwrap_or(owner))
    }

    pub(super) fn scope_of(&self, file: FileId, from: Option<LocalSymbol>) -> Scope {
        let facts = self.context.facts(file);
        let module = std::iter::successors(from, |symbol| facts.symbols[*symbol].parent)
            .find(|symbol| facts.symbols[*symbol].kind == SymbolKind::Module);
        Scope { file, module }
    }

    /// The type of each implementation block of a file, where that is part of the project.
    pub(in crate::link) fn owners_of(&self, file: FileId) -> Vec<(Decl, Decl)> {
        let facts = self.context.facts(file);
        let blocks = facts.symbols.iter_enumerated().filter(|(_, s)| s.kind == SymbolKind::Impl);
        blocks
            .filter_map(|(local, block)| {
                let ty = block.ty.as_ref()?;
                let (found, _) = self.name(file, block.parent, ty, Relation::UsesType, DEPTH).ok()?;
                match found {
                    Found::Symbols(types) if types.len() == 1 => Some((Decl::new(file, local), types[0])),
                    _ => None,
                }
            })
            .collect()
    }

    /// What the types of a file extend or implement. Where a base is not known it may have any member, which
    /// matters unless the compiler refuses a choice between two.
    pub(in crate::link) fn bases_of(&self, file: FileId) -> Vec<Bases> {
        let facts = self.context.facts(file);
        let unknown = if self.rules(file).statically_typed() { vec![] } else { vec![None] };
        let parents = facts
            .references
            .iter()
            .filter(|reference| matches!(reference.relation, Relation::Inherits | Relation::Implements));
        parents
            .filter_map(|reference| {
                let from = reference.from?;
                let symbol = &facts.symbols[from];
                let scope = symbol.parent;
                let found = self.name(file, scope, &reference.target, reference.relation, DEPTH);
                let named = match found {
                    Ok((Found::Symbols(bases), _)) => {
                        let bases = self.narrow(bases, reference.relation);
                        let unsure = if bases.len() > 1 { unknown.clone() } else { Vec::new() };
                        unsure.into_iter().chain(bases.into_iter().map(Some)).collect()
                    }
                    _ => unknown.clone(),
                };
                let is_block = symbol.kind == SymbolKind::Impl;
                Some(Bases { declaration: Decl::new(file, from), is_block, named })
            })
            .collect()
    }
}

/// Why a value whose type has no meaning here has no known members.
fn unknown_type(missing: Missing) -> Missing {
    match missing {
        NOT_DEFINED | Missing::OutsideType => Missing::OutsideType,
        Missing::Because(_) | Missing::Local | Missing::ReceiverType => Missing::ReceiverType,
    }
}
