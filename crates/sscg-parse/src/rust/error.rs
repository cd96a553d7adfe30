//! Errors as values: `Err(..)` raises an error in an expression and catches it in a pattern.

use sscg_core::Relation;
use tree_sitter::{Node, TreeCursor};

use super::expression::constructor_like;
use super::kind::{FIELDS, Kind, child, kind};
use super::name::path_name;
use super::walk::{ReferenceForm, Walk, WalkContext};
use crate::scope::{RawHint, RawName};

impl<'s> Walk<'s> {
    /// Adds the error raised by a call of `Err`.
    pub(super) fn raised(&mut self, call: Node<'_>, context: WalkContext) {
        let error = child(call, FIELDS.function)
            .filter(|function| self.is_err(*function))
            .and_then(|_| child(call, FIELDS.arguments)?.named_child(0))
            .and_then(|value| self.error_name(value));
        if let Some(name) = error {
            self.use_name(ReferenceForm::Plain(Relation::Raises), name, context);
        }
    }

    fn is_err(&self, path: Node<'_>) -> bool {
        matches!(self.text(path), "Err" | "Result::Err")
    }

    /// Returns the struct or variant of an error value, or the type whose function creates it.
    fn error_name(&self, error: Node<'_>) -> Option<RawName<'s>> {
        let mut name = match kind(error) {
            Kind::Identifier | Kind::ScopedIdentifier => path_name(self.text(error))?,
            _ => match self.value_hint(error)? {
                RawHint::Named(name) | RawHint::Result(name) => name,
                RawHint::Typed(ty) => ty.name,
                _ => return None,
            },
        };
        if name.path.len() > 1 && !constructor_like(&name) {
            name.path.pop();
        }
        constructor_like(&name).then_some(name)
    }

    /// Visits the contents of a pattern `Err(..)`.
    pub(super) fn error_pattern(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        context: WalkContext,
        hint: Option<RawHint<'s>>,
    ) {
        let err = child(cursor.node(), FIELDS.ty);
        self.children(cursor, context, |walk, cursor, context| {
            if Some(cursor.node()) != err {
                walk.caught(cursor, context, hint.clone());
            }
        });
    }

    /// Visits the pattern of an error; the names in it are caught.
    fn caught(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext, hint: Option<RawHint<'s>>) {
        let node = cursor.node();
        let named = match kind(node) {
            Kind::Identifier | Kind::ScopedIdentifier => Some(node),
            Kind::TupleStructPattern | Kind::StructPattern => child(node, FIELDS.ty),
            Kind::OrPattern | Kind::ReferencePattern | Kind::RefPattern | Kind::CapturedPattern => {
                return self.children(cursor, context, |walk, cursor, context| {
                    walk.caught(cursor, context, hint.clone());
                });
            }
            _ => None,
        };
        let name = named.and_then(|named| path_name(self.text(named))).filter(constructor_like);
        let Some((named, name)) = named.zip(name) else { return self.pattern(cursor, context, hint) };
        self.use_name(ReferenceForm::Plain(Relation::Catches), name, context);
        if named != node {
            self.children(cursor, context, |walk, cursor, context| {
                if cursor.node() != named {
                    walk.pattern(cursor, context, None);
                }
            });
        }
    }

    /// True if a pattern matches errors: `Err(..)`.
    pub(super) fn is_error_pattern(&self, pattern: Node<'_>) -> bool {
        child(pattern, FIELDS.ty).is_some_and(|ty| self.is_err(ty))
    }
}
