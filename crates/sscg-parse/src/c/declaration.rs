//! Namespaces, types, fields and variables.

use sscg_core::{
    ChunkKind, Id, Import, ImportKind, LocalSymbol, Modifiers, Relation, Span, SymbolKind, TypeParameter,
};
use tree_sitter::Node;

use super::dotted;
use super::expression::{initializer, locals};
use super::function::{self, until, visit_callback};
use super::grammar::{Field, Kind, all_of, child, children, first_of, first_part, is_cpp, kind, name_of};
use super::types::{declarator, has_specifier, last_name, name_text};
use crate::scope::{RawHint, RawName, RawType};
use crate::spec::{Item, Walk, parameter};
use crate::text::{headline, one_line};
use crate::tree::span;

// -- Namespaces ---------------------------------------------------------------------------------------------

pub(super) fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(body) = child(node, Field::Body) else { return };
    let Some(name) = name_of(node) else {
        // What an unnamed namespace declares belongs to the file.
        let first = walk.facts.symbol_count();
        walk.list(body);
        for symbol in (first.index()..walk.facts.symbol_count().index()).map(LocalSymbol::new) {
            walk.facts.symbol_mut(symbol).exported = false;
        }
        return;
    };
    nested(walk, node, body, &names_in(name), MAX_NAMESPACES);
}

/// Returns the names of `a::b::c`, which the grammar nests.
pub(super) fn names_in(node: Node<'_>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    let mut at = Some(node);
    while let Some(node) = at.take() {
        if kind(node) != Kind::NestedNamespace {
            names.push(node);
            continue;
        }
        let mut cursor = node.walk();
        for part in node.named_children(&mut cursor) {
            match kind(part) {
                Kind::NestedNamespace => at = Some(part),
                Kind::Comment => {}
                _ => names.push(part),
            }
        }
    }
    names.retain(|name| !name.byte_range().is_empty());
    names
}

/// Maximum number of namespaces that one declaration nests. The last one has the rest of the names.
const MAX_NAMESPACES: usize = 32;

/// Declares the namespaces of `namespace a::b {`, each in the one before it.
fn nested<'t>(walk: &mut Walk<'t>, node: Node<'t>, body: Node<'t>, names: &[Node<'t>], most: usize) {
    let [first, rest @ ..] = names else { return walk.list(body) };
    let (end, rest) = match rest {
        [.., last] if most == 1 => (*last, &[][..]),
        _ => (*first, rest),
    };
    let name = Span::new(first.start_byte() as u32, end.end_byte() as u32).text(walk.source);
    let mut item = Item::new(SymbolKind::Module, *first, node).with_body(Some(body));
    item.renamed = Some(name);
    item.signature = Some(format!("namespace {name}"));
    let symbol = walk.declare(item);
    walk.inside(symbol, |walk| nested(walk, node, body, rest, most - 1));
}

pub(super) fn namespace_alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(name) = child(node, Field::Name) else { return };
    let mut cursor = node.walk();
    let target = node.named_children(&mut cursor).find(|it| it.id() != name.id());
    let Some(path) = target.and_then(|target| dotted(walk, target)) else { return };
    import(walk, node, ImportKind::Module, &path, "", walk.text(name));
}

/// Visits `using namespace a::b;`, `using a::b;`.
pub(super) fn using<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(target) = first_part(node) else { return };
    let Some(path) = dotted(walk, target) else { return };
    let is_in_type = walk.owner.is_some_and(|owner| walk.facts.symbol(owner).kind.is_type());
    if walk.text(node).split_whitespace().nth(1) == Some("namespace") {
        return import(walk, node, ImportKind::Glob, &path, "", "");
    }
    match path.split_last() {
        Some((name, module)) if !module.is_empty() && !is_in_type => {
            import(walk, node, ImportKind::Named, module, name, name);
        }
        _ => {}
    }
}

fn import<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    import_kind: ImportKind,
    module: &[&'t str],
    name: &str,
    local: &'t str,
) {
    let module = module.join(".");
    if walk.is_root() {
        walk.root(ChunkKind::Import, node, &module);
    }
    let line = walk.facts.line(node.start_byte() as u32);
    let import = Import {
        kind: import_kind,
        module: module.into(),
        name: name.into(),
        local: local.into(),
        reexport: true,
        condition: None,
        scope: walk.owner,
        span: span(node),
        line,
    };
    walk.import(import, local);
}

