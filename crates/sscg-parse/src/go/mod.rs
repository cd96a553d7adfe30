//! Go, through tree-sitter.
//!
//! Types have names everywhere but in `:=`, whose variables have the type of their value. A method is a member of its
//! receiver's type, which any file of the package may declare.

mod expression;
mod grammar;
mod types;

use std::sync::LazyLock;

use sscg_core::{
    ChunkKind, Corpus, Import, ImportKind, Language, LanguageDef, Library, LocalSymbol, Modifiers,
    ModuleSystem, Part, Relation, Span, SymbolKind, TypeParameter,
};
use tree_sitter::Node;

use self::grammar::{FIELDS, Kind, LANGUAGE, child, first, kind, named};
use self::types::result_type;
use crate::highlight::Highlighting;
use crate::scope::{RawHint, RawName, RawType};
use crate::signature::Order;
use crate::spec::{Grammar, Item, Spec, Walk, generic, parameter};
use crate::syntax::Ending;
use crate::text::{headline, one_line};
use crate::tree::{children_in, span};
use crate::wiring;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::parse(include_str!("library.txt")));

static GO: LanguageDef = LanguageDef {
    name: "go",
    aliases: &["golang"],
    extensions: &["go"],
    version: 3,
    corpus: Corpus::Code,
    is_data: false,
    modules: ModuleSystem::DirectoryPackages,
    family: "go",
    library: &LIBRARY,
    stub: " { ... }",
};

static HIGHLIGHTING: LazyLock<Highlighting> =
    LazyLock::new(|| Highlighting::new(tree_sitter_go::LANGUAGE, &[tree_sitter_go::HIGHLIGHTS_QUERY]));

static SPEC: Spec = Spec {
    languages: &[Language::new(&GO)],
    grammar: &LANGUAGE,
    highlighting: &HIGHLIGHTING,
    line_comment: "//",
    order: Order::NameType,
    quotes: b"\"`'",
    ending: Ending::Signature(""),
    no_value: "nil /* value omitted */",
};

/// Grammar of Go.
pub(crate) struct Go;

impl Grammar for Go {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn is_comment(&self, node: Node<'_>) -> bool {
        kind(node) == Kind::Comment
    }

    fn visit<'t>(&self, walk: &mut Walk<'t>, node: Node<'t>) {
        match kind(node) {
            Kind::Leaf | Kind::Comment => {}
            Kind::FieldDeclaration
            | Kind::MethodElem
            | Kind::TypeDeclaration
            | Kind::TypeSpec
            | Kind::TypeAlias
                if is_apart(walk, node) =>
            {
                walk.children(node);
            }
            Kind::PackageClause => {
                walk.document_file(node);
                walk.condition = build_constraint(&walk.source[..node.start_byte()]);
                if let Some(name) = first(node) {
                    walk.facts.set_package(walk.text(name));
                }
            }
            Kind::ImportDeclaration => imports(walk, node),
            Kind::FunctionDeclaration => function(walk, node, SymbolKind::Function),
            Kind::MethodDeclaration | Kind::MethodElem => function(walk, node, SymbolKind::Method),
            Kind::TypeDeclaration => group(walk, node, SymbolKind::TypeAlias),
            Kind::ConstDeclaration => group(walk, node, SymbolKind::Constant),
            Kind::VarDeclaration => group(walk, node, SymbolKind::Variable),
            Kind::TypeSpec | Kind::TypeAlias => type_spec(walk, node, node),
            Kind::ConstSpec => values(walk, node, node, SymbolKind::Constant),
            Kind::VarSpec => values(walk, node, node, SymbolKind::Variable),
            Kind::FieldDeclaration => field(walk, node),
            Kind::TypeElem => embedded(walk, node),
            Kind::Block
            | Kind::ExpressionCase
            | Kind::DefaultCase
            | Kind::CommunicationCase
            | Kind::IfStatement
            | Kind::ForStatement
            | Kind::SwitchStatement => walk.scoped(|walk| walk.children(node)),
            Kind::TypeSwitchStatement => type_switch(walk, node),
            Kind::FuncLiteral => walk.scoped(|walk| {
                signature(walk, node);
                walk.visit_field(node, FIELDS.body);
            }),
            Kind::ParameterDeclaration | Kind::VariadicParameter => {
                parameters_of(walk, node, &mut Vec::new());
            }
            Kind::TypeCase => {
                for ty in children_in(node, FIELDS.ty) {
                    expression::asserted(walk, ty);
                }
                let mut cursor = node.walk();
                for statement in
                    node.named_children(&mut cursor).filter(|it| kind(*it) == Kind::StatementList)
                {
                    walk.children(statement);
                }
            }
            _ => expression::visit(walk, node),
        }
    }

    fn name<'t>(&self, walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawName<'t>> {
        expression::name(walk, node, depth)
    }

    fn hint<'t>(&self, walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawHint<'t>> {
        expression::hint(walk, node, depth)
    }

    fn ty<'t>(&self, walk: &Walk<'t>, node: Node<'t>) -> Option<RawType<'t>> {
        types::ty(walk, node)
    }

    fn wiring(&self) -> Option<wiring::Read> {
        Some(wiring::read::<wiring::go::Go>)
    }
}

