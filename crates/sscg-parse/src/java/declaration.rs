//! Declarations of types and their members.

use sscg_core::{LocalSymbol, Modifiers, Relation, Span, SymbolKind, TypeHint, TypeParameter};
use tree_sitter::Node;

use super::grammar::{FIELDS, Kind, child, first, kind, last, named};
use super::{annotation, types};
use crate::scope::{Base, RawHint, RawName, RawType};
use crate::spec::{Item, Walk, generic, parameter};
use crate::tree::{children_in, span};

/// Annotations of JUnit and TestNG for code that only tests run.
const TEST_ANNOTATIONS: &[&str] = &[
    "After",
    "AfterAll",
    "AfterClass",
    "AfterEach",
    "AfterMethod",
    "Before",
    "BeforeAll",
    "BeforeClass",
    "BeforeEach",
    "BeforeMethod",
    "ParameterizedTest",
    "RepeatedTest",
    "Test",
    "TestFactory",
    "TestTemplate",
    "Theory",
];

/// Maximum number of annotations that each of several fields of one declaration has.
const MOST_SHARED_ATTRIBUTES: usize = 16;

/// Maximum length in bytes of the modifiers and type in the signatures of several fields of one declaration.
const MOST_SHARED_TEXT: usize = 200;

/// Name in the scope of a record for its compact constructor.
const COMPACT_CONSTRUCTOR: &str = "(compact constructor)";

/// Returns the name of a declaration; `None` if the parser only supposes one.
fn name_of(node: Node<'_>) -> Option<Node<'_>> {
    child(node, FIELDS.name).filter(|name| !name.is_missing())
}

/// Returns the annotations in front of a declaration.
fn annotations(node: Node<'_>) -> Vec<Node<'_>> {
    let lists = named(node).into_iter().filter(|it| kind(*it) == Kind::Modifiers);
    let parts = lists.flat_map(named);
    parts.filter(|it| matches!(kind(*it), Kind::Annotation | Kind::MarkerAnnotation)).collect()
}

/// Returns a declaration with its modifiers and annotations. Members of an interface are public.
fn item<'t>(walk: &Walk<'t>, symbol_kind: SymbolKind, name: Node<'t>, node: Node<'t>) -> Item<'t> {
    let mut item = Item::new(symbol_kind, name, node);
    let mut cursor = node.walk();
    let mut children = node.children(&mut cursor);
    let list = children.find(|it| kind(*it) == Kind::Modifiers);
    let mut signature_start = None;
    if let Some(list) = list {
        let mut cursor = list.walk();
        for part in list.children(&mut cursor) {
            let text = walk.text(part);
            item.modifiers |= match text {
                "static" => Modifiers::STATIC,
                "abstract" => Modifiers::ABSTRACT,
                "private" => Modifiers::PRIVATE,
                "protected" => Modifiers::PROTECTED,
                "final" if !symbol_kind.is_callable() && !symbol_kind.is_type() => Modifiers::READONLY,
                "native" => Modifiers::DECLARE,
                "@Override" => Modifiers::OVERRIDE,
                _ => Modifiers::empty(),
            };
            match kind(part) {
                Kind::Annotation | Kind::MarkerAnnotation => {
                    let name = child(part, FIELDS.name).map_or("", |name| walk.text(name));
                    let is_test = TEST_ANNOTATIONS.contains(&name) && symbol_kind == SymbolKind::Method;
                    item.modifiers.set(Modifiers::TEST, is_test || item.modifiers.contains(Modifiers::TEST));
                    item.attributes.push(span(part));
                }
                Kind::LineComment | Kind::BlockComment => {}
                _ => signature_start = signature_start.or(Some(part.start_byte() as u32)),
            }
        }
        let after = children.next().map(|after| after.start_byte() as u32);
        item.signature_start = signature_start.or(after);
    }
    item.exported = !item.modifiers.contains(Modifiers::PRIVATE);
    item
}

