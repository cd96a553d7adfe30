//! Functions, methods and their parameters.

use sscg_core::{Modifiers, Relation, SymbolKind};
use tree_sitter::Node;

use super::declaration::{own_type, type_parameters, visit_template};
use super::expression::locals;
use super::grammar::{Field, Kind, all_of, child, children, first_of, first_part, kind};
use super::types::{
    Declarator, declarator, has_specifier, is_void, last_name, name_text, parameters, segments,
};
use crate::scope::{RawHint, RawName, RawType};
use crate::spec::{Item, Walk};
use crate::tree::span;

/// Visits a function with a body, or one that is defaulted or deleted.
pub(super) fn definition<'t>(walk: &mut Walk<'t>, node: Node<'t>, template: Option<Node<'t>>) {
    let Some(found) = child(node, Field::Declarator).and_then(declarator) else {
        return walk.children(node);
    };
    function(walk, node, node, found, template);
}

/// Visits a function of a definition, or a declaration without a body. `whole` is the part that declares it.
pub(super) fn function<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    whole: Node<'t>,
    found: Declarator<'t>,
    template: Option<Node<'t>>,
) {
    let body = child(node, Field::Body);
    let list = found.function.map_or_else(Vec::new, parameters);
    let Some(named) = name_of(walk, node, found, &list) else { return walk.children(node) };
    let mut item =
        Item::new(named.kind, named.node, template.filter(|_| whole.id() == node.id()).unwrap_or(whole))
            .with_body(body);
    let members = body.and_then(|_| first_of(node, Kind::FieldInitializerList));
    if let Some(members) = members {
        // What initializes members is part of the body.
        item.body = item.body.map(|body| sscg_core::Span::new(members.start_byte() as u32, body.end));
    }
    item.renamed = named.text;
    item.modifiers = modifiers(walk, node, found, &list);
    item.modifiers.set(Modifiers::TEST, named.is_test);
    let is_member = matches!(named.kind, SymbolKind::Method | SymbolKind::Constructor);
    item.exported = is_member || !item.modifiers.contains(Modifiers::STATIC);
    item.type_parameters = template.map_or_else(Vec::new, |it| type_parameters(walk, it));
    item.receiver = named.receiver;
    let symbol = walk.declare(item);
    walk.inside(symbol, |walk| {
        if let Some(template) = template {
            visit_template(walk, template);
        }
        if named.is_macro {
            if let Some(ty) = child(node, Field::Type) {
                walk.reference(Relation::References, RawName::scoped(vec![walk.text(ty)]), ty);
            }
        } else {
            signature(walk, symbol, node, whole, found, &list);
        }
        for old in body.map_or_else(Vec::new, |_| all_of(node, Kind::Declaration)) {
            walk.visit_child(old, Field::Type);
            let hint = child(old, Field::Type).and_then(|ty| walk.ty(ty)).map(RawHint::Typed);
            for name in children(old, Field::Declarator) {
                locals(walk, name, hint.clone());
            }
        }
        if let Some(members) = members {
            initialized_members(walk, members);
        }
        walk.visit_child(node, Field::Body);
    });
}

/// Name of a function, with the properties that follow from it.
struct Named<'t> {
    node: Node<'t>,
    /// Name, if it differs from the text of the node.
    text: Option<&'t str>,
    kind: SymbolKind,
    receiver: Option<RawName<'t>>,
    /// True if a macro declares the function: `TEST(Suite, Name) {`.
    is_macro: bool,
    is_test: bool,
}

