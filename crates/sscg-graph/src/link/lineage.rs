//! Project-wide type relations: the type of each implementation block, and what types inherit.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use sscg_core::Confidence;

use super::tables::{Decl, LookupKey, hash_of};

/// Supertype whose members a type inherits.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Ancestor {
    pub(super) ty: Decl,
    /// Below [`Confidence::Exact`] if an unknown type comes before it and may override its members.
    pub(super) confidence: Confidence,
}

/// Maximum number of implementation blocks of one type in which members are looked up. Real code has fewer; a file of
/// nothing else would take time quadratic in its size.
const MOST_BLOCKS: usize = 1024;

/// Types of implementation blocks, and of members declared outside of their type, where they are part of the project.
#[derive(Default)]
pub(super) struct Owners {
    types: FxHashMap<Decl, Decl>,
    blocks: FxHashMap<Decl, Vec<Decl>>,
}

impl Owners {
    /// Builds the tables from pairs of a block and its type, in the order of the project. If a block has several types,
    /// under different conditions, the first one is its owner.
    pub(super) fn new(pairs: impl Iterator<Item = (Decl, Decl)>) -> Self {
        let mut owners = Self::default();
        for (block, ty) in pairs {
            owners.types.entry(block).or_insert(ty);
            let blocks: &mut Vec<Decl> = owners.blocks.entry(ty).or_default();
            if blocks.len() < MOST_BLOCKS {
                blocks.push(block);
            }
        }
        owners
    }

    pub(super) fn ty(&self, block: Decl) -> Option<Decl> {
        self.types.get(&block).copied()
    }

    pub(super) fn blocks(&self, ty: Decl) -> &[Decl] {
        self.blocks.get(&ty).map_or(&[], Vec::as_slice)
    }
}

/// Bases that a declaration names.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) struct Bases {
    pub(super) declaration: Decl,
    /// Set when the declaration is an implementation block.
    pub(super) is_block: bool,
    /// Bases in source order; `None` where a base is unknown.
    pub(super) named: Vec<Option<Decl>>,
    /// Last segment of the name of the base.
    pub(super) name: Box<str>,
}

/// Trait that an implementation block implements.
#[derive(Clone, Default, PartialEq)]
struct ImplementedTrait {
    /// Declaration of the trait, if it is part of the project.
    declaration: Option<Decl>,
    /// Name of the trait.
    name: Box<str>,
}

/// Inheritance relations of types.
#[derive(Default)]
pub(super) struct Lineages {
    /// Implementation blocks that implement a trait, of the project or external.
    traits: FxHashMap<Decl, ImplementedTrait>,
    /// Supertypes of each type that extends or implements something, nearest first.
    ancestors: FxHashMap<Decl, Vec<Ancestor>>,
    /// Direct and indirect subtypes of each type, in the order of the project.
    subtypes: FxHashMap<Decl, Vec<Decl>>,
}

impl Lineages {
    /// Builds the relations from the bases that declarations of all files name, in the order of the project.
    pub(super) fn new<'b>(owners: &Owners, declared: impl Iterator<Item = &'b Bases>) -> Self {
        let mut lineages = Self::default();
        let mut bases = BasesOf::default();
        for Bases { declaration, is_block, named, name } in declared {
            if *is_block {
                let implemented_trait =
                    if let [Some(implemented_trait)] = named[..] { Some(implemented_trait) } else { None };
                let known = lineages.traits.entry(*declaration).or_default();
                *known = ImplementedTrait {
                    declaration: implemented_trait.or(known.declaration),
                    name: name.clone(),
                };
            }
            let owner = owners.ty(*declaration).unwrap_or(*declaration);
            let known = bases.entry(owner).or_default();
            for base in named {
                if *base != Some(owner) && !known.contains(base) {
                    known.push(*base);
                }
            }
        }
        lineages.ancestors = bases.keys().map(|ty| (*ty, lineage(*ty, &bases))).collect();
        for (subtype, ancestors) in &lineages.ancestors {
            for ancestor in ancestors {
                lineages.subtypes.entry(ancestor.ty).or_default().push(*subtype);
            }
        }
        lineages.subtypes.values_mut().for_each(|subtypes| subtypes.sort_unstable());
        lineages
    }

    pub(super) fn is_trait_impl(&self, block: Decl) -> bool {
        self.traits.contains_key(&block)
    }

    pub(super) fn implemented_trait(&self, block: Decl) -> Option<Decl> {
        self.traits.get(&block)?.declaration
    }

    pub(super) fn implemented_trait_name(&self, block: Decl) -> Option<&str> {
        self.traits.get(&block).map(|implemented_trait| &*implemented_trait.name)
    }

    pub(super) fn ancestors(&self, ty: Decl) -> Option<&[Ancestor]> {
        self.ancestors.get(&ty).map(Vec::as_slice)
    }

    pub(super) fn subtypes(&self, ty: Decl) -> &[Decl] {
        self.subtypes.get(&ty).map_or(&[], Vec::as_slice)
    }

    /// Returns the types whose subtypes differ between two states.
    pub(super) fn differing_subtypes<'l>(&'l self, other: &'l Self) -> impl Iterator<Item = Decl> {
        let types = self.subtypes.keys().chain(other.subtypes.keys());
        types.filter(|ty| self.subtypes.get(ty) != other.subtypes.get(ty)).copied()
    }

    /// Returns the types whose supertypes, and the blocks whose traits, differ between two states.
    pub(super) fn differing<'l>(&'l self, other: &'l Self) -> impl Iterator<Item = Decl> {
        let types = self.ancestors.keys().chain(other.ancestors.keys());
        let types = types.filter(|ty| self.ancestors.get(ty) != other.ancestors.get(ty));
        let blocks = self.traits.keys().chain(other.traits.keys());
        types.chain(blocks.filter(|block| self.traits.get(block) != other.traits.get(block))).copied()
    }
}

/// Returns the key for a lookup of a type's subtypes.
pub(super) fn subtypes_key(ty: Decl) -> LookupKey {
    LookupKey::new(hash_of(&("subtypes", ty)))
}

/// Bases of each type in source order; `None` where a base is unknown.
type BasesOf = FxHashMap<Decl, Vec<Option<Decl>>>;

/// Maximum number of supertypes of one type.
const MAX_ANCESTORS: usize = 64;

/// Returns the supertypes of a type, nearest first: depth first in source order, but a supertype on several paths comes
/// after all types that extend it.
fn lineage(ty: Decl, bases: &BasesOf) -> Vec<Ancestor> {
    let mut found = Vec::new();
    collect_ancestors(ty, bases, &mut vec![ty], &mut found);
    let mut seen = FxHashSet::default();
    let mut last: Vec<Option<Decl>> =
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

fn collect_ancestors(ty: Decl, bases: &BasesOf, path: &mut Vec<Decl>, found: &mut Vec<Option<Decl>>) {
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