fn decorate<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    for part in annotations(node) {
        annotation(walk, part, Relation::Decorates);
    }
}

// -- Types --------------------------------------------------------------------------------------------------

pub(super) fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>, symbol_kind: SymbolKind) {
    let Some(name) = name_of(node) else { return walk.children(node) };
    let body = child(node, FIELDS.body);
    let mut item = item(walk, symbol_kind, name, node).with_body(body);
    item.type_parameters = type_parameters(walk, node);
    item.exported &= !walk.in_function();
    let symbol = walk.declare(item);
    walk.bind(walk.text(name), symbol);
    walk.inside(symbol, |walk| {
        decorate(walk, node);
        bounds(walk, symbol, node);
        for part in named(node) {
            match kind(part) {
                Kind::Superclass | Kind::ExtendsInterfaces => bases(walk, part, Relation::Inherits),
                Kind::SuperInterfaces => bases(walk, part, Relation::Implements),
                Kind::Permits => walk.children(part),
                _ => {}
            }
        }
        for component in child(node, FIELDS.parameters).map(named).unwrap_or_default() {
            self::component(walk, component);
        }
        if let Some(body) = body {
            walk.list(body);
        }
    });
}

fn bases<'t>(walk: &mut Walk<'t>, node: Node<'t>, relation: Relation) {
    for part in named(node) {
        if kind(part) == Kind::Other {
            // A list of types.
            bases(walk, part, relation);
        } else {
            types::refer(walk, part, relation);
        }
    }
}

/// Declares a component of a record: a field, and the method of its name that returns it.
fn component<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some((name, ty, own)) = typed_parameter(walk, node) else { return };
    let mut item = item(walk, SymbolKind::Field, name, node);
    item.modifiers |= Modifiers::READONLY | Modifiers::ACCESSOR;
    let symbol = walk.declare(item);
    if let Some(own) = own {
        walk.set_type(symbol, RawHint::Typed(own));
    }
    walk.inside(symbol, |walk| {
        decorate(walk, node);
        walk.visit(ty);
    });
}

/// Declares the class of an expression `new Base() { .. }`, under the name `new Base`. `before_members` runs inside it,
/// before its members are declared.
pub(super) fn anonymous_class<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    ty: Node<'t>,
    before_members: impl FnOnce(&mut Walk<'t>),
) {
    let Some(body) = last(node) else { return };
    let name = if kind(ty) == Kind::GenericType { first(ty).unwrap_or(ty) } else { ty };
    let mut cursor = node.walk();
    let keyword = node.children(&mut cursor).find(|it| kind(*it) == Kind::New);
    let written = keyword.and_then(|keyword| walk.source.get(keyword.start_byte()..name.end_byte()));
    let is_plain =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" ._".contains(&byte));
    let mut item = Item::new(SymbolKind::Class, name, node).with_body(Some(body));
    item.renamed = written.filter(|text| is_plain(text));
    item.signature = keyword.map(|keyword| {
        let head = Span::new(keyword.start_byte() as u32, ty.end_byte() as u32).text(walk.source);
        format!("{head}()")
    });
    item.exported = false;
    let symbol = walk.declare(item);
    walk.inside(symbol, |walk| {
        if let Some(own) = walk.ty(ty) {
            walk.reference(Relation::Inherits, own.name, name);
        }
        before_members(walk);
        walk.list(body);
    });
}

pub(super) fn enum_constant<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(name) = name_of(node) else { return };
    let body = child(node, FIELDS.body);
    let symbol = walk.declare(item(walk, SymbolKind::EnumMember, name, node).with_body(body));
    let enumeration = node.parent().and_then(|body| child(body.parent()?, FIELDS.name));
    walk.inside(symbol, |walk| {
        decorate(walk, node);
        if let Some(arguments) = child(node, FIELDS.arguments) {
            if let Some(enumeration) = enumeration {
                let constructor =
                    RawName { base: Base::SelfType, path: vec!["this", walk.text(enumeration)] };
                walk.call(Relation::Calls, constructor, name, &named(arguments));
            }
            walk.visit(arguments);
        }
        if let Some(body) = body {
            // A constant with a body is the only instance of a subclass.
            if let Some(enumeration) = enumeration {
                walk.reference(Relation::Inherits, types::of_name(vec![walk.text(enumeration)]).name, name);
            }
            walk.list(body);
        }
    });
}

