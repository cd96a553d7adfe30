//! Expressions, statements and patterns.

use sscg_core::{Part, Relation};
use tree_sitter::Node;

use super::grammar::{FIELDS, Kind, child, child_of, first_part, kind, parts};
use super::parameters;
use super::types::{self, last_segment};
use crate::scope::{Base, Binding, RawHint, RawName, RawType};
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
        Kind::InitializerExpression => initializer(walk, node, None),
        Kind::WithExpression => with(walk, node),
        Kind::AssignmentExpression => {
            walk.visit_field(node, FIELDS.right);
            if let Some(left) = child(node, FIELDS.left) {
                assign(walk, left);
            }
        }
        Kind::AnonymousObject => {
            // `Name = value`: a name is visited only if no equals sign follows.
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
        Kind::Argument | Kind::AttributeArgument => argument(walk, node, None),
        Kind::LambdaExpression | Kind::AnonymousMethod => lambda(walk, node, &|| None),
        Kind::ThrowStatement | Kind::ThrowExpression => {
            let thrown = parts(node).into_iter().find(|it| kind(*it) == Kind::ObjectCreation);
            if let Some(ty) = thrown.and_then(|thrown| child(thrown, FIELDS.ty))
                && let Some(RawType { name, .. }) = walk.ty(ty)
            {
                walk.reference(Relation::Raises, name, last_segment(ty));
            }
            walk.children(node);
        }
        Kind::CatchClause => walk.scoped(|walk| walk.children(node)),
        Kind::CatchDeclaration => typed(walk, node, Relation::Catches),
        Kind::DeclarationPattern | Kind::RecursivePattern | Kind::TypePattern => {
            typed(walk, node, Relation::AssertsType);
            rest(walk, node);
        }
        Kind::DeclarationExpression => typed(walk, node, Relation::UsesType),
        Kind::VarPattern | Kind::ListPattern => {
            if let Some(name) = child(node, FIELDS.name) {
                walk.local(walk.text(name), None);
            }
            rest(walk, node);
        }
        Kind::VariableDesignation | Kind::TuplePattern => designation(walk, node, None),
        // `{ Name: pattern }`: the name is a member of what is matched.
        Kind::Subpattern => {
            if let Some(pattern) = parts(node).last() {
                walk.visit(*pattern);
            }
        }
        Kind::IsExpression | Kind::AsExpression => {
            walk.visit_field(node, FIELDS.left);
            if let Some(ty) = child(node, FIELDS.right) {
                types::refer(walk, ty, Relation::AssertsType);
            }
        }
        Kind::CastExpression => {
            if let Some(ty) = child(node, FIELDS.ty) {
                types::refer(walk, ty, Relation::AssertsType);
            }
            walk.visit_field(node, FIELDS.value);
        }
        Kind::TypeofExpression | Kind::SizeofExpression | Kind::DefaultExpression | Kind::ArrayCreation => {
            typed(walk, node, Relation::UsesType);
            rest(walk, node);
        }
        Kind::LocalDeclaration => {
            let is_using = child_of(node, Kind::Using).is_some();
            if let Some(declaration) = child_of(node, Kind::VariableDeclaration) {
                variables(walk, declaration, is_using);
            }
        }
        Kind::VariableDeclaration => variables(walk, node, false),
        Kind::UsingStatement => walk.scoped(|walk| {
            for part in parts(node) {
                match kind(part) {
                    Kind::VariableDeclaration => variables(walk, part, true),
                    _ if child(node, FIELDS.body) == Some(part) => walk.visit(part),
                    _ => {
                        guard(walk, part);
                        walk.visit(part);
                    }
                }
            }
        }),
        Kind::ForeachStatement => foreach(walk, node),
        Kind::Block | Kind::ForStatement | Kind::SwitchSection | Kind::SwitchArm => {
            walk.scoped(|walk| walk.children(node));
        }
        Kind::QueryExpression => walk.scoped(|walk| query(walk, node)),
        Kind::LabeledStatement => parts(node).into_iter().skip(1).for_each(|part| walk.visit(part)),
        Kind::GotoStatement => {}
        _ => walk.children(node),
    }
}

/// Declares the name of a node with a type, and refers to the type.
fn typed<'t>(walk: &mut Walk<'t>, node: Node<'t>, relation: Relation) {
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
fn rest<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let known = [child(node, FIELDS.name), child(node, FIELDS.ty)];
    for part in parts(node) {
        if !known.contains(&Some(part)) {
            walk.visit(part);
        }
    }
}