/// Returns true for a declaration in the type or value of one of several names, each of which has its name as its span:
/// `var a, b struct{ c int }`. It belongs to none of them alone.
fn is_apart(walk: &Walk<'_>, node: Node<'_>) -> bool {
    walk.owner.is_some_and(|owner| !walk.facts.symbol(owner).span.contains(span(node)))
}

/// Returns the constraint of the builds that a file is part of: `linux && !cgo`.
fn build_constraint(before: &str) -> Option<String> {
    before.lines().find_map(|line| line.strip_prefix("//go:build ")).map(|it| it.trim().to_owned())
}

/// Maximum length in bytes of the text of a type in the signatures of several names that share it.
const MOST_SHARED_TEXT: usize = 200;

fn is_exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

// -- Imports ------------------------------------------------------------------------------------------------

fn imports<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let specs = descendants(node, |it| it == Kind::ImportSpec);
    let path = |walk: &Walk<'t>, spec: Node<'t>| {
        child(spec, FIELDS.path).map_or("", |path| walk.text(path).trim_matches(['"', '`']))
    };
    let name = specs.first().map_or("", |first| path(walk, *first));
    walk.root(ChunkKind::Import, node, name);
    for spec in specs {
        let module = path(walk, spec);
        let alias = child(spec, FIELDS.name).map(|alias| walk.text(alias));
        let (kind, local) = match alias {
            Some(".") => (ImportKind::Glob, ""),
            Some("_") => (ImportKind::Effects, ""),
            Some(alias) => (ImportKind::Module, alias),
            None => (ImportKind::Module, package_name(module)),
        };
        let import = Import {
            kind,
            module: module.into(),
            name: "".into(),
            local: local.into(),
            reexport: false,
            condition: None,
            scope: None,
            span: span(node),
            line: walk.facts.line(spec.start_byte() as u32),
        };
        walk.import(import, local);
    }
}

/// Returns the name that packages of an import path usually declare: the last segment that is no version, without `go-`
/// in front and `.v2` or `-go` behind.
fn package_name(path: &str) -> &str {
    let is_version = |segment: &str| {
        segment
            .strip_prefix('v')
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit()))
    };
    let mut segments = path.rsplit('/');
    let last = segments.next().unwrap_or(path);
    let last = if is_version(last) { segments.next().unwrap_or(last) } else { last };
    let last = match last.strip_suffix("-unstable").unwrap_or(last).rsplit_once('.') {
        Some((name, version)) if is_version(version) => name,
        _ => last,
    };
    let last = last.strip_prefix("go-").unwrap_or(last);
    last.strip_suffix("-go").or_else(|| last.strip_suffix(".go")).unwrap_or(last)
}