// -- Functions ----------------------------------------------------------------------------------------------

pub(super) fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>, symbol_kind: SymbolKind) {
    let Some(name) = name_of(node) else { return walk.children(node) };
    let body = child(node, FIELDS.body);
    let mut item = item(walk, symbol_kind, name, node).with_body(body);
    let in_interface = walk.owner.is_some_and(|owner| walk.facts.symbol(owner).kind == SymbolKind::Interface);
    if in_interface && body.is_none() {
        item.modifiers |= Modifiers::ABSTRACT;
    }
    let is_compact = kind(node) == Kind::CompactConstructor;
    // A record has at most one compact constructor.
    let is_repeated = is_compact && walk.scopes.own(walk.scope, COMPACT_CONSTRUCTOR).is_some();
    let parameters = if is_repeated { Vec::new() } else { parameters_of(node) };
    let is_variadic = parameters.last().is_some_and(|last| kind(*last) == Kind::SpreadParameter);
    item.modifiers.set(Modifiers::VARIADIC, is_variadic);
    item.type_parameters = type_parameters(walk, node);
    let symbol = walk.declare(item);
    if is_compact {
        walk.bind(COMPACT_CONSTRUCTOR, symbol);
    }
    walk.inside(symbol, |walk| {
        decorate(walk, node);
        bounds(walk, symbol, node);
        if let Some(ty) = child(node, FIELDS.ty) {
            walk.visit(ty);
            if let Some(own) = types::declared(walk, ty, node) {
                walk.set_type(symbol, RawHint::Typed(own));
            }
        }
        let parameters = signature(walk, node, &parameters);
        walk.set_parameters(symbol, parameters);
        for part in named(node).into_iter().filter(|part| kind(*part) == Kind::Throws) {
            bases(walk, part, Relation::Raises);
        }
        walk.visit_field(node, FIELDS.value);
        if let Some(body) = body {
            walk.children(body);
        }
    });
}

/// Returns the parameters of a function, or the components of the record around a compact constructor.
fn parameters_of(node: Node<'_>) -> Vec<Node<'_>> {
    let list = match kind(node) {
        Kind::CompactConstructor => node.parent().and_then(|body| child(body.parent()?, FIELDS.parameters)),
        _ => child(node, FIELDS.parameters),
    };
    list.map(named).unwrap_or_default()
}

/// Declares the parameters of a function or lambda, and returns their types.
pub(super) fn signature<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    parameters: &[Node<'t>],
) -> Vec<Option<RawType<'t>>> {
    let mut found = Vec::new();
    for parameter in parameters.iter().copied() {
        let Some((name, ty, own)) = typed_parameter(walk, parameter) else { continue };
        if kind(node) != Kind::CompactConstructor {
            decorate(walk, parameter);
            walk.visit(ty);
        }
        let is_variadic = kind(parameter) == Kind::SpreadParameter;
        let local =
            own.clone().map(|own| if is_variadic { generic(TypeHint::SLICE, vec![own]) } else { own });
        walk.local(walk.text(name), local.map(RawHint::Typed));
        found.push(own);
    }
    found
}

/// Returns the nodes of a parameter's name and type, and its type; for one that takes several arguments, of each.
fn typed_parameter<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<(Node<'t>, Node<'t>, Option<RawType<'t>>)> {
    match kind(node) {
        Kind::FormalParameter => {
            let ty = child(node, FIELDS.ty)?;
            Some((name_of(node)?, ty, types::declared(walk, ty, node)))
        }
        Kind::SpreadParameter => {
            let is_type = |it: &Node<'t>| {
                !matches!(kind(*it), Kind::Modifiers | Kind::Annotation | Kind::MarkerAnnotation)
            };
            let ty = named(node).into_iter().find(is_type)?;
            let declarator = last(node).filter(|it| kind(*it) == Kind::VariableDeclarator)?;
            Some((name_of(declarator)?, ty, walk.ty(ty)))
        }
        _ => None,
    }
}

