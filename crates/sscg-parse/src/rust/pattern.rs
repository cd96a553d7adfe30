//! Patterns: what they bind, and the types and constants they name.

use sscg_core::Relation;
use tree_sitter::TreeCursor;

use super::kind::{FIELDS, Kind, child, kind};
use super::name::{identifier, value_type_name};
use super::walk::{Context, Walk};
use crate::scope::{Binding, RawHint};

impl<'s> Walk<'s> {
    /// `let`, as a statement or condition.
    pub(super) fn let_binding(&mut self, cursor: &mut TreeCursor<'_>, context: Context) {
        let node = cursor.node();
        let hint = match (child(node, FIELDS.ty), child(node, FIELDS.value)) {
            (Some(ty), _) if self.text(ty) != "_" => value_type_name(ty, self.source).map(RawHint::Named),
            (_, Some(value)) => self.value_hint(value),
            (_, None) => None,
        };
        self.pattern_and_rest(cursor, context, hint);
    }

    /// The parameters of a function.
    pub(super) fn parameters(&mut self, cursor: &mut TreeCursor<'_>, context: Context) {
        self.children(cursor, context, |walk, cursor, context| match kind(cursor.node()) {
            Kind::Parameter => walk.parameter(cursor, context),
            _ => walk.visit(cursor, context),
        });
    }

    /// The parameters of a closure.
    pub(super) fn closure_parameters(&mut self, cursor: &mut TreeCursor<'_>, context: Context) {
        self.children(cursor, context, |walk, cursor, context| match kind(cursor.node()) {
            Kind::Parameter => walk.parameter(cursor, context),
            _ => walk.pattern(cursor, context, None),
        });
    }

    fn parameter(&mut self, cursor: &mut TreeCursor<'_>, context: Context) {
        let ty = child(cursor.node(), FIELDS.ty);
        let hint = ty.and_then(|ty| value_type_name(ty, self.source)).map(RawHint::Named);
        self.pattern_and_rest(cursor, context, hint);
    }

    /// Binds the pattern of a `for`, a match arm or the like, and visits the rest of it.
    pub(super) fn bind_field_pattern(&mut self, cursor: &mut TreeCursor<'_>, context: Context) {
        self.pattern_and_rest(cursor, context, None);
    }

    fn pattern_and_rest(&mut self, cursor: &mut TreeCursor<'_>, context: Context, hint: Option<RawHint<'s>>) {
        let pattern = child(cursor.node(), FIELDS.pattern).map(|pattern| pattern.id());
        let mut hint = hint;
        self.children(cursor, context, |walk, cursor, context| {
            if Some(cursor.node().id()) == pattern {
                walk.pattern(cursor, context, hint.take());
            } else {
                walk.visit(cursor, context);
            }
        });
    }

    /// Binds what the pattern under the cursor binds. `hint` is the type of what it matches.
    pub(super) fn pattern(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        context: Context,
        hint: Option<RawHint<'s>>,
    ) {
        let node = cursor.node();
        match kind(node) {
            Kind::Identifier | Kind::ShorthandFieldIdentifier => {
                let name = identifier(self.text(node));
                // By convention only constants and types start with a capital.
                if name.starts_with(char::is_uppercase) {
                    self.mention(Relation::References, name, context);
                } else {
                    self.scopes.declare(context.scope, name, Binding::Local(hint));
                }
            }
            Kind::MutPattern | Kind::RefPattern | Kind::ReferencePattern | Kind::OrPattern => {
                self.children(cursor, context, |walk, cursor, context| {
                    walk.pattern(cursor, context, hint.clone());
                });
            }
            Kind::CapturedPattern | Kind::TuplePattern | Kind::SlicePattern | Kind::StructPattern => {
                self.children(cursor, context, |walk, cursor, context| walk.pattern(cursor, context, None));
            }
            Kind::TupleStructPattern if self.is_error_pattern(node) => self.error_pattern(cursor, context),
            Kind::TupleStructPattern | Kind::FieldPattern => {
                let ty = child(node, FIELDS.ty).map(|ty| ty.id());
                let renamed = child(node, FIELDS.pattern).is_some();
                self.children(cursor, context, |walk, cursor, context| {
                    let part = cursor.node();
                    if Some(part.id()) == ty && kind(part) == Kind::Identifier {
                        walk.mention(Relation::References, walk.text(part), context);
                    } else if !(renamed && kind(part) == Kind::ShorthandFieldIdentifier) {
                        walk.pattern(cursor, context, None);
                    }
                });
            }
            Kind::TypeIdentifier => self.mention(Relation::References, self.text(node), context),
            Kind::ScopedTypeIdentifier => self.path(cursor, context, Relation::References),
            Kind::MatchPattern => {
                let mut first = true;
                self.children(cursor, context, |walk, cursor, context| {
                    let is_pattern = std::mem::replace(&mut first, false);
                    if is_pattern {
                        walk.pattern(cursor, context, None);
                    } else {
                        walk.visit(cursor, context);
                    }
                });
            }
            // Literals, ranges, paths, blocks and macros bind nothing.
            _ => self.visit(cursor, context),
        }
    }
}