/// Returns the nodes of some kinds below a node, in order, at most two levels deep.
fn descendants(node: Node<'_>, is_wanted: impl Fn(Kind) -> bool) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    for inner in node.named_children(&mut cursor) {
        if is_wanted(kind(inner)) {
            found.push(inner);
        } else {
            let mut cursor = inner.walk();
            found.extend(inner.named_children(&mut cursor).filter(|it| is_wanted(kind(*it))));
        }
    }
    found
}

// -- Functions ----------------------------------------------------------------------------------------------

fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>, symbol_kind: SymbolKind) {
    let Some(name) = names_of(node).first().copied() else { return walk.children(node) };
    let text = walk.text(name);
    let receiver = child(node, FIELDS.receiver).and_then(first);
    let receiver_type = receiver.and_then(|it| child(it, FIELDS.ty)).and_then(|ty| walk.ty(ty));
    let mut item = Item::new(symbol_kind, name, node).with_body(child(node, FIELDS.body));
    item.exported = is_exported(text);
    item.modifiers = modifiers(walk, node, text);
    item.type_parameters = type_parameters(walk, node);
    item.receiver = receiver_type.as_ref().map(|ty| ty.name.clone());
    let symbol = walk.declare(item);
    let is_bound = symbol_kind == SymbolKind::Function && text != "init" && text != "main" && text != "_";
    if is_bound {
        walk.bind(text, symbol);
    }
    walk.inside(symbol, |walk| {
        // `func (s *Stack[T])` names the type parameters of its type.
        for argument in receiver_type.iter().flat_map(|ty| &ty.arguments) {
            walk.type_parameter(argument.name.path[0]);
        }
        if let Some(receiver) = receiver {
            walk.visit(receiver);
        }
        bounds(walk, symbol, node);
        let parameters = signature(walk, node);
        walk.set_parameters(symbol, parameters);
        if let Some(ty) = child(node, FIELDS.result).and_then(|result| result_type(walk, result)) {
            walk.set_type(symbol, RawHint::Typed(ty));
        }
        walk.visit_field(node, FIELDS.body);
    });
}

fn modifiers(walk: &Walk<'_>, node: Node<'_>, name: &str) -> Modifiers {
    let mut modifiers = Modifiers::empty();
    let parameters = child(node, FIELDS.parameters);
    let last = parameters.and_then(|list| named(list).pop());
    modifiers.set(Modifiers::VARIADIC, last.is_some_and(|last| kind(last) == Kind::VariadicParameter));
    let is_test_name = ["Test", "Benchmark", "Example", "Fuzz"].iter().any(|prefix| name.starts_with(prefix));
    let takes_test = |list: Node<'_>| first(list).is_none() || walk.text(list).contains("*testing.");
    modifiers.set(Modifiers::TEST, is_test_name && parameters.is_some_and(takes_test));
    modifiers.set(Modifiers::ABSTRACT, kind(node) == Kind::MethodElem);
    modifiers
}

/// Declares the parameters and named results of a function, and returns the types of the parameters.
fn signature<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Vec<Option<RawType<'t>>> {
    let mut types = Vec::new();
    if let Some(list) = child(node, FIELDS.parameters) {
        let mut cursor = list.walk();
        for parameter in list.named_children(&mut cursor) {
            parameters_of(walk, parameter, &mut types);
        }
    }
    walk.visit_field(node, FIELDS.result);
    types
}

/// Declares the names of a parameter declaration, and adds their types.
fn parameters_of<'t>(walk: &mut Walk<'t>, node: Node<'t>, types: &mut Vec<Option<RawType<'t>>>) {
    let Some(ty) = child(node, FIELDS.ty) else { return };
    walk.visit(ty);
    let element = walk.ty(ty);
    let is_variadic = kind(node) == Kind::VariadicParameter;
    let own = match (&element, is_variadic) {
        (Some(element), true) => Some(generic(sscg_core::TypeHint::SLICE, vec![element.clone()])),
        _ => element.clone(),
    };
    let names = names_of(node);
    for name in &names {
        walk.local(walk.text(*name), own.clone().map(RawHint::Typed));
        types.push(element.clone());
    }
    if names.is_empty() {
        types.push(element);
    }
}

