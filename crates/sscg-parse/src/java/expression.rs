//! Expressions and statements.

use sscg_core::{Part, Relation};
use tree_sitter::Node;

use super::declaration::{anonymous_class, signature};
use super::grammar::{FIELDS, Kind, child, first, kind, last, named};
use super::types;
use crate::scope::{Base, Binding, RawHint, RawName, RawType};
use crate::spec::{MAX_CHAIN, Walk, generic, member};
use crate::tree::children_in;

pub(super) fn visit<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    match kind(node) {
        Kind::Identifier | Kind::FieldAccess => value(walk, node, Relation::ReadsFrom),
        Kind::MethodInvocation => call(walk, node),
        Kind::ConstructorCall => constructor_call(walk, node),
        Kind::ObjectCreation => creation(walk, node),
        Kind::MethodReference => method_reference(walk, node),
        Kind::Lambda => lambda(walk, node, None),
        Kind::Assignment => {
            if let Some(left) = child(node, FIELDS.left) {
                assigned(walk, left);
            }
            walk.visit_field(node, FIELDS.right);
        }
        Kind::Update => named(node).into_iter().for_each(|operand| assigned(walk, operand)),
        Kind::Cast => {
            children_in(node, FIELDS.ty)
                .into_iter()
                .for_each(|ty| types::refer(walk, ty, Relation::AssertsType));
            walk.visit_field(node, FIELDS.value);
        }
        Kind::Instanceof => {
            walk.visit_field(node, FIELDS.left);
            if let Some(ty) = child(node, FIELDS.right) {
                types::refer(walk, ty, Relation::AssertsType);
                if let Some(name) = child(node, FIELDS.name) {
                    walk.local(walk.text(name), types::declared(walk, ty, node).map(RawHint::Typed));
                }
            }
            walk.visit_field(node, FIELDS.pattern);
        }
        Kind::TypePattern | Kind::RecordPatternComponent => pattern(walk, node),
        Kind::RecordPattern => {
            if let Some(ty) = first(node) {
                types::refer(walk, ty, Relation::AssertsType);
            }
            named(node).into_iter().skip(1).for_each(|body| walk.children(body));
        }
        Kind::LocalVariable => local_variables(walk, node),
        Kind::Resource => resource(walk, node),
        Kind::EnhancedFor => walk.scoped(|walk| enhanced_for(walk, node)),
        Kind::CatchClause => walk.scoped(|walk| catch(walk, node)),
        Kind::Throw => {
            if let Some(raised) = first(node).filter(|it| kind(*it) == Kind::ObjectCreation)
                && let Some(ty) = child(raised, FIELDS.ty)
                && let Some(own) = walk.ty(ty)
            {
                walk.reference(Relation::Raises, own.name, ty);
            }
            walk.children(node);
        }
        Kind::If => {
            // A variable of a negated test exists behind the statement, which ends the function otherwise.
            let condition = child(node, FIELDS.condition).and_then(first);
            if condition.and_then(|it| it.child(0)).is_some_and(|it| kind(it) == Kind::Bang) {
                walk.children(node);
            } else {
                walk.scoped(|walk| walk.children(node));
            }
        }
        Kind::Block | Kind::For | Kind::While | Kind::TryWithResources => {
            walk.scoped(|walk| walk.children(node));
        }
        Kind::Switch => switch(walk, node),
        Kind::Labeled => last(node).into_iter().for_each(|statement| walk.visit(statement)),
        _ => walk.children(node),
    }
}

// -- Names --------------------------------------------------------------------------------------------------

/// Adds the use of a variable, field or constant, or of a type or package before a member.
fn value<'t>(walk: &mut Walk<'t>, node: Node<'t>, relation: Relation) {
    if node.is_missing() {
        return;
    }
    if kind(node) == Kind::Identifier {
        return walk.refer(by_case(walk.text(node), relation), node, node, None);
    }
    let (Some(object), Some(field)) = (child(node, FIELDS.object), child(node, FIELDS.field)) else {
        return walk.children(node);
    };
    if kind(field) == Kind::This {
        return value(walk, object, Relation::References);
    }
    // Arrays have a length and no other fields.
    if walk.text(field) != "length" || kind(object) == Kind::This {
        walk.refer(by_case(walk.text(field), relation), node, field, None);
    }
    if !is_qualified_type(walk, node) {
        operand(walk, object);
    }
}