fn name_of<'t>(
    walk: &Walk<'t>,
    node: Node<'t>,
    found: Declarator<'t>,
    parameters: &[Node<'t>],
) -> Option<Named<'t>> {
    let owner = walk.owner.map(|owner| walk.facts.symbol(owner));
    let in_type = owner.filter(|owner| owner.kind.is_type());
    let has_type = child(node, Field::Type).is_some();
    let (mut path, last) = segments(walk, found.name)?;
    let name = path.pop()?;
    let text = (kind(last) == Kind::OperatorCast)
        .then(|| walk.text(last).split('(').next().unwrap_or(name).trim_end());
    let mut named = Named {
        node: last_name(last),
        text,
        kind: SymbolKind::Function,
        receiver: None,
        is_macro: false,
        is_test: false,
    };
    if let Some(owner) = path.last() {
        let is_constructor = !has_type && *owner == name;
        named.kind = if is_constructor { SymbolKind::Constructor } else { SymbolKind::Method };
        named.receiver = Some(RawName { base: crate::scope::Base::Item, path });
    } else if let Some(owner) = in_type {
        let is_constructor = !has_type && *owner.name == *name;
        named.kind = if is_constructor { SymbolKind::Constructor } else { SymbolKind::Method };
    } else if !has_type && is_macro(name) {
        // `TEST(Suite, Name) {`
        named.node = child(*parameters.last()?, Field::Type).filter(|it| !it.byte_range().is_empty())?;
        named.is_macro = true;
        named.is_test = name.contains("TEST");
        // The function is a member of a type derived from the fixture.
        let fixture = parameters.first().and_then(|it| child(*it, Field::Type)).and_then(|ty| walk.ty(ty));
        named.receiver = fixture.map(|ty| ty.name).filter(|_| FIXTURES.contains(&name));
    } else if found.function.is_none() {
        // `TEST_IMPL(name) {`
        named.is_macro = true;
        named.is_test = child(node, Field::Type).is_some_and(|ty| walk.text(ty).contains("TEST"));
    }
    Some(named)
}

/// Macros of tests whose first argument is a type with members that the test uses.
const FIXTURES: &[&str] = &["TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P", "BENCHMARK_F"];

fn is_macro(name: &str) -> bool {
    name.len() > 2 && !name.contains(|letter: char| letter.is_lowercase())
}

fn modifiers<'t>(
    walk: &Walk<'t>,
    node: Node<'t>,
    found: Declarator<'t>,
    parameters: &[Node<'t>],
) -> Modifiers {
    let mut modifiers = Modifiers::empty();
    modifiers.set(Modifiers::STATIC, has_specifier(walk, node, "static"));
    modifiers.set(Modifiers::CONST, has_specifier(walk, node, "constexpr"));
    let is_variadic =
        |last: &Node<'_>| matches!(kind(*last), Kind::VariadicParameter | Kind::VariadicParameterDeclaration);
    modifiers.set(Modifiers::VARIADIC, parameters.last().is_some_and(is_variadic));
    if let Some(function) = found.function {
        let specifiers = all_of(function, Kind::VirtualSpecifier);
        modifiers.set(Modifiers::OVERRIDE, specifiers.iter().any(|it| walk.text(*it) == "override"));
    }
    let is_zero = child(node, Field::DefaultValue).is_some_and(|value| walk.text(value) == "0");
    let is_defined = kind(node) == Kind::FunctionDefinition;
    let is_pure = is_defined && first_of(node, Kind::PureVirtualClause).is_some();
    modifiers.set(Modifiers::ABSTRACT, is_zero || is_pure);
    modifiers.set(Modifiers::DECLARE, !is_defined && !modifiers.contains(Modifiers::ABSTRACT));
    modifiers
}

