//! Written types.

use sscg_core::{Relation, TypeHint};
use tree_sitter::Node;

use super::grammar::{FIELDS, Kind, child, child_of, kind, parts};
use crate::scope::{Base, RawName, RawType};
use crate::spec::{Walk, generic};

/// Returns a written type. A pointer stands for what it points to.
pub(super) fn ty<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<RawType<'t>> {
    match kind(node) {
        Kind::Identifier | Kind::PredefinedType => Some(named(vec![walk.text(node)])),
        Kind::GenericName | Kind::QualifiedName | Kind::AliasQualifiedName => {
            let mut path = Vec::new();
            segments(walk, node, &mut path);
            let last = last_segment(node);
            let list = child_of(last, Kind::TypeArgumentList);
            let arguments = list.map_or_else(Vec::new, parts);
            // A position must keep its place, whatever the argument is.
            let argument = |it| ty(walk, it).unwrap_or_else(|| named(vec!["object"]));
            let arguments = arguments.into_iter().map(argument).collect();
            (!path.is_empty()).then(|| RawType { name: item(path), arguments })
        }
        Kind::NullableType => {
            let inner = ty(walk, child(node, FIELDS.ty)?)?;
            let is_object =
                matches!(inner.name.path[..], ["string" | "object" | "dynamic" | TypeHint::SLICE]);
            Some(if is_object { inner } else { generic(TypeHint::NULLABLE, vec![inner]) })
        }
        Kind::PointerType | Kind::RefType | Kind::ScopedType | Kind::PrimaryBase => {
            ty(walk, child(node, FIELDS.ty)?)
        }
        Kind::ArrayType => Some(generic(TypeHint::SLICE, vec![ty(walk, child(node, FIELDS.ty)?)?])),
        Kind::TupleType => {
            let element = |it| child(it, FIELDS.ty).and_then(|it| ty(walk, it));
            let element = |it| element(it).unwrap_or_else(|| named(vec!["object"]));
            Some(generic(TypeHint::TUPLE, parts(node).into_iter().map(element).collect()))
        }
        _ => None,
    }
}

/// Maximum number of bytes of a type that each of several names repeats.
pub(super) const MAX_SHARED: usize = 200;

/// Returns the type of one of several names. Only the first has a type of long text.
pub(super) fn shared<'t>(walk: &Walk<'t>, node: Node<'t>, is_first: bool) -> Option<RawType<'t>> {
    ty(walk, node).filter(|_| is_first || node.byte_range().len() <= MAX_SHARED)
}

/// Adds the segments of a dotted name to a path, without type arguments.
pub(super) fn segments<'t>(walk: &Walk<'t>, node: Node<'t>, path: &mut Vec<&'t str>) {
    // Nested as deep as a name is long, so a loop collects them from the end.
    let mut at = Some(node);
    let first = path.len();
    while let Some(node) = at {
        let (own, before) = match kind(node) {
            Kind::QualifiedName => (child(node, FIELDS.name), child(node, FIELDS.qualifier)),
            Kind::AliasQualifiedName => (child(node, FIELDS.name), None),
            _ => (Some(node), None),
        };
        let own = own.map(|own| if kind(own) == Kind::GenericName { last_segment(own) } else { own });
        let own = own.and_then(|own| {
            if kind(own) == Kind::GenericName { child_of(own, Kind::Identifier) } else { Some(own) }
        });
        path.extend(own.map(|own| walk.text(own)));
        at = before;
    }
    path[first..].reverse();
}

/// Returns the last segment of a type's name, with its type arguments.
pub(super) fn last_segment(node: Node<'_>) -> Node<'_> {
    let inner = match kind(node) {
        Kind::QualifiedName | Kind::AliasQualifiedName => child(node, FIELDS.name),
        Kind::NullableType | Kind::PointerType | Kind::RefType | Kind::ScopedType | Kind::PrimaryBase => {
            child(node, FIELDS.ty).map(last_segment)
        }
        _ => None,
    };
    inner.unwrap_or(node)
}

/// Adds a reference to a written type, and to the types in it.
pub(super) fn refer<'t>(walk: &mut Walk<'t>, node: Node<'t>, relation: Relation) {
    match kind(node) {
        Kind::Identifier | Kind::GenericName | Kind::QualifiedName | Kind::AliasQualifiedName => {
            if let Some(RawType { name, .. }) = ty(walk, node)
                && name.path[..] != ["var"]
                && name.path[..] != ["dynamic"]
            {
                let count =
                    child_of(last_segment(node), Kind::TypeArgumentList).map_or(0, |it| parts(it).len());
                walk.reference_with(relation, name, last_segment(node), u8::try_from(count).ok());
            }
            if let Some(list) = child_of(last_segment(node), Kind::TypeArgumentList) {
                parts(list).into_iter().for_each(|it| refer(walk, it, Relation::UsesType));
            }
        }
        Kind::NullableType
        | Kind::PointerType
        | Kind::RefType
        | Kind::ScopedType
        | Kind::ArrayType
        | Kind::PrimaryBase
        | Kind::TupleElement => {
            if let Some(inner) = child(node, FIELDS.ty) {
                refer(walk, inner, relation);
            }
        }
        Kind::TupleType | Kind::FunctionPointerType => {
            parts(node).into_iter().for_each(|it| refer(walk, it, relation));
        }
        _ => {}
    }
}

pub(super) fn named(path: Vec<&str>) -> RawType<'_> {
    RawType { name: item(path), arguments: Vec::new() }
}

fn item(path: Vec<&str>) -> RawName<'_> {
    RawName { base: Base::Item, path }
}
