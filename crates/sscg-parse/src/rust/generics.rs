//! Type parameters and their bounds.

use sscg_core::TypeParameter;
use tree_sitter::{Node, TreeCursor};

use super::kind::{FIELDS, Kind, child, kind};
use super::name::{identifier, pointed_to, value_type, written_type};
use super::walk::{Walk, WalkContext};
use crate::scope::{Binding, RawType};
use crate::text::one_line;
use crate::tree::text;

/// Returns the type parameters of a declaration.
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

/// Returns the bounds on the type parameters of a declaration, from its parameter list and its `where` clause, followed
/// by their default types; for an associated type of a trait, its bounds.
pub(super) fn bounds<'s>(declaration: Node<'_>, source: &'s str) -> Vec<(&'s str, RawType<'s>)> {
    let (mut found, mut others) = (Vec::new(), Vec::new());
    let mut add = |parameter: Option<Node<'_>>, bounds: Option<Node<'_>>| {
        let (Some(parameter), Some(bounds)) = (parameter, bounds) else { return };
        let mut nodes = bounds.walk();
        let traits = bounds.named_children(&mut nodes).filter_map(|bound| written_type(bound, source));
        found.extend(traits.map(|bound| (identifier(text(parameter, source)), bound)));
    };
    if let Some(list) = child(declaration, FIELDS.type_parameters) {
        let mut nodes = list.walk();
        for parameter in list.named_children(&mut nodes).filter(|node| kind(*node) == Kind::TypeParameter) {
            add(child(parameter, FIELDS.name), child(parameter, FIELDS.bounds));
        }
        let mut nodes = list.walk();
        for parameter in list.named_children(&mut nodes) {
            let default = child(parameter, FIELDS.default_type).and_then(|ty| value_type(ty, source));
            let name = child(parameter, FIELDS.name).map(|name| identifier(text(name, source)));
            others.extend(name.zip(default));
        }
    }
    // `impl Fn(..)` for a closure is an unnamed type parameter.
    if let Some(list) = child(declaration, FIELDS.parameters) {
        let mut nodes = list.walk();
        for parameter in list.named_children(&mut nodes) {
            let ty = child(parameter, FIELDS.ty).map(|ty| pointed_to(ty, source));
            let is_closure = |ty: &Node<'_>| {
                let bound = child(*ty, FIELDS.trait_).map(kind);
                matches!(kind(*ty), Kind::AbstractType | Kind::DynamicType)
                    && bound == Some(Kind::FunctionType)
            };
            let closure = ty.filter(is_closure);
            let written = closure.and_then(|ty| Some((text(ty, source), written_type(ty, source)?)));
            others.extend(written);
        }
    }
    if kind(declaration) == Kind::AssociatedType {
        add(child(declaration, FIELDS.name), child(declaration, FIELDS.bounds));
    }
    let mut nodes = declaration.walk();
    let clause = declaration.named_children(&mut nodes).find(|node| kind(*node) == Kind::WhereClause);
    if let Some(clause) = clause {
        let mut nodes = clause.walk();
        for predicate in clause.named_children(&mut nodes).filter(|node| kind(*node) == Kind::WherePredicate)
        {
            let left = child(predicate, FIELDS.left);
            let named =
                left.filter(|left| matches!(kind(*left), Kind::TypeIdentifier | Kind::ScopedTypeIdentifier));
            add(named, child(predicate, FIELDS.bounds));
        }
    }
    found.extend(others);
    found
}

impl Walk<'_> {
    /// Declares the type parameter under the cursor, and visits its bounds and default.
    pub(super) fn type_parameter(&mut self, cursor: &mut TreeCursor<'_>, context: WalkContext) {
        if let Some(name) = child(cursor.node(), FIELDS.name) {
            self.scopes.declare(context.scope, identifier(self.text(name)), Binding::TypeParameter);
        }
        self.visit_except_name(cursor, context);
    }
}
