//! Names and types as written: paths, the head of a type, the target of smart pointers.

use sscg_core::TypeHint;
use tree_sitter::Node;

use super::kind::{FIELDS, Kind, child, kind};
use crate::scope::{Base, RawName, RawType};
use crate::tree::text;

/// Strips the prefix of a raw identifier.
pub(super) fn identifier(text: &str) -> &str {
    text.strip_prefix("r#").unwrap_or(text)
}

/// Returns the name of a path without generic arguments: `Vec::<u8>::new` is `Vec::new`. A path with a type in angle
/// brackets starts at the trait for `<T as Trait>::f`, at the type for `<T>::f` and `<Self as Trait>::f`, and at an
/// unknown value if that type has no name.
pub(super) fn path_name(path: &str) -> Option<RawName<'_>> {
    let (prefix, rest) = match path.strip_prefix('<') {
        Some(after) => {
            let close = closing_angle(after);
            (Some(bracketed(&after[..close])), &after[close..])
        }
        None => (None, path),
    };
    let nameless = matches!(prefix, Some(None));
    let mut segments = prefix.flatten().unwrap_or_default();
    push_segments(rest, &mut segments);
    let first = *segments.first()?;
    let base = match first {
        _ if nameless => Base::Value(None),
        "Self" => Base::SelfType,
        "self" if segments.len() == 1 => Base::SelfType,
        _ if segments.len() == 1 => Base::Scope,
        _ => Base::Item,
    };
    Some(RawName { base, path: segments })
}

/// Converts a name to a type name, which excludes variables. `_` is not a name.
pub(super) fn of_type(name: RawName<'_>) -> Option<RawName<'_>> {
    let base = if name.base == Base::Scope { Base::Item } else { name.base };
    (name.path != ["_"]).then_some(RawName { base, path: name.path })
}

/// Appends the segments of a path that starts with a name.
fn push_segments<'s>(path: &'s str, segments: &mut Vec<&'s str>) {
    let mut rest = path;
    while let Some(first) = rest.chars().next() {
        if first == '<' {
            rest = &rest[1 + closing_angle(&rest[1..])..];
        } else if first == '_' || first == '$' || first.is_alphanumeric() {
            let inside = |c: char| c == '_' || c == '$' || c == '#' || c.is_alphanumeric();
            let end = rest.find(|c| !inside(c)).unwrap_or(rest.len());
            segments.push(identifier(&rest[..end]));
            rest = &rest[end..];
        } else {
            rest = &rest[first.len_utf8()..];
        }
    }
}

/// Returns the segments of the type or trait in the brackets of `<..>::f`; `None` if it has no name.
fn bracketed(inside: &str) -> Option<Vec<&str>> {
    let named = match inside.rsplit_once(" as ") {
        Some((ty, _)) if ty.trim() == "Self" => ty,
        Some((_, path)) => path,
        None => inside,
    };
    let named = named.trim().trim_start_matches('&');
    if !named.starts_with(|c: char| c == ':' || c == '_' || c.is_alphabetic()) || named.starts_with("dyn ") {
        return None;
    }
    let mut segments = Vec::new();
    push_segments(named, &mut segments);
    (!segments.is_empty()).then_some(segments)
}

/// Returns the offset of the `>` that closes the bracket just before `code`, or the end. The `>` of `->` closes
/// nothing.
fn closing_angle(code: &str) -> usize {
    let mut open = 1;
    let mut previous = 0;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'<' => open += 1,
            b'>' if previous != b'-' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return at;
        }
        previous = byte;
    }
    code.len()
}

/// Returns the name of a type. For `&T`, `impl T`, `dyn T` and `T<..>`, this is the name of `T`. Tuples, slices, raw
/// pointers and function pointers have none.
pub(super) fn type_name<'s>(ty: Node<'_>, source: &'s str) -> Option<RawName<'s>> {
    let mut ty = ty;
    loop {
        ty = match kind(ty) {
            Kind::TypeIdentifier | Kind::ScopedTypeIdentifier | Kind::PrimitiveType | Kind::Identifier => {
                return path_name(text(ty, source)).and_then(of_type);
            }
            Kind::ReferenceType | Kind::GenericType | Kind::HigherRankedBound => child(ty, FIELDS.ty)?,
            Kind::AbstractType | Kind::DynamicType | Kind::FunctionType => child(ty, FIELDS.trait_)?,
            Kind::BoundedType => ty.named_child(0)?,
            _ => return None,
        };
    }
}

/// Pointers that dereference to their type argument, so that a member access on them nearly always refers to it.
pub(super) const SMART_POINTERS: [&str; 4] = ["Box", "Rc", "Arc", "Pin"];

/// Returns the name of the type that defines the members of a value of this type: [`type_name`] behind references and
/// smart pointers.
pub(super) fn value_type_name<'s>(ty: Node<'_>, source: &'s str) -> Option<RawName<'s>> {
    type_name(pointed_to(ty, source), source)
}

/// Returns the type that defines the members of a value of this type, with its arguments.
pub(super) fn value_type<'s>(ty: Node<'_>, source: &'s str) -> Option<RawType<'s>> {
    written_type(pointed_to(ty, source), source)
}

