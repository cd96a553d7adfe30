//! Types of variables where a test was true: `value instanceof Queue`, `isQueue(value)`.

use oxc_ast::ast::*;
use oxc_syntax::operator::{BinaryOperator, LogicalOperator, UnaryOperator};
use oxc_syntax::symbol::SymbolId;

use super::declare::last_segment;
use super::name::{Names, RawHead, RawHint, RawName, unwrap};
use super::walk::Walker;

impl<'a> Walker<'a> {
    /// Walks code that runs only if a test is true, or only if it is false.
    pub(super) fn where_it_is(&mut self, test: &Expression<'a>, is_true: bool, walk: impl FnOnce(&mut Self)) {
        let known = self.names.narrowed.len();
        self.names.narrow(test, is_true);
        walk(self);
        self.names.narrowed.truncate(known);
    }

    /// Records the types that follow from a statement for those after it: it leaves the block unless a test is true, or
    /// asserts a type.
    pub(super) fn narrow_after(&mut self, statement: &Statement<'a>) {
        match statement {
            Statement::IfStatement(guard) if guard.alternate.is_none() && leaves(&guard.consequent) => {
                self.names.narrow(&guard.test, false);
            }
            // Of the functions that are called for their effects, few are tests.
            Statement::ExpressionStatement(statement) => {
                if let Expression::CallExpression(call) = &statement.expression
                    && last_segment(&call.callee).is_some_and(|name| name.starts_with("assert"))
                {
                    self.names.narrow(&statement.expression, true);
                }
            }
            _ => {}
        }
    }
}

impl<'a> Names<'a> {
    /// Records the types of variables that follow from the result of a test.
    fn narrow(&mut self, test: &Expression<'a>, is_true: bool) {
        match unwrap(test) {
            Expression::UnaryExpression(not) if not.operator == UnaryOperator::LogicalNot => {
                self.narrow(&not.argument, !is_true);
            }
            Expression::LogicalExpression(logical) => {
                let operator = if is_true { LogicalOperator::And } else { LogicalOperator::Or };
                if logical.operator == operator {
                    self.narrow(&logical.left, is_true);
                    self.narrow(&logical.right, is_true);
                }
            }
            Expression::BinaryExpression(test) if is_true && test.operator == BinaryOperator::Instanceof => {
                if let Some(variable) = self.constant(&test.left)
                    && let Some(class) = self.of_expression(&test.right)
                {
                    self.narrowed.push((variable, self.arena.alloc(RawHint::Named(class))));
                }
            }
            Expression::CallExpression(call) if is_true => {
                let value = call.arguments.first().and_then(Argument::as_expression);
                // Most functions assert nothing, so a type that is known otherwise is kept.
                if let Some(variable) = value.and_then(|value| self.constant(value))
                    && self.bindings.is_untyped(variable)
                    && let Some(callee) = self.of_expression(&call.callee)
                {
                    let mut hint = RawHint::Asserted(callee);
                    // One of several tests asserts a type, or the last of them.
                    if let Some((_, known)) = self.narrowed.iter().rfind(|(known, _)| *known == variable) {
                        hint = RawHint::OneOf(self.arena.alloc_slice_copy(&[hint, **known]));
                    }
                    self.narrowed.push((variable, self.arena.alloc(hint)));
                }
            }
            _ => {}
        }
    }

    /// Returns the variable that an expression names, if it is never assigned to.
    fn constant(&self, expression: &Expression<'a>) -> Option<SymbolId> {
        let Expression::Identifier(variable) = unwrap(expression) else { return None };
        self.bindings.symbol_of(variable).filter(|variable| !self.bindings.is_reassigned(*variable))
    }

    /// Returns the name of a member of a variable with the type that tests around the current node give the variable.
    pub(super) fn narrowed(&self, name: RawName<'a>) -> RawName<'a> {
        let (RawHead::Bound(variable), [_, rest @ ..]) = (name.head, name.path) else { return name };
        match self.narrowed.iter().rfind(|(known, _)| *known == variable) {
            Some((_, hint)) if !rest.is_empty() => {
                RawName { head: RawHead::Value(Some(hint)), path: rest, ..name }
            }
            _ => name,
        }
    }
}

/// Returns true if a statement ends with a jump out of its block.
fn leaves(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ReturnStatement(_)
        | Statement::ThrowStatement(_)
        | Statement::BreakStatement(_)
        | Statement::ContinueStatement(_) => true,
        Statement::BlockStatement(block) => block.body.last().is_some_and(leaves),
        _ => false,
    }
}
