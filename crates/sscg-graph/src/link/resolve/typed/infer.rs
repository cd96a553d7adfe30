//! Inference of the type arguments of a call.

use sscg_core::TypeHint;

use super::convert::PERHAPS;
use super::library::is_task;
use super::{Bindings, MAX_TYPE_DEPTH, Ty};
use crate::link::resolve::Linker;
use crate::link::resolve::shape::HintScope;
use crate::link::tables::Decl;

impl<'a> Linker<'a> {
    /// Adds the types for the type parameters of a method that follow from an argument.
    pub(super) fn unify(
        &self,
        method: Decl,
        parameter: &Ty<'a>,
        argument: &Ty<'a>,
        bindings: &mut Bindings<'a>,
        depth: u32,
    ) {
        let Some(depth) = depth.checked_sub(1).filter(|_| self.typed.step()) else { return };
        match (parameter, argument) {
            (_, Ty::Unknown) => {}
            (Ty::Parameter(owner, name), _) if *owner == method => {
                self.bind(method, name, argument, bindings)
            }
            (_, Ty::Literal(..) | Ty::Functions(_)) => {
                let Some((_, result)) = self.signature(parameter) else { return };
                self.unify_result(method, &result, argument, bindings, depth);
            }
            (Ty::Of(ty, parameters), _) => {
                let is_same = |it: &Ty<'a>| matches!(it, Ty::Of(other, _) if other == ty);
                let supertypes = self.supertypes_of(argument);
                let found = [argument].into_iter().chain(supertypes.iter()).find(|it| is_same(it));
                self.unify_all(method, parameters, found.map_or(&[], Ty::arguments), bindings, depth);
            }
            // A value converts to one that may be missing, but not as a part of a type.
            (Ty::Outside(TypeHint::NULLABLE, value), argument)
                if !argument.is(TypeHint::NULLABLE) && depth + 1 == MAX_TYPE_DEPTH =>
            {
                self.unify(method, &value[0], argument, bindings, depth);
            }
            (Ty::Outside(TypeHint::NULLABLE, _), argument) if !argument.is(TypeHint::NULLABLE) => {}
            (Ty::Outside(name, parameters), _) => {
                let supertypes = self.supertypes_of(argument);
                let found = [argument].into_iter().chain(supertypes.iter()).find(|it| it.is(name));
                if let Some(found) = found {
                    self.unify_all(method, parameters, found.arguments(), bindings, depth);
                } else if let [held] = &parameters[..]
                    && self.held_by(name).is_some()
                    && !is_task(name)
                {
                    self.unify(method, held, &self.element_type(argument), bindings, depth);
                } else if parameters.len() == argument.arguments().len()
                    && matches!(argument, Ty::Outside(..))
                {
                    self.unify_all(method, parameters, argument.arguments(), bindings, depth);
                }
            }
            _ => {}
        }
    }

    /// Adds the types that follow from the type arguments of two instances of a generic type, pair by pair.
    fn unify_all(
        &self,
        method: Decl,
        parameters: &[Ty<'a>],
        arguments: &[Ty<'a>],
        bindings: &mut Bindings<'a>,
        depth: u32,
    ) {
        for (parameter, argument) in parameters.iter().zip(arguments) {
            self.unify(method, parameter, argument, bindings, depth);
        }
    }

    fn bind(&self, method: Decl, name: &'a str, argument: &Ty<'a>, bindings: &mut Bindings<'a>) {
        let is_without_type = match argument {
            Ty::Literal(..) | Ty::Functions(_) => true,
            Ty::Outside(name, _) => {
                [TypeHint::NULL, TypeHint::NEW, TypeHint::VOID, TypeHint::NEVER].contains(name)
            }
            _ => false,
        };
        if is_without_type {
            return;
        }
        match bindings.iter_mut().find(|(owner, it, _)| *owner == method && *it == name) {
            None => bindings.push((method, name, argument.clone())),
            // The wider of two types takes both.
            Some((.., known)) if known != argument => {
                if self.conversion(known, argument).is_some_and(|it| it > PERHAPS) {
                    *known = argument.clone();
                }
            }
            Some(_) => {}
        }
    }

    /// Adds the types that follow from the result of a function that is passed.
    fn unify_result(
        &self,
        method: Decl,
        result: &Ty<'a>,
        function: &Ty<'a>,
        bindings: &mut Bindings<'a>,
        depth: u32,
    ) {
        if let Ty::Literal(_, TypeHint::Generic(name, inner), place) = function
            && name.name() == TypeHint::ASYNC
        {
            let value = inner.first().map_or(Ty::Unknown, |value| self.type_of_hint(*place, value));
            match result {
                Ty::Outside(name, held) if is_task(name) && held.len() == 1 => {
                    self.unify(method, &held[0], &value, bindings, depth);
                }
                Ty::Parameter(..) => {
                    self.unify(method, result, &Ty::outside("Task", [value]), bindings, depth);
                }
                _ => {}
            }
            return;
        }
        let value = self.literal_result(function);
        self.unify(method, result, &value, bindings, depth);
    }

    /// Returns the types of the parameters of a method that its receiver determines.
    pub(super) fn parameters_of(&self, method: Decl, owner: &Ty<'a>) -> Vec<Ty<'a>> {
        let bindings = self.bindings_in(owner);
        let place = HintScope::of(method);
        let typed = |hint| self.written_type(place, hint).with(&bindings);
        self.symbol(method).parameters.iter().map(typed).collect()
    }
}
