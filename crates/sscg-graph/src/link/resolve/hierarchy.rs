//! Relations of types that the previous passes found: their blocks, supertypes and subtypes.

use sscg_core::{FileId, LocalSymbol, Modifiers, SymbolKind};

use super::{Linker, Resolution, ResolveError, ResolveResult};
use crate::link::lineage::Ancestor;
use crate::link::tables::Decl;

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

    pub(super) fn is_trait_impl(&self, block: Decl) -> bool {
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

    /// Returns the only abstract method of an interface, which a function that implements it stands for.
    pub(super) fn functional_method(&self, interface: Decl) -> Option<Decl> {
        let types =
            [interface].into_iter().chain(self.ancestors(interface).into_iter().flatten().map(|it| it.ty));
        let mut methods = types.flat_map(|ty| {
            let facts = self.context.facts(ty.file);
            let is_abstract = |it: &LocalSymbol| {
                let symbol = &facts.symbols[*it];
                symbol.kind == SymbolKind::Method && symbol.modifiers.contains(Modifiers::ABSTRACT)
            };
            facts
                .children(ty.symbol)
                .filter(is_abstract)
                .map(move |it| Decl::new(ty.file, it))
                .collect::<Vec<_>>()
        });
        let first = methods.next()?;
        methods.all(|it| self.symbol(it).name == self.symbol(first).name).then_some(first)
    }

    /// Returns the constructors that the constructor of a type runs first: those of its base, or the base itself if it
    /// has none in the text.
    pub(super) fn base_constructors(&self, ty: Decl) -> ResolveResult<'a> {
        let base = self.ancestors(ty).and_then(<[_]>::first).ok_or(ResolveError::Local)?;
        if self.symbol(base.ty).kind == SymbolKind::Interface {
            return Err(ResolveError::Local);
        }
        let facts = self.context.facts(base.ty.file);
        let constructors = facts.children(base.ty.symbol);
        let constructors: Vec<Decl> = constructors
            .filter(|it| facts.symbols[*it].kind == SymbolKind::Constructor)
            .map(|it| Decl::new(base.ty.file, it))
            .collect();
        let found = if constructors.is_empty() { vec![base.ty] } else { constructors };
        Ok((Resolution::Symbols(found), base.confidence))
    }
}