// -- Type parameters ----------------------------------------------------------------------------------------

/// Returns the type parameters of a declaration: the node of each name, and of its bound.
fn declared_parameters(node: Node<'_>) -> Vec<(Node<'_>, Option<Node<'_>>)> {
    let list = child(node, FIELDS.type_parameters).map(named).unwrap_or_default();
    let parameters = list.into_iter().filter(|it| kind(*it) == Kind::TypeParameter);
    parameters
        .filter_map(|it| {
            let find = |wanted| named(it).into_iter().find(|part| kind(*part) == wanted);
            Some((find(Kind::TypeIdentifier)?, find(Kind::TypeBound)))
        })
        .collect()
}

fn type_parameters(walk: &Walk<'_>, node: Node<'_>) -> Vec<TypeParameter> {
    let constraint = |bound: Node<'_>| walk.text(bound).trim_start_matches("extends").trim_start();
    let declared = declared_parameters(node).into_iter();
    declared.map(|(name, bound)| parameter(walk.text(name), bound.map(constraint), None)).collect()
}

/// Declares the type parameters of a declaration, with their bounds.
fn bounds<'t>(walk: &mut Walk<'t>, symbol: LocalSymbol, node: Node<'t>) {
    let declared = declared_parameters(node);
    for (name, _) in &declared {
        walk.type_parameter(walk.text(*name));
    }
    let mut found = Vec::new();
    for (name, bound) in declared {
        for bound in bound.map(named).unwrap_or_default() {
            walk.visit(bound);
            found.extend(walk.ty(bound).map(|ty| (walk.text(name), ty)));
        }
    }
    if !found.is_empty() {
        walk.set_bounds(symbol, found);
    }
}

// -- Fields -------------------------------------------------------------------------------------------------

pub(super) fn fields<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(ty) = child(node, FIELDS.ty) else { return walk.children(node) };
    let declarators = children_in(node, FIELDS.declarator);
    let is_one = declarators.len() == 1;
    let Some(first) = declarators.first() else { return };
    let mut shared = item(walk, SymbolKind::Field, *first, node);
    if kind(node) == Kind::ConstantDeclaration {
        shared.modifiers |= Modifiers::STATIC | Modifiers::READONLY;
    }
    if shared.modifiers.contains(Modifiers::STATIC | Modifiers::READONLY) {
        shared.kind = SymbolKind::Constant;
    }
    let start = shared.signature_start.unwrap_or(shared.span.start);
    let head = Span::new(start, ty.end_byte() as u32).text(walk.source);
    let head = &head[..head.floor_char_boundary(MOST_SHARED_TEXT)];
    for declarator in &declarators {
        let Some(name) = name_of(*declarator) else { continue };
        let value = child(*declarator, FIELDS.value);
        let mut item = Item::new(shared.kind, name, if is_one { node } else { *declarator });
        item.modifiers = shared.modifiers;
        item.exported = shared.exported;
        if declarator == first || shared.attributes.len() <= MOST_SHARED_ATTRIBUTES {
            item.attributes.clone_from(&shared.attributes);
        }
        if is_one {
            item.signature_start = shared.signature_start;
        } else {
            item.signature = Some(format!("{head} {}", walk.text(*declarator)));
        }
        let symbol = walk.declare(item);
        if let Some(own) = types::declared(walk, ty, *declarator) {
            walk.set_type(symbol, RawHint::Typed(own));
        }
        walk.inside(symbol, |walk| {
            if declarator == first {
                decorate(walk, node);
                walk.visit(ty);
            }
            if let Some(value) = value {
                walk.visit(value);
            }
        });
    }
}