/// Declares the parameters of a function, and sets its types.
fn signature<'t>(
    walk: &mut Walk<'t>,
    symbol: sscg_core::LocalSymbol,
    node: Node<'t>,
    whole: Node<'t>,
    found: Declarator<'t>,
    list: &[Node<'t>],
) {
    // Several functions of one declaration share its type.
    let first = child(node, Field::Declarator);
    let is_first = first.is_none_or(|first| first.byte_range().contains(&found.name.start_byte()));
    if let Some(ty) = child(node, Field::Type).filter(|_| is_first) {
        // A type that is defined before the function, as in broken text, is not part of it.
        let is_apart = child(ty, Field::Body).is_some() && !span(whole).contains(span(ty));
        if !is_apart {
            walk.visit(ty);
        }
    }
    let trailing = found.function.and_then(|function| first_of(function, Kind::TrailingReturnType));
    let trailing = trailing.and_then(first_part);
    if let Some(trailing) = trailing {
        walk.visit(trailing);
    }
    let types = if is_void(walk, list) {
        Vec::new()
    } else {
        list.iter()
            .filter(|it| kind(**it) != Kind::VariadicParameter)
            .map(|it| parameter(walk, *it))
            .collect()
    };
    walk.set_parameters(symbol, types);
    let result = match (trailing, kind(found.name)) {
        (Some(trailing), _) => walk.ty(trailing),
        (None, Kind::OperatorCast) => child(found.name, Field::Type).and_then(|ty| walk.ty(ty)),
        _ => child(node, Field::Type).and_then(|ty| own_type(walk, ty, is_first)),
    };
    if let Some(result) = result.filter(|_| !found.is_callback) {
        walk.set_type(symbol, RawHint::Typed(result));
    }
}

/// Declares a parameter, and returns its type.
pub(super) fn parameter<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<RawType<'t>> {
    let written = child(node, Field::Type);
    if let Some(ty) = written {
        walk.visit(ty);
    }
    walk.visit_child(node, Field::DefaultValue);
    let own = written.and_then(|ty| walk.ty(ty));
    if let Some(declared) = child(node, Field::Declarator) {
        locals(walk, declared, own.clone().map(RawHint::Typed));
        visit_callback(walk, declared);
    } else if kind(node) == Kind::Identifier {
        walk.local(walk.text(node), None);
    }
    own
}

/// Visits the parameters of a pointer to a function, and the sizes of arrays.
pub(super) fn visit_callback<'t>(walk: &mut Walk<'t>, declared: Node<'t>) {
    let mut at = Some(declared);
    while let Some(node) = at {
        match kind(node) {
            Kind::FunctionDeclarator => walk.scoped(|walk| walk.visit_child(node, Field::Parameters)),
            Kind::ArrayDeclarator => walk.visit_child(node, Field::Size),
            _ => {}
        }
        at = child(node, Field::Declarator).or_else(|| match kind(node) {
            Kind::ParenthesizedDeclarator | Kind::ReferenceDeclarator => first_part(node),
            _ => None,
        });
    }
}

/// Visits `: member(value), Base(value)`.
fn initialized_members<'t>(walk: &mut Walk<'t>, members: Node<'t>) {
    for member in all_of(members, Kind::FieldInitializer) {
        let mut cursor = member.walk();
        for part in member.named_children(&mut cursor) {
            match kind(part) {
                // Members are in lower case by all conventions, types often are not.
                Kind::FieldIdentifier if walk.text(part).starts_with(char::is_uppercase) => {
                    let arguments = first_of(member, Kind::ArgumentList);
                    let count = arguments.map(|list| crate::spec::argument_count(&super::C::C, list));
                    let name = RawName::scoped(vec![walk.text(part)]);
                    walk.reference_with(Relation::Calls, name, part, count);
                }
                Kind::FieldIdentifier => {
                    let path = vec!["this", name_text(walk, part)];
                    let field = RawName { base: crate::scope::Base::SelfType, path };
                    walk.reference(Relation::AssignsTo, field, part);
                }
                Kind::TemplateMethod | Kind::QualifiedIdentifier => {}
                _ => walk.visit(part),
            }
        }
    }
}

/// Returns the span of a declaration up to its initial value.
pub(super) fn until(node: Node<'_>, end: Node<'_>) -> sscg_core::Span {
    sscg_core::Span::new(span(node).start, end.start_byte() as u32)
}
