//! Type parameters, with what they must satisfy.

use sscg_core::TypeParameter;
use tree_sitter::{Node, TreeCursor};

use super::kind::{FIELDS, Kind, child, kind};
use super::name::identifier;
use super::walk::{Context, Walk};
use crate::scope::Binding;
use crate::text::one_line;
use crate::tree::text;

/// The type parameters of a declaration.
pub(super) fn type_parameters(declaration: Node<'_>, source: &str) -> Vec<TypeParameter> {
    let Some(list) = child(declaration, FIELDS.type_parameters) else { return Vec::new() };
    let mut nodes = list.walk();
    list.named_children(&mut nodes).filter_map(|parameter| type_parameter(parameter, source)).collect()
}

fn type_parameter(parameter: Node<'_>, source: &str) -> Option<TypeParameter> {
    let part = |field| child(parameter, field).map(|node| text(node, source));
    let (constraint, default) = match kind(parameter) {
        Kind::TypeParameter => (part(FIELDS.bounds), part(FIELDS.default_type)),
        Kind::LifetimeParameter => (part(FIELDS.bounds), None),
        Kind::ConstParameter => (part(FIELDS.ty), part(FIELDS.value)),
        _ => return None,
    };
    Some(TypeParameter {
        name: identifier(part(FIELDS.name)?).into(),
        constraint: constraint.map(|bounds| one_line(bounds.trim_start_matches(':')).into()),
        default: default.map(|default| one_line(default).into()),
    })
}

impl Walk<'_> {
    /// Makes the type parameter under the cursor known, and visits its bounds and default.
    pub(super) fn type_parameter(&mut self, cursor: &mut TreeCursor<'_>, context: Context) {
        if let Some(name) = child(cursor.node(), FIELDS.name) {
            self.scopes.declare(context.scope, identifier(self.text(name)), Binding::TypeParameter);
        }
        self.visit_except_name(cursor, context);
    }
}
