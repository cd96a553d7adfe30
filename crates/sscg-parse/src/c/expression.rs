//! Expressions and statements.

use sscg_core::{Part, Relation};
use tree_sitter::Node;

use super::C;
use super::function::parameter;
use super::grammar::{Field, Kind, child, children, first_part, is_cpp, kind};
use super::types::{self, declarator, last_name, name_text, named, segments};
use crate::scope::{Base, RawHint, RawName, RawType};
use crate::spec::{Walk, argument_count, member};

pub(super) fn visit<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    match kind(node) {
        // Where text does not parse, keywords are identifiers.
        Kind::Identifier | Kind::TypeIdentifier
            if matches!(walk.text(node), "return" | "class" | "struct" | "else" | "if") => {}
        Kind::Identifier => walk.refer(Relation::References, node, node, None),
        Kind::TypeIdentifier => used_type(walk, node, Relation::UsesType),
        Kind::QualifiedIdentifier => qualified(walk, node),
        Kind::TemplateType => {
            used_type(walk, node, Relation::UsesType);
            walk.visit_child(node, Field::Arguments);
        }
        Kind::TemplateFunction => {
            walk.refer(Relation::References, node, last_name(node), None);
            walk.visit_child(node, Field::Arguments);
        }
        Kind::CallExpression => call(walk, node),
        Kind::FieldExpression => field(walk, node, Relation::ReadsFrom),
        Kind::AssignmentExpression => {
            walk.visit_child(node, Field::Right);
            if let Some(left) = child(node, Field::Left) {
                assigned(walk, left);
            }
        }
        Kind::UpdateExpression => {
            if let Some(value) = child(node, Field::Argument) {
                assigned(walk, value);
            }
        }
        Kind::CastExpression => {
            if let Some(ty) = child(node, Field::Type) {
                tested_type(walk, ty);
            }
            walk.visit_child(node, Field::Value);
        }
        Kind::CompoundLiteral => {
            let ty = child(node, Field::Type).and_then(|ty| constructed(walk, ty, None));
            if let Some(value) = child(node, Field::Value) {
                initializer(walk, value, ty.map(RawHint::Typed));
            }
        }
        Kind::InitializerList => initializer(walk, node, None),
        Kind::NewExpression => {
            let arguments = child(node, Field::Arguments);
            let count = arguments.map(|list| argument_count(&C::C, list));
            if let Some(ty) = child(node, Field::Type) {
                constructed(walk, ty, count);
            }
            walk.visit_child(node, Field::Declarator);
            walk.visit_child(node, Field::Arguments);
        }
        Kind::ThrowStatement => {
            let thrown = first_part(node);
            if let Some(callee) = thrown
                .filter(|it| kind(*it) == Kind::CallExpression)
                .and_then(|it| child(it, Field::Function))
            {
                walk.refer(Relation::Raises, callee, last_name(callee), None);
            }
            walk.children(node);
        }
        Kind::ParameterDeclaration | Kind::OptionalParameter | Kind::VariadicParameterDeclaration => {
            parameter(walk, node);
        }
        Kind::MacroTypeSpecifier => walk.visit_child(node, Field::Type),
        Kind::AttributeSpecifier | Kind::AttributeDeclaration => {}
        Kind::FieldDesignator | Kind::FieldIdentifier | Kind::NamespaceIdentifier | Kind::This => {}
        // The parameters of a function type are not variables of the code around it.
        Kind::FunctionDeclarator => walk.scoped(|walk| walk.children(node)),
        _ => walk.children(node),
    }
}

