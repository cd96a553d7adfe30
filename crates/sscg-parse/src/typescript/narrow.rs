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
            Expression::LogicalExpression(both)
                if both.operator == (if is_true { LogicalOperator::And } else { LogicalOperator::Or }) =>
            {
                self.narrow(&both.left, is_true);
                self.narrow(&both.right, is_true);
            }
            Expression::LogicalExpression(either) if either.operator != LogicalOperator::Coalesce => {
                let known = self.narrowed.len();
                self.narrow(&either.left, is_true);
                let left = self.narrowed.split_off(known);
                self.narrow(&either.right, is_true);
                let right = self.narrowed.split_off(known);
                for (variable, hint) in left {
                    if let Some((_, other)) = right.iter().find(|(of, _)| *of == variable) {
                        let either = RawHint::OneOf(self.arena.alloc_slice_copy(&[*hint, **other]));
                        self.narrowed.push((variable, self.arena.alloc(either)));
                    }
                }
            }
            Expression::BinaryExpression(test) if is_true && test.operator == BinaryOperator::Instanceof => {
                if let Some((variable, _)) = self.constant(&test.left)
                    && let Some(class) = self.of_expression(&test.right)
                {
                    self.narrowed.push((variable, self.arena.alloc(RawHint::Named(class))));
                }
            }
            Expression::CallExpression(call) if is_true => {
                let value = call.arguments.first().and_then(Argument::as_expression);
                if let Some((variable, name)) = value.and_then(|value| self.constant(value))
                    && let Some(callee) = self.of_expression(&call.callee)
                {
                    // Most functions assert nothing.
                    let otherwise = self.known_of(variable).unwrap_or(self.arena.alloc(RawHint::Value(name)));
                    let hint = self.arena.alloc(RawHint::Asserted(callee, otherwise));
                    self.narrowed.push((variable, hint));
                }
            }
            _ => {}
        }
    }

    /// Returns the variable that an expression names, if it is never assigned to, and its name.
    fn constant(&mut self, expression: &Expression<'a>) -> Option<(SymbolId, RawName<'a>)> {
        let Expression::Identifier(identifier) = unwrap(expression) else { return None };
        let variable = self.bindings.symbol_of(identifier)?;
        let name = self.of_identifier(identifier);
        (!self.bindings.is_reassigned(variable)).then_some((variable, name))
    }

    /// Returns the type that tests around the current node give a variable.
    fn known_of(&self, variable: SymbolId) -> Option<&'a RawHint<'a>> {
        self.narrowed.iter().rfind(|(known, _)| *known == variable).map(|(_, hint)| *hint)
    }

    /// Returns the name of a member of a variable with the type that tests around the current node give the variable.
    pub(super) fn narrowed(&self, name: RawName<'a>) -> RawName<'a> {
        let (RawHead::Bound(variable), [_, _, ..]) = (name.head, name.path) else { return name };
        match self.known_of(variable) {
            Some(hint) => RawName { head: RawHead::Value(Some(hint)), path: &name.path[1..], ..name },
            None => name,
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