// -- Templates ----------------------------------------------------------------------------------------------

pub(super) fn template<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let mut cursor = node.walk();
    for inner in node.named_children(&mut cursor) {
        match kind(inner) {
            Kind::FunctionDefinition => function::definition(walk, inner, Some(node)),
            Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier | Kind::ClassSpecifier => {
                tagged(walk, inner, node, Some(node), None);
            }
            Kind::Declaration => {
                match child(inner, Field::Type).filter(|ty| child(*ty, Field::Body).is_some()) {
                    // Text that does not parse after the body.
                    Some(ty) => tagged(walk, ty, node, Some(node), None),
                    None => declaration(walk, inner, Some(node)),
                }
            }
            Kind::AliasDeclaration => alias(walk, inner, Some(node)),
            Kind::ConceptDefinition => concept(walk, inner, Some(node)),
            Kind::TemplateDeclaration => template(walk, inner),
            Kind::FriendDeclaration => friend(walk, inner),
            _ => continue,
        }
        // A template declares one thing, even where the text does not parse.
        return;
    }
}

/// Returns the nodes of the type parameters of a template.
fn parameters_of(template: Node<'_>) -> Vec<Node<'_>> {
    let Some(list) = child(template, Field::Parameters) else { return Vec::new() };
    let mut cursor = list.walk();
    list.named_children(&mut cursor).filter(|it| kind(*it) != Kind::Comment).collect()
}

/// Returns the name of a parameter of a template.
fn parameter_name(node: Node<'_>) -> Option<Node<'_>> {
    match kind(node) {
        Kind::TypeParameter | Kind::VariadicTypeParameter => first_of(node, Kind::TypeIdentifier),
        Kind::OptionalTypeParameter => child(node, Field::Name),
        Kind::TemplateTemplateParameter => {
            let mut cursor = node.walk();
            let last = node.named_children(&mut cursor).last()?;
            parameter_name(last)
        }
        _ => Some(declarator(child(node, Field::Declarator)?)?.name),
    }
}

pub(super) fn type_parameters(walk: &Walk<'_>, template: Node<'_>) -> Vec<TypeParameter> {
    let of = |node: Node<'_>| {
        let name = parameter_name(node)?;
        let is_value = matches!(kind(node), Kind::ParameterDeclaration | Kind::OptionalParameter);
        let constraint = child(node, Field::Type).filter(|_| is_value).map(|ty| walk.text(ty));
        let default = child(node, Field::DefaultType).or_else(|| child(node, Field::DefaultValue));
        Some(parameter(walk.text(name), constraint, default.map(|it| walk.text(it))))
    };
    parameters_of(template).into_iter().filter_map(of).collect()
}

/// Declares the parameters of a template.
pub(super) fn visit_template<'t>(walk: &mut Walk<'t>, template: Node<'t>) {
    for node in parameters_of(template) {
        if let Some(name) = parameter_name(node) {
            walk.type_parameter(walk.text(name));
        }
        if matches!(kind(node), Kind::ParameterDeclaration | Kind::OptionalParameter) {
            walk.visit_child(node, Field::Type);
        }
        walk.visit_child(node, Field::DefaultType);
        walk.visit_child(node, Field::DefaultValue);
    }
}

pub(super) fn concept<'t>(walk: &mut Walk<'t>, node: Node<'t>, template: Option<Node<'t>>) {
    let Some(name) = name_of(node) else { return };
    let mut item = Item::new(SymbolKind::Trait, name, template.unwrap_or(node));
    item.type_parameters = template.map_or_else(Vec::new, |it| type_parameters(walk, it));
    let symbol = walk.declare(item);
    walk.inside(symbol, |walk| {
        if let Some(template) = template {
            visit_template(walk, template);
        }
        let mut cursor = node.walk();
        for part in node.named_children(&mut cursor).filter(|it| it.id() != name.id()) {
            walk.visit(part);
        }
    });
}

pub(super) fn friend<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let mut cursor = node.walk();
    for inner in node.named_children(&mut cursor) {
        if kind(inner) != Kind::Declaration {
            walk.visit(inner);
        }
    }
}

// -- Types --------------------------------------------------------------------------------------------------

