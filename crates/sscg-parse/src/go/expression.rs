//! Expressions and statements.

use sscg_core::{Part, Relation};
use tree_sitter::Node;

use super::grammar::{FIELDS, Kind, child, first, kind, named};
use super::types::{element_node, element_of};
use super::{Go, hints_of, types};
use crate::scope::{Binding, RawHint, RawName, RawType};
use crate::spec::{Walk, argument_count, member};

pub(super) fn visit<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    match kind(node) {
        Kind::Identifier => {
            walk.reference(Relation::References, RawName::scoped(vec![walk.text(node)]), node);
        }
        Kind::TypeIdentifier => type_name(walk, node, node),
        Kind::QualifiedType => {
            if let Some(last) = child(node, FIELDS.name) {
                type_name(walk, node, last);
            }
        }
        Kind::CallExpression => call(walk, node),
        Kind::TypeConversion if let Some(ty) = instantiated(node) => {
            named_type(walk, ty, Relation::Calls);
            walk.visit_field(node, FIELDS.operand);
        }
        Kind::SelectorExpression => selector(walk, node, Relation::ReadsFrom),
        Kind::TypeAssertion => {
            walk.visit_field(node, FIELDS.operand);
            if let Some(ty) = child(node, FIELDS.ty) {
                asserted(walk, ty);
            }
        }
        Kind::CompositeLiteral => {
            if let Some(ty) = child(node, FIELDS.ty) {
                named_type(walk, ty, Relation::Instantiates);
            }
            let node_of_type = child(node, FIELDS.ty);
            let ty = node_of_type.and_then(|ty| walk.ty(ty));
            if let Some(body) = child(node, FIELDS.body) {
                literal(walk, body, node_of_type, ty.as_ref());
            }
        }
        Kind::ShortVarDeclaration => {
            walk.visit_field(node, FIELDS.right);
            declare_left(walk, node, |walk, names| hints_of(walk, names, None, child(node, FIELDS.right)));
        }
        Kind::RangeClause | Kind::ReceiveStatement => {
            walk.visit_field(node, FIELDS.right);
            let is_range = kind(node) == Kind::RangeClause;
            declare_left(walk, node, |walk, names| {
                let right = child(node, FIELDS.right).and_then(|right| walk.hint(right));
                let element = match (right, is_range) {
                    (Some(many), true) => Some(RawHint::Part(Part::Element, Box::new(many))),
                    (right, _) => right,
                };
                // A range gives the index first, except for a channel.
                let first = if is_range && names > 1 { None } else { element.clone() };
                let second = if is_range { element } else { None };
                [first, second].into_iter().take(names).collect()
            });
        }
        Kind::AssignmentStatement => {
            if let Some(left) = child(node, FIELDS.left) {
                let mut cursor = left.walk();
                left.named_children(&mut cursor).for_each(|target| assigned(walk, target));
            }
            walk.visit_field(node, FIELDS.right);
        }
        Kind::IncStatement | Kind::DecStatement => {
            if let Some(target) = first(node) {
                assigned(walk, target);
            }
        }
        Kind::FunctionType => walk.scoped(|walk| walk.children(node)),
        _ => walk.children(node),
    }
}

/// Visits the target of an assignment.
fn assigned<'t>(walk: &mut Walk<'t>, target: Node<'t>) {
    match kind(target) {
        Kind::SelectorExpression => selector(walk, target, Relation::AssignsTo),
        Kind::Identifier if walk.text(target) == "_" => {}
        Kind::Identifier => walk.refer(Relation::AssignsTo, target, target, None),
        Kind::UnaryExpression | Kind::ParenthesizedExpression => match first(target) {
            Some(inner) if kind(inner) == Kind::SelectorExpression => assigned(walk, inner),
            _ => walk.children(target),
        },
        _ => walk.visit(target),
    }
}

/// Visits the type of a type assertion.
pub(super) fn asserted<'t>(walk: &mut Walk<'t>, ty: Node<'t>) {
    match kind(ty) {
        Kind::PointerType => first(ty).into_iter().for_each(|ty| asserted(walk, ty)),
        _ => named_type(walk, ty, Relation::AssertsType),
    }
}