// -- Members and calls --------------------------------------------------------------------------------------

/// Returns what a member is selected from, and the node of the member's name.
fn selection(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
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
fn identifier(node: Node<'_>) -> Node<'_> {
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

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(function) = child(node, FIELDS.function) else { return walk.children(node) };
    let list = child(node, FIELDS.arguments);
    let arguments = list.map_or_else(Vec::new, parts);
    // The value of an argument comes after its name: `f(count: 1)`.
    let values: Vec<Node<'t>> = arguments.iter().map(|it| parts(*it).pop().unwrap_or(*it)).collect();
    match kind(function) {
        Kind::Identifier if walk.text(function) == "nameof" => {}
        Kind::Identifier | Kind::GenericName => {
            if let Some(name) = walk.name(function) {
                walk.call(Relation::Calls, name, identifier(function), &values);
            }
            type_arguments(walk, function);
        }
        Kind::MemberAccess | Kind::ConditionalAccess => {
            if let Some((_, name)) = selection(function) {
                if let Some(callee) = walk.name(function) {
                    walk.call(Relation::Calls, callee, identifier(name), &values);
                }
                operand(walk, function);
            } else {
                walk.visit(function);
            }
        }
        _ => walk.visit(function),
    }
    let callee = walk.name(function);
    for (at, part) in arguments.into_iter().enumerate() {
        argument(walk, part, callee.as_ref().zip(u8::try_from(at).ok()));
    }
}

/// Visits an argument of a call to a name, at a position.
fn argument<'t>(walk: &mut Walk<'t>, node: Node<'t>, call: Option<(&RawName<'t>, u8)>) {
    let name = child(node, FIELDS.name);
    let function = || call.map(|(callee, at)| RawHint::Argument(callee.clone(), at));
    for part in parts(node) {
        match kind(part) {
            _ if Some(part) == name => {}
            Kind::LambdaExpression | Kind::AnonymousMethod => lambda(walk, part, &function),
            // `out var value` has the type of the parameter.
            Kind::DeclarationExpression
                if child(part, FIELDS.ty).is_some_and(|it| kind(it) == Kind::Leaf) =>
            {
                let variable = child(part, FIELDS.name).map_or("", |name| walk.text(name));
                let hint = call.and_then(|(callee, _)| looked_up(callee)).or_else(function);
                walk.local(variable, hint);
            }
            _ => walk.visit(part),
        }
    }
}

/// Returns the type of the value that a call finds in a dictionary.
fn looked_up<'t>(callee: &RawName<'t>) -> Option<RawHint<'t>> {
    let (_, before) = callee.path.split_last().filter(|(last, _)| **last == "TryGetValue")?;
    let many = match &callee.base {
        Base::Value(hint) if before.is_empty() => (**hint.as_ref()?).clone(),
        base if !before.is_empty() => RawHint::Value(RawName { base: base.clone(), path: before.to_vec() }),
        _ => return None,
    };
    Some(RawHint::Part(Part::Indexed, Box::new(many)))
}

/// Visits a lambda expression, of the type of a function if that is known from the place.
fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>, function: &dyn Fn() -> Option<RawHint<'t>>) {
    let hint = |at: usize| Some(RawHint::Parameter(Box::new(function()?), u8::try_from(at).ok()?));
    let around = walk.scope;
    let of_call = |at| hint(at).map(|hint| RawHint::In(around, Box::new(hint)));
    walk.scoped(|walk| {
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
}

/// Visits the creation of an object, of a type that is written here or known from the place.
pub(super) fn creation<'t>(walk: &mut Walk<'t>, node: Node<'t>, ty: Option<Node<'t>>) {
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
            _ => walk.visit(part),
        }
    }
}

/// Visits the initializer of an object of a type: `{ Name = value }`, or of a collection.
fn initializer<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: Option<&RawHint<'t>>) {
    for part in parts(node) {
        let left = child(part, FIELDS.left).filter(|left| kind(*left) == Kind::Identifier);
        match left.filter(|_| kind(part) == Kind::AssignmentExpression) {
            Some(left) => {
                if let Some(of) = of {
                    let name = member(None, || Some(of.clone()), walk.text(left));
                    walk.reference(Relation::AssignsTo, name, left);
                }
                walk.visit_field(part, FIELDS.right);
            }
            None => walk.visit(part),
        }
    }
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

