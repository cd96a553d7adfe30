//! Declarations of one name for several platforms, under several conditions of the preprocessor, or that features
//! switch off.

use sscg_core::{Confidence, FileId, LocalSymbol, SymbolKind};

use super::Linker;
use crate::link::languages::{Likelihood, likelihood};
use crate::link::signature::is_function_macro;
use crate::link::tables::Decl;

impl Linker<'_> {
    /// Selects the declarations that a build for the platform of the current file has, if there are any. Code for another
    /// platform than the usual one uses any file.
    pub(super) fn configured(&self, mut found: Vec<Decl>) -> Vec<Decl> {
        let is_other = |it: &Decl| self.context.layout.is_for_other_platform(it.file);
        let is_usual =
            self.current.get().is_some_and(|file| !self.context.layout.is_for_other_platform(file));
        if found.len() < 2 {
            return found;
        }
        if is_usual && found.iter().any(is_other) && !found.iter().all(is_other) {
            found.retain(|it| !is_other(it));
            self.depend_on(Confidence::Inferred);
        }
        let is_never = |it: &Decl| self.likelihood(*it) == Likelihood::Never;
        if found.iter().any(is_never) && !found.iter().all(is_never) {
            found.retain(|it| !is_never(it));
        }
        found
    }

    /// Removes the declarations under unlikely conditions, if others remain.
    pub(super) fn likely(&self, mut found: Vec<Decl>) -> Vec<Decl> {
        let is_unlikely = |it: &Decl| self.likelihood(*it) <= Likelihood::Unlikely;
        if found.len() > 1 && found.iter().any(is_unlikely) && !found.iter().all(is_unlikely) {
            // An alias for another name leaves the functions of this name as they are.
            let is_alias = |it: &Decl| {
                self.symbol(*it).kind == SymbolKind::Macro && !is_function_macro(self.symbol(*it))
            };
            if found.iter().any(|it| is_unlikely(it) && !is_alias(it)) {
                self.depend_on(Confidence::Inferred);
            }
            found.retain(|it| !is_unlikely(it));
        }
        found
    }

    /// Returns the likelihood that a build for the current file has a declaration.
    pub(super) fn likelihood(&self, declaration: Decl) -> Likelihood {
        let around = self.context.self_and_ancestors(declaration);
        let conditions = around.filter_map(|it| self.symbol(it).condition.as_deref());
        let file = self.current.get().unwrap_or(declaration.file);
        let compiler = self.context.layout.compiler(file, self.context.language(file));
        let mut known = self.likelihoods.borrow_mut();
        let known =
            conditions.map(|it| *known.entry((it, compiler)).or_insert_with(|| likelihood(it, compiler)));
        known.min().unwrap_or(Likelihood::Always)
    }

    /// Returns true if the default features switch off a declaration, or the whole file.
    pub(super) fn is_switched_off(&self, file: FileId, declaration: Option<LocalSymbol>) -> bool {
        if let Some(known) = self.switched_off.borrow().get(&(file, declaration)) {
            return *known;
        }
        let rules = self.rules(file);
        let is_off = |condition: &str| self.context.is_switched_off(rules, file, condition);
        let is_switched_off = match declaration {
            Some(symbol) => {
                let symbol = self.symbol(Decl::new(file, symbol));
                symbol.condition.as_deref().is_some_and(is_off) || self.is_switched_off(file, symbol.parent)
            }
            None => rules.module_conditions(&self.context, file).into_iter().any(is_off),
        };
        self.switched_off.borrow_mut().insert((file, declaration), is_switched_off);
        is_switched_off
    }

    /// Removes what may be a name of the library instead: declarations that the file does not see, and those under
    /// conditions that may not hold.
    pub(super) fn own_rather_than_library(
        &self,
        name: &str,
        found: Vec<Decl>,
        is_visible: impl Fn(&Decl) -> bool,
    ) -> Vec<Decl> {
        let Some(first) = found.first() else { return found };
        if self.rules(first.file).builtin(name).is_none() {
            return found;
        }
        let mut own = found;
        own.retain(|it| {
            let is_value = !self.symbol(*it).kind.is_type();
            !is_value || is_visible(it) && self.likelihood(*it) >= Likelihood::Likely
        });
        if own.iter().any(|it| self.likelihood(*it) < Likelihood::Always) {
            self.depend_on(Confidence::Inferred);
        }
        own
    }
}
