//! Calls by a path through a type or trait, resolved by the type of the first argument.

use sscg_core::{Confidence, FileId, LocalSymbol, Modifiers, NameRef, SymbolKind, TypeHint};

use super::values::{Given, Type};
use super::{DEPTH, Linker, Resolution, ResolveResult};
use crate::link::tables::Decl;

impl<'a> Linker<'a> {
    /// Selects the function that a called path runs, given its first argument: `Trait::method(value)` runs the method
    /// of the value's type, and among several functions of one type, `Type::from(value)` runs the one that takes the
    /// value.
    pub(super) fn by_first_argument(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &'a NameRef,
        first: &'a TypeHint,
        found: ResolveResult<'a>,
    ) -> ResolveResult<'a> {
        let implemented_trait = match &found {
            Ok((Resolution::Symbols(symbols), _)) => match symbols[..] {
                [_, _, ..] => return self.accepting(file, from, first, found),
                [method] => match self.context.parent(method) {
                    Some(owner) if self.symbol(owner).kind == SymbolKind::Trait => Some(owner),
                    _ => return found,
                },
                [] => return found,
            },
            Ok((Resolution::External(..), _)) => None,
            _ => return found,
        };
        let [.., of_trait, method] = &*name.path else { return found };
        let value = self.hinted_type(file, from, first, DEPTH);
        // In a trait method of a type that dereferences to another type with that method, `self` stands for the latter.
        let is_own = |method: &Decl| method.file == file && Some(method.symbol) == from;
        let of_block = |block: &Decl| match implemented_trait {
            Some(implemented_trait) => self.trait_of(*block) == Some(implemented_trait),
            None => self.trait_of(*block).is_none() && self.trait_name(*block) == Some(of_trait),
        };
        let mut methods = self.methods_of_type(file, &value, method, of_block);
        if matches!(first, TypeHint::Value(name) if *name.path == ["self".into()]) {
            methods.retain(|method| !is_own(method));
        }
        if methods.is_empty() { found } else { Ok((Resolution::Symbols(methods), Confidence::Exact)) }
    }

    /// Returns the methods that some of the blocks for a type give to its values.
    fn methods_of_type(
        &self,
        file: FileId,
        ty: &Type,
        method: &'a str,
        of_block: impl Fn(&Decl) -> bool,
    ) -> Vec<Decl> {
        let runs_on_value = |method: &Decl| !self.symbol(*method).modifiers.contains(Modifiers::STATIC);
        match (ty, self.external_type(ty)) {
            (Type::Declared(types, _), None) => {
                let blocks = types.iter().flat_map(|ty| self.blocks(*ty)).filter(|block| of_block(block));
                let members = blocks.flat_map(|block| self.context.members(*block, method));
                members.filter(runs_on_value).collect()
            }
            (Type::Unknown, None) => Vec::new(),
            (Type::External(..), _) | (_, Some(_)) => {
                let outside = self.external_type(ty).unwrap_or(ty);
                let methods = self.methods_for(file, outside, method);
                methods.filter(|(block, _)| of_block(block)).map(|(_, method)| method).collect()
            }
        }
    }

    /// Selects the functions whose first parameter takes a value of this type.
    fn accepting(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        first: &'a TypeHint,
        found: ResolveResult<'a>,
    ) -> ResolveResult<'a> {
        let Ok((Resolution::Symbols(functions), sure)) = found else { return found };
        let value = self.hinted_type(file, from, first, DEPTH);
        let takes = |function: &Decl| {
            let parameter = self.symbol(*function).parameters.first();
            parameter.is_some_and(|parameter| {
                let place = Some(function.symbol);
                value.fits(&self.written(function.file, place, parameter, &Given::default(), DEPTH))
            })
        };
        let accepting: Vec<Decl> = functions.iter().copied().filter(takes).collect();
        match accepting[..] {
            [] => Ok((Resolution::Symbols(functions), sure)),
            _ => Ok((Resolution::Symbols(accepting), sure.min(Confidence::Inferred))),
        }
    }
}