/// Visits a statement or expression in a scope of its own.
pub(super) fn scoped<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    match kind(node) {
        Kind::ForRangeLoop => {
            walk.visit_child(node, Field::Initializer);
            walk.visit_child(node, Field::Right);
            walk.visit_child(node, Field::Type);
            let written = child(node, Field::Type).and_then(|ty| walk.ty(ty)).map(RawHint::Typed);
            let element = || {
                let many = walk.hint(child(node, Field::Right)?)?;
                Some(RawHint::Part(Part::Element, Box::new(many)))
            };
            let hint = written.or_else(element);
            if let Some(declared) = child(node, Field::Declarator) {
                locals(walk, declared, hint);
            }
            walk.visit_child(node, Field::Body);
        }
        Kind::CatchClause => {
            if let Some(list) = child(node, Field::Parameters) {
                let mut cursor = list.walk();
                for caught in list.named_children(&mut cursor) {
                    let Some(ty) = child(caught, Field::Type) else { continue };
                    if let Some(name) = walk.ty(ty).map(|ty| ty.name) {
                        walk.reference(Relation::Catches, name, last_name(ty));
                    }
                    let hint = walk.ty(ty).map(RawHint::Typed);
                    if let Some(declared) = child(caught, Field::Declarator) {
                        locals(walk, declared, hint);
                    }
                }
            }
            walk.visit_child(node, Field::Body);
        }
        Kind::LambdaExpression => {
            walk.visit_child(node, Field::TemplateParameters);
            // Declares the parameters, which are variables of the body.
            walk.visit_child(node, Field::Declarator);
            let mut cursor = node.walk();
            let captures = node.named_children(&mut cursor).find(|it| kind(*it) == Kind::LambdaCaptures);
            for capture in
                captures.iter().flat_map(|it| it.named_children(&mut it.walk()).collect::<Vec<_>>())
            {
                if kind(capture) == Kind::LambdaCaptureInitializer {
                    walk.visit_child(capture, Field::Right);
                    let hint = child(capture, Field::Right).and_then(|value| walk.hint(value));
                    if let Some(name) = child(capture, Field::Left) {
                        walk.local(walk.text(name), hint);
                    }
                }
            }
            walk.visit_child(node, Field::Body);
        }
        _ => walk.children(node),
    }
}

/// Declares the local variables of a declarator.
pub(super) fn locals<'t>(walk: &mut Walk<'t>, declared: Node<'t>, hint: Option<RawHint<'t>>) {
    let Some(found) = declarator(declared) else { return };
    if kind(found.name) == Kind::StructuredBinding {
        let mut cursor = found.name.walk();
        for (at, name) in found.name.named_children(&mut cursor).enumerate() {
            let place = |at| Some(RawHint::Part(Part::Place(at), Box::new(hint.clone()?)));
            walk.local(walk.text(name), u8::try_from(at).ok().and_then(place));
        }
        return;
    }
    let hint = if found.is_callback { None } else { hint };
    walk.local(name_text(walk, found.name), hint);
}

fn used_type<'t>(walk: &mut Walk<'t>, node: Node<'t>, relation: Relation) {
    if let Some(RawType { name, .. }) = walk.ty(node) {
        walk.reference(relation, name, last_name(node));
    }
}

/// Visits the type of a cast.
fn tested_type<'t>(walk: &mut Walk<'t>, ty: Node<'t>) {
    let last = last_name(ty);
    match (kind(last), walk.ty(ty)) {
        (Kind::TypeIdentifier, Some(RawType { name, .. })) => {
            walk.reference(Relation::AssertsType, name, last);
        }
        _ => walk.visit(ty),
    }
}

/// Adds the construction of a type.
fn constructed<'t>(walk: &mut Walk<'t>, ty: Node<'t>, count: Option<u8>) -> Option<RawType<'t>> {
    let last = last_name(ty);
    let own = walk.ty(ty);
    match (kind(last), &own) {
        (Kind::TypeIdentifier, Some(own)) => {
            walk.reference_with(Relation::Instantiates, own.name.clone(), last, count);
            template_arguments(walk, ty);
        }
        _ => walk.visit(ty),
    }
    own
}

/// Visits the template arguments of a name.
fn template_arguments<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let mut at = Some(node);
    while let Some(node) = at {
        walk.visit_child(node, Field::Arguments);
        at = match kind(node) {
            Kind::QualifiedIdentifier => {
                walk.visit_child_if(node, Field::Scope, Kind::TemplateType);
                child(node, Field::Name)
            }
            Kind::TypeDescriptor => child(node, Field::Type),
            Kind::DependentName | Kind::DependentType => first_part(node),
            _ => None,
        };
    }
}

impl<'t> Walk<'t> {
    fn visit_child_if(&mut self, node: Node<'t>, field: Field, wanted: Kind) {
        if let Some(inner) = child(node, field).filter(|it| kind(*it) == wanted) {
            self.visit_child(inner, Field::Arguments);
        }
    }
}

/// Visits a qualified name. The kind of its last segment decides whether it is a type.
fn qualified<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let last = last_name(node);
    let relation = if kind(last) == Kind::TypeIdentifier { Relation::UsesType } else { Relation::References };
    if relation == Relation::UsesType {
        used_type(walk, node, relation);
    } else {
        walk.refer(relation, node, last, None);
    }
    template_arguments(walk, node);
}

