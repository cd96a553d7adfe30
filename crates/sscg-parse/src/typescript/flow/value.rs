//! Values of expressions.

use oxc_ast::ast::*;
use oxc_span::GetSpan;
use oxc_syntax::symbol::SymbolId;
use sscg_core::{Key, LocalSymbol, LocalValue, Modifiers, SymbolKind, TypeHint, Value};

use super::{Callable, Follow, MAX_DEPTH, MAX_PARTS, UNKNOWN, Variable};
use crate::typescript::name::{Binding, value_of};

impl<'a> Follow<'_, 'a> {
    pub(super) fn value(&mut self, expression: &Expression<'a>) -> LocalValue {
        self.value_within(expression, MAX_DEPTH)
    }

    pub(super) fn value_within(&mut self, expression: &Expression<'a>, depth: u32) -> LocalValue {
        let Some(depth) = depth.checked_sub(1) else { return UNKNOWN };
        match value_of(expression) {
            Expression::Identifier(identifier) => self.identifier(identifier),
            Expression::ThisExpression(_) => self.this,
            Expression::StaticMemberExpression(member) => {
                let object = self.value_within(&member.object, depth);
                self.member(object, member.property.name.as_str())
            }
            Expression::PrivateFieldExpression(member) => {
                let object = self.value_within(&member.object, depth);
                self.member(object, self.names.text(member.field.span))
            }
            Expression::ComputedMemberExpression(member) => self.computed(member, depth),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => self.result(call, depth),
                ChainElement::StaticMemberExpression(member) => {
                    let object = self.value_within(&member.object, depth);
                    self.member(object, member.property.name.as_str())
                }
                ChainElement::ComputedMemberExpression(member) => self.computed(member, depth),
                ChainElement::TSNonNullExpression(inner) => self.value_within(&inner.expression, depth),
                ChainElement::PrivateFieldExpression(_) => UNKNOWN,
            },
            Expression::CallExpression(call) => self.result(call, depth),
            Expression::NewExpression(new) => self.construction(new, depth),
            Expression::ArrayExpression(array) => self.array(array, depth),
            Expression::ObjectExpression(object) => self.object(object, depth),
            Expression::ConditionalExpression(choice) => {
                self.either([&choice.consequent, &choice.alternate], depth)
            }
            Expression::LogicalExpression(logical) => self.either([&logical.left, &logical.right], depth),
            Expression::AssignmentExpression(assignment) => self.value_within(&assignment.right, depth),
            Expression::AwaitExpression(promise) => self.value_within(&promise.argument, depth),
            Expression::StringLiteral(text) if text.value.len() <= MAX_TEXT => {
                self.flow.values.push(Value::Text(text.value.as_str().into()))
            }
            value => match Callable::of(value) {
                Some(callable) => self.function_value(callable),
                None => UNKNOWN,
            },
        }
    }

    fn function_value(&mut self, callable: Callable<'_, 'a>) -> LocalValue {
        let function = self.function_of(callable);
        self.flow.values.push(match self.flow.functions[function].symbol {
            Some(symbol) => Value::Symbol(symbol),
            None => Value::Lambda(function),
        })
    }

    fn identifier(&mut self, identifier: &IdentifierReference<'a>) -> LocalValue {
        self.names.bindings.symbol_of(identifier).map_or(UNKNOWN, |symbol| self.bound(symbol))
    }

    /// Returns the value of a name that the file binds.
    fn bound(&mut self, name: SymbolId) -> LocalValue {
        if let Some(known) = self.bound.get(&name) {
            return *known;
        }
        let value = match self.names.bindings.get(name) {
            Binding::Symbol(symbol) => match self.facts.symbol(symbol) {
                it if it.modifiers.contains(Modifiers::REASSIGNED) => {
                    let value = self.flow.values.push(Value::Symbol(symbol));
                    let variable = self.variable(name, None);
                    variable.assigned.push(value);
                    variable.value
                }
                it if matches!(it.kind, SymbolKind::Constant | SymbolKind::Variable) => {
                    self.variable(name, Some(symbol)).value
                }
                _ => self.flow.values.push(Value::Symbol(symbol)),
            },
            Binding::Import(import) => self.flow.values.push(Value::Import(import)),
            Binding::TypeParameter(_) => UNKNOWN,
            Binding::Local(_) | Binding::Unknown => match self.parameters.get(&name) {
                Some((function, nth)) => {
                    let value = self.flow.values.push(Value::Parameter(*function, *nth));
                    if !self.names.bindings.is_reassigned(name) {
                        value
                    } else {
                        let variable = self.variable(name, None);
                        variable.assigned.push(value);
                        variable.value
                    }
                }
                None => self.variable(name, None).value,
            },
        };
        self.bound.insert(name, value);
        value
    }

    /// Returns a variable of the file, whose values are collected until its end.
    pub(super) fn variable(&mut self, name: SymbolId, symbol: Option<LocalSymbol>) -> &mut Variable {
        let values = &mut self.flow.values;
        let variable = self.variables.entry(name).or_insert_with(|| Variable {
            value: values.push(Value::Unknown),
            assigned: Vec::new(),
            symbol: None,
        });
        variable.symbol = variable.symbol.or(symbol);
        variable
    }

    pub(super) fn member(&mut self, object: LocalValue, name: &'a str) -> LocalValue {
        if object == UNKNOWN {
            return UNKNOWN;
        }
        let values = &mut self.flow.values;
        *self.members.entry((object, name)).or_insert_with(|| values.push(Value::Member(object, name.into())))
    }

    fn computed(&mut self, member: &ComputedMemberExpression<'a>, depth: u32) -> LocalValue {
        let object = self.value_within(&member.object, depth);
        match &member.expression {
            Expression::StringLiteral(name) => self.member(object, name.value.as_str()),
            key => {
                let key = self.key_of(key, depth);
                self.element(object, key)
            }
        }
    }

    /// Returns the key that an index denotes.
    fn key_of(&mut self, index: &Expression<'a>, depth: u32) -> Key {
        match constant_key(index) {
            Key::Any => match self.value_within(index, depth) {
                UNKNOWN => Key::Any,
                value => Key::Of(value),
            },
            key => key,
        }
    }

    pub(super) fn element(&mut self, object: LocalValue, key: Key) -> LocalValue {
        if object == UNKNOWN { UNKNOWN } else { self.flow.values.push(Value::Element(object, key)) }
    }

    fn result(&mut self, call: &CallExpression<'a>, depth: u32) -> LocalValue {
        // `f.bind(..)` is another `f`.
        if let Expression::StaticMemberExpression(member) = &call.callee
            && member.property.name == "bind"
        {
            return self.value_within(&member.object, depth);
        }
        match self.record_call(&call.callee, &call.arguments, depth) {
            Some(call) => self.flow.values.push(Value::Call(call)),
            None => UNKNOWN,
        }
    }

    fn construction(&mut self, new: &NewExpression<'a>, depth: u32) -> LocalValue {
        if let Expression::Identifier(class) = &new.callee
            && matches!(class.name.as_str(), "Array" | "Map" | "Set" | "WeakMap")
            && self.names.bindings.symbol_of(class).is_none()
        {
            return self.flow.values.push(Value::Collection(Box::default()));
        }
        match self.record_call(&new.callee, &new.arguments, depth) {
            Some(call) => self.flow.values.push(Value::Call(call)),
            None => UNKNOWN,
        }
    }

    fn either(&mut self, choices: [&Expression<'a>; 2], depth: u32) -> LocalValue {
        let values = choices.map(|it| self.value_within(it, depth));
        match values {
            [UNKNOWN, UNKNOWN] => UNKNOWN,
            values => self.flow.values.push(Value::OneOf(values.into())),
        }
    }

    fn array(&mut self, array: &ArrayExpression<'a>, depth: u32) -> LocalValue {
        let mut elements = Vec::new();
        for (at, element) in (0..).zip(array.elements.iter().take(MAX_PARTS)) {
            if let Some(value) = element.as_expression() {
                elements.push((Key::Index(at), self.value_within(value, depth)));
            } else if let ArrayExpressionElement::SpreadElement(spread) = element {
                let several = self.value_within(&spread.argument, depth);
                elements.push((Key::Any, self.element(several, Key::Any)));
            }
        }
        self.collection(elements)
    }

    fn object(&mut self, object: &ObjectExpression<'a>, depth: u32) -> LocalValue {
        let mut elements = Vec::new();
        for property in object.properties.iter().take(MAX_PARTS) {
            match property {
                ObjectPropertyKind::ObjectProperty(property) if property.kind == PropertyKind::Init => {
                    let key = match &property.key {
                        PropertyKey::StaticIdentifier(name) if !property.computed => {
                            Key::Text(name.name.as_str().into())
                        }
                        PropertyKey::StringLiteral(name) => Key::Text(name.value.as_str().into()),
                        PropertyKey::NumericLiteral(number) => {
                            Key::Text(self.names.text(number.span()).into())
                        }
                        _ => Key::Any,
                    };
                    elements.push((key, self.value_within(&property.value, depth)));
                }
                ObjectPropertyKind::ObjectProperty(_) => {}
                ObjectPropertyKind::SpreadProperty(spread) => {
                    let value = self.value_within(&spread.argument, depth);
                    elements.push((Key::Text(TypeHint::SPREAD.into()), value));
                }
            }
        }
        self.collection(elements)
    }

    fn collection(&mut self, mut elements: Vec<(Key, LocalValue)>) -> LocalValue {
        elements.retain(|(_, value)| *value != UNKNOWN);
        self.flow.values.push(Value::Collection(elements.into()))
    }
}

/// Maximum length of a recorded text, in bytes: keys of tables are short.
const MAX_TEXT: usize = 40;

/// Returns the key that a constant denotes.
pub(super) fn constant_key(index: &Expression<'_>) -> Key {
    match index {
        Expression::NumericLiteral(number) if number.value.fract() == 0.0 && number.value.abs() < 1e6 => {
            Key::Index(number.value as i32)
        }
        Expression::StringLiteral(text) => Key::Text(text.value.as_str().into()),
        _ => Key::Any,
    }
}
