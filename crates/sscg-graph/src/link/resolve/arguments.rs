//! Calls by a path through a type or trait, resolved by the type of the first argument.

use sscg_core::{Confidence, FileId, Head, LocalSymbol, Modifiers, NameRef, SymbolKind, TypeHint};

use super::values::{Given, Type};
use super::{DEPTH, Linker, Resolution, ResolveError, ResolveResult};
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
        let is_own = |method: &Decl| method.file == file && Some(method.symbol) == from;
        let is_on_self = matches!(first, TypeHint::Value(name) if *name.path == ["self".into()]);
        let implemented_trait = match &found {
            Ok((Resolution::Symbols(symbols), _)) => match symbols[..] {
                [_, _, ..] => return self.accepting(file, from, first, found),
                [method] => match self.context.parent(method) {
                    Some(owner) if self.symbol(owner).kind == SymbolKind::Trait => Some(owner),
                    // A method for an external type does not call itself, but the type's own method.
                    Some(block)
                        if is_on_self
                            && is_own(&method)
                            && self.symbol(block).kind == SymbolKind::Impl
                            && self.owner_of(block).is_none() =>
                    {
                        return Err(ResolveError::ExternalType);
                    }
                    _ => return found,
                },
                [] => return found,
            },
            Ok((Resolution::External(..), _)) => None,
            _ => return found,
        };
        let [.., of_trait, method] = &*name.path else { return found };
        let value = self.hinted_type(file, from, first, DEPTH);
        let of_block = |block: &Decl| match implemented_trait {
            Some(implemented_trait) => self.trait_of(*block) == Some(implemented_trait),
            None => self.trait_of(*block).is_none() && self.trait_name(*block) == Some(of_trait),
        };
        let mut methods = self.methods_of_type(file, &value, method, of_block);
        // In a trait method of a type that dereferences to another type with that method, `self` stands for the latter.
        if is_on_self {
            methods.retain(|method| !is_own(method));
        }
        if methods.is_empty() { found } else { Ok((Resolution::Symbols(methods), Confidence::Exact)) }
    }

    /// Selects the functions that blocks of the project give to an external type, called by a path through the type:
    /// `Vec::from_rows(rows)`. The type may have functions of its own for external traits such as `From`, so there the
    /// first argument has to fit, and an unknown one leaves all in doubt.
    pub(super) fn on_external_type(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &'a NameRef,
        first: Option<&'a TypeHint>,
        path: &str,
    ) -> Option<(Vec<Decl>, Confidence)> {
        let method = name.name();
        let ty = path.strip_suffix(method).and_then(|ty| ty.strip_suffix("::")).unwrap_or(path);
        let ty = Type::External(ty.to_owned(), Vec::new());
        // A method for an external type does not call itself.
        let is_other = |(_, function): &(Decl, Decl)| function.file != file || Some(function.symbol) != from;
        let blocks: Vec<(Decl, Decl)> = self.blocks_for(file, &ty, method).filter(is_other).collect();
        let is_own = |(block, _): &&(Decl, Decl)| self.trait_of(*block).is_some();
        let mut functions: Vec<Decl> = blocks.iter().filter(is_own).map(|(_, function)| *function).collect();
        let mut confidence = Confidence::Inferred;
        if functions.is_empty() {
            functions = blocks.into_iter().map(|(_, function)| function).collect();
            match first.map_or(Type::Unknown, |first| self.hinted_type(file, from, first, DEPTH)) {
                Type::Unknown => confidence = Confidence::Ambiguous,
                value => functions.retain(|function| self.takes_first(*function, &value)),
            }
        }
        (!functions.is_empty()).then_some((functions, confidence))
    }

    /// Returns true if the first parameter of a function takes a value of this type.
    fn takes_first(&self, function: Decl, value: &Type) -> bool {
        let parameter = self.symbol(function).parameters.first();
        parameter.is_some_and(|parameter| {
            let place = Some(function.symbol);
            value.fits(&self.written(function.file, place, parameter, &Given::default(), DEPTH))
        })
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
        let takes = |function: &Decl| self.takes_first(*function, &value);
        let accepting: Vec<Decl> = functions.iter().copied().filter(takes).collect();
        // A parameter whose type is a type parameter may take the value as well.
        let takes_any = |function: &Decl| {
            let parameter = self.symbol(*function).parameters.first().and_then(TypeHint::named);
            parameter.is_none_or(|(name, _)| name.head == Head::TypeParameter || *name.path == ["_".into()])
        };
        match accepting[..] {
            [] => Ok((Resolution::Symbols(functions), sure)),
            [_] if !functions.iter().any(takes_any) => Ok((Resolution::Symbols(accepting), sure)),
            _ => Ok((Resolution::Symbols(accepting), sure.min(Confidence::Inferred))),
        }
    }
}
