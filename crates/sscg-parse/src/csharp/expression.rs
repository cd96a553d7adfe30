//! Expressions, and the values of variables.

use sscg_core::{Relation, TypeHint};
use tree_sitter::Node;

use super::grammar::{FIELDS, Kind, child, child_of, first_part, kind, last_part, parts};
use super::parameters;
use super::types::{self, last_segment};
use crate::scope::{RawHint, RawName, RawType, ScopeId};
use crate::spec::{Walk, member};

pub(super) fn visit<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    match kind(node) {
        Kind::Identifier => {
            walk.reference(Relation::References, RawName::scoped(vec![walk.text(node)]), node);
        }
        Kind::GenericName => {
            walk.refer(Relation::References, node, node, None);
            type_arguments(walk, node);
        }
        Kind::AliasQualifiedName => walk.visit_field(node, FIELDS.name),
        Kind::NullableType | Kind::PointerType | Kind::ArrayType | Kind::TupleType | Kind::QualifiedName => {
            types::refer(walk, node, Relation::UsesType);
        }
        Kind::TypeArgumentList => {
            parts(node).into_iter().for_each(|it| types::refer(walk, it, Relation::UsesType));
        }
        Kind::InvocationExpression => call(walk, node),
        Kind::MemberAccess | Kind::ConditionalAccess => access(walk, node, Relation::ReadsFrom),
        Kind::ObjectCreation => creation(walk, node, child(node, FIELDS.ty)),
        Kind::ImplicitObject => creation(walk, node, None),
        Kind::AnonymousObject => anonymous(walk, node),
        Kind::InitializerExpression => initializer(walk, node, None),
        Kind::WithExpression => with(walk, node),
        Kind::AssignmentExpression => assignment(walk, node),
        Kind::Argument | Kind::AttributeArgument => {
            argument(walk, node, None);
        }
        Kind::LambdaExpression | Kind::AnonymousMethod => {
            lambda(walk, node, &|| None);
        }
        Kind::IsExpression | Kind::AsExpression => {
            walk.visit_field(node, FIELDS.left);
            asserted(walk, child(node, FIELDS.right));
        }
        Kind::CastExpression => {
            asserted(walk, child(node, FIELDS.ty));
            walk.visit_field(node, FIELDS.value);
        }
        Kind::TypeofExpression | Kind::SizeofExpression | Kind::DefaultExpression | Kind::ArrayCreation => {
            typed(walk, node, Relation::UsesType);
            rest(walk, node);
        }
        _ => walk.children(node),
    }
}

fn asserted<'t>(walk: &mut Walk<'t>, ty: Option<Node<'t>>) {
    if let Some(ty) = ty {
        types::refer(walk, ty, Relation::AssertsType);
    }
}

/// Declares the name of a node with a type, and refers to the type.
pub(super) fn typed<'t>(walk: &mut Walk<'t>, node: Node<'t>, relation: Relation) {
    let ty = child(node, FIELDS.ty);
    if let Some(ty) = ty {
        types::refer(walk, ty, relation);
    }
    if let Some(name) = child(node, FIELDS.name) {
        let hint = ty.and_then(|ty| walk.ty(ty)).map(RawHint::Typed);
        walk.local(walk.text(name), hint);
    }
}

/// Visits the children of a node apart from its name and type.
pub(super) fn rest<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let known = [child(node, FIELDS.name), child(node, FIELDS.ty)];
    for part in parts(node) {
        if !known.contains(&Some(part)) {
            walk.visit(part);
        }
    }
}

// -- Members and calls --------------------------------------------------------------------------------------

/// Returns what a member is selected from, and the node of the member's name.
pub(super) fn selection(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let (operand, name) = match kind(node) {
        Kind::MemberAccess => (child(node, FIELDS.expression)?, child(node, FIELDS.name)?),
        Kind::ConditionalAccess => {
            let binding = child_of(node, Kind::MemberBinding)?;
            (child(node, FIELDS.condition)?, child(binding, FIELDS.name)?)
        }
        _ => return None,
    };
    Some((operand, name))
}

/// Returns the identifier of a name that may have type arguments.
pub(super) fn identifier(node: Node<'_>) -> Node<'_> {
    if kind(node) == Kind::GenericName { child_of(node, Kind::Identifier).unwrap_or(node) } else { node }
}

fn access<'t>(walk: &mut Walk<'t>, node: Node<'t>, relation: Relation) {
    let Some((_, name)) = selection(node) else { return walk.children(node) };
    walk.refer(relation, node, identifier(name), None);
    operand(walk, node);
}

/// Visits what a member is selected from, and the type arguments of the member.
fn operand<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some((operand, name)) = selection(node) else { return };
    walk.visit(operand);
    type_arguments(walk, name);
}