/// Visits a type that has a name in its relation to the code around; any other type as usual.
fn named_type<'t>(walk: &mut Walk<'t>, ty: Node<'t>, relation: Relation) {
    let last = match kind(ty) {
        Kind::TypeIdentifier => Some(ty),
        Kind::QualifiedType => child(ty, FIELDS.name),
        Kind::GenericType => {
            if let Some(own) = child(ty, FIELDS.ty) {
                named_type(walk, own, relation);
            }
            return walk.visit_field(ty, FIELDS.type_arguments);
        }
        _ => None,
    };
    match (last, walk.ty(ty)) {
        (Some(last), Some(RawType { name, .. })) => walk.reference(relation, name, last),
        _ => walk.visit(ty),
    }
}

fn type_name<'t>(walk: &mut Walk<'t>, ty: Node<'t>, last: Node<'t>) {
    if let Some(RawType { name, .. }) = walk.ty(ty) {
        walk.reference(Relation::UsesType, name, last);
    }
}

/// Declares the new names on the left side of a statement.
fn declare_left<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    hints: impl FnOnce(&Walk<'t>, usize) -> Vec<Option<RawHint<'t>>>,
) {
    let Some(left) = child(node, FIELDS.left) else { return };
    let names = named(left);
    let hints = hints(walk, names.len());
    for (name, hint) in names.iter().zip(hints) {
        if kind(*name) == Kind::Identifier {
            walk.local(walk.text(*name), hint);
        } else {
            walk.visit(*name);
        }
    }
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(function) = child(node, FIELDS.function) else { return walk.children(node) };
    let arguments = child(node, FIELDS.arguments);
    // `f(g())` may pass several values.
    let count = arguments.map(|list| argument_count(&Go, list));
    let callee = callee(function);
    match kind(callee) {
        Kind::Identifier => walk.refer(Relation::Calls, callee, callee, count),
        Kind::SelectorExpression => {
            if let Some(field) = child(callee, FIELDS.field) {
                walk.refer(Relation::Calls, callee, field, count);
            }
            operand(walk, callee);
        }
        _ => walk.visit(callee),
    }
    if callee != function {
        // Type arguments.
        let mut cursor = function.walk();
        for part in function.named_children(&mut cursor).filter(|part| *part != callee) {
            walk.visit(part);
        }
    }
    for field in [FIELDS.type_arguments, FIELDS.arguments] {
        walk.visit_field(node, field);
    }
}

/// Returns the function with its type arguments in a call like `New[int](8)`. For the grammar, it is a conversion, which
/// would be linked in the same way.
fn instantiated(conversion: Node<'_>) -> Option<Node<'_>> {
    child(conversion, FIELDS.ty).filter(|ty| kind(*ty) == Kind::GenericType)
}

/// Returns the called expression without parentheses and type arguments.
fn callee(function: Node<'_>) -> Node<'_> {
    let inner = match kind(function) {
        Kind::ParenthesizedExpression => first(function),
        Kind::TypeInstantiation => child(function, FIELDS.ty),
        Kind::IndexExpression => child(function, FIELDS.operand)
            .filter(|it| matches!(kind(*it), Kind::Identifier | Kind::SelectorExpression)),
        _ => None,
    };
    inner.filter(|it| matches!(kind(*it), Kind::Identifier | Kind::SelectorExpression)).unwrap_or(function)
}

fn selector<'t>(walk: &mut Walk<'t>, node: Node<'t>, relation: Relation) {
    let Some(field) = child(node, FIELDS.field) else { return walk.children(node) };
    let is_member = !child(node, FIELDS.operand).is_some_and(|operand| is_package(walk, operand));
    let relation = if is_member || relation == Relation::AssignsTo { relation } else { Relation::References };
    walk.refer(relation, node, field, None);
    operand(walk, node);
}

/// Visits what a selector selects from, unless it is a package.
fn operand<'t>(walk: &mut Walk<'t>, selector: Node<'t>) {
    if let Some(operand) = child(selector, FIELDS.operand)
        && !is_package(walk, operand)
    {
        walk.visit(operand);
    }
}

fn is_package(walk: &Walk<'_>, node: Node<'_>) -> bool {
    kind(node) == Kind::Identifier
        && matches!(walk.scopes.lookup(walk.scope, walk.text(node)), Some((_, Binding::Import(_))))
}