pub(super) fn alias<'t>(walk: &mut Walk<'t>, node: Node<'t>, template: Option<Node<'t>>) {
    let (Some(name), Some(ty)) = (name_of(node), child(node, Field::Type)) else { return };
    let mut item = Item::new(SymbolKind::TypeAlias, name, template.unwrap_or(node));
    item.type_parameters = template.map_or_else(Vec::new, |it| type_parameters(walk, it));
    let is_local = walk.in_function();
    let symbol = walk.declare(item);
    if is_local {
        walk.bind(walk.text(name), symbol);
    }
    walk.inside(symbol, |walk| {
        if let Some(template) = template {
            visit_template(walk, template);
        }
        if let Some(ty) = walk.ty(ty) {
            walk.set_type(symbol, RawHint::Typed(ty));
        }
        walk.visit(ty);
    });
}

/// Visits a type definition. `typedef struct { .. } Name;` declares one type.
pub(super) fn type_definition<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(ty) = child(node, Field::Type) else { return walk.children(node) };
    let names = children(node, Field::Declarator);
    let body = child(ty, Field::Body);
    let tag = child(ty, Field::Name).filter(|_| is_tagged(ty));
    let mut rest = &names[..];
    if body.is_some() {
        let plain = names.first().filter(|name| kind(**name) == Kind::TypeIdentifier);
        let is_same = |name: &Node<'_>| tag.is_none_or(|tag| walk.text(tag) == walk.text(*name));
        match plain.filter(|name| is_same(name)) {
            Some(name) if names.len() == 1 => return tagged(walk, ty, node, None, Some(*name)),
            plain => {
                statement(walk, node, SymbolKind::TypeAlias, &names);
                tagged(walk, ty, ty, None, plain.copied());
                rest = if plain.is_some() { &rest[1..] } else { rest };
            }
        }
    } else if names.len() > 1 {
        statement(walk, node, SymbolKind::TypeAlias, &names);
    }
    let is_one = names.len() == 1 && body.is_none();
    let shared = if is_one { String::new() } else { shared_text(walk, ty) };
    for (at, declared) in rest.iter().enumerate() {
        let Some(found) = declarator(*declared) else { continue };
        let mut item = Item::new(SymbolKind::TypeAlias, found.name, if is_one { node } else { *declared });
        if !is_one {
            item.signature = Some(format!("typedef {shared} {}", walk.text(*declared)));
        }
        let symbol = walk.declare(item);
        walk.inside(symbol, |walk| {
            let is_itself = tag.is_some_and(|tag| walk.text(tag) == walk.text(found.name));
            let has_type = !is_itself && !found.is_callback && found.function.is_none();
            let own = own_type(walk, ty, at == 0).filter(|_| has_type);
            // An unnamed type has the name of the first definition.
            let own = own.or_else(|| {
                let first = names.first().filter(|_| body.is_some() && tag.is_none())?;
                Some(super::types::named(vec![walk.text(*first)]))
            });
            if let Some(own) = own {
                walk.set_type(symbol, RawHint::Typed(own));
            }
            if at == 0 && body.is_none() && !is_itself {
                walk.visit(ty);
            }
            visit_callback(walk, *declared);
        });
    }
}

fn is_tagged(ty: Node<'_>) -> bool {
    matches!(
        kind(ty),
        Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier | Kind::ClassSpecifier
    )
}

/// Returns the text of a type without the body of a struct.
fn type_text(walk: &Walk<'_>, ty: Node<'_>) -> String {
    match child(ty, Field::Body) {
        Some(body) if is_tagged(ty) => one_line(until(ty, body).text(walk.source)),
        _ => one_line(walk.text(ty)),
    }
}

/// Maximum number of bytes of a type that each of several names repeats.
const MAX_SHARED: usize = 200;

/// Returns the text of a type that several names have in their signatures.
fn shared_text(walk: &Walk<'_>, ty: Node<'_>) -> String {
    let mut text = type_text(walk, ty);
    let end = (0..=text.len().min(MAX_SHARED)).rfind(|at| text.is_char_boundary(*at));
    text.truncate(end.unwrap_or_default());
    text
}

/// Returns the type of one of several names. Only the first has a type of long text.
pub(super) fn own_type<'t>(walk: &Walk<'t>, ty: Node<'t>, is_first: bool) -> Option<RawType<'t>> {
    let is_short = is_tagged(ty) || ty.byte_range().len() <= MAX_SHARED;
    walk.ty(ty).filter(|_| is_first || is_short)
}

