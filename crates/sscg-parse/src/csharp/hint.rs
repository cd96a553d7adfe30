//! Names and types of expressions.

use sscg_core::{Part, TypeHint};
use tree_sitter::Node;

use super::expression::{callee, identifier, selection};
use super::grammar::{FIELDS, Kind, child, child_of, first_part, kind, last_part, parts};
use super::types;
use crate::scope::{Base, RawHint, RawName};
use crate::spec::{Walk, generic, member};

pub(super) fn name<'t>(walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawName<'t>> {
    match kind(node) {
        Kind::Identifier | Kind::PredefinedType => Some(RawName::scoped(vec![walk.text(node)])),
        Kind::GenericName => name(walk, child_of(node, Kind::Identifier)?, depth),
        Kind::QualifiedName | Kind::AliasQualifiedName => {
            let mut path = Vec::new();
            types::segments(walk, node, &mut path);
            (!path.is_empty()).then(|| RawName::scoped(path))
        }
        Kind::This => Some(RawName { base: Base::SelfType, path: vec!["this"] }),
        Kind::Base => Some(RawName { base: Base::Super, path: vec!["base"] }),
        Kind::ParenthesizedExpression | Kind::PostfixUnary => {
            name(walk, first_part(node)?, depth.checked_sub(1)?)
        }
        Kind::MemberAccess | Kind::ConditionalAccess => {
            let (operand, last) = selection(node)?;
            let last = walk.text(identifier(last));
            let below = depth.checked_sub(1);
            // A type with arguments is one by its hint.
            let of = below.filter(|_| kind(operand) != Kind::GenericName);
            let of = of.and_then(|below| name(walk, operand, below));
            Some(member(of, || hint(walk, operand, below?), last))
        }
        _ => None,
    }
}

pub(super) fn hint<'t>(walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawHint<'t>> {
    let below = depth.checked_sub(1)?;
    let written = |field| types::ty(walk, child(node, field)?).map(RawHint::Typed);
    let inner = |node: Node<'t>| hint(walk, node, below);
    match kind(node) {
        Kind::GenericName => walk.ty(node).map(RawHint::Typed),
        Kind::Identifier | Kind::MemberAccess | Kind::ConditionalAccess | Kind::This => {
            if let Some(name) = name(walk, node, below) {
                return Some(RawHint::Value(name));
            }
            // `value?[index]`
            inner(child(node, FIELDS.condition)?).map(indexed)
        }
        Kind::ElementAccess => inner(child(node, FIELDS.expression)?).map(indexed),
        Kind::InvocationExpression => match callee(walk, node) {
            Some(at) => Some(RawHint::Call(at.start_byte() as u32)),
            None => {
                let function = child(node, FIELDS.function)?;
                (walk.text(function) == "nameof").then(|| named("string"))
            }
        },
        Kind::ObjectCreation | Kind::CastExpression | Kind::DefaultExpression | Kind::ArrayCreation => {
            written(FIELDS.ty)
        }
        Kind::AsExpression => written(FIELDS.right),
        Kind::ImplicitArray => {
            let element = match first_part(node).and_then(first_part).and_then(inner) {
                Some(RawHint::Typed(element)) => element,
                // Only a type that is written has a name.
                _ => types::named(vec![TypeHint::NEW]),
            };
            Some(RawHint::Typed(generic(TypeHint::SLICE, vec![element])))
        }
        Kind::TupleExpression => {
            let value = |argument: Node<'t>| last_part(argument).and_then(inner);
            Some(RawHint::Tuple(parts(node).into_iter().map(value).collect()))
        }
        Kind::PrefixUnary if walk.text(node).starts_with('!') => Some(named("bool")),
        Kind::ParenthesizedExpression
        | Kind::PostfixUnary
        | Kind::PrefixUnary
        | Kind::CheckedExpression
        | Kind::RefExpression
        | Kind::WithExpression => inner(first_part(node)?),
        Kind::AwaitExpression => inner(first_part(node)?).map(element_of),
        Kind::AssignmentExpression => inner(child(node, FIELDS.right)?),
        Kind::BinaryExpression => operation(walk, node, &inner),
        Kind::ConditionalExpression => {
            let branches = [child(node, FIELDS.consequence)?, child(node, FIELDS.alternative)?];
            branches.into_iter().filter(|branch| kind(*branch) != Kind::NullLiteral).find_map(inner)
        }
        Kind::SwitchExpression => {
            let arms = parts(node).into_iter().filter(|it| kind(*it) == Kind::SwitchArm);
            arms.filter_map(|arm| last_part(arm)).find_map(inner)
        }
        kind => fixed(kind, walk.text(node)).map(named),
    }
}