/// Casts in the form of calls.
const CASTS: &[&str] = &["static_cast", "dynamic_cast", "const_cast", "reinterpret_cast"];

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(function) = child(node, Field::Function) else { return walk.children(node) };
    let arguments = child(node, Field::Arguments);
    let count = arguments.map(|list| argument_count(&C::C, list));
    let callee = callee(function);
    match kind(callee) {
        Kind::TemplateFunction if CASTS.contains(&name_text(walk, callee)) => {
            if let Some(ty) = child(callee, Field::Arguments).and_then(first_part) {
                tested_type(walk, ty);
            }
        }
        Kind::Identifier | Kind::QualifiedIdentifier | Kind::TemplateFunction => {
            called_function(walk, callee, last_name(callee), arguments);
            match made_type(walk, callee) {
                Some(made) => {
                    constructed(walk, made, count);
                }
                None => template_arguments(walk, callee),
            }
        }
        Kind::FieldExpression => {
            if let Some(field) = child(callee, Field::Member) {
                called_function(walk, callee, last_name(field), arguments);
                template_arguments(walk, field);
            }
            walk.visit_child(callee, Field::Argument);
        }
        Kind::PrimitiveType => {}
        _ => walk.visit(callee),
    }
    walk.visit_child(node, Field::Arguments);
}

/// Adds a call. The types of its arguments select among overloads, which C does not have.
fn called_function<'t>(walk: &mut Walk<'t>, callee: Node<'t>, at: Node<'t>, arguments: Option<Node<'t>>) {
    let Some(list) = arguments.filter(|list| is_cpp(*list)) else {
        let count = arguments.map(|list| argument_count(&C::C, list));
        return walk.refer(Relation::Calls, callee, at, count);
    };
    let mut cursor = list.walk();
    let arguments: Vec<Node<'t>> =
        list.named_children(&mut cursor).filter(|it| kind(*it) != Kind::Comment).collect();
    if let Some(name) = walk.name(callee) {
        walk.call(Relation::Calls, name, at, &arguments);
    }
}

/// Returns the called expression without parentheses and dereferences.
fn callee(function: Node<'_>) -> Node<'_> {
    let mut at = function;
    loop {
        let inner = match kind(at) {
            Kind::ParenthesizedExpression => first_part(at),
            Kind::PointerExpression => child(at, Field::Argument),
            _ => None,
        };
        match inner {
            Some(inner) => at = inner,
            None => return at,
        }
    }
}

fn field<'t>(walk: &mut Walk<'t>, node: Node<'t>, relation: Relation) {
    if let Some(field) = child(node, Field::Member) {
        walk.refer(relation, node, last_name(field), None);
    }
    walk.visit_child(node, Field::Argument);
}

/// Visits the target of an assignment.
fn assigned<'t>(walk: &mut Walk<'t>, target: Node<'t>) {
    match kind(target) {
        Kind::FieldExpression => field(walk, target, Relation::AssignsTo),
        Kind::Identifier | Kind::QualifiedIdentifier => {
            walk.refer(Relation::AssignsTo, target, last_name(target), None);
        }
        _ => walk.visit(target),
    }
}

/// Visits the initializer of a value of a type. An array has the type of its elements.
pub(super) fn initializer<'t>(walk: &mut Walk<'t>, node: Node<'t>, ty: Option<RawHint<'t>>) {
    if kind(node) != Kind::InitializerList {
        return walk.visit(node);
    }
    let mut cursor = node.walk();
    for element in node.named_children(&mut cursor) {
        match kind(element) {
            Kind::InitializerPair => {
                let mut own = ty.clone();
                for designator in children(element, Field::Designator) {
                    if kind(designator) != Kind::FieldDesignator {
                        walk.visit(designator);
                        continue;
                    }
                    let Some(name) = first_part(designator) else { continue };
                    let field = member(None, || own.clone(), walk.text(name));
                    if own.is_some() {
                        walk.reference(Relation::AssignsTo, field.clone(), name);
                        own = Some(RawHint::Value(field));
                    }
                }
                if let Some(value) = child(element, Field::Value) {
                    initializer(walk, value, own);
                }
            }
            _ => initializer(walk, element, ty.clone()),
        }
    }
}

pub(super) fn name<'t>(walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawName<'t>> {
    match kind(node) {
        Kind::Identifier => Some(RawName::scoped(vec![walk.text(node)])),
        Kind::TypeIdentifier | Kind::PrimitiveType => {
            Some(RawName { base: Base::Item, path: vec![walk.text(node)] })
        }
        Kind::QualifiedIdentifier | Kind::TemplateFunction => {
            let (path, _) = segments(walk, node)?;
            let base = if path.len() > 1 { Base::Item } else { Base::Scope };
            Some(RawName { base, path })
        }
        Kind::This => Some(RawName { base: Base::SelfType, path: vec!["this"] }),
        Kind::ParenthesizedExpression => name(walk, first_part(node)?, depth.checked_sub(1)?),
        // A pointer stands for what it points to.
        Kind::PointerExpression => name(walk, child(node, Field::Argument)?, depth.checked_sub(1)?),
        Kind::FieldExpression => {
            let of = child(node, Field::Argument)?;
            let field = child(node, Field::Member)?;
            let last = name_text(walk, last_name(field));
            let below = depth.checked_sub(1);
            let path = below.and_then(|below| name(walk, of, below));
            Some(member(path, || hint(walk, of, below?), last))
        }
        _ => None,
    }
}