/// Adds the chunk of a declaration of several names.
fn statement<'t>(walk: &mut Walk<'t>, node: Node<'t>, symbol_kind: SymbolKind, names: &[Node<'t>]) {
    if walk.is_root() {
        let first = names.iter().find_map(|name| declarator(*name));
        let name = first.map_or_else(|| headline(walk.text(node)), |it| walk.text(it.name).to_owned());
        walk.root(ChunkKind::Symbol(symbol_kind), node, &name);
    }
}

/// Visits a struct, union, enumeration or class. `whole` is the declaration around it, `alias` its name in a type
/// definition. The members of an unnamed one without an alias belong to what is around it.
pub(super) fn tagged<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    whole: Node<'t>,
    template: Option<Node<'t>>,
    alias: Option<Node<'t>>,
) {
    let name = alias.or_else(|| child(node, Field::Name));
    let Some(body) = child(node, Field::Body) else {
        let rest = &walk.source[node.end_byte()..];
        let is_declared_ahead = rest.trim_start().starts_with(';');
        if let Some(name) = name.filter(|_| !is_declared_ahead) {
            walk.visit(name);
        }
        return;
    };
    let is_enum = kind(node) == Kind::EnumSpecifier;
    let Some(name) = name else { return walk.list(body) };
    let symbol_kind = match kind(node) {
        Kind::UnionSpecifier => SymbolKind::Union,
        Kind::EnumSpecifier => SymbolKind::Enum,
        Kind::ClassSpecifier => SymbolKind::Class,
        _ => SymbolKind::Struct,
    };
    let last = last_name(name);
    if walk.text(last).is_empty() {
        return walk.list(body);
    }
    let mut item = Item::new(symbol_kind, last, whole).with_body(Some(body));
    let rest = &walk.source[item.span.end as usize..];
    if rest.trim_start().starts_with(';') {
        item.span.end += (rest.len() - rest.trim_start().len() + 1) as u32;
    }
    item.type_parameters = template.map_or_else(Vec::new, |it| type_parameters(walk, it));
    item.modifiers.set(Modifiers::UNSCOPED, is_enum && !is_scoped(walk, node));
    if alias.is_some() && child(node, Field::Name).is_none() {
        let head = Span::new(span(whole).start, body.start_byte() as u32).text(walk.source);
        item.signature = Some(format!("{} {}", head.trim_end(), walk.text(last)));
    }
    // In C, a tag and a variable may share a name.
    let is_bound = walk.in_function() && (alias.is_some() || is_cpp(node));
    let symbol = walk.declare(item);
    if is_bound {
        walk.bind(walk.text(last), symbol);
    }
    walk.inside(symbol, |walk| {
        if let Some(template) = template {
            visit_template(walk, template);
        }
        walk.visit_child(node, Field::Base);
        if let Some(bases) = first_of(node, Kind::BaseClassClause) {
            self::bases(walk, bases);
        }
        let first = walk.facts.symbol_count();
        walk.list(body);
        if is_enum {
            return;
        }
        let default = kind(node) == Kind::ClassSpecifier;
        restrict(walk, symbol, first, body, default);
    });
}

fn is_scoped(walk: &Walk<'_>, node: Node<'_>) -> bool {
    matches!(walk.text(node).split_whitespace().nth(1), Some("class" | "struct"))
}

/// Declares a member of an enumeration.
pub(super) fn enumerator<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(name) = name_of(node) else { return };
    let symbol = walk.declare(Item::new(SymbolKind::EnumMember, name, node));
    walk.inside(symbol, |walk| walk.visit_child(node, Field::Value));
}

fn bases<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let mut cursor = node.walk();
    for base in node.named_children(&mut cursor) {
        if let Some(ty) = walk.ty(base) {
            walk.reference(Relation::Inherits, ty.name, last_name(base));
            walk.visit_child(base, Field::Arguments);
        }
    }
}

/// Sets the visibility of the members of a type from the access specifiers between them.
fn restrict<'t>(
    walk: &mut Walk<'t>,
    owner: LocalSymbol,
    first: LocalSymbol,
    body: Node<'t>,
    is_private: bool,
) {
    let specifiers: Vec<(u32, &str)> = all_of(body, Kind::AccessSpecifier)
        .into_iter()
        .map(|it| (it.start_byte() as u32, walk.text(it)))
        .collect();
    if specifiers.is_empty() && !is_private {
        return;
    }
    for member in (first.index()..walk.facts.symbol_count().index()).map(LocalSymbol::new) {
        let symbol = walk.facts.symbol_mut(member);
        if symbol.parent != Some(owner) {
            continue;
        }
        let before = specifiers.partition_point(|(at, _)| *at < symbol.span.start);
        let default = if is_private { "private" } else { "public" };
        match before.checked_sub(1).map_or(default, |last| specifiers[last].1) {
            "private" => {
                symbol.modifiers |= Modifiers::PRIVATE;
                symbol.exported = false;
            }
            "protected" => symbol.modifiers |= Modifiers::PROTECTED,
            _ => {}
        }
    }
}

