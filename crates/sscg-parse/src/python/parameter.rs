//! Parameters of functions and lambdas.

use sscg_core::Relation;

use super::annotation::Annotation;
use super::grammar::Kind;
use super::walk::{Walk, WalkContext};
use crate::scope::{Binding, RawHint, ScopeId};

/// Source of the receiver's name in a function body.
#[derive(Clone, Copy)]
pub(super) enum Receiver<'s> {
    /// First parameter of a method.
    FirstParameter,
    /// Name in the enclosing code, if any: for a function inside a method, or elsewhere.
    Inherited(Option<&'s str>),
}

impl<'s> Walk<'_, 's> {
    /// Binds parameters in `scope`. Returns the name of the receiver inside the function.
    pub(super) fn parameters(&mut self, scope: ScopeId, receiver: Receiver<'s>) -> Option<&'s str> {
        let mut first = None;
        let mut hidden = false;
        self.children(|walk| {
            let name = walk.parameter(scope);
            first = first.or(name);
            hidden |= matches!(receiver, Receiver::Inherited(outer) if outer.is_some() && outer == name);
        });
        match receiver {
            Receiver::FirstParameter => first,
            Receiver::Inherited(outer) => outer.filter(|_| !hidden),
        }
    }

    /// Binds one parameter. Returns its name, if it has exactly one.
    fn parameter(&mut self, scope: ScopeId) -> Option<&'s str> {
        match self.kind() {
            Kind::Identifier => {
                self.scopes.declare(scope, self.text(), Binding::Local(None));
                Some(self.text())
            }
            Kind::TypedParameter | Kind::DefaultParameter | Kind::TypedDefaultParameter => {
                let mut name = None;
                let mut is_first = true;
                let mut annotation = Annotation::Unclear;
                self.children(|walk| match walk.kind() {
                    Kind::Identifier if is_first => {
                        is_first = false;
                        name = Some(walk.text());
                    }
                    Kind::Type => annotation = walk.annotation(),
                    _ if is_first => {
                        is_first = false;
                        walk.parameter(scope);
                    }
                    _ => walk.within(WalkContext { reads: Relation::UsesDefault, ..walk.at }, Self::visit),
                });
                if let Some(name) = name {
                    let hint = annotation.into_name().map(RawHint::Named);
                    self.scopes.declare(scope, name, Binding::Local(hint));
                }
                name
            }
            Kind::ListSplatPattern | Kind::DictionarySplatPattern | Kind::TuplePattern => {
                self.children(|walk| {
                    walk.parameter(scope);
                });
                None
            }
            _ => None,
        }
    }
}