fn named(name: &str) -> RawHint<'_> {
    RawHint::Typed(types::named(vec![name]))
}

fn indexed(many: RawHint<'_>) -> RawHint<'_> {
    RawHint::Part(Part::Indexed, Box::new(many))
}

pub(super) fn element_of(many: RawHint<'_>) -> RawHint<'_> {
    RawHint::Part(Part::Element, Box::new(many))
}

/// Returns the type that an expression of a kind always has.
fn fixed(kind: Kind, text: &str) -> Option<&'static str> {
    Some(match kind {
        Kind::ImplicitObject => TypeHint::NEW,
        Kind::AnonymousObject => "object",
        Kind::NullLiteral => TypeHint::NULL,
        Kind::IntegerLiteral => number(text, "int"),
        Kind::RealLiteral => number(text, "double"),
        Kind::BooleanLiteral | Kind::IsExpression | Kind::IsPattern => "bool",
        Kind::CharacterLiteral => "char",
        Kind::TypeofExpression => "Type",
        _ if is_text(kind) => "string",
        _ => return None,
    })
}

fn operation<'t>(
    walk: &Walk<'t>,
    node: Node<'t>,
    hint: &impl Fn(Node<'t>) -> Option<RawHint<'t>>,
) -> Option<RawHint<'t>> {
    let (left, right) = (child(node, FIELDS.left)?, child(node, FIELDS.right)?);
    match child(node, FIELDS.operator).map_or("", |it| walk.text(it)) {
        "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => Some(named("bool")),
        "??" => Some(RawHint::Part(Part::Success, Box::new(hint(left)?))),
        // Text is added to anything.
        "+" if is_text(kind(left)) || is_text(kind(right)) => Some(named("string")),
        _ => {
            let (left, right, int) = (hint(left)?, hint(right)?, named("int"));
            // An integer takes the type of the other operand.
            if left == right || right == int { Some(left) } else { Some(right).filter(|_| left == int) }
        }
    }
}

fn is_text(kind: Kind) -> bool {
    matches!(kind, Kind::StringLiteral | Kind::InterpolatedString | Kind::RawString | Kind::VerbatimString)
}

/// Returns the type of a number by its literal; `plain` without a suffix, if the number is small enough.
fn number(literal: &str, plain: &'static str) -> &'static str {
    let lower = literal.to_ascii_lowercase();
    let is_hex = lower.starts_with("0x");
    match lower.as_bytes() {
        [.., b'u', b'l'] | [.., b'l', b'u'] => "ulong",
        [.., b'l'] => "long",
        [.., b'u'] => "uint",
        [.., b'm'] => "decimal",
        [.., b'f'] if !is_hex => "float",
        [.., b'd'] if !is_hex => "double",
        _ if plain == "int" => {
            let (digits, radix) = match lower.get(..2) {
                Some("0x") => (&lower[2..], 16),
                Some("0b") => (&lower[2..], 2),
                _ => (&*lower, 10),
            };
            match u64::from_str_radix(&digits.replace('_', ""), radix) {
                Ok(0..0x8000_0000) | Err(_) => plain,
                Ok(0x8000_0000..0x1_0000_0000) => "uint",
                Ok(0x1_0000_0000..0x8000_0000_0000_0000) => "long",
                Ok(_) => "ulong",
            }
        }
        _ => plain,
    }
}