/// Visits what a member is selected from, unless it is a package.
fn operand<'t>(walk: &mut Walk<'t>, object: Node<'t>) {
    match kind(object) {
        Kind::This | Kind::Super => {}
        _ => walk.visit(object),
    }
}

/// Returns the relation for a read of a name: constants and types have capital letters, fields do not.
fn by_case(name: &str, relation: Relation) -> Relation {
    let is_field = !name.starts_with(|first: char| first.is_uppercase());
    if is_field || relation == Relation::AssignsTo { relation } else { Relation::References }
}

/// Returns true for a type with the name of its package, `java.util.List`.
fn is_qualified_type(walk: &Walk<'_>, node: Node<'_>) -> bool {
    let is_upper = |text: &str| text.starts_with(|first: char| first.is_uppercase());
    if !child(node, FIELDS.field).is_some_and(|field| is_upper(walk.text(field))) {
        return false;
    }
    let mut at = node;
    while kind(at) == Kind::FieldAccess {
        let Some(object) = child(at, FIELDS.object) else { return false };
        if child(object, FIELDS.field).is_some_and(|field| is_upper(walk.text(field))) {
            return false;
        }
        at = object;
    }
    let is_free = |text: &str| walk.scopes.lookup(walk.scope, text).is_none();
    kind(at) == Kind::Identifier && !is_upper(walk.text(at)) && is_free(walk.text(at))
}

fn assigned<'t>(walk: &mut Walk<'t>, target: Node<'t>) {
    match kind(target) {
        Kind::Identifier | Kind::FieldAccess => value(walk, target, Relation::AssignsTo),
        Kind::Parenthesized => named(target).into_iter().for_each(|inner| assigned(walk, inner)),
        _ => walk.visit(target),
    }
}

pub(super) fn name<'t>(walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawName<'t>> {
    match kind(node) {
        Kind::Identifier => Some(RawName::scoped(vec![walk.text(node)])),
        Kind::This => Some(RawName { base: Base::SelfType, path: vec!["this"] }),
        Kind::Super => Some(RawName { base: Base::Super, path: vec!["super"] }),
        Kind::Parenthesized => name(walk, first(node)?, depth.checked_sub(1)?),
        Kind::FieldAccess => {
            let object = child(node, FIELDS.object)?;
            let field = child(node, FIELDS.field)?;
            let below = depth.checked_sub(1);
            // `Outer.this` has the members of `Outer`, and `Base.super` those of `Base`.
            if kind(field) == Kind::This || kind(object) == Kind::Super && named(node).len() > 2 {
                return name(walk, first(node)?, below?);
            }
            let of = below.and_then(|below| name(walk, object, below));
            Some(member(of, || hint(walk, object, below?), walk.text(field)))
        }
        _ => None,
    }
}

/// Returns the name of a called method. Methods and variables have separate namespaces.
fn callee<'t>(walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawName<'t>> {
    let method = walk.text(child(node, FIELDS.name)?);
    let Some(object) = child(node, FIELDS.object) else {
        return Some(RawName { base: Base::Item, path: vec![method] });
    };
    let below = depth.checked_sub(1);
    let of = below.and_then(|below| name(walk, object, below));
    Some(member(of, || hint(walk, object, below?), method))
}

