//! Choice among functions of one name by the number of arguments.

use sscg_core::{FileId, Modifiers, ModuleSystem, Relation, SymbolKind};

use super::Linker;
use crate::link::tables::Decl;

impl Linker<'_> {
    /// Selects the functions that take a number of arguments, where functions of one name may differ in their
    /// parameters. A type has the overloads of its supertypes too.
    pub(super) fn by_arity(&self, file: FileId, symbols: Vec<Decl>, count: u8) -> Vec<Decl> {
        if !self.rules(file).has_overloads() {
            return symbols;
        }
        // A function with a variable number of parameters is as good as others.
        let are_equal = self.context.language(file).modules == ModuleSystem::Includes;
        let is_variadic =
            |it: &Decl, any| any || are_equal && self.symbol(*it).modifiers.contains(Modifiers::VARIADIC);
        let fitting = |any: bool| {
            symbols
                .iter()
                .copied()
                .filter(|it| self.takes(*it, count, is_variadic(it, any)))
                .collect::<Vec<_>>()
        };
        let inherited = || {
            let method = symbols.iter().find(|it| self.symbol(**it).kind == SymbolKind::Method)?;
            let ancestors = self.ancestors(self.owner_of_member(*method)?)?.iter();
            let mut found = ancestors.filter_map(|ancestor| {
                let mut own = self.own_member(ancestor.ty, &self.symbol(*method).name, Relation::Calls)?;
                own.retain(|it| self.takes(*it, count, false));
                (!own.is_empty()).then_some(own)
            });
            found.next()
        };
        let exact = fitting(false);
        if !exact.is_empty() {
            return exact;
        }
        let others = inherited().unwrap_or_else(|| fitting(true));
        if others.is_empty() { symbols } else { others }
    }

    /// Returns true if a function takes a number of arguments; `any` allows parameters that take none or several.
    pub(super) fn takes(&self, function: Decl, count: u8, any: bool) -> bool {
        let count = usize::from(count);
        let symbol = self.symbol(function);
        // The receiver of a call is the first argument of an extension method.
        let is_extension = symbol.modifiers.contains(Modifiers::EXTENSION);
        let most = symbol.parameters.len().saturating_sub(usize::from(is_extension));
        !symbol.kind.is_callable()
            || symbol.kind == SymbolKind::Macro
            || most == count
            || any && (symbol.modifiers.contains(Modifiers::VARIADIC) && count + 1 >= most || most > count)
    }

    /// Returns true if these are functions of one type, which an import by their name brings in together.
    pub(super) fn are_overloads(&self, functions: &[Decl]) -> bool {
        let is_overload = |it: &Decl| {
            self.symbol(*it).kind.is_callable()
                && self.rules(it.file).has_overloads()
                && self.context.parent(*it) == self.context.parent(functions[0])
        };
        functions.iter().all(is_overload)
    }
}