fn type_arguments<'t>(walk: &mut Walk<'t>, name: Node<'t>) {
    if let Some(list) = child_of(name, Kind::TypeArgumentList).filter(|_| kind(name) == Kind::GenericName) {
        walk.visit(list);
    }
}

/// Returns the node of the name of a call's callee, if it has one.
pub(super) fn callee<'t>(walk: &Walk<'t>, call: Node<'t>) -> Option<Node<'t>> {
    let function = child(call, FIELDS.function)?;
    let name = match kind(function) {
        Kind::Identifier if walk.text(function) == "nameof" => return None,
        Kind::Identifier | Kind::GenericName => function,
        _ => selection(function)?.1,
    };
    Some(identifier(name))
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(function) = child(node, FIELDS.function) else { return walk.children(node) };
    let list = child(node, FIELDS.arguments);
    let arguments = list.map_or_else(Vec::new, parts);
    let at = callee(walk, node);
    match kind(function) {
        Kind::Identifier => {}
        Kind::GenericName => type_arguments(walk, function),
        _ if at.is_some() => operand(walk, function),
        _ => walk.visit(function),
    }
    let mut types = Vec::new();
    for (position, part) in arguments.iter().enumerate() {
        let inside = argument(walk, *part, at.zip(u8::try_from(position).ok()));
        types.push(argument_type(walk, *part, inside));
    }
    if let (Some(at), Some(name)) = (at, walk.name(function)) {
        let count = u8::try_from(arguments.len()).unwrap_or(u8::MAX);
        let last = selection(function).map_or(function, |(_, name)| name);
        let own = child_of(last, Kind::TypeArgumentList).filter(|_| kind(last) == Kind::GenericName);
        let type_arguments = own.map_or_else(Vec::new, parts).into_iter().map(|ty| walk.ty(ty)).collect();
        walk.call_with(Relation::Calls, name, at, count, types, type_arguments);
    }
}

/// Returns the type of an argument as far as the text gives it. `inside` is the scope of a function literal.
fn argument_type<'t>(walk: &Walk<'t>, argument: Node<'t>, inside: Option<ScopeId>) -> Option<RawHint<'t>> {
    // The value of an argument comes after its name: `f(count: 1)`.
    let value = last_part(argument)?;
    let hint = match kind(value) {
        Kind::LambdaExpression | Kind::AnonymousMethod => Some(literal(walk, value, inside?)),
        Kind::DeclarationExpression => {
            let ty = child(value, FIELDS.ty).filter(|ty| kind(*ty) != Kind::Leaf);
            ty.and_then(|ty| walk.ty(ty)).map(RawHint::Typed)
        }
        _ => walk.hint(value),
    };
    let Some(name) = child(argument, FIELDS.name) else { return hint };
    Some(RawHint::Keyed(walk.text(name), Box::new(hint.unwrap_or(RawHint::Unknown))))
}

/// Returns the type of a function literal: of its written parameters, and of its result, as seen from its scope.
fn literal<'t>(walk: &Walk<'t>, node: Node<'t>, inside: ScopeId) -> RawHint<'t> {
    let list = child(node, FIELDS.parameters);
    let parameters = match list {
        Some(list) if kind(list) == Kind::ParameterList => {
            let declared = parts(list).into_iter().filter(|it| kind(*it) == Kind::Parameter);
            declared.map(|it| child(it, FIELDS.ty).and_then(|ty| walk.ty(ty))).collect()
        }
        Some(_) => vec![None],
        None => Vec::new(),
    };
    let named = |name| RawHint::Typed(types::named(vec![name]));
    let body = last_part(node);
    let result = match body {
        Some(body) if kind(body) == Kind::Block => match result_of(body) {
            Err(TooLong) => RawHint::Unknown,
            Ok(Some(value)) => walk.hint(value).unwrap_or(RawHint::Unknown),
            Ok(None) => {
                let ends = last_part(body).is_some_and(|last| kind(last) == Kind::ThrowStatement);
                if ends { named(TypeHint::NEVER) } else { named(TypeHint::VOID) }
            }
        },
        Some(body) if kind(body) == Kind::ThrowExpression => named(TypeHint::NEVER),
        Some(body) => {
            let value = walk.hint(body).unwrap_or(RawHint::Unknown);
            // The value of a statement may be dropped.
            let is_statement = matches!(
                kind(body),
                Kind::InvocationExpression
                    | Kind::AssignmentExpression
                    | Kind::AwaitExpression
                    | Kind::ObjectCreation
                    | Kind::ConditionalAccess
                    | Kind::PostfixUnary
                    | Kind::PrefixUnary
            );
            if is_statement { RawHint::OneOf(vec![named(TypeHint::VOID), value]) } else { value }
        }
        None => RawHint::Unknown,
    };
    let mut cursor = node.walk();
    let is_async = node.children(&mut cursor).any(|it| walk.text(it) == "async");
    let result = RawHint::In(inside, Box::new(result));
    let result = if is_async { RawHint::Async(Box::new(result)) } else { result };
    RawHint::Literal(parameters, Box::new(result))
}

