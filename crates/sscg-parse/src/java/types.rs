//! Written types.

use sscg_core::{Relation, TypeHint};
use tree_sitter::Node;

use super::grammar::{FIELDS, Kind, child, first, kind, last, named};
use crate::scope::{Base, RawHint, RawName, RawType};
use crate::spec::{Walk, generic};

/// Returns a written type. A wildcard stands for its bound.
pub(super) fn ty<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<RawType<'t>> {
    match kind(node) {
        Kind::TypeIdentifier
        | Kind::Identifier
        | Kind::BooleanType
        | Kind::FloatingPointType
        | Kind::IntegralType => Some(of_name(vec![walk.text(node)])),
        Kind::ScopedTypeIdentifier | Kind::ScopedIdentifier => Some(of_name(path(walk, node))),
        Kind::GenericType => {
            let parts = named(node);
            let mut own = ty(walk, *parts.first()?)?;
            let arguments = parts.last().filter(|it| kind(**it) == Kind::TypeArguments);
            let arguments = arguments.map_or_else(Vec::new, |it| named(*it));
            own.arguments = arguments
                .into_iter()
                .map(|it| ty(walk, it).unwrap_or_else(|| of_name(vec!["Object"])))
                .collect();
            Some(own)
        }
        Kind::ArrayType => Some(generic(TypeHint::SLICE, vec![ty(walk, child(node, FIELDS.element)?)?])),
        Kind::AnnotatedType | Kind::Wildcard => ty(walk, last(node)?),
        // A value of one of several types has the members of their common base, which is not written.
        Kind::CatchType => match named(node)[..] {
            [one] => ty(walk, one),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the type of a name.
pub(super) fn of_name(path: Vec<&str>) -> RawType<'_> {
    RawType { name: RawName { base: Base::Item, path }, arguments: Vec::new() }
}

/// Returns the segments of a dotted name of a package or type.
pub(super) fn path<'t>(walk: &Walk<'t>, node: Node<'t>) -> Vec<&'t str> {
    let mut segments = Vec::new();
    let mut at = Some(node);
    while let Some(node) = at {
        let parts = named(node);
        at = match (kind(node), parts.first(), parts.last()) {
            (Kind::ScopedIdentifier | Kind::ScopedTypeIdentifier, Some(around), Some(own)) => {
                segments.push(walk.text(*own));
                Some(*around)
            }
            (Kind::GenericType, Some(own), _) => Some(*own),
            _ => {
                segments.push(walk.text(node));
                None
            }
        };
    }
    segments.reverse();
    segments
}

/// Returns the type of a declared variable, an array if there are dimensions behind its name (`int x[]`).
pub(super) fn declared<'t>(walk: &Walk<'t>, ty: Node<'t>, declarator: Node<'t>) -> Option<RawType<'t>> {
    let own = walk.ty(ty)?;
    let is_array = child(declarator, FIELDS.dimensions).is_some();
    Some(if is_array { generic(TypeHint::SLICE, vec![own]) } else { own })
}

/// Returns true for `var`, which stands for the type of the initializer.
pub(super) fn is_inferred(walk: &Walk<'_>, ty: Node<'_>) -> bool {
    kind(ty) == Kind::TypeIdentifier && walk.text(ty) == "var"
}

/// Returns the type of a variable: as written, or that of its initializer.
pub(super) fn hint<'t>(
    walk: &Walk<'t>,
    ty: Node<'t>,
    declarator: Node<'t>,
    value: impl FnOnce() -> Option<RawHint<'t>>,
) -> Option<RawHint<'t>> {
    if is_inferred(walk, ty) { value() } else { declared(walk, ty, declarator).map(RawHint::Typed) }
}

/// Adds a reference to a written type, and to those in its arguments.
pub(super) fn refer<'t>(walk: &mut Walk<'t>, node: Node<'t>, relation: Relation) {
    match kind(node) {
        Kind::TypeIdentifier if is_inferred(walk, node) => {}
        Kind::TypeIdentifier | Kind::Identifier => {
            walk.reference(relation, of_name(vec![walk.text(node)]).name, node);
        }
        Kind::ScopedTypeIdentifier | Kind::ScopedIdentifier => {
            if let Some(own) = last(node) {
                walk.reference(relation, of_name(path(walk, node)).name, own);
            }
            for part in named(node).into_iter().filter(|part| kind(*part) == Kind::GenericType) {
                arguments(walk, part);
            }
        }
        Kind::GenericType => {
            if let Some(own) = first(node) {
                refer(walk, own, relation);
            }
            arguments(walk, node);
        }
        Kind::ArrayType => {
            if let Some(element) = child(node, FIELDS.element) {
                refer(walk, element, relation);
            }
        }
        Kind::AnnotatedType | Kind::CatchType => {
            for part in named(node) {
                match kind(part) {
                    Kind::Annotation | Kind::MarkerAnnotation => walk.visit(part),
                    _ => refer(walk, part, relation),
                }
            }
        }
        _ => walk.children(node),
    }
}

fn arguments<'t>(walk: &mut Walk<'t>, generic: Node<'t>) {
    for part in named(generic).into_iter().filter(|part| kind(*part) == Kind::TypeArguments) {
        walk.visit(part);
    }
}
