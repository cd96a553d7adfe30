//! The types of values, their members, and what they inherit.

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{Confidence, FileId, LocalSymbol, Modifiers, Relation, SymbolId, SymbolKind, TypeHint};

use super::{DEPTH, Found, Linker, Missing, NOT_DEFINED};
use crate::link::tables::Scope;

/// A type whose members another one has.
#[derive(Clone, Copy)]
pub(in crate::link) struct Ancestor {
    pub(in crate::link) ty: SymbolId,
    /// Below [`Confidence::Exact`] if a type that is not known comes before it and may replace its members.
    pub(in crate::link) confidence: Confidence,
}

/// What each type extends or implements in source order; `None` where that is not known.
pub(in crate::link) type Bases = FxHashMap<SymbolId, Vec<Option<SymbolId>>>;

/// How many ancestors of one type are known by name.
const MAX_ANCESTORS: usize = 64;

impl<'a> Linker<'a> {
    /// The types a hint gives to a value.
    pub(in crate::link) fn hinted_types(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        hint: &'a TypeHint,
        depth: u32,
    ) -> Result<(Vec<SymbolId>, Confidence), Missing> {
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
                        types.extend(self.project().parent(callee));
                    } else {
                        types.extend(self.declared_types(callee, depth)?);
                        if !self.rules(self.project().symbol_file(callee)).statically_typed() {
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
    pub(in crate::link) fn declared_types(&self, symbol: SymbolId, depth: u32) -> Result<Vec<SymbolId>, Missing> {
        let ty = self.symbol(symbol).ty.as_ref().ok_or(Missing::ReceiverType)?;
        let (file, local) = self.project().local_symbol(symbol);
        let (found, _) = self.name(file, Some(local), ty, Relation::UsesType, depth).map_err(unknown_type)?;
        self.types(found)
    }

    pub(in crate::link) fn types(&self, found: Found) -> Result<Vec<SymbolId>, Missing> {
        match found {
            Found::Symbols(symbols) if !symbols.is_empty() => Ok(symbols),
            Found::Symbols(_) | Found::Scope(_) => Err(Missing::ReceiverType),
            Found::Outside(..) => Err(Missing::OutsideType),
        }
    }

    /// The members `name` of a type: its own before inherited ones, inherent ones before a trait's.
    pub(in crate::link) fn member(
        &self,
        owner: SymbolId,
        name: &str,
        wanted: Relation,
        depth: u32,
    ) -> Option<(Vec<SymbolId>, Confidence)> {
        if let Some(own) = self.own_member(owner, name, wanted) {
            return Some((own, Confidence::Exact));
        }
        let ancestors = self.lineages.get(&owner).map_or(&[][..], Vec::as_slice);
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
    pub(in crate::link) fn members(
        &self,
        owners: &[SymbolId],
        name: &str,
        wanted: Relation,
        depth: u32,
    ) -> Option<(Vec<SymbolId>, Confidence)> {
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
    ) -> Option<(Vec<SymbolId>, Confidence)> {
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
    pub(in crate::link) fn overridden(&self, member: SymbolId) -> Option<(Vec<SymbolId>, Confidence)> {
        let declaration = self.symbol(member);
        if declaration.kind != SymbolKind::Method || declaration.modifiers.contains(Modifiers::PRIVATE) {
            return None;
        }
        let owner = self.project().parent(member)?;
        if self.symbol(owner).kind == SymbolKind::Impl {
            let promised =
                self.own_member(*self.traits.get(&owner)?, &declaration.name, Relation::Overrides)?;
            return Some((promised, Confidence::Exact));
        }
        let ancestors = self.lineages.get(&owner)?;
        let (mut replaced, confidence) =
            self.inherited(ancestors, &declaration.name, Relation::Overrides, DEPTH)?;
        let is_static = |symbol: SymbolId| self.symbol(symbol).modifiers.contains(Modifiers::STATIC);
        replaced.retain(|symbol| is_static(*symbol) == is_static(member) && *symbol != member);
        (!replaced.is_empty()).then_some((replaced, confidence))
    }

    pub(in crate::link) fn own_member(&self, owner: SymbolId, name: &str, wanted: Relation) -> Option<Vec<SymbolId>> {
        let tables = self.context.tables;
        let blocks = self.impls.get(&owner).map_or(&[][..], Vec::as_slice);
        let members = |of_trait: bool| {
            let blocks = blocks.iter().filter(move |block| self.trait_impls.contains(*block) == of_trait);
            blocks.flat_map(|block| tables.members(*block, name)).copied()
        };
        // Where types are written out, a field is never called, and nothing else is read or written by its name.
        let is_typed = self.rules(self.project().symbol_file(owner)).statically_typed();
        let fits = |symbol: &SymbolId| {
            let is_field = self.symbol(*symbol).kind == SymbolKind::Field;
            match wanted {
                Relation::Calls => !is_typed || !is_field,
                Relation::ReadsFrom | Relation::AssignsTo => !is_typed || is_field,
                _ => true,
            }
        };
        let inherent: Vec<_> =
            tables.members(owner, name).iter().copied().chain(members(false)).filter(fits).collect();
        if !inherent.is_empty() {
            return Some(inherent);
        }
        let of_traits: Vec<_> = members(true).filter(fits).collect();
        (!of_traits.is_empty()).then_some(of_traits)
    }

    /// The type whose code `from` is: a class, a trait, the type of an implementation block (or the block
    /// itself if its type is not part of the project), an object whose methods are written out.
    pub(in crate::link) fn enclosing_type(&self, file: FileId, from: Option<LocalSymbol>) -> Option<SymbolId> {
        let from = self.project().symbol_id(file, from?);
        let owner = self.project().self_and_ancestors(from).find(|symbol| {
            let kind = self.symbol(*symbol).kind;
            let is_owner = kind.has_members() || matches!(kind, SymbolKind::Constant | SymbolKind::Variable);
            is_owner && kind != SymbolKind::Module
        })?;
        Some(self.impl_types.get(&owner).copied().unwrap_or(owner))
    }

    pub(in crate::link) fn scope_of(&self, file: FileId, from: Option<LocalSymbol>) -> Scope {
        let facts = &self.project().files()[file].facts;
        let module = std::iter::successors(from, |symbol| facts.symbols[*symbol].parent)
            .find(|symbol| facts.symbols[*symbol].kind == SymbolKind::Module);
        Scope { file, module }
    }

    pub(in crate::link) fn impl_types_of(&self, file: FileId) -> Vec<(SymbolId, SymbolId)> {
        let facts = &self.project().files()[file].facts;
        let blocks = facts.symbols.iter_enumerated().filter(|(_, s)| s.kind == SymbolKind::Impl);
        blocks
            .filter_map(|(local, block)| {
                let ty = block.ty.as_ref()?;
                let (found, _) = self.name(file, block.parent, ty, Relation::UsesType, DEPTH).ok()?;
                match found {
                    Found::Symbols(types) if types.len() == 1 => {
                        Some((self.project().symbol_id(file, local), types[0]))
                    }
                    _ => None,
                }
            })
            .collect()
    }

    /// What the types of a file extend or implement. Where a base is not known it may have any member, which
    /// matters unless the compiler refuses a choice between two.
    pub(in crate::link) fn bases_of(&self, file: FileId) -> Vec<(SymbolId, Vec<Option<SymbolId>>)> {
        let facts = &self.project().files()[file].facts;
        let unknown = if self.rules(file).statically_typed() { vec![] } else { vec![None] };
        let parents = facts
            .references
            .iter()
            .filter(|reference| matches!(reference.relation, Relation::Inherits | Relation::Implements));
        parents
            .filter_map(|reference| {
                let from = reference.from?;
                let scope = facts.symbols[from].parent;
                let found = self.name(file, scope, &reference.target, reference.relation, DEPTH);
                let bases = match found {
                    Ok((Found::Symbols(bases), _)) => {
                        let bases = self.narrow(bases, reference.relation);
                        let unsure = if bases.len() > 1 { unknown.clone() } else { Vec::new() };
                        unsure.into_iter().chain(bases.into_iter().map(Some)).collect()
                    }
                    _ => unknown.clone(),
                };
                Some((self.project().symbol_id(file, from), bases))
            })
            .collect()
    }
}

/// The ancestors of a type, nearest first: in the order of the text, depth first, but one that several paths
/// lead to comes after all types that extend it.
pub(in crate::link) fn lineage(ty: SymbolId, bases: &Bases) -> Vec<Ancestor> {
    let mut found = Vec::new();
    collect_ancestors(ty, bases, &mut vec![ty], &mut found);
    let mut seen = FxHashSet::default();
    let mut last: Vec<Option<SymbolId>> =
        found.into_iter().rev().filter(|ancestor| ancestor.is_none() || seen.insert(*ancestor)).collect();
    last.reverse();
    let mut confidence = Confidence::Exact;
    let mut ancestors = Vec::new();
    for ancestor in last {
        match ancestor {
            Some(ty) => ancestors.push(Ancestor { ty, confidence }),
            None => confidence = Confidence::Inferred,
        }
    }
    ancestors
}

fn collect_ancestors(
    ty: SymbolId,
    bases: &Bases,
    path: &mut Vec<SymbolId>,
    found: &mut Vec<Option<SymbolId>>,
) {
    for base in bases.get(&ty).into_iter().flatten() {
        if found.len() >= MAX_ANCESTORS {
            return;
        }
        match base {
            Some(base) if path.contains(base) => {}
            Some(base) => {
                found.push(Some(*base));
                path.push(*base);
                collect_ancestors(*base, bases, path, found);
                path.pop();
            }
            None => found.push(None),
        }
    }
}

/// Why a value whose type has no meaning here has no known members.
fn unknown_type(missing: Missing) -> Missing {
    match missing {
        NOT_DEFINED | Missing::OutsideType => Missing::OutsideType,
        Missing::Because(_) | Missing::Local | Missing::ReceiverType => Missing::ReceiverType,
    }
}