/// Block of more nodes than are looked at.
struct TooLong;

/// Returns the first value that a block returns. Function literals in it return for themselves.
fn result_of(block: Node<'_>) -> Result<Option<Node<'_>>, TooLong> {
    /// Maximum number of nodes that are looked at.
    const MAX_NODES: usize = 500;
    let mut next = vec![block];
    let mut seen = 0;
    while let Some(node) = next.pop() {
        seen += 1;
        if kind(node) == Kind::ReturnStatement
            && let Some(value) = first_part(node)
        {
            return Ok(Some(value));
        }
        if seen > MAX_NODES {
            return Err(TooLong);
        }
        if !matches!(kind(node), Kind::LambdaExpression | Kind::AnonymousMethod | Kind::LocalFunction) {
            let mut children = parts(node);
            children.reverse();
            next.extend(children);
        }
    }
    Ok(None)
}

/// Visits an argument of the call of a name, at a position. Returns the scope of a function literal.
fn argument<'t>(walk: &mut Walk<'t>, node: Node<'t>, call: Option<(Node<'t>, u8)>) -> Option<ScopeId> {
    let mut inside = None;
    let name = child(node, FIELDS.name);
    let passed = || call.map(|(callee, at)| RawHint::Passed(callee.start_byte() as u32, at));
    for part in parts(node) {
        match kind(part) {
            _ if Some(part) == name => {}
            Kind::LambdaExpression | Kind::AnonymousMethod => inside = Some(lambda(walk, part, &passed)),
            // `out var value` has the type of the parameter.
            Kind::DeclarationExpression
                if child(part, FIELDS.ty).is_some_and(|it| kind(it) == Kind::Leaf) =>
            {
                let variable = child(part, FIELDS.name).map_or("", |name| walk.text(name));
                walk.local(variable, passed());
            }
            _ => walk.visit(part),
        }
    }
    inside
}

/// Visits a lambda expression, of the type of a function if that is known from the place. Returns its scope.
fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>, function: &dyn Fn() -> Option<RawHint<'t>>) -> ScopeId {
    let hint = |at: usize| Some(RawHint::Parameter(Box::new(function()?), u8::try_from(at).ok()?));
    let around = walk.scope;
    let of_call = |at| hint(at).map(|hint| RawHint::In(around, Box::new(hint)));
    let mut inside = around;
    walk.scoped(|walk| {
        inside = walk.scope;
        let Some(list) = child(node, FIELDS.parameters) else { return walk.children(node) };
        if kind(list) == Kind::ParameterList {
            for (at, parameter) in parts(list).into_iter().enumerate() {
                if kind(parameter) == Kind::Parameter && child(parameter, FIELDS.ty).is_none() {
                    let name = child(parameter, FIELDS.name).map_or("", |name| walk.text(name));
                    walk.local(name, of_call(at));
                } else {
                    parameters(walk, parameter, &mut Vec::new());
                }
            }
        } else {
            walk.local(walk.text(list), of_call(0));
        }
        for part in parts(node).into_iter().filter(|part| *part != list) {
            walk.visit(part);
        }
    });
    inside
}

/// Visits the creation of an object, of a type that is written here or known from the place.
pub(super) fn creation<'t>(walk: &mut Walk<'t>, node: Node<'t>, ty: Option<Node<'t>>) {
    let reference = walk.use_count();
    let at = ty.map(|ty| if kind(node) == Kind::ObjectCreation { last_segment(ty) } else { node });
    match ty {
        Some(ty) if kind(node) == Kind::ObjectCreation => {
            types::refer(walk, ty, Relation::Instantiates);
        }
        Some(ty) => {
            if let Some(RawType { name, arguments }) = walk.ty(ty) {
                let count = u8::try_from(arguments.len()).ok();
                walk.reference_with(Relation::Instantiates, name, node, count);
            }
        }
        None => {}
    }
    for part in parts(node) {
        match kind(part) {
            _ if Some(part) == child(node, FIELDS.ty) => {}
            Kind::InitializerExpression => {
                let own = ty.and_then(|ty| walk.ty(ty)).map(RawHint::Typed);
                initializer(walk, part, own.as_ref());
            }
            Kind::ArgumentList => {
                let mut types = Vec::new();
                for (position, argument) in parts(part).into_iter().enumerate() {
                    let inside = self::argument(walk, argument, at.zip(u8::try_from(position).ok()));
                    types.push(argument_type(walk, argument, inside));
                }
                // Only function literals and new variables depend on the constructor.
                if at.is_some() && parts(part).into_iter().any(takes_type) {
                    let written = ty.and_then(|ty| walk.ty(ty));
                    walk.set_argument_types(
                        reference,
                        types,
                        written.map_or_else(Vec::new, |it| it.arguments),
                    );
                }
            }
            _ => walk.visit(part),
        }
    }
}