/// Returns the type as written, without references. Its arguments are value types.
pub(super) fn written_type<'s>(ty: Node<'_>, source: &'s str) -> Option<RawType<'s>> {
    let built_in = |name, parts: Node<'_>| {
        Some(RawType {
            name: RawName { base: Base::Item, path: vec![name] },
            arguments: types_in(parts, source),
        })
    };
    let mut ty = ty;
    loop {
        let arguments = match kind(ty) {
            Kind::ReferenceType | Kind::HigherRankedBound => {
                ty = child(ty, FIELDS.ty)?;
                continue;
            }
            Kind::AbstractType | Kind::DynamicType => {
                ty = child(ty, FIELDS.trait_)?;
                continue;
            }
            Kind::BoundedType => {
                ty = ty.named_child(0)?;
                continue;
            }
            Kind::TupleType => return built_in(TypeHint::TUPLE, ty),
            Kind::ArrayType => {
                let element = child(ty, FIELDS.element).and_then(|element| value_type(element, source));
                let name = RawName { base: Base::Item, path: vec![TypeHint::SLICE] };
                return Some(RawType { name, arguments: element.into_iter().collect() });
            }
            Kind::PointerType => {
                let is_mutable = text(ty, source).starts_with("*mut");
                return built_in(if is_mutable { "*mut" } else { "*const" }, ty);
            }
            Kind::GenericType => child(ty, FIELDS.type_arguments),
            Kind::FunctionType => child(ty, FIELDS.parameters),
            _ => None,
        };
        let arguments = arguments.map_or_else(Vec::new, |arguments| types_in(arguments, source));
        return Some(RawType { name: type_name(ty, source)?, arguments });
    }
}

/// Returns the tuple of the types of positional fields.
pub(super) fn tuple<'s>(fields: Node<'_>, source: &'s str) -> RawType<'s> {
    let mut nodes = fields.walk();
    let types = fields.children_by_field_name("type", &mut nodes);
    let arguments = types.map(|ty| value_type(ty, source).unwrap_or_else(unknown)).collect();
    RawType { name: RawName { base: Base::Item, path: vec![TypeHint::TUPLE] }, arguments }
}

/// Returns a built-in type of the language.
pub(super) fn built_in(name: &str) -> RawType<'_> {
    RawType { name: RawName { base: Base::Item, path: vec![name] }, arguments: Vec::new() }
}

/// Returns the types of a function's parameters; `_` for a type without a name.
pub(super) fn parameter_types<'s>(parameters: Node<'_>, source: &'s str) -> Vec<RawType<'s>> {
    let mut nodes = parameters.walk();
    let parameters = parameters.named_children(&mut nodes).filter(|part| kind(*part) == Kind::Parameter);
    let types = parameters.map(|parameter| child(parameter, FIELDS.ty));
    types.map(|ty| ty.and_then(|ty| value_type(ty, source)).unwrap_or_else(unknown)).collect()
}

/// Returns the placeholder for a type without a name.
fn unknown<'s>() -> RawType<'s> {
    built_in("_")
}

/// Returns the types directly inside a node; `_` for a type without a name.
fn types_in<'s>(node: Node<'_>, source: &'s str) -> Vec<RawType<'s>> {
    let mut nodes = node.walk();
    let is_type = |part: &Node<'_>| {
        !matches!(kind(*part), Kind::MutableSpecifier | Kind::LineComment | Kind::BlockComment)
            && part.kind() != "lifetime"
    };
    let parts = node.named_children(&mut nodes).filter(is_type);
    parts
        .map(|part| {
            let part = if kind(part) == Kind::TypeBinding { child(part, FIELDS.ty) } else { Some(part) };
            part.and_then(|part| value_type(part, source)).unwrap_or_else(unknown)
        })
        .collect()
}

/// Returns the target of a type behind references and smart pointers.
pub(super) fn pointed_to<'t>(ty: Node<'t>, source: &str) -> Node<'t> {
    let mut ty = ty;
    loop {
        let inner = match kind(ty) {
            Kind::ReferenceType => child(ty, FIELDS.ty),
            Kind::GenericType => {
                let name = type_name(ty, source);
                let is_pointer = name
                    .is_some_and(|name| name.path.last().is_some_and(|name| SMART_POINTERS.contains(name)));
                let arguments = child(ty, FIELDS.type_arguments).filter(|_| is_pointer);
                arguments.and_then(|arguments| {
                    let mut nodes = arguments.walk();
                    arguments.named_children(&mut nodes).find(|part| part.kind() != "lifetime")
                })
            }
            _ => None,
        };
        match inner {
            Some(inner) => ty = inner,
            None => return ty,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: &str) {
        let name = path_name(path);
        let written = name.map(|RawName { base, path }| match base {
            Base::SelfType => format!("self type: {}", path.join(".")),
            Base::Value(_) => format!("value: {}", path.join(".")),
            _ => path.join("."),
        });
        assert_eq!(written.as_deref().unwrap_or("none"), expected, "{path}");
    }

    #[test]
    fn paths_lose_their_generic_arguments() {
        check("a::b::c", "a.b.c");
        check("Vec::<Vec<u8>>::new", "Vec.new");
        check("Map<K, fn(A) -> B>", "Map");
        check("crate :: r#type", "crate.type");
        check("::std::mem", "std.mem");
    }

    #[test]
    fn bracketed_types_name_what_the_member_belongs_to() {
        check("<T as Trait<X>>::make", "Trait.make");
        check("<Self as Trait>::make", "self type: Self.make");
        check("<Foo<u8>>::make", "Foo.make");
        check("<[u8]>::len", "value: len");
        check("Self::make", "self type: Self.make");
        check("self::make", "self.make");
        check("", "none");
    }
}
