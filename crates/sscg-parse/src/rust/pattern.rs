//! Patterns: their bindings, and the types and constants they name.

use sscg_core::{Part, Relation};
use tree_sitter::{Node, TreeCursor};

use super::kind::{FIELDS, Kind, child, kind};
use super::name::{identifier, path_name, value_type};
use super::walk::{Walk, WalkContext};
use crate::scope::{Base, Binding, RawHint, RawName};

impl<'s> Walk<'s> {
    /// Visits `let`, as a statement or condition. Returns a context with the scope of the bindings, which are visible
    /// after the `let` but not in its own value.
    pub(super) fn let_binding(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) -> WalkContext {
        let node = cursor.node();
        let hint = match (child(node, FIELDS.ty), child(node, FIELDS.value)) {
            (Some(ty), _) if self.text(ty) != "_" => value_type(ty, self.source).map(RawHint::Typed),
            (_, Some(value)) => self.value_hint(value),
            (_, None) => None,
        };
        let after = self.open(context);
        self.pattern_and_rest(cursor, context, after, hint);
        after
    }

    /// Visits the condition of an `if` or `while`, or a part of it. Returns a context with the scope in which it holds.
    pub(super) fn condition(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) -> WalkContext {
        match kind(cursor.node()) {
            Kind::LetCondition | Kind::LetDeclaration => self.let_binding(cursor, context),
            Kind::LetChain => {
                let mut scope = context.scope;
                self.children(cursor, context, |walk, cursor, context| {
                    scope = walk.condition(cursor, WalkContext { scope, ..context }).scope;
                });
                WalkContext { scope, ..context }
            }
            _ => {
                self.visit(cursor, context);
                context
            }
        }
    }

    /// Visits `if` or `while`.
    pub(super) fn conditional(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let condition = child(cursor.node(), FIELDS.condition).map(|condition| condition.id());
        let alternative = child(cursor.node(), FIELDS.alternative).map(|alternative| alternative.id());
        let mut scope = context.scope;
        self.children(cursor, context, |walk, cursor, context| {
            let part = cursor.node().id();
            if Some(part) == condition {
                scope = walk.condition(cursor, context).scope;
            } else if Some(part) == alternative {
                walk.visit(cursor, context);
            } else {
                walk.visit(cursor, WalkContext { scope, ..context });
            }
        });
    }

    /// Visits `for`.
    pub(super) fn for_loop(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let value = child(cursor.node(), FIELDS.value);
        let hint = value.and_then(|value| self.value_hint(value));
        let hint = hint.map(|hint| RawHint::Part(Part::Element, Box::new(hint)));
        let body = child(cursor.node(), FIELDS.body).map(|body| body.id());
        let pattern = child(cursor.node(), FIELDS.pattern).map(|pattern| pattern.id());
        let inside = self.open(context);
        let mut hint = within(context, hint);
        self.children(cursor, context, |walk, cursor, context| {
            let part = Some(cursor.node().id());
            let inside = WalkContext { scope: inside.scope, ..context };
            if part == pattern {
                walk.pattern(cursor, inside, hint.take());
            } else if part == body {
                walk.visit(cursor, inside);
            } else {
                walk.visit(cursor, context);
            }
        });
    }

    /// Visits `match`.
    pub(super) fn matching(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let hint = child(cursor.node(), FIELDS.value).and_then(|value| self.value_hint(value));
        let outer = std::mem::replace(&mut self.matched, within(context, hint));
        self.visit_children(cursor, context);
        self.matched = outer;
    }

    /// Visits one arm of a `match`.
    pub(super) fn match_arm(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let context = self.open(context);
        self.pattern_and_rest(cursor, context, context, self.matched.clone());
    }

    /// Visits the parameters of a function.
    pub(super) fn parameters(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        self.children(cursor, context, |walk, cursor, context| match kind(cursor.node()) {
            Kind::Parameter => walk.parameter(cursor, context),
            _ => walk.visit(cursor, context),
        });
    }

    /// Visits the parameters of a closure.
    pub(super) fn closure_parameters(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let closure_callee = self.closure_callee.take();
        let mut place = 0u8;
        self.children(cursor, context, |walk, cursor, context| match kind(cursor.node()) {
            Kind::Parameter => {
                walk.parameter(cursor, context);
                place = place.saturating_add(1);
            }
            _ => {
                let is_parameter = cursor.node().is_named();
                let hint = closure_callee.as_ref().filter(|_| is_parameter).map(|(scope, callee)| {
                    RawHint::In(*scope, Box::new(RawHint::ClosureParameter(callee.clone(), place)))
                });
                walk.pattern(cursor, context, hint);
                place = place.saturating_add(u8::from(is_parameter));
            }
        });
    }

    fn parameter(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        let ty = child(cursor.node(), FIELDS.ty);
        let hint = ty.and_then(|ty| value_type(ty, self.source)).map(RawHint::Typed);
        self.pattern_and_rest(cursor, context, context, hint);
    }

    /// Binds the pattern of the node under the cursor in the scope of `bound`, and visits the rest of the node in the
    /// scope of `rest`. The names in the hint are resolved in the scope of `rest`.
    fn pattern_and_rest(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        rest: WalkContext,
        bound: WalkContext,
        hint: Option<RawHint<'s>>,
    ) {
        let pattern = child(cursor.node(), FIELDS.pattern).map(|pattern| pattern.id());
        let mut hint = if rest.scope == bound.scope { hint } else { within(rest, hint) };
        self.children(cursor, rest, |walk, cursor, context| {
            if Some(cursor.node().id()) == pattern {
                walk.pattern(cursor, WalkContext { scope: bound.scope, ..context }, hint.take());
            } else {
                walk.visit(cursor, context);
            }
        });
    }