/// Visits the elements of a literal of a type, which is given by its node and as read.
fn literal<'t>(walk: &mut Walk<'t>, body: Node<'t>, node: Option<Node<'t>>, ty: Option<&RawType<'t>>) {
    let element_node = node.and_then(element_node);
    let element_type = ty.and_then(element_of);
    let mut cursor = body.walk();
    for element in body.named_children(&mut cursor) {
        match kind(element) {
            Kind::KeyedElement => {
                let key = child(element, FIELDS.key);
                let name = key.and_then(first).filter(|key| kind(*key) == Kind::Identifier);
                match (key, name, ty) {
                    (_, Some(name), Some(ty)) if element_node.is_none() => {
                        let hint = || Some(RawHint::Typed(ty.clone()));
                        walk.reference(Relation::AssignsTo, member(None, hint, walk.text(name)), name);
                    }
                    // The key of a literal of unknown type is a field or a constant.
                    (_, Some(_), None) if element_node.is_none() => {}
                    (Some(key), _, _) => self::element(walk, key, None, None),
                    (None, _, _) => {}
                }
                if let Some(value) = child(element, FIELDS.value) {
                    self::element(walk, value, element_node, element_type);
                }
            }
            Kind::LiteralElement => self::element(walk, element, element_node, element_type),
            _ => {}
        }
    }
}

/// Visits an element of a literal, whose own type may be left out if it is a literal too.
fn element<'t>(walk: &mut Walk<'t>, element: Node<'t>, node: Option<Node<'t>>, ty: Option<&RawType<'t>>) {
    match first(element) {
        Some(body) if kind(body) == Kind::LiteralValue => literal(walk, body, node, ty),
        Some(value) => walk.visit(value),
        None => {}
    }
}

pub(super) fn name<'t>(walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawName<'t>> {
    match kind(node) {
        Kind::Identifier => Some(RawName::scoped(vec![walk.text(node)])),
        Kind::ParenthesizedExpression => name(walk, first(node)?, depth.checked_sub(1)?),
        Kind::SelectorExpression => {
            let operand = child(node, FIELDS.operand)?;
            let field = walk.text(child(node, FIELDS.field)?);
            let below = depth.checked_sub(1);
            let of = below.and_then(|below| name(walk, operand, below));
            Some(member(of, || hint(walk, operand, below?), field))
        }
        _ => None,
    }
}

pub(super) fn hint<'t>(walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawHint<'t>> {
    let below = depth.checked_sub(1)?;
    let written = |ty: Node<'t>| walk.ty(ty).map(RawHint::Typed);
    match kind(node) {
        Kind::Identifier | Kind::SelectorExpression => Some(RawHint::Value(name(walk, node, below)?)),
        Kind::ParenthesizedExpression => hint(walk, first(node)?, below),
        Kind::CompositeLiteral | Kind::TypeAssertion | Kind::TypeConversion => match instantiated(node) {
            Some(ty) if kind(node) == Kind::TypeConversion => Some(RawHint::Result(walk.ty(ty)?.name)),
            _ => written(child(node, FIELDS.ty)?),
        },
        Kind::SliceExpression => hint(walk, child(node, FIELDS.operand)?, below),
        Kind::IndexExpression => {
            let many = hint(walk, child(node, FIELDS.operand)?, below)?;
            Some(RawHint::Part(Part::Indexed, Box::new(many)))
        }
        Kind::UnaryExpression => {
            let value = hint(walk, child(node, FIELDS.operand)?, below)?;
            let receives = child(node, FIELDS.operator).is_some_and(|it| kind(it) == Kind::Receive);
            Some(if receives { RawHint::Part(Part::Element, Box::new(value)) } else { value })
        }
        Kind::CallExpression => {
            let function = callee(child(node, FIELDS.function)?);
            let first = child(node, FIELDS.arguments).and_then(first);
            let is_free =
                |word: &str| walk.text(function) == word && walk.scopes.lookup(walk.scope, word).is_none();
            if is_free("new") || is_free("make") {
                return written(first?);
            }
            if is_free("append") {
                return hint(walk, first?, below);
            }
            Some(RawHint::Result(name(walk, function, below)?))
        }
        Kind::FuncLiteral => Some(RawHint::Function(types::result_type(walk, child(node, FIELDS.result)?)?)),
        _ => None,
    }
}