// -- Fields and variables -----------------------------------------------------------------------------------

/// Visits a declaration of variables, fields or functions without a body.
pub(super) fn declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>, template: Option<Node<'t>>) {
    let names = children(node, Field::Declarator);
    if walk.in_function() && kind(node) != Kind::FieldDeclaration {
        return local(walk, node, &names);
    }
    let ty = child(node, Field::Type);
    let body = ty.filter(|ty| is_tagged(*ty)).and_then(|ty| child(ty, Field::Body));
    let is_unnamed = body.is_some() && ty.is_some_and(|ty| child(ty, Field::Name).is_none());
    let is_one = names.len() == 1;
    if let (Some(ty), []) = (ty, &names[..]) {
        return tagged_or_used(walk, ty, node);
    }
    if !is_one || body.is_some() && !is_unnamed {
        statement(walk, node, SymbolKind::Variable, &names);
    }
    if let Some(ty) = ty.filter(|_| body.is_some() && !is_unnamed) {
        tagged(walk, ty, ty, None, None);
    }
    let is_whole = is_one && (body.is_none() || is_unnamed);
    let shared = ty.filter(|_| !is_whole).map_or_else(String::new, |ty| shared_text(walk, ty));
    for (at, declared) in names.iter().enumerate() {
        let Some(found) = declarator(*declared) else { continue };
        let template = template.filter(|_| at == 0);
        let whole = if is_whole { node } else { *declared };
        if found.function.is_some() {
            function::function(walk, node, whole, found, template);
            continue;
        }
        let value =
            child(*declared, Field::Value).or_else(|| child(node, Field::DefaultValue).filter(|_| is_one));
        let is_first = at == 0;
        let declared = *declared;
        let own = Variable { node, whole, template, declared, ty, shared_type: &shared, value, is_first };
        variable(walk, &own);
    }
}

/// Visits the type of a declaration without names.
fn tagged_or_used<'t>(walk: &mut Walk<'t>, ty: Node<'t>, node: Node<'t>) {
    if is_tagged(ty) { tagged(walk, ty, node, None, None) } else { walk.visit(ty) }
}

/// Variable or field of a declaration.
struct Variable<'a, 't> {
    /// Whole declaration.
    node: Node<'t>,
    /// Part of it that declares this variable.
    whole: Node<'t>,
    template: Option<Node<'t>>,
    declared: Node<'t>,
    ty: Option<Node<'t>>,
    /// Text of the type, if the signature does not have that of the whole declaration.
    shared_type: &'a str,
    value: Option<Node<'t>>,
    is_first: bool,
}