    /// Binds the names in the pattern under the cursor. `hint` is the type of the matched value.
    pub(super) fn pattern(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        context: WalkContext,
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
            Kind::MutPattern
            | Kind::RefPattern
            | Kind::ReferencePattern
            | Kind::OrPattern
            | Kind::CapturedPattern => {
                self.children(cursor, context, |walk, cursor, context| {
                    walk.pattern(cursor, context, hint.clone());
                });
            }
            Kind::TuplePattern => {
                let mut places = Places::default();
                self.children(cursor, context, |walk, cursor, context| {
                    let place = places.next(cursor.node());
                    let part = place.and_then(|place| part(Part::Place(place), &hint));
                    walk.pattern(cursor, context, part);
                });
            }
            Kind::SlicePattern => {
                self.children(cursor, context, |walk, cursor, context| {
                    walk.pattern(cursor, context, part(Part::Element, &hint));
                });
            }
            Kind::TupleStructPattern if self.is_error_pattern(node) => {
                self.error_pattern(cursor, context, part(Part::Failure, &hint));
            }
            Kind::TupleStructPattern => self.tuple_struct_pattern(cursor, context, &hint),
            Kind::StructPattern => {
                let path = child(node, FIELDS.ty).and_then(|ty| path_name(self.text(ty)));
                self.children(cursor, context, |walk, cursor, context| match kind(cursor.node()) {
                    Kind::FieldPattern => walk.field_pattern(cursor, context, path.as_ref()),
                    _ => walk.pattern(cursor, context, None),
                });
            }
            Kind::TypeIdentifier => self.mention(Relation::References, self.text(node), context),
            Kind::ScopedTypeIdentifier => self.path(cursor, context, Relation::References),
            Kind::MatchPattern => self.match_pattern(cursor, context, hint),
            // Literals, ranges, paths, blocks and macros bind nothing.
            _ => self.visit(cursor, context),
        }
    }

    /// Visits a pattern and its guard.
    fn match_pattern(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        context: WalkContext,
        hint: Option<RawHint<'s>>,
    ) {
        let mut hint = hint;
        let mut first = true;
        self.children(cursor, context, |walk, cursor, context| {
            if std::mem::replace(&mut first, false) {
                walk.pattern(cursor, context, hint.take());
            } else {
                walk.condition(cursor, context);
            }
        });
    }

    /// Visits `Type(a, b)`.
    fn tuple_struct_pattern(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        context: WalkContext,
        hint: &Option<RawHint<'s>>,
    ) {
        let ty = child(cursor.node(), FIELDS.ty);
        let path = ty.and_then(|ty| path_name(self.text(ty)));
        let ty = ty.map(|ty| ty.id());
        let mut places = Places::default();
        self.children(cursor, context, |walk, cursor, context| {
            let node = cursor.node();
            if Some(node.id()) == ty {
                match kind(node) {
                    Kind::Identifier => walk.mention(Relation::References, walk.text(node), context),
                    _ => walk.visit(cursor, context),
                }
                return;
            }
            let place = places.next(node);
            let last = path.as_ref().and_then(|path| path.path.last().copied());
            let hint = match (last, place) {
                (Some("Some" | "Ok"), _) => part(Part::Success, hint),
                (Some("Err"), _) => part(Part::Failure, hint),
                (Some(_), Some(place)) => {
                    path.as_ref().map(|path| RawHint::Value(member(path, PLACES[usize::from(place)])))
                }
                _ => None,
            };
            walk.pattern(cursor, context, hint);
        });
    }

    /// Visits `field: pattern`, or `field` alone.
    fn field_pattern(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext, ty: Option<&RawName<'s>>) {
        let node = cursor.node();
        let name = child(node, FIELDS.name);
        let field = name.map(|name| identifier(self.text(name)));
        let hint = ty.zip(field).map(|(ty, field)| RawHint::Value(member(ty, field)));
        let is_renamed = child(node, FIELDS.pattern).is_some();
        let name = name.map(|name| name.id());
        self.children(cursor, context, |walk, cursor, context| {
            if !(is_renamed && Some(cursor.node().id()) == name) {
                walk.pattern(cursor, context, hint.clone());
            }
        });
    }
}

/// Names of positional fields, up to the number covered by hints.
const PLACES: [&str; 12] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];

/// Position counter for the parts of a pattern before the first `..`.
#[derive(Default)]
struct Places {
    next: u8,
    is_open: bool,
}

impl Places {
    fn next(&mut self, part: Node<'_>) -> Option<u8> {
        if part.kind() == "remaining_field_pattern" {
            self.is_open = true;
        }
        if !part.is_named() && part.kind() != "_" || kind(part).is_comment() || self.is_open {
            return None;
        }
        let place = self.next;
        self.next = place.saturating_add(1);
        (usize::from(place) < PLACES.len()).then_some(place)
    }
}

fn part<'s>(part: Part, whole: &Option<RawHint<'s>>) -> Option<RawHint<'s>> {
    whole.as_ref().map(|whole| RawHint::Part(part, Box::new(whole.clone())))
}

/// Returns a member of the type or variant named by a pattern.
fn member<'s>(ty: &RawName<'s>, name: &'s str) -> RawName<'s> {
    let base = if ty.base == Base::Scope { Base::Item } else { ty.base.clone() };
    RawName { base, path: ty.path.iter().copied().chain([name]).collect() }
}

/// Makes the names of a hint resolve in the scope of the value.
fn within<'s>(context: WalkContext, hint: Option<RawHint<'s>>) -> Option<RawHint<'s>> {
    hint.map(|hint| RawHint::In(context.scope, Box::new(hint)))
}