/// Returns true for an argument whose type follows from the parameter.
fn takes_type(argument: Node<'_>) -> bool {
    let value = last_part(argument);
    value.is_some_and(|value| {
        matches!(kind(value), Kind::LambdaExpression | Kind::AnonymousMethod | Kind::DeclarationExpression)
    })
}

/// Visits `new { Name = value }`: a name is visited only if no equals sign follows.
fn anonymous<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let mut before: Option<Node<'t>> = None;
    let mut cursor = node.walk();
    for part in node.children(&mut cursor).filter(|it| kind(*it) != Kind::Comment) {
        let is_equals = kind(part) == Kind::Equals;
        if let Some(before) = before.take().filter(|it| !is_equals || kind(*it) != Kind::Identifier) {
            walk.visit(before);
        }
        before = part.is_named().then_some(part);
    }
}

/// Visits the initializer of an object of a type: `{ Name = value }`, or of a collection, to which each value is added.
fn initializer<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: Option<&RawHint<'t>>) {
    for part in parts(node) {
        let left = child(part, FIELDS.left).filter(|left| kind(*left) == Kind::Identifier);
        match left.filter(|_| kind(part) == Kind::AssignmentExpression) {
            Some(left) => {
                let name = of.map(|of| member(None, || Some(of.clone()), walk.text(left)));
                if let Some(name) = &name {
                    walk.reference(Relation::AssignsTo, name.clone(), left);
                }
                match child(part, FIELDS.right) {
                    Some(right) if is_literal(right) => {
                        lambda(walk, right, &|| name.clone().map(RawHint::Value));
                    }
                    right => right.into_iter().for_each(|right| walk.visit(right)),
                }
            }
            None if is_literal(part) => {
                let add = of.map(|of| member(None, || Some(of.clone()), "Add"));
                lambda(walk, part, &|| add.clone().map(|add| RawHint::Argument(add, 0)));
            }
            None => walk.visit(part),
        }
    }
}

/// Returns true for a function literal.
fn is_literal(node: Node<'_>) -> bool {
    matches!(kind(node), Kind::LambdaExpression | Kind::AnonymousMethod)
}

/// Visits `value with { Name = other }`.
fn with<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let parts_of = parts(node);
    let value = parts_of.first().and_then(|value| walk.hint(*value));
    for part in parts_of {
        if kind(part) != Kind::WithInitializer {
            walk.visit(part);
            continue;
        }
        let names = parts(part);
        if let [name, ..] = names[..] {
            let target = member(None, || value.clone(), walk.text(name));
            walk.reference(Relation::AssignsTo, target, name);
        }
        names.into_iter().skip(1).for_each(|value| walk.visit(value));
    }
}

fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let left = child(node, FIELDS.left);
    match child(node, FIELDS.right) {
        Some(right) if is_literal(right) => {
            let function = left.and_then(|left| walk.hint(left));
            lambda(walk, right, &|| function.clone());
        }
        right => right.into_iter().for_each(|right| walk.visit(right)),
    }
    if let Some(left) = left {
        assign(walk, left);
    }
}

fn assign<'t>(walk: &mut Walk<'t>, left: Node<'t>) {
    match kind(left) {
        Kind::Identifier if walk.text(left) == "_" => {}
        Kind::Identifier => walk.refer(Relation::AssignsTo, left, left, None),
        Kind::MemberAccess | Kind::ConditionalAccess => access(walk, left, Relation::AssignsTo),
        _ => walk.visit(left),
    }
}

/// Returns the initial value of a variable or property.
pub(super) fn value_of(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = declarator.walk();
    let mut children = declarator.children(&mut cursor).skip_while(|it| kind(*it) != Kind::Equals);
    children.find(|it| it.is_named() && kind(*it) != Kind::Comment)
}

/// Visits a value that is stored as a type, which `new()` leaves out.
pub(super) fn value_of_type<'t>(walk: &mut Walk<'t>, value: Node<'t>, ty: Option<Node<'t>>) {
    match kind(value) {
        Kind::ImplicitObject => creation(walk, value, ty),
        Kind::LambdaExpression | Kind::AnonymousMethod => {
            let own = ty.and_then(|ty| walk.ty(ty)).filter(|ty| ty.name.path[..] != ["var"]);
            lambda(walk, value, &|| own.clone().map(RawHint::Typed));
        }
        _ => walk.visit(value),
    }
}