fn variable<'t>(walk: &mut Walk<'t>, variable: &Variable<'_, 't>) {
    let Variable { node, whole, declared, ty, value, .. } = *variable;
    let Some(found) = declarator(declared) else { return };
    if kind(found.name) == Kind::StructuredBinding {
        return walk.children(node);
    }
    let Some((mut path, last)) = super::types::segments(walk, found.name) else { return };
    path.pop();
    let is_member = !path.is_empty()
        || kind(node) == Kind::FieldDeclaration
        || walk.owner.is_some_and(|owner| walk.facts.symbol(owner).kind.is_type());
    let symbol_kind = match is_member {
        true => SymbolKind::Field,
        false if is_constant(walk, variable) => SymbolKind::Constant,
        false => SymbolKind::Variable,
    };
    let mut item = Item::new(
        symbol_kind,
        last_name(last),
        variable.template.filter(|_| whole.id() == node.id()).unwrap_or(whole),
    );
    let body = ty.filter(|ty| is_tagged(*ty)).and_then(|ty| child(ty, Field::Body));
    // The members of an unnamed type are those of the first variable.
    let is_unnamed = variable.is_first && ty.is_some_and(|ty| child(ty, Field::Name).is_none());
    let members = body.filter(|_| is_unnamed);
    if members.is_some() {
        item.span.start = span(node).start;
    }
    let is_static = has_specifier(walk, node, "static");
    item.modifiers.set(Modifiers::STATIC, is_static);
    item.modifiers.set(Modifiers::DECLARE, has_specifier(walk, node, "extern") && value.is_none());
    item.exported = is_member || !is_static;
    item.signature = Some(signature(walk, variable));
    item.receiver = (!path.is_empty()).then_some(RawName { base: crate::scope::Base::Item, path });
    let symbol = walk.declare(item);
    let own = match ty {
        Some(ty) if kind(ty) == Kind::Placeholder => value.and_then(|value| walk.hint(value)),
        _ => ty.and_then(|ty| own_type(walk, ty, variable.is_first)).map(RawHint::Typed),
    };
    if let Some(own) = own.clone().filter(|_| !found.is_callback) {
        walk.set_type(symbol, own);
    }
    let name = name_text(walk, last);
    walk.inside(symbol, |walk| {
        if let Some(template) = variable.template {
            visit_template(walk, template);
        }
        match (members, ty) {
            (Some(members), _) => walk.list(members),
            (None, Some(ty)) if variable.is_first && body.is_none() => walk.visit(ty),
            _ => {}
        }
        visit_callback(walk, declared);
        if let Some(value) = value {
            let own = own.or_else(|| body.map(|_| RawHint::Value(RawName::scoped(vec![name]))));
            initializer(walk, value, own);
        }
    });
}

fn is_constant(walk: &Walk<'_>, variable: &Variable<'_, '_>) -> bool {
    let Variable { node, declared, .. } = *variable;
    let is_pointer = matches!(kind(declared), Kind::PointerDeclarator)
        || child(declared, Field::Declarator).is_some_and(|it| kind(it) == Kind::PointerDeclarator);
    has_specifier(walk, node, "constexpr") || has_specifier(walk, node, "const") && !is_pointer
}

/// Returns the signature of a variable: with its value if the declaration is on one line.
fn signature(walk: &Walk<'_>, variable: &Variable<'_, '_>) -> String {
    let Variable { node, whole, declared, ty, value, .. } = *variable;
    if whole.id() == node.id() {
        let is_short = node.start_position().row == node.end_position().row;
        let end = match (value, ty.and_then(|ty| child(ty, Field::Body))) {
            (_, Some(body)) => {
                let name = declarator(declared).map_or("", |it| walk.text(it.name));
                return format!("{} {name}", until(node, body).text(walk.source).trim_end());
            }
            (Some(value), None) if !is_short => value.start_byte(),
            _ => node.end_byte(),
        };
        let text = &walk.source[node.start_byte()..end];
        return text.trim_end().trim_end_matches(['=', ';']).trim_end().to_owned();
    }
    let text = match value {
        Some(value) if declared.start_position().row != declared.end_position().row => {
            until(declared, value).text(walk.source).trim_end().trim_end_matches('=')
        }
        _ => walk.text(declared),
    };
    format!("{} {}", variable.shared_type, text.trim_end())
}

/// Declares local variables.
fn local<'t>(walk: &mut Walk<'t>, node: Node<'t>, names: &[Node<'t>]) {
    let ty = child(node, Field::Type);
    if let Some(ty) = ty {
        tagged_or_used(walk, ty, ty);
    }
    let written = ty.and_then(|ty| own_type(walk, ty, names.len() == 1));
    for declared in names {
        let value = child(*declared, Field::Value).or_else(|| child(node, Field::Value));
        let hint = written.clone().map(RawHint::Typed);
        visit_callback(walk, *declared);
        if let Some(value) = value {
            let is_construction = matches!(kind(value), Kind::ArgumentList);
            if let (true, Some(ty), Some(own)) = (is_construction, ty, &written) {
                let count = crate::spec::argument_count(&super::C::C, value);
                let is_named = kind(last_name(ty)) == Kind::TypeIdentifier;
                if is_named {
                    walk.reference_with(Relation::Instantiates, own.name.clone(), last_name(ty), Some(count));
                }
            }
            initializer(walk, value, hint.clone());
        }
        // A prototype declares no variable. C++ has variables that look like prototypes: `Type name(value);`.
        if !is_cpp(node) && declarator(*declared).is_some_and(|it| it.function.is_some()) {
            continue;
        }
        let hint = hint.or_else(|| walk.hint(value?));
        locals(walk, *declared, hint);
    }
}