fn type_parameters(walk: &Walk<'_>, node: Node<'_>) -> Vec<TypeParameter> {
    let mut found = Vec::new();
    for (declaration, names) in type_parameter_names(node) {
        let constraint = child(declaration, FIELDS.ty).map(|ty| shared_text(walk, ty, names.len()));
        found.extend(names.iter().map(|name| parameter(walk.text(*name), constraint, None)));
    }
    found
}

/// Declares the type parameters of a function or type, with their bounds.
fn bounds<'t>(walk: &mut Walk<'t>, symbol: LocalSymbol, node: Node<'t>) {
    let mut bounds = Vec::new();
    for (declaration, names) in type_parameter_names(node) {
        for name in &names {
            walk.type_parameter(walk.text(*name));
        }
        let Some(constraint) = child(declaration, FIELDS.ty) else { continue };
        walk.visit(constraint);
        if let [ty] = named(constraint)[..]
            && let Some(ty) = walk.ty(ty)
        {
            bounds.extend(names.iter().map(|name| (walk.text(*name), ty.clone())));
        }
    }
    if !bounds.is_empty() {
        walk.set_bounds(symbol, bounds);
    }
}

/// Returns the declarations of type parameters of a node, with the nodes of their names.
fn type_parameter_names<'t>(node: Node<'t>) -> Vec<(Node<'t>, Vec<Node<'t>>)> {
    let Some(list) = child(node, FIELDS.type_parameters) else { return Vec::new() };
    let mut cursor = list.walk();
    let declarations =
        list.named_children(&mut cursor).filter(|it| kind(*it) == Kind::TypeParameterDeclaration);
    declarations.map(|declaration| (declaration, names_of(declaration))).collect()
}

// -- Types, constants and variables -------------------------------------------------------------------------

/// Visits a declaration of one or, in parentheses, several types, constants or variables.
fn group<'t>(walk: &mut Walk<'t>, node: Node<'t>, symbol_kind: SymbolKind) {
    let specs = descendants(node, |it| {
        matches!(it, Kind::TypeSpec | Kind::TypeAlias | Kind::ConstSpec | Kind::VarSpec)
    });
    let is_one = !node.child(1).is_some_and(|second| {
        kind(second) == Kind::OpeningParenthesis
            || second.child_count() > 0
                && second.child(0).is_some_and(|it| kind(it) == Kind::OpeningParenthesis)
    });
    match specs[..] {
        [one] if is_one && names_of(one).len() < 2 => match symbol_kind {
            SymbolKind::TypeAlias => type_spec(walk, one, node),
            _ => values(walk, one, node, symbol_kind),
        },
        _ => {
            if walk.is_root() {
                let name = specs.first().and_then(|first| names_of(*first).first().copied());
                let name = name.map_or_else(|| headline(walk.text(node)), |name| walk.text(name).to_owned());
                walk.root(ChunkKind::Symbol(symbol_kind), node, &name);
            }
            let inner = node.child(1).filter(|second| second.is_named() && kind(*second) == Kind::Other);
            walk.list(inner.unwrap_or(node));
        }
    }
}

