//! Assignments, and what else stores a value into another.

use oxc_ast::ast::*;
use sscg_core::{ArgumentKind, CallForm, FieldStore, FlowArgument, FlowCall, Key, LocalValue, Slot, Value};

use super::value::constant_key;
use super::{Callable, Follow, UNKNOWN};
use crate::typescript::name::{Binding, unwrap, value_of};

impl<'a> Follow<'_, 'a> {
    /// Assigns the value of an expression to the names in a pattern.
    pub(super) fn bind(&mut self, pattern: &BindingPattern<'a>, value: &Expression<'a>) {
        // A declared function or class is its own value.
        if let BindingPattern::BindingIdentifier(name) = pattern
            && let Some(Binding::Symbol(symbol)) =
                name.symbol_id.get().map(|symbol| self.names.bindings.get(symbol))
            && self.facts.symbol(symbol).body.is_some()
        {
            return;
        }
        let value = self.value(value);
        if value != UNKNOWN {
            self.bind_value(pattern, value);
        }
    }

    pub(super) fn bind_value(&mut self, pattern: &BindingPattern<'a>, value: LocalValue) {
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                let Some(name) = name.symbol_id.get() else { return };
                let symbol = match self.names.bindings.get(name) {
                    Binding::Symbol(symbol) => Some(symbol),
                    Binding::Import(_) => return,
                    _ => None,
                };
                self.variable(name, symbol).assigned.push(value);
            }
            BindingPattern::ObjectPattern(object) => {
                for property in &object.properties {
                    if let PropertyKey::StaticIdentifier(key) = &property.key {
                        let member = self.member(value, key.name.as_str());
                        self.bind_value(&property.value, member);
                    }
                }
            }
            BindingPattern::ArrayPattern(array) => {
                for (at, pattern) in (0..).zip(&array.elements) {
                    if let Some(pattern) = pattern {
                        let element = self.element(value, Key::Index(at));
                        self.bind_value(pattern, element);
                    }
                }
            }
            BindingPattern::AssignmentPattern(default) => {
                self.bind_value(&default.left, value);
                self.bind(&default.left, &default.right);
            }
        }
    }

    pub(super) fn assignment(&mut self, assignment: &AssignmentExpression<'a>) {
        let value = self.value(&assignment.right);
        if value == UNKNOWN {
            return;
        }
        match &assignment.left {
            AssignmentTarget::AssignmentTargetIdentifier(target) => {
                if let Some(name) = self.names.bindings.symbol_of(target) {
                    let symbol = match self.names.bindings.get(name) {
                        Binding::Symbol(symbol) if self.facts.symbol(symbol).body.is_none() => Some(symbol),
                        _ => None,
                    };
                    self.variable(name, symbol).assigned.push(value);
                }
            }
            AssignmentTarget::StaticMemberExpression(member) => {
                let object = self.value(&member.object);
                self.store(object, Slot::Member(member.property.name.as_str().into()), value);
            }
            AssignmentTarget::PrivateFieldExpression(member) => {
                let object = self.value(&member.object);
                self.store(object, Slot::Member(self.names.text(member.field.span).into()), value);
            }
            AssignmentTarget::ComputedMemberExpression(member) => {
                let object = self.value(&member.object);
                self.store(object, Slot::Element(constant_key(&member.expression)), value);
            }
            _ => {}
        }
    }

    fn store(&mut self, object: LocalValue, slot: Slot, value: LocalValue) {
        if object != UNKNOWN && value != UNKNOWN {
            self.flow.stores.push(FieldStore { object, slot, value });
        }
    }

    pub(super) fn loop_variable(&mut self, statement: &ForOfStatement<'a>) {
        if let ForStatementLeft::VariableDeclaration(variables) = &statement.left
            && let [variable] = variables.declarations.as_slice()
        {
            let many = self.value(&statement.right);
            let element = self.element(many, Key::Any);
            if element != UNKNOWN {
                self.bind_value(&variable.id, element);
            }
        }
    }

    /// Records the elements that a method adds to a container.
    pub(super) fn element_stores(&mut self, call: &CallExpression<'a>) {
        let Expression::StaticMemberExpression(member) = unwrap(&call.callee) else { return };
        let (added, key) = match (member.property.name.as_str(), call.arguments.as_slice()) {
            ("add" | "push" | "unshift", added) => (added, Key::Any),
            ("set", [key, added @ ..]) => (added, key.as_expression().map_or(Key::Any, constant_key)),
            _ => return,
        };
        let object = self.value(&member.object);
        for added in added.iter().filter_map(Argument::as_expression) {
            let value = self.value(added);
            // Texts and the like are never called.
            if !matches!(self.flow.values[value], Value::Text(_)) {
                self.store(object, Slot::Element(key.clone()), value);
            }
        }
    }

    /// Records that a method calls a function literal with each element of its object: `listeners.forEach((it) => it())`.
    pub(super) fn callback_of_elements(&mut self, call: &CallExpression<'a>) {
        let Expression::StaticMemberExpression(member) = unwrap(&call.callee) else { return };
        let name = member.property.name.as_str();
        let (Some(callback), true) =
            (call.arguments.first().and_then(Argument::as_expression), ELEMENTWISE.contains(&name))
        else {
            return;
        };
        if Callable::of(value_of(callback)).is_none() {
            return;
        }
        let many = self.value(&member.object);
        let element = self.element(many, Key::Any);
        if element != UNKNOWN {
            let callee = self.value(callback);
            let argument = FlowArgument { kind: ArgumentKind::Place, value: element };
            self.flow.calls.push(FlowCall {
                callee,
                arguments: Box::new([argument]),
                from: self.owner,
                line: 0,
                form: CallForm::Implied,
            });
        }
    }
}

/// Methods that call their first argument with each element of their object.
const ELEMENTWISE: [&str; 8] = ["every", "filter", "find", "findIndex", "flatMap", "forEach", "map", "some"];