pub(super) fn hint<'t>(walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawHint<'t>> {
    let below = depth.checked_sub(1)?;
    let written = |ty: Node<'t>| walk.ty(ty).map(RawHint::Typed);
    let of_library = |name| Some(RawHint::Typed(types::of_name(vec![name])));
    match kind(node) {
        Kind::Identifier | Kind::FieldAccess | Kind::This | Kind::Super => {
            Some(RawHint::Value(name(walk, node, below)?))
        }
        Kind::Parenthesized => hint(walk, first(node)?, below),
        Kind::ObjectCreation | Kind::Cast => written(child(node, FIELDS.ty)?),
        Kind::ArrayCreation => {
            Some(RawHint::Typed(generic(sscg_core::TypeHint::SLICE, vec![walk.ty(child(node, FIELDS.ty)?)?])))
        }
        Kind::Unary => match node.child(0).map(kind) {
            Some(Kind::Bang) => of_library("boolean"),
            _ => hint(walk, child(node, FIELDS.operand)?, below),
        },
        Kind::Binary => binary(walk, node, below),
        Kind::Assignment => hint(walk, child(node, FIELDS.left)?, below),
        Kind::Ternary => [FIELDS.consequence, FIELDS.alternative]
            .into_iter()
            .find_map(|field| hint(walk, child(node, field)?, below)),
        Kind::ArrayAccess => {
            let many = hint(walk, child(node, FIELDS.array)?, below)?;
            Some(RawHint::Part(Part::Indexed, Box::new(many)))
        }
        Kind::MethodInvocation => match of_enumeration(walk, node) {
            Some(ty) => Some(RawHint::Typed(ty)),
            None => Some(RawHint::Result(callee(walk, node, below)?)),
        },
        kind => of_library(fixed(kind, walk.text(node))?),
    }
}

/// Returns the type that an expression of a kind always has.
fn fixed(kind: Kind, text: &str) -> Option<&'static str> {
    Some(match kind {
        Kind::StringLiteral => "String",
        Kind::Character => "char",
        Kind::True | Kind::False | Kind::Instanceof => "boolean",
        Kind::Integer if text.ends_with(['l', 'L']) => "long",
        Kind::Integer => "int",
        Kind::Float if text.ends_with(['f', 'F']) => "float",
        Kind::Float => "double",
        Kind::ClassLiteral => "Class",
        _ => return None,
    })
}

/// Returns the type of the results that methods of every enumeration have: `Level.valueOf(text)`, `Level.values()`.
fn of_enumeration<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<RawType<'t>> {
    let object = child(node, FIELDS.object).filter(|it| kind(*it) == Kind::Identifier)?;
    let ty = walk.ty(object).filter(|_| walk.text(object).starts_with(char::is_uppercase))?;
    match walk.text(child(node, FIELDS.name)?) {
        "valueOf" => Some(ty),
        "values" if first(child(node, FIELDS.arguments)?).is_none() => {
            Some(generic(sscg_core::TypeHint::SLICE, vec![ty]))
        }
        _ => None,
    }
}

/// Returns the type of an operation: a string if one side is one, a truth value for a comparison, and for numbers of
/// one type, that type.
fn binary<'t>(walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawHint<'t>> {
    let of_library = |name| RawHint::Typed(types::of_name(vec![name]));
    let operator = child(node, FIELDS.operator).map_or("", |operator| walk.text(operator));
    if matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||") {
        return Some(of_library("boolean"));
    }
    let side = |field| hint(walk, child(node, field)?, depth);
    let (left, right, string) = (side(FIELDS.left), side(FIELDS.right), of_library("String"));
    if operator == "+" && (left.as_ref() == Some(&string) || right.as_ref() == Some(&string)) {
        return Some(string);
    }
    left.filter(|left| right.as_ref() == Some(left))
}

// -- Calls --------------------------------------------------------------------------------------------------

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let (Some(method), Some(list)) = (child(node, FIELDS.name), child(node, FIELDS.arguments)) else {
        return walk.children(node);
    };
    let callee = callee(walk, node, MAX_CHAIN);
    // In source order, because anonymous classes are declarations.
    if let Some(object) = child(node, FIELDS.object) {
        operand(walk, object);
    }
    walk.visit_field(node, FIELDS.type_arguments);
    let passed = named(list);
    arguments(walk, &passed, callee.as_ref());
    if let Some(callee) = callee {
        walk.call(Relation::Calls, callee, method, &passed);
    }
}