/// Returns the nodes of the names of a declaration, without those that the parser only supposes.
fn names_of(node: Node<'_>) -> Vec<Node<'_>> {
    let mut names = children_in(node, FIELDS.name);
    names.retain(|name| !name.is_missing());
    names
}

/// Returns the text of a type for each of several names that share it: at most [`MOST_SHARED_TEXT`] bytes.
fn shared_text<'t>(walk: &Walk<'t>, ty: Node<'_>, names: usize) -> &'t str {
    let text = walk.text(ty);
    if names > 1 { &text[..text.floor_char_boundary(MOST_SHARED_TEXT)] } else { text }
}

fn type_spec<'t>(walk: &mut Walk<'t>, spec: Node<'t>, declaration: Node<'t>) {
    let (Some(name), Some(ty)) = (names_of(spec).first().copied(), child(spec, FIELDS.ty)) else {
        return walk.children(spec);
    };
    let text = walk.text(name);
    let (symbol_kind, body) = match kind(ty) {
        Kind::StructType => (SymbolKind::Struct, first(ty).filter(|list| list.child_count() > 0).map(span)),
        Kind::InterfaceType => (SymbolKind::Interface, braces(ty)),
        _ => (SymbolKind::TypeAlias, None),
    };
    let mut item = Item::new(symbol_kind, name, declaration);
    item.body = body;
    item.exported = is_exported(text);
    item.type_parameters = type_parameters(walk, spec);
    if spec.id() == declaration.id() {
        let end = body.map_or(item.span.end, |body| body.start);
        item.signature = Some(format!("type {}", Span::new(item.span.start, end).text(walk.source)));
    }
    let symbol = walk.declare(item);
    walk.bind(text, symbol);
    walk.inside(symbol, |walk| {
        bounds(walk, symbol, spec);
        match symbol_kind {
            SymbolKind::Struct => {
                if let Some(fields) = first(ty) {
                    walk.list(fields);
                }
            }
            SymbolKind::Interface => walk.list(ty),
            _ => {
                if let Some(ty) = walk.ty(ty) {
                    walk.set_type(symbol, RawHint::Typed(ty));
                }
                walk.visit(ty);
            }
        }
    });
}

/// Returns the span from the opening brace of a node to its end.
fn braces(node: Node<'_>) -> Option<Span> {
    let mut cursor = node.walk();
    let brace = node.children(&mut cursor).find(|child| kind(*child) == Kind::OpeningBrace)?;
    Some(Span::new(brace.start_byte() as u32, node.end_byte() as u32))
}

fn field<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(ty) = child(node, FIELDS.ty) else { return };
    let names = names_of(node);
    let own = walk.ty(ty);
    if names.is_empty() {
        if child(node, FIELDS.name).is_some() {
            return walk.visit(ty);
        }
        // An embedded type: its members are those of the struct, and a field has its name.
        let Some(own) = own else { return };
        let Some(last) = last_identifier(ty).filter(|last| !last.is_missing()) else { return };
        walk.reference(Relation::Inherits, own.name.clone(), last);
        let mut item = Item::new(SymbolKind::Field, last, node);
        item.exported = is_exported(walk.text(last));
        let symbol = walk.declare(item);
        walk.set_type(symbol, RawHint::Typed(own));
        return;
    }
    let is_one = names.len() == 1;
    let written = one_line(shared_text(walk, ty, names.len()));
    for name in &names {
        let mut item = Item::new(SymbolKind::Field, *name, if is_one { node } else { *name });
        item.exported = is_exported(walk.text(*name));
        item.signature = (!is_one).then(|| format!("{} {written}", walk.text(*name)));
        let symbol = walk.declare(item);
        if let Some(own) = &own {
            walk.set_type(symbol, RawHint::Typed(own.clone()));
        }
        if *name == names[0] {
            walk.inside(symbol, |walk| walk.visit(ty));
        }
    }
}

/// Visits an element of an interface: an embedded interface, or the types of a constraint.
fn embedded<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let ty = match named(node)[..] {
        [one] if walk.owner.is_some() => Some(one),
        _ => None,
    };
    match ty.and_then(|ty| Some((walk.ty(ty)?, last_identifier(ty)?))) {
        Some((ty, last)) if node.parent().is_some_and(|it| kind(it) == Kind::InterfaceType) => {
            walk.reference(Relation::Inherits, ty.name, last);
        }
        _ => walk.children(node),
    }
}

