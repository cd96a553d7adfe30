//! Calls, struct expressions, and what the text says of a value's type.

use sscg_core::Relation;
use tree_sitter::{Node, TreeCursor};

use super::kind::{FIELDS, Kind, child, kind};
use super::name::{SMART_POINTERS, identifier, path_name, value_type_name};
use super::walk::{Context, Use, Walk};
use crate::scope::{Base, RawHint, RawName};

/// How many steps of `a.b().c().d()` are followed back from the last. Linking does not follow longer chains
/// either, and without a limit long ones would cost their length squared.
const MAX_STEPS: u32 = 24;

/// Methods that turn a value into part of it.
const UNWRAPS: [&str; 2] = ["unwrap", "expect"];

impl<'s> Walk<'s> {
    pub(super) fn call(&mut self, cursor: &mut TreeCursor<'_>, context: Context) {
        let node = cursor.node();
        let function = child(node, FIELDS.function);
        let mut at = function;
        if let Some(name) = function.and_then(|function| self.callee(function, MAX_STEPS)) {
            // A method's line is that of its name, not that of the receiver's start.
            if let Some(generic) = at.filter(|function| kind(*function) == Kind::GenericFunction) {
                at = child(generic, FIELDS.function);
            }
            let method = at
                .filter(|function| kind(*function) == Kind::FieldExpression)
                .and_then(|function| child(function, FIELDS.field));
            if let Some(at) = method.or(at) {
                self.use_name(Use::Plain(Relation::Calls), name, at, context);
            }
        }
        self.children(cursor, context, |walk, cursor, context| match kind(cursor.node()) {
            Kind::Identifier => {}
            Kind::ScopedIdentifier => walk.generic_arguments(cursor, context),
            Kind::GenericFunction => walk.generic_function(cursor, context),
            _ => walk.visit(cursor, context),
        });
    }

    /// The parts of a called `f::<T>` that are uses of their own.
    fn generic_function(&mut self, cursor: &mut TreeCursor<'_>, context: Context) {
        self.children(cursor, context, |walk, cursor, context| match kind(cursor.node()) {
            Kind::Identifier => {}
            Kind::ScopedIdentifier => walk.generic_arguments(cursor, context),
            _ => walk.visit(cursor, context),
        });
    }

    pub(super) fn struct_expression(&mut self, cursor: &mut TreeCursor<'_>, context: Context) {
        let name = child(cursor.node(), FIELDS.name);
        if let Some(name) = name
            && let Some(path) = path_name(self.text(name))
        {
            self.use_name(Use::Plain(Relation::Instantiates), path, name, context);
        }
        let name = name.map(|name| name.id());
        self.children(cursor, context, |walk, cursor, context| {
            if Some(cursor.node().id()) == name {
                walk.generic_arguments(cursor, context);
            } else {
                walk.visit(cursor, context);
            }
        });
    }

    /// The name of what a call calls; `None` if it has none (`(f)(x)`, `fs[0](x)`).
    fn callee(&self, function: Node<'_>, steps: u32) -> Option<RawName<'s>> {
        match kind(function) {
            Kind::Identifier | Kind::ScopedIdentifier => path_name(self.text(function)),
            Kind::GenericFunction => self.callee(child(function, FIELDS.function)?, steps.checked_sub(1)?),
            Kind::FieldExpression => Some(self.member(function, steps)),
            _ => None,
        }
    }

    /// The name that `value.field` spells.
    fn member(&self, member: Node<'_>, steps: u32) -> RawName<'s> {
        let mut name = match (child(member, FIELDS.value), steps.checked_sub(1)) {
            (Some(value), Some(steps)) => self.receiver(value, steps),
            _ => RawName { base: Base::Value(None), path: Vec::new() },
        };
        name.path.extend(child(member, FIELDS.field).map(|field| identifier(self.text(field))));
        name
    }

    /// The start of a name: the value that a member belongs to.
    fn receiver(&self, value: Node<'_>, steps: u32) -> RawName<'s> {
        let nameless =
            |hint: Option<RawHint<'s>>| RawName { base: Base::Value(hint.map(Box::new)), path: Vec::new() };
        let Some(fewer) = steps.checked_sub(1) else { return nameless(None) };
        match kind(value) {
            Kind::Identifier | Kind::ScopedIdentifier | Kind::SelfValue => {
                path_name(self.text(value)).unwrap_or_else(|| nameless(None))
            }
            Kind::FieldExpression => self.member(value, steps),
            // What the enclosing type itself dereferences to is not known.
            Kind::UnaryExpression if self.text(value) == "**self" => nameless(None),
            Kind::ParenthesizedExpression | Kind::UnaryExpression | Kind::ReferenceExpression => {
                match inner(value) {
                    Some(inner) => self.receiver(inner, fewer),
                    None => nameless(None),
                }
            }
            _ => nameless(self.hint(value, fewer)),
        }
    }

    /// What the text says of an expression's type.
    pub(super) fn value_hint(&self, value: Node<'_>) -> Option<RawHint<'s>> {
        self.hint(value, MAX_STEPS)
    }

    fn hint(&self, value: Node<'_>, steps: u32) -> Option<RawHint<'s>> {
        let fewer = steps.checked_sub(1)?;
        match kind(value) {
            Kind::CallExpression => {
                let callee = self.callee(child(value, FIELDS.function)?, fewer)?;
                if let [.., pointer, "new"] = callee.path[..]
                    && SMART_POINTERS.contains(&pointer)
                {
                    return self.hint(child(value, FIELDS.arguments)?.named_child(0)?, fewer);
                }
                let unwraps = callee.path.last().is_some_and(|name| UNWRAPS.contains(name));
                (!unwraps).then_some(RawHint::Result(callee))
            }
            Kind::StructExpression => path_name(self.text(child(value, FIELDS.name)?)).map(RawHint::Named),
            Kind::TypeCast => value_type_name(child(value, FIELDS.ty)?, self.source).map(RawHint::Named),
            Kind::AwaitExpression | Kind::ParenthesizedExpression | Kind::ReferenceExpression => {
                self.hint(inner(value)?, fewer)
            }
            _ => None,
        }
    }
}

/// The expression inside one that passes its value on.
fn inner(node: Node<'_>) -> Option<Node<'_>> {
    child(node, FIELDS.value).or_else(|| node.named_child(0))
}