/// Visits the arguments of a call. The parameters of a lambda have the types that the callee passes.
fn arguments<'t>(walk: &mut Walk<'t>, passed: &[Node<'t>], callee: Option<&RawName<'t>>) {
    for (at, argument) in passed.iter().enumerate() {
        match kind(*argument) {
            Kind::Lambda => lambda(walk, *argument, callee.zip(u8::try_from(at).ok())),
            _ => walk.visit(*argument),
        }
    }
}

/// Visits a lambda, which may be an argument of a call.
fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>, passed_to: Option<(&RawName<'t>, u8)>) {
    let around = walk.scope;
    walk.scoped(|walk| {
        if let Some(list) = child(node, FIELDS.parameters) {
            let names = match kind(list) {
                Kind::Identifier => vec![list],
                Kind::Leaf => named(list),
                _ => {
                    signature(walk, node, &named(list));
                    Vec::new()
                }
            };
            for (at, name) in names.into_iter().enumerate() {
                let hint = passed_to.zip(u8::try_from(at).ok()).map(|((callee, argument), at)| {
                    let function = RawHint::Argument(callee.clone(), argument);
                    let hint = RawHint::Parameter(Box::new(function), at);
                    RawHint::In(around, Box::new(hint))
                });
                walk.local(walk.text(name), hint);
            }
        }
        walk.visit_field(node, FIELDS.body);
    });
}

/// Adds the call of a constructor of the same class or of its base: `this(..)`, `super(..)`.
fn constructor_call<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let (Some(called), Some(list)) = (child(node, FIELDS.constructor), child(node, FIELDS.arguments)) else {
        return walk.children(node);
    };
    let passed = named(list);
    if kind(called) == Kind::Super {
        let base = RawName { base: Base::Super, path: vec!["super"] };
        walk.call(Relation::Calls, base, called, &passed);
    } else if let Some(name) = node.parent().and_then(|body| child(body.parent()?, FIELDS.name)) {
        let own = RawName { base: Base::SelfType, path: vec!["this", walk.text(name)] };
        walk.call(Relation::Calls, own, called, &passed);
    }
    walk.visit_field(node, FIELDS.object);
    arguments(walk, &passed, None);
}

fn creation<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(ty) = child(node, FIELDS.ty) else { return walk.children(node) };
    let list = child(node, FIELDS.arguments);
    let own = walk.ty(ty).map(|ty| ty.name);
    let at = if kind(ty) == Kind::GenericType { first(ty).unwrap_or(ty) } else { ty };
    let passed = list.map(named).unwrap_or_default();
    if let Some(own) = &own {
        walk.call(Relation::Instantiates, own.clone(), at, &passed);
    }
    let has_body = last(node).is_some_and(|body| kind(body) == Kind::ClassBody);
    // Classes among the arguments begin inside the class, so that they are declared after it.
    let inside = list.filter(|list| has_body && walk.text(*list).contains('{'));
    for part in named(node) {
        match kind(part) {
            Kind::ClassBody => anonymous_class(walk, node, ty, |walk| {
                if inside.is_some() {
                    arguments(walk, &passed, own.as_ref());
                }
            }),
            _ if part == ty => {
                let parts = named(ty).into_iter().filter(|part| kind(*part) == Kind::TypeArguments);
                parts.for_each(|part| walk.visit(part));
            }
            _ if Some(part) == inside => {}
            _ if Some(part) == list => arguments(walk, &passed, own.as_ref()),
            _ => walk.visit(part),
        }
    }
}

/// Adds the method that a reference names: `Type::method`, `value::method`, `Type::new`.
fn method_reference<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let parts = named(node);
    let (Some(object), Some(end)) =
        (parts.first().copied(), node.child(node.child_count().saturating_sub(1)))
    else {
        return;
    };
    let is_type = !matches!(kind(object), Kind::Identifier | Kind::FieldAccess);
    if kind(end) == Kind::New {
        return types::refer(walk, object, Relation::Instantiates);
    }
    let ty = if is_type { walk.ty(object).map(|ty| ty.name) } else { None };
    let of = ty.or_else(|| walk.name(object));
    let name = member(of, || walk.hint(object), walk.text(end));
    walk.reference(Relation::References, name, end);
    operand(walk, object);
}