fn assign<'t>(walk: &mut Walk<'t>, left: Node<'t>) {
    match kind(left) {
        Kind::Identifier if walk.text(left) == "_" => {}
        Kind::Identifier => walk.refer(Relation::AssignsTo, left, left, None),
        Kind::MemberAccess | Kind::ConditionalAccess => access(walk, left, Relation::AssignsTo),
        _ => walk.visit(left),
    }
}

// -- Variables ----------------------------------------------------------------------------------------------

/// Declares local variables. `is_using` is set if they are disposed of at the end of the block.
fn variables<'t>(walk: &mut Walk<'t>, node: Node<'t>, is_using: bool) {
    let Some(ty) = child(node, FIELDS.ty) else { return walk.children(node) };
    types::refer(walk, ty, Relation::UsesType);
    let declarators = parts(node).into_iter().filter(|it| kind(*it) == Kind::VariableDeclarator);
    let declarators: Vec<Node<'t>> = declarators.collect();
    let declared = types::shared(walk, ty, declarators.len() == 1);
    let declared = declared.filter(|ty| ty.name.path[..] != ["var"]);
    for declarator in declarators {
        let value = value_of(declarator);
        if let Some(value) = value {
            if is_using {
                guard(walk, value);
            }
            value_of_type(walk, value, Some(ty));
        }
        let hint = match &declared {
            Some(ty) => Some(RawHint::Typed(ty.clone())),
            None => value.and_then(|value| walk.hint(value)),
        };
        match child(declarator, FIELDS.name) {
            Some(name) => walk.local(walk.text(name), hint),
            None => {
                if let Some(names) = child_of(declarator, Kind::TuplePattern) {
                    designation(walk, names, hint.as_ref());
                }
            }
        }
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

/// Declares the names of a tuple.
fn designation<'t>(walk: &mut Walk<'t>, node: Node<'t>, tuple: Option<&RawHint<'t>>) {
    for (at, name) in parts(node).into_iter().enumerate() {
        let place = |tuple: &RawHint<'t>| {
            Some(RawHint::Part(Part::Place(u8::try_from(at).ok()?), Box::new(tuple.clone())))
        };
        let hint = tuple.and_then(place);
        match kind(name) {
            Kind::Identifier => walk.local(walk.text(name), hint),
            Kind::VariableDesignation | Kind::TuplePattern => designation(walk, name, hint.as_ref()),
            _ => {}
        }
    }
}

/// Refers to the resource that a block disposes of.
fn guard<'t>(walk: &mut Walk<'t>, value: Node<'t>) {
    let relation = Relation::UsesContextManager;
    match kind(value) {
        Kind::ObjectCreation => {
            if let Some(ty) = child(value, FIELDS.ty)
                && let Some(RawType { name, .. }) = walk.ty(ty)
            {
                walk.reference(relation, name, last_segment(ty));
            }
        }
        Kind::InvocationExpression => {
            if let Some(function) = child(value, FIELDS.function) {
                match selection(function) {
                    Some((operand, name)) if walk.text(name) == "ConfigureAwait" => guard(walk, operand),
                    found => {
                        let at = found.map_or(function, |(_, name)| name);
                        walk.refer(relation, function, identifier(at), None);
                    }
                }
            }
        }
        Kind::AwaitExpression => parts(value).into_iter().for_each(|value| guard(walk, value)),
        Kind::Identifier | Kind::MemberAccess => {
            let at = selection(value).map_or(value, |(_, name)| name);
            walk.refer(relation, value, identifier(at), None);
        }
        _ => {}
    }
}

fn element_of(many: RawHint<'_>) -> RawHint<'_> {
    RawHint::Part(Part::Element, Box::new(many))
}

fn foreach<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    walk.scoped(|walk| {
        walk.visit_field(node, FIELDS.right);
        let ty = child(node, FIELDS.ty);
        if let Some(ty) = ty {
            types::refer(walk, ty, Relation::UsesType);
        }
        let declared = ty.and_then(|ty| walk.ty(ty)).filter(|ty| ty.name.path[..] != ["var"]);
        let hint = match declared {
            Some(ty) => Some(RawHint::Typed(ty)),
            None => child(node, FIELDS.right).and_then(|many| walk.hint(many)).map(element_of),
        };
        match child(node, FIELDS.left) {
            Some(left) if kind(left) == Kind::Identifier => walk.local(walk.text(left), hint),
            Some(left) if kind(left) == Kind::TuplePattern => designation(walk, left, hint.as_ref()),
            Some(left) => walk.visit(left),
            None => {}
        }
        walk.visit_field(node, FIELDS.body);
    });
}

