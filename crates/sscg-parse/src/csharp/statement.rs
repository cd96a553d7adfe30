//! Statements and patterns.

use sscg_core::{Part, Relation};
use tree_sitter::Node;

use super::expression::{self, identifier, rest, selection, typed, value_of, value_of_type};
use super::grammar::{FIELDS, Kind, child, child_of, first_part, kind, last_part, parts};
use super::hint::element_of;
use super::types::{self, last_segment};
use crate::scope::{RawHint, RawType};
use crate::spec::Walk;

pub(super) fn visit<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    match kind(node) {
        Kind::LocalDeclaration => {
            let is_using = child_of(node, Kind::Using).is_some();
            if let Some(declaration) = child_of(node, Kind::VariableDeclaration) {
                variables(walk, declaration, is_using);
            }
        }
        Kind::VariableDeclaration => variables(walk, node, false),
        Kind::UsingStatement => walk.scoped(|walk| using(walk, node)),
        Kind::ForeachStatement => foreach(walk, node),
        Kind::Block | Kind::CatchClause | Kind::ForStatement | Kind::SwitchSection | Kind::SwitchArm => {
            walk.scoped(|walk| walk.children(node))
        }
        Kind::QueryExpression => walk.scoped(|walk| query(walk, node)),
        Kind::LabeledStatement => parts(node).into_iter().skip(1).for_each(|part| walk.visit(part)),
        Kind::GotoStatement => {}
        Kind::ThrowStatement | Kind::ThrowExpression => {
            let thrown = parts(node).into_iter().find(|it| kind(*it) == Kind::ObjectCreation);
            if let Some(thrown) = thrown {
                refer_to_created(walk, thrown, Relation::Raises);
            }
            walk.children(node);
        }
        Kind::CatchDeclaration => typed(walk, node, Relation::Catches),
        Kind::DeclarationExpression => typed(walk, node, Relation::UsesType),
        Kind::DeclarationPattern | Kind::RecursivePattern | Kind::TypePattern => {
            typed(walk, node, Relation::AssertsType);
            rest(walk, node);
        }
        Kind::VarPattern | Kind::ListPattern => {
            if let Some(name) = child(node, FIELDS.name) {
                walk.local(walk.text(name), None);
            }
            rest(walk, node);
        }
        Kind::VariableDesignation | Kind::TuplePattern => designation(walk, node, None),
        // `{ Name: pattern }`: the name is a member of what is matched.
        Kind::Subpattern => last_part(node).into_iter().for_each(|pattern| walk.visit(pattern)),
        _ => expression::visit(walk, node),
    }
}

/// Refers to the type of an object that is created.
fn refer_to_created<'t>(walk: &mut Walk<'t>, creation: Node<'t>, relation: Relation) {
    if let Some(ty) = child(creation, FIELDS.ty)
        && let Some(RawType { name, .. }) = walk.ty(ty)
    {
        walk.reference(relation, name, last_segment(ty));
    }
}

fn using<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
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
}

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
        Kind::ObjectCreation => refer_to_created(walk, value, relation),
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
