//! Written types.

use sscg_core::TypeHint;
use tree_sitter::Node;

use super::grammar::{FIELDS, Kind, child, first, kind, named};
use crate::scope::{Base, RawName, RawType};
use crate::spec::{Walk, generic};
use crate::tree::children_in;

/// Name of a map type.
const MAP: &str = "map";
/// Name of a channel type.
const CHANNEL: &str = "chan";

/// Returns a written type. A pointer stands for what it points to.
pub(super) fn ty<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<RawType<'t>> {
    let part = |field| ty(walk, child(node, field)?);
    match kind(node) {
        Kind::TypeIdentifier | Kind::Identifier => Some(of_name(vec![walk.text(node)])),
        Kind::QualifiedType => {
            Some(of_name(vec![walk.text(child(node, FIELDS.package)?), walk.text(child(node, FIELDS.name)?)]))
        }
        Kind::SelectorExpression => Some(of_name(vec![
            walk.text(child(node, FIELDS.operand)?),
            walk.text(child(node, FIELDS.field)?),
        ])),
        Kind::PointerType | Kind::ParenthesizedType => ty(walk, first(node)?),
        Kind::TypeElem => match named(node)[..] {
            [one] => ty(walk, one),
            _ => None,
        },
        Kind::SliceType | Kind::ArrayType | Kind::ImplicitLengthArrayType => {
            Some(generic(TypeHint::SLICE, vec![part(FIELDS.element)?]))
        }
        Kind::MapType => {
            let key = part(FIELDS.key).unwrap_or_else(|| of_name(vec![MAP]));
            Some(generic(MAP, vec![key, part(FIELDS.value)?]))
        }
        Kind::ChannelType => Some(generic(CHANNEL, vec![part(FIELDS.value)?])),
        Kind::GenericType => {
            let mut own = part(FIELDS.ty)?;
            let list = child(node, FIELDS.type_arguments)?;
            let mut cursor = list.walk();
            own.arguments = list.named_children(&mut cursor).filter_map(|it| ty(walk, it)).collect();
            Some(own)
        }
        _ => None,
    }
}

/// Returns the type of a function's result: a tuple for several.
pub(super) fn result_type<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<RawType<'t>> {
    if kind(node) != Kind::ParameterList {
        return walk.ty(node);
    }
    let mut types = Vec::new();
    let mut cursor = node.walk();
    for result in node.named_children(&mut cursor) {
        let own = child(result, FIELDS.ty).and_then(|it| walk.ty(it));
        let own = own.unwrap_or_else(|| of_name(vec![TypeHint::TUPLE]));
        let count = children_in(result, FIELDS.name).len().max(1);
        types.extend(std::iter::repeat_n(own, count));
    }
    match types.len() {
        1 => types.pop(),
        _ => Some(generic(TypeHint::TUPLE, types)),
    }
}

/// Returns the type of the elements of a slice, map or channel.
pub(super) fn element_of<'a, 't>(ty: &'a RawType<'t>) -> Option<&'a RawType<'t>> {
    let is_container = matches!(ty.name.path[..], [TypeHint::SLICE | MAP | CHANNEL]);
    ty.arguments.last().filter(|_| is_container)
}

/// Returns the node of the type of the elements of a slice, array or map.
pub(super) fn element_node(ty: Node<'_>) -> Option<Node<'_>> {
    match kind(ty) {
        Kind::PointerType | Kind::ParenthesizedType => element_node(first(ty)?),
        Kind::SliceType | Kind::ArrayType | Kind::ImplicitLengthArrayType => child(ty, FIELDS.element),
        Kind::MapType => child(ty, FIELDS.value),
        _ => None,
    }
}

fn of_name(path: Vec<&str>) -> RawType<'_> {
    RawType { name: RawName { base: Base::Item, path }, arguments: Vec::new() }
}