/// Visits the clauses of a query, each of which sees the names of those before it.
fn query<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    for clause in parts(node) {
        let inner = parts(clause);
        match (kind(clause), &inner[..]) {
            (Kind::FromClause, _) => {
                let (name, ty) = (child(clause, FIELDS.name), child(clause, FIELDS.ty));
                let many = inner.iter().copied().rfind(|it| Some(*it) != name && Some(*it) != ty);
                rest(walk, clause);
                let hint = match ty {
                    Some(ty) => walk.ty(ty).map(RawHint::Typed),
                    None => many.and_then(|many| walk.hint(many)).map(element_of),
                };
                walk.local(name.map_or("", |name| walk.text(name)), hint);
            }
            (Kind::LetClause, [name, value, ..]) => {
                walk.visit(*value);
                let hint = walk.hint(*value);
                walk.local(walk.text(*name), hint);
            }
            (Kind::JoinClause, _) => {
                let mut inner = inner.into_iter().filter(|it| Some(*it) != child(clause, FIELDS.ty));
                let name = inner.next();
                let many = inner.next();
                if let (Some(name), Some(many)) = (name, many) {
                    walk.visit(many);
                    let hint = walk.hint(many).map(element_of);
                    walk.local(walk.text(name), hint);
                }
                for part in inner {
                    match kind(part) {
                        Kind::JoinIntoClause => {
                            let name = first_part(part).map_or("", |name| walk.text(name));
                            walk.local(name, many.and_then(|many| walk.hint(many)));
                        }
                        _ => walk.visit(part),
                    }
                }
            }
            // `into name` at the end.
            (Kind::Identifier, _) => walk.local(walk.text(clause), None),
            _ => walk.visit(clause),
        }
    }
}

// -- Names and types ----------------------------------------------------------------------------------------

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
            let of = below.and_then(|below| name(walk, operand, below));
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
        Kind::Identifier | Kind::MemberAccess | Kind::ConditionalAccess | Kind::This | Kind::GenericName => {
            if let Some(name) = name(walk, node, below) {
                return Some(RawHint::Value(name));
            }
            // `value?[index]`
            let many = inner(child(node, FIELDS.condition)?)?;
            Some(RawHint::Part(Part::Indexed, Box::new(many)))
        }
        Kind::ObjectCreation | Kind::ArrayCreation | Kind::CastExpression | Kind::DefaultExpression => {
            written(FIELDS.ty)
        }
        Kind::AsExpression => written(FIELDS.right),
        Kind::StringLiteral => Some(RawHint::Typed(types::named(vec!["string"]))),
        Kind::ParenthesizedExpression
        | Kind::PostfixUnary
        | Kind::CheckedExpression
        | Kind::RefExpression
        | Kind::WithExpression => inner(first_part(node)?),
        Kind::AwaitExpression => Some(element_of(inner(first_part(node)?)?)),
        Kind::AssignmentExpression => inner(child(node, FIELDS.right)?),
        Kind::BinaryExpression => {
            let is_default = child(node, FIELDS.operator).is_some_and(|it| walk.text(it) == "??");
            inner(child(node, FIELDS.left).filter(|_| is_default)?)
        }
        Kind::ConditionalExpression => {
            inner(child(node, FIELDS.consequence)?).or_else(|| inner(child(node, FIELDS.alternative)?))
        }
        Kind::ElementAccess => {
            let many = inner(child(node, FIELDS.expression)?)?;
            Some(RawHint::Part(Part::Indexed, Box::new(many)))
        }
        Kind::InvocationExpression => {
            let function = child(node, FIELDS.function)?;
            let is_local = |name: &RawName<'t>| {
                name.path.len() == 1
                    && matches!(walk.scopes.lookup(walk.scope, name.path[0]), Some((_, Binding::Local(_))))
            };
            Some(RawHint::Result(name(walk, function, below).filter(|name| !is_local(name))?))
        }
        _ => None,
    }
}
