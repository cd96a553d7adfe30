//! Contextual types: the parameters of a callback get their types from the function that it is passed to, those of a
//! returned function from the return type.
//!
//! All of this is recorded before the code itself is walked, because a name's hint is resolved afterwards.

use oxc_ast::ast::*;

use super::callable::Callable;
use super::name::{Binding, RawHint, RawName, value_of};
use super::walk::Walker;

impl<'a> Walker<'a> {
    /// Records the expected types of a call's arguments.
    pub(super) fn expect_arguments(&mut self, callee: Option<RawName<'a>>, arguments: &[Argument<'a>]) {
        // The arguments of `f.call(..)` are not those of `f`.
        let is_of_function = |callee: &RawName<'_>| matches!(callee.path, [.., "apply" | "bind" | "call"]);
        let Some(callee) = callee.filter(|callee| !is_of_function(callee)) else { return };
        for (at, argument) in arguments.iter().enumerate() {
            if let (Some(value), Ok(at)) = (argument.as_expression(), u8::try_from(at)) {
                self.expect(value, RawHint::Argument(callee, at));
            }
        }
    }

    /// Records the expected type of a value, for the functions inside it.
    pub(super) fn expect(&mut self, value: &Expression<'a>, expected: RawHint<'a>) {
        match value_of(value) {
            Expression::ConditionalExpression(choice) => {
                self.expect(&choice.consequent, expected);
                self.expect(&choice.alternate, expected);
            }
            Expression::ObjectExpression(object) => {
                for property in &object.properties {
                    if let ObjectPropertyKind::ObjectProperty(property) = property
                        && let PropertyKey::StaticIdentifier(name) = &property.key
                    {
                        let expected = self.names.member_of(expected, name.name.as_str());
                        self.expect(&property.value, expected);
                    }
                }
            }
            _ => {
                if let Some(callable) = Callable::of(value) {
                    self.expect_function(callable, expected);
                }
            }
        }
    }

    /// Records the expected type of a declaration's value, given by its annotation.
    pub(super) fn expect_annotated(
        &mut self,
        annotation: Option<&TSTypeAnnotation<'a>>,
        value: Option<&Expression<'a>>,
    ) {
        let expected = annotation.and_then(|annotation| self.names.of_type(&annotation.type_annotation));
        if let (Some(expected), Some(value)) = (expected, value) {
            self.expect(value, expected);
        }
    }

    fn expect_function(&mut self, callable: Callable<'_, 'a>, expected: RawHint<'a>) {
        let of = self.names.arena.alloc(expected);
        for (at, parameter) in callable.parameters().items.iter().enumerate() {
            if parameter.type_annotation.is_none()
                && let Ok(at) = u8::try_from(at)
            {
                self.hint_pattern(&parameter.pattern, RawHint::Parameter(of, at));
            }
        }
        if callable.return_type().is_none() {
            let result = self.names.result_of(expected);
            self.expect_results(callable, result);
        }
    }

    /// Records the expected type of a function's results.
    pub(super) fn expect_results(&mut self, callable: Callable<'_, 'a>, expected: RawHint<'a>) {
        for result in callable.results() {
            self.expect(result, expected);
        }
    }

    /// Records the hints of the names in a pattern.
    pub(super) fn hint_pattern(&mut self, pattern: &BindingPattern<'a>, hint: RawHint<'a>) {
        match pattern {
            BindingPattern::BindingIdentifier(identifier) => {
                if let Some(symbol) = identifier.symbol_id.get()
                    && !matches!(self.names.bindings.get(symbol), Binding::Symbol(_) | Binding::Import(_))
                {
                    let hint = self.names.arena.alloc(hint);
                    self.names.bindings.set(symbol, Binding::Local(hint));
                }
            }
            BindingPattern::ObjectPattern(object) => {
                for property in &object.properties {
                    if let PropertyKey::StaticIdentifier(name) = &property.key {
                        let member = self.names.member_of(hint, name.name.as_str());
                        self.hint_pattern(&property.value, member);
                    }
                }
            }
            BindingPattern::ArrayPattern(array) => {
                let element = RawHint::Element(self.names.arena.alloc(hint));
                for pattern in array.elements.iter().flatten() {
                    self.hint_pattern(pattern, element);
                }
            }
            BindingPattern::AssignmentPattern(default) => self.hint_pattern(&default.left, hint),
        }
    }

    /// Records the hint of a loop variable.
    pub(super) fn hint_loop(&mut self, statement: &ForOfStatement<'a>) {
        if let ForStatementLeft::VariableDeclaration(variables) = &statement.left
            && let [variable] = variables.declarations.as_slice()
            && let Some(many) = self.names.hint(&statement.right)
        {
            let element = RawHint::Element(self.names.arena.alloc(many));
            self.hint_pattern(&variable.id, element);
        }
    }
}
