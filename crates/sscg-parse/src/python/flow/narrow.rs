//! Narrowing of variable types by conditions.

use sscg_core::{LocalValue, Value};
use tree_sitter::Node;

use super::super::grammar::{FIELDS, Kind, kind};
use super::Follow;
use crate::tree::text;

impl<'t, 's> Follow<'t, 's, '_> {
    /// Adds the versions that hold where a condition, followed already, evaluated to `outcome`.
    pub(super) fn narrow(&mut self, condition: Node<'t>, outcome: bool) {
        match kind(condition) {
            Kind::ParenthesizedExpression => {
                if let Some(inner) = condition.named_child(0) {
                    self.narrow(inner, outcome);
                }
            }
            Kind::NotOperator => {
                if let Some(inner) = condition.named_child(0) {
                    self.narrow(inner, !outcome);
                }
            }
            Kind::BooleanOperator => {
                let operator = condition.child_by_field_id(FIELDS.operator).map(|node| node.kind());
                if operator == Some(if outcome { "and" } else { "or" }) {
                    for part in [FIELDS.left, FIELDS.right] {
                        if let Some(part) = condition.child_by_field_id(part) {
                            self.narrow(part, outcome);
                        }
                    }
                }
            }
            Kind::Call if outcome => self.narrow_by_test(condition),
            _ => {}
        }
    }

    /// Narrows the variable of `isinstance(x, T)`, given that it holds.
    fn narrow_by_test(&mut self, call: Node<'t>) {
        let is_test = call
            .child_by_field_id(FIELDS.function)
            .is_some_and(|callee| text(callee, self.source) == "isinstance");
        let Some(arguments) = call.child_by_field_id(FIELDS.arguments).filter(|_| is_test) else { return };
        let (Some(tested), Some(types)) = (arguments.named_child(0), arguments.named_child(1)) else {
            return;
        };
        if kind(tested) != Kind::Identifier {
            return;
        }
        let types: Vec<LocalValue> = match kind(types) {
            Kind::Tuple => {
                let mut cursor = types.walk();
                types.named_children(&mut cursor).map(|ty| self.expression(ty)).collect()
            }
            _ => vec![self.expression(types)],
        };
        let ty = self.one_of(types);
        let name = text(tested, self.source);
        // An instance known as the receiver of a method is more precise than the test.
        if !matches!(self.frames[self.at].now.get(name), Some(value) if matches!(self.flow.values[*value], Value::Instance(_)))
        {
            let value = self.value(Value::OfType(ty));
            self.now(name, value);
        }
    }
}