// -- Statements ---------------------------------------------------------------------------------------------

fn local_variables<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(ty) = child(node, FIELDS.ty) else { return walk.children(node) };
    for part in named(node).into_iter().filter(|part| kind(*part) != Kind::VariableDeclarator) {
        walk.visit(part);
    }
    for declarator in children_in(node, FIELDS.declarator) {
        let value = child(declarator, FIELDS.value);
        let Some(name) = child(declarator, FIELDS.name) else { continue };
        let hint = types::hint(walk, ty, declarator, || walk.hint(value?));
        if let Some(value) = value {
            walk.visit(value);
        }
        walk.local(walk.text(name), hint);
    }
}

fn resource<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let (Some(ty), Some(name)) = (child(node, FIELDS.ty), child(node, FIELDS.name)) else {
        return walk.children(node);
    };
    let value = child(node, FIELDS.value);
    types::refer(walk, ty, Relation::UsesContextManager);
    let hint = types::hint(walk, ty, node, || walk.hint(value?));
    if let Some(value) = value {
        walk.visit(value);
    }
    walk.local(walk.text(name), hint);
}

fn enhanced_for<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let (Some(ty), Some(name)) = (child(node, FIELDS.ty), child(node, FIELDS.name)) else {
        return walk.children(node);
    };
    walk.visit(ty);
    let many = child(node, FIELDS.value);
    let element = || Some(RawHint::Part(Part::Element, Box::new(walk.hint(many?)?)));
    let hint = types::hint(walk, ty, node, element);
    if let Some(many) = many {
        walk.visit(many);
    }
    walk.local(walk.text(name), hint);
    walk.visit_field(node, FIELDS.body);
}

fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let body = child(node, FIELDS.body);
    for parameter in named(node).into_iter().filter(|part| Some(*part) != body) {
        let ty = named(parameter).into_iter().find(|part| kind(*part) == Kind::CatchType);
        if let (Some(ty), Some(name)) = (ty, child(parameter, FIELDS.name)) {
            types::refer(walk, ty, Relation::Catches);
            walk.local(walk.text(name), walk.ty(ty).map(RawHint::Typed));
        }
    }
    if let Some(body) = body {
        walk.visit(body);
    }
}

/// Declares the variable of a pattern with a type.
fn pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    match named(node)[..] {
        [ty, name] if kind(name) == Kind::Identifier => {
            types::refer(walk, ty, Relation::AssertsType);
            walk.local(walk.text(name), walk.ty(ty).map(RawHint::Typed));
        }
        _ => walk.children(node),
    }
}

/// Visits a switch. Its labels may be members of the enumeration that the value belongs to.
fn switch<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let condition = child(node, FIELDS.condition);
    if let Some(condition) = condition {
        walk.visit(condition);
    }
    let value = condition.and_then(|condition| walk.hint(condition));
    for group in child(node, FIELDS.body).map(named).unwrap_or_default() {
        if !matches!(kind(group), Kind::SwitchGroup | Kind::SwitchRule) {
            walk.visit(group);
            continue;
        }
        walk.scoped(|walk| {
            for part in named(group) {
                if kind(part) != Kind::SwitchLabel {
                    walk.visit(part);
                    continue;
                }
                for label in named(part) {
                    let is_bound = |walk: &Walk<'t>| {
                        matches!(
                            walk.scopes.lookup(walk.scope, walk.text(label)),
                            Some((_, Binding::Import(_)))
                        )
                    };
                    if kind(label) == Kind::Identifier && value.is_some() && !is_bound(walk) {
                        let of_enumeration = member(None, || value.clone(), walk.text(label));
                        walk.reference(Relation::References, of_enumeration, label);
                    } else {
                        walk.visit(label);
                    }
                }
            }
        });
    }
}