pub(super) fn hint<'t>(walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawHint<'t>> {
    let below = depth.checked_sub(1)?;
    let written = |ty: Node<'t>| types::ty(walk, ty).map(RawHint::Typed);
    match kind(node) {
        Kind::Identifier | Kind::FieldExpression | Kind::QualifiedIdentifier | Kind::This => {
            Some(RawHint::Value(name(walk, node, below)?))
        }
        Kind::ParenthesizedExpression => hint(walk, first_part(node)?, below),
        Kind::PointerExpression => hint(walk, child(node, Field::Argument)?, below),
        Kind::CastExpression | Kind::CompoundLiteral | Kind::NewExpression => {
            written(child(node, Field::Type)?)
        }
        Kind::SubscriptExpression => {
            let many = hint(walk, child(node, Field::Argument)?, below)?;
            Some(RawHint::Part(Part::Indexed, Box::new(many)))
        }
        Kind::ConditionalExpression => hint(walk, child(node, Field::Consequence)?, below),
        Kind::AssignmentExpression => hint(walk, child(node, Field::Left)?, below),
        Kind::CallExpression => called(walk, node, below),
        _ => literal_type(walk.text(node), node.kind()).map(|ty| RawHint::Typed(named(vec![ty]))),
    }
}

/// Returns the type of a number; `None` for unsigned numbers and those that may be wider than their suffix tells.
fn number(text: &str) -> Option<&'static str> {
    let lower = text.to_ascii_lowercase();
    let (is_hex, digits) = match lower.strip_prefix("0x") {
        Some(digits) => (true, digits),
        None => (false, &*lower),
    };
    let is_real = digits.contains(['.', if is_hex { 'p' } else { 'e' }]);
    match (is_real, digits.as_bytes()) {
        (true, [.., b'f']) => Some("float"),
        (true, [.., b'l']) => None,
        (true, _) => Some("double"),
        (false, [.., b'0'..=b'9']) | (false, [.., b'a'..=b'f']) if digits.len() <= 7 => Some("int"),
        (false, [.., b'0'..=b'9', b'l']) => Some("long"),
        _ => None,
    }
}

/// Returns the type of a literal; for a string, of its characters.
fn literal_type(text: &str, kind: &str) -> Option<&'static str> {
    match kind {
        "string_literal" | "raw_string_literal" | "char_literal" if text.starts_with(['"', '\'']) => {
            Some("char")
        }
        "true" | "false" => Some("bool"),
        "number_literal" => number(text),
        _ => None,
    }
}

/// Functions that make a pointer to a new value of their template argument.
const MAKERS: &[&str] = &["make_unique", "make_shared"];

/// Returns the type that `make_unique<Type>()` constructs.
fn made_type<'t>(walk: &Walk<'t>, callee: Node<'t>) -> Option<Node<'t>> {
    let last = if kind(callee) == Kind::QualifiedIdentifier { segments(walk, callee)?.1 } else { callee };
    let makes = kind(last) == Kind::TemplateFunction && MAKERS.contains(&name_text(walk, last));
    child(last, Field::Arguments).filter(|_| makes).and_then(first_part)
}

/// Returns the type of the result of a call.
fn called<'t>(walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawHint<'t>> {
    let function = callee(child(node, Field::Function)?);
    let last = match kind(function) {
        Kind::QualifiedIdentifier => segments(walk, function)?.1,
        _ => function,
    };
    if kind(last) == Kind::TemplateFunction {
        let text = name_text(walk, last);
        let first = child(last, Field::Arguments).and_then(first_part);
        if CASTS.contains(&text) || MAKERS.contains(&text) {
            return types::ty(walk, first?).map(RawHint::Typed);
        }
    }
    if let Some(("move" | "forward", argument)) = child(node, Field::Arguments)
        .and_then(first_part)
        .map(|argument| (name_text(walk, last_name(last)), argument))
    {
        return hint(walk, argument, depth);
    }
    if kind(function) == Kind::PrimitiveType {
        return Some(RawHint::Typed(named(vec![walk.text(function)])));
    }
    Some(RawHint::Result(name(walk, function, depth)?))
}
