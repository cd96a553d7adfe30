//! Members of types, own and inherited.

use sscg_core::{Confidence, FileId, LocalSymbol, Modifiers, Relation, SymbolKind};

use super::choose::names_type;
use super::shape::Shape;
use super::{Linker, Resolution, ResolveError};
use crate::link::lineage::Ancestor;
use crate::link::tables::{Decl, MOST_OF_A_NAME};

impl<'a> Linker<'a> {
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
}