/// Returns the node of the last segment of a type's name.
fn last_identifier(ty: Node<'_>) -> Option<Node<'_>> {
    match kind(ty) {
        Kind::TypeIdentifier => Some(ty),
        Kind::QualifiedType => child(ty, FIELDS.name),
        Kind::GenericType => last_identifier(child(ty, FIELDS.ty)?),
        Kind::PointerType | Kind::ParenthesizedType => last_identifier(first(ty)?),
        _ => None,
    }
}

/// Declares the constants or variables of a specification.
fn values<'t>(walk: &mut Walk<'t>, spec: Node<'t>, declaration: Node<'t>, symbol_kind: SymbolKind) {
    let (ty, value) = (child(spec, FIELDS.ty), child(spec, FIELDS.value));
    let names = names_of(spec);
    if names.is_empty() {
        return walk.children(spec);
    }
    let hints = hints_of(walk, names.len(), ty, value);
    if walk.in_function() {
        walk.visit_field(spec, FIELDS.ty);
        walk.visit_field(spec, FIELDS.value);
        for (name, hint) in names.iter().zip(hints) {
            walk.local(walk.text(*name), hint);
        }
        return;
    }
    let is_one = names.len() == 1;
    let expressions = value.map(named).unwrap_or_default();
    for (at, (name, hint)) in names.iter().zip(hints).enumerate() {
        let text = walk.text(*name);
        let mut item = Item::new(symbol_kind, *name, if is_one { declaration } else { *name });
        item.exported = is_exported(text);
        let keyword = if symbol_kind == SymbolKind::Constant { "const" } else { "var" };
        item.signature = Some(format!("{keyword} {}", value_signature(walk, spec, *name, is_one)));
        let symbol = walk.declare(item);
        walk.bind(text, symbol);
        if let Some(hint) = hint {
            walk.set_type(symbol, hint);
        }
        walk.inside(symbol, |walk| {
            if at == 0 {
                walk.visit_field(spec, FIELDS.ty);
            }
            if expressions.len() == names.len() {
                walk.visit(expressions[at]);
            } else if at == 0 {
                expressions.iter().for_each(|expression| walk.visit(*expression));
            }
        });
    }
}

/// Returns the signature of a constant or variable without its keyword: with its value if that is on the same line.
fn value_signature(walk: &Walk<'_>, spec: Node<'_>, name: Node<'_>, is_one: bool) -> String {
    let ty = child(spec, FIELDS.ty);
    let is_short = spec.start_position().row == spec.end_position().row;
    if is_one && is_short {
        return walk.text(spec).to_owned();
    }
    let ty = ty.map_or("", |ty| shared_text(walk, ty, if is_one { 1 } else { 2 }));
    format!("{} {ty}", walk.text(name))
}

/// Returns the types of variables that are declared together.
fn hints_of<'t>(
    walk: &Walk<'t>,
    count: usize,
    ty: Option<Node<'t>>,
    value: Option<Node<'t>>,
) -> Vec<Option<RawHint<'t>>> {
    if let Some(ty) = ty {
        let ty = walk.ty(ty).map(RawHint::Typed);
        return vec![ty; count];
    }
    let Some(list) = value else { return vec![None; count] };
    let values = named(list);
    match values[..] {
        [one] if count > 1 => {
            let hint = walk.hint(one);
            // `v, ok := m[k]` has a second value, and no tuple. A conversion has one: what looks like it is a call.
            if !matches!(kind(one), Kind::CallExpression | Kind::TypeConversion) {
                return [hint].into_iter().chain(std::iter::repeat_with(|| None)).take(count).collect();
            }
            let place = |at: usize| {
                let at = u8::try_from(at).ok()?;
                Some(RawHint::Part(Part::Place(at), Box::new(hint.clone()?)))
            };
            (0..count).map(place).collect()
        }
        _ => (0..count).map(|at| walk.hint(*values.get(at)?)).collect(),
    }
}

fn type_switch<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    walk.scoped(|walk| {
        let alias = child(node, FIELDS.alias).and_then(first);
        let mut cursor = node.walk();
        for part in node.named_children(&mut cursor) {
            if !matches!(kind(part), Kind::TypeCase | Kind::DefaultCase) {
                if Some(part) != child(node, FIELDS.alias) {
                    walk.visit(part);
                }
                continue;
            }
            walk.scoped(|walk| {
                if let Some(alias) = alias {
                    let types = children_in(part, FIELDS.ty);
                    let value = || walk.hint(child(node, FIELDS.value)?);
                    let hint = match types[..] {
                        [one] => walk.ty(one).map(RawHint::Typed),
                        _ => value(),
                    };
                    walk.local(walk.text(alias), hint);
                }
                walk.visit(part);
            });
        }
    });
}
