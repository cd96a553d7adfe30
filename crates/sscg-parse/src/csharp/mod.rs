//! C#, through tree-sitter.
//!
//! A namespace with all declarations of its file is the file's package. Any other is a module, because its braces belong
//! together. Constructors have the name `constructor` and indexers `[]`, as in other languages: a bare use of a
//! constructor's own name means its type.

mod documentation;
mod expression;
mod grammar;
mod hint;
mod statement;
mod types;

use std::borrow::Cow;
use std::iter::successors;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use sscg_core::{
    ChunkKind, Corpus, Export, Import, ImportKind, Language, LanguageDef, Library, LocalSymbol, Modifiers,
    ModuleSystem, Relation, Span, SymbolKind, TypeParameter,
};
use tree_sitter::Node;

use self::expression::{value_of, value_of_type};
use self::grammar::{FIELDS, Kind, LANGUAGE, child, child_of, first_part, kind, name_of, parts};
use self::types::last_segment;
use crate::highlight::Highlighting;
use crate::scope::{Base, RawHint, RawName, RawType};
use crate::signature::Order;
use crate::spec::{Grammar, Item, Spec, Walk, argument_count, parameter};
use crate::syntax::Ending;
use crate::text::{headline, one_line, without_line_comments};
use crate::tree::span;
use crate::wiring;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::parse(include_str!("library.txt")));

static CSHARP: LanguageDef = LanguageDef {
    name: "csharp",
    aliases: &["c#", "cs"],
    extensions: &["cs"],
    version: 2,
    corpus: Corpus::Code,
    is_data: false,
    modules: ModuleSystem::Namespaces,
    family: "csharp",
    library: &LIBRARY,
    stub: " { ... }",
};

static HIGHLIGHTING: LazyLock<Highlighting> = LazyLock::new(|| {
    Highlighting::new(tree_sitter_c_sharp::LANGUAGE, &[tree_sitter_c_sharp::HIGHLIGHTS_QUERY])
});

static SPEC: Spec = Spec {
    languages: &[Language::new(&CSHARP)],
    grammar: &LANGUAGE,
    highlighting: &HIGHLIGHTING,
    line_comment: "//",
    order: Order::TypeName,
    quotes: b"\"'",
    ending: Ending::Signature(";"),
    no_value: "default /* value omitted */",
};

/// Grammar of C#.
pub(crate) struct CSharp;

impl Grammar for CSharp {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn is_comment(&self, node: Node<'_>) -> bool {
        kind(node) == Kind::Comment
    }

    fn visit<'t>(&self, walk: &mut Walk<'t>, node: Node<'t>) {
        match kind(node) {
            Kind::Leaf
            | Kind::Comment
            | Kind::ModifierWord
            | Kind::PredefinedType
            | Kind::BooleanLiteral
            | Kind::CharacterLiteral
            | Kind::IntegerLiteral
            | Kind::NullLiteral
            | Kind::RawString
            | Kind::RealLiteral
            | Kind::VerbatimString => {}
            Kind::UsingDirective => using(walk, node),
            Kind::FileScopedNamespace => {
                walk.document_file(node);
                if let Some(name) = name_of(node) {
                    walk.facts.set_package(without_spaces(walk.text(name)));
                }
            }
            Kind::NamespaceDeclaration => namespace(walk, node),
            Kind::GlobalStatement => {
                if walk.is_root() {
                    walk.root(ChunkKind::Expression, node, &headline(walk.text(node)));
                }
                walk.children(node);
            }
            // Directives end at their lines, so the code between them is part of the list around them.
            Kind::PreprocIf | Kind::PreprocElif | Kind::PreprocElse => {
                let around = walk.condition.clone();
                let own = child(node, FIELDS.condition).map(|condition| one_line(walk.text(condition)));
                walk.condition = own.or_else(|| Some("else".to_owned()));
                walk.list_with(node, FIELDS.condition, &mut |_, _| {});
                walk.condition = around;
            }
            Kind::ClassDeclaration | Kind::RecordDeclaration => {
                type_declaration(walk, node, SymbolKind::Class)
            }
            Kind::StructDeclaration => type_declaration(walk, node, SymbolKind::Struct),
            Kind::InterfaceDeclaration => type_declaration(walk, node, SymbolKind::Interface),
            Kind::EnumDeclaration => type_declaration(walk, node, SymbolKind::Enum),
            Kind::EnumMember => enum_member(walk, node),
            Kind::DelegateDeclaration
            | Kind::MethodDeclaration
            | Kind::ConstructorDeclaration
            | Kind::DestructorDeclaration
            | Kind::OperatorDeclaration
            | Kind::ConversionOperator
            | Kind::LocalFunction => function(walk, node),
            Kind::PropertyDeclaration | Kind::IndexerDeclaration | Kind::EventDeclaration => {
                property(walk, node)
            }
            Kind::FieldDeclaration | Kind::EventFieldDeclaration => fields(walk, node),
            Kind::Attribute => {
                if let Some(name) = child(node, FIELDS.name).and_then(|name| walk.ty(name)) {
                    walk.reference(Relation::Decorates, name.name, node);
                }
                parts(node).into_iter().skip(1).for_each(|part| walk.visit(part));
            }
            _ => statement::visit(walk, node),
        }
    }

    fn name<'t>(&self, walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawName<'t>> {
        hint::name(walk, node, depth)
    }

    fn hint<'t>(&self, walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawHint<'t>> {
        hint::hint(walk, node, depth)
    }

    fn ty<'t>(&self, walk: &Walk<'t>, node: Node<'t>) -> Option<RawType<'t>> {
        types::ty(walk, node)
    }

    fn wiring(&self) -> Option<wiring::Read> {
        Some(wiring::read::<wiring::csharp::CSharp>)
    }

    fn repaired<'s>(&self, source: &'s str) -> Cow<'s, str> {
        // The grammar has no modifier after `ref`.
        const WRITTEN: &str = "ref partial struct";
        if !source.contains(WRITTEN) {
            return Cow::Borrowed(source);
        }
        Cow::Owned(source.replace(WRITTEN, "partial ref struct"))
    }

    fn simplified(&self, text: &str) -> Option<String> {
        text.contains("#if").then(|| without_directives(text))
    }

    fn without_comments<'c>(&self, code: &'c str) -> Cow<'c, str> {
        if !code.contains('\n') || !code.contains('#') {
            return without_line_comments(code, SPEC.quotes);
        }
        let plain = without_directives(code);
        Cow::Owned(without_line_comments(&plain, SPEC.quotes).into_owned())
    }

    fn documentation(&self, comments: &str) -> String {
        documentation::readable(comments)
    }
}

/// Returns code with its conditional directives, and all branches but the first, replaced by spaces: the grammar has
/// directives only around whole declarations and statements.
fn without_directives(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    // For each open condition, true while its lines are left out.
    let mut open: Vec<bool> = Vec::new();
    let mut left_out = 0;
    for line in text.split_inclusive('\n') {
        let directive = line.trim_start().strip_prefix('#').map_or("", str::trim_start);
        let is_directive = ["if", "elif", "else", "endif"].iter().any(|word| {
            let rest = directive.strip_prefix(word);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
        });
        if is_directive {
            match open.last_mut() {
                _ if directive.starts_with("if") => open.push(false),
                _ if directive.starts_with("endif") => {
                    left_out -= usize::from(open.pop() == Some(true));
                }
                Some(is_left_out) => {
                    left_out += usize::from(!*is_left_out);
                    *is_left_out = true;
                }
                // The text begins in the first branch.
                None => {
                    left_out += 1;
                    open.push(true);
                }
            }
        }
        if is_directive || left_out > 0 {
            let blank = |c: char| if c == '\n' || c == '\r' { c } else { ' ' };
            plain.extend(line.chars().flat_map(|c| std::iter::repeat_n(blank(c), c.len_utf8())));
        } else {
            plain.push_str(line);
        }
    }
    plain
}

fn without_spaces(name: &str) -> String {
    name.split_whitespace().collect()
}

// -- Namespaces and imports ---------------------------------------------------------------------------------

fn using<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let alias = child(node, FIELDS.name);
    let Some(target) = parts(node).into_iter().rfind(|part| Some(*part) != alias) else { return };
    let mut path = Vec::new();
    types::segments(walk, target, &mut path);
    if walk.is_root() {
        walk.root(ChunkKind::Import, node, &path.join("."));
    }
    let (kind, module, name) = match (alias, path.split_last()) {
        (Some(_), Some((name, module))) => (ImportKind::Named, module.join("."), *name),
        _ => (ImportKind::Glob, path.join("."), ""),
    };
    let local = alias.map_or("", |alias| walk.text(alias));
    let import = Import {
        kind,
        module: module.into(),
        name: name.into(),
        local: local.into(),
        reexport: child_of(node, Kind::Global).is_some(),
        condition: None,
        scope: walk.owner,
        span: span(node),
        line: walk.facts.line(node.start_byte() as u32),
    };
    walk.import(import, local);
}

fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(name) = name_of(node) else { return walk.children(node) };
    let body = child(node, FIELDS.body);
    if let Some(body) = body.filter(|_| walk.is_root() && is_package(node)) {
        walk.facts.set_package(without_spaces(walk.text(name)));
        return walk.list(body);
    }
    let symbol = walk.declare(Item::new(SymbolKind::Module, name, node).with_body(body));
    walk.inside(symbol, |walk| {
        if let Some(body) = body {
            walk.list(body);
        }
    });
}

/// True for the block of a namespace with all declarations of its file. Looks only as far as the nearest declaration, so
/// that many namespaces in a row take linear time.
fn is_package(node: Node<'_>) -> bool {
    let is_passed = |other: Node<'_>| {
        matches!(kind(other), Kind::Leaf | Kind::Comment | Kind::UsingDirective | Kind::AttributeList)
    };
    node.parent().is_some_and(|file| file.parent().is_none())
        && successors(node.next_named_sibling(), Node::next_named_sibling).all(is_passed)
        && successors(node.prev_named_sibling(), Node::prev_named_sibling).all(is_passed)
}

// -- Parts of declarations ----------------------------------------------------------------------------------

/// Parts of a declaration that most kinds have.
struct Head<'t> {
    /// Start of the declaration after its attributes.
    start: u32,
    attributes: Vec<Node<'t>>,
    modifiers: Modifiers,
    /// Declared `public`, `internal` or `protected`.
    is_visible: bool,
    type_parameters: Option<Node<'t>>,
    constraints: Vec<Node<'t>>,
    /// Name of the interface whose member is implemented.
    explicit: Option<Node<'t>>,
}

fn head<'t>(walk: &Walk<'t>, node: Node<'t>) -> Head<'t> {
    let mut head = Head {
        start: node.start_byte() as u32,
        attributes: Vec::new(),
        modifiers: Modifiers::empty(),
        is_visible: false,
        type_parameters: None,
        constraints: Vec::new(),
        explicit: None,
    };
    let mut is_started = false;
    let mut cursor = node.walk();
    for part in node.children(&mut cursor) {
        match kind(part) {
            Kind::AttributeList if !is_started => {
                head.attributes.push(part);
                continue;
            }
            Kind::Comment => continue,
            Kind::ModifierWord => {
                let word = walk.text(part);
                head.is_visible |= matches!(word, "public" | "internal" | "protected");
                head.modifiers |= modifier(word);
            }
            Kind::TypeParameterList => head.type_parameters = Some(part),
            Kind::ConstraintsClause => head.constraints.push(part),
            Kind::ExplicitInterface => head.explicit = first_part(part),
            _ => {}
        }
        if !is_started {
            is_started = true;
            head.start = part.start_byte() as u32;
        }
    }
    let is_protected = head.modifiers.contains(Modifiers::PROTECTED);
    head.modifiers.set(Modifiers::PRIVATE, head.modifiers.contains(Modifiers::PRIVATE) && !is_protected);
    if head.attributes.iter().any(|list| is_test(walk, *list)) {
        head.modifiers |= Modifiers::TEST;
    }
    head
}

fn modifier(word: &str) -> Modifiers {
    match word {
        "protected" => Modifiers::PROTECTED,
        "private" | "file" => Modifiers::PRIVATE,
        "static" => Modifiers::STATIC,
        "abstract" => Modifiers::ABSTRACT,
        "async" => Modifiers::ASYNC,
        "override" => Modifiers::OVERRIDE,
        "readonly" => Modifiers::READONLY,
        "const" => Modifiers::CONST,
        "partial" => Modifiers::PARTIAL,
        "unsafe" => Modifiers::UNSAFE,
        "extern" => Modifiers::EXTERN,
        _ => Modifiers::empty(),
    }
}

/// Returns true if a list has an attribute by which test frameworks find tests.
fn is_test(walk: &Walk<'_>, list: Node<'_>) -> bool {
    const TESTS: [&str; 8] = [
        "Fact",
        "SkippableFact",
        "Theory",
        "Test",
        "TestCase",
        "TestCaseSource",
        "TestMethod",
        "DataTestMethod",
    ];
    let name = |attribute| child(attribute, FIELDS.name).map(|name| walk.text(last_segment(name)));
    parts(list).into_iter().filter_map(name).any(|name| TESTS.contains(&name))
}

impl<'t> Head<'t> {
    /// Sets the attributes and modifiers of a declaration. Its default accessibility depends on its owner.
    fn describe(&self, walk: &Walk<'t>, item: &mut Item<'t>) {
        item.signature_start = Some(self.start);
        item.attributes = self.attributes.iter().map(|list| span(*list)).collect();
        item.modifiers |= self.modifiers;
        let around = walk.owner.map(|owner| walk.facts.symbol(owner).kind);
        let is_open = match around {
            None | Some(SymbolKind::Module) | Some(SymbolKind::Interface) | Some(SymbolKind::Enum) => true,
            Some(_) => self.is_visible || self.explicit.is_some(),
        };
        item.exported = is_open && !self.modifiers.contains(Modifiers::PRIVATE);
        item.modifiers.set(Modifiers::PRIVATE, !item.exported);
        item.type_parameters = type_parameters(walk, self);
    }

    /// Refers to the attributes, and to the bounds on type parameters, which it declares.
    fn visit(&self, walk: &mut Walk<'t>, symbol: LocalSymbol) {
        self.attributes.iter().for_each(|list| walk.visit(*list));
        for parameter in self.type_parameters.map_or_else(Vec::new, parts) {
            if let Some(name) = child(parameter, FIELDS.name) {
                walk.type_parameter(walk.text(name));
            }
        }
        let mut bounds = Vec::new();
        for (parameter, constraint) in constraints(self) {
            let Some(ty) = child(constraint, FIELDS.ty) else { continue };
            types::refer(walk, ty, Relation::UsesType);
            if let Some(ty) = walk.ty(ty) {
                bounds.push((walk.text(parameter), ty));
            }
        }
        if !bounds.is_empty() {
            walk.set_bounds(symbol, bounds);
        }
        if let Some(interface) = self.explicit {
            types::refer(walk, interface, Relation::UsesType);
        }
    }
}

/// Returns the constraints of a declaration, each with the name of its type parameter.
fn constraints<'t>(head: &Head<'t>) -> Vec<(Node<'t>, Node<'t>)> {
    let mut found = Vec::new();
    for clause in &head.constraints {
        if let [name, constraints @ ..] = &parts(*clause)[..] {
            found.extend(constraints.iter().map(|constraint| (*name, *constraint)));
        }
    }
    found
}

fn type_parameters(walk: &Walk<'_>, head: &Head<'_>) -> Vec<TypeParameter> {
    let mut own: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for (of, constraint) in constraints(head) {
        own.entry(walk.text(of)).or_default().push(walk.text(constraint));
    }
    let declared = head.type_parameters.map_or_else(Vec::new, parts);
    let names = declared.into_iter().filter_map(|declared| child(declared, FIELDS.name));
    names
        .map(|name| {
            let name = walk.text(name);
            let constraint = own.remove(name).map(|all| all.join(", "));
            parameter(name, constraint.as_deref(), None)
        })
        .collect()
}

// -- Types --------------------------------------------------------------------------------------------------

/// Maximum number of bases of a type whose type arguments are read.
const MOST_BASES: usize = 32;

fn type_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>, symbol_kind: SymbolKind) {
    let Some(name) = name_of(node) else { return walk.children(node) };
    let body = child(node, FIELDS.body);
    let is_record = kind(node) == Kind::RecordDeclaration;
    let is_struct = is_record && child_of_text(walk, node, "struct");
    let head = head(walk, node);
    let symbol_kind = if is_struct { SymbolKind::Struct } else { symbol_kind };
    let mut item = Item::new(symbol_kind, name, node).with_body(body);
    head.describe(walk, &mut item);
    let symbol = walk.declare(item);
    // `[Name]` stands for `[NameAttribute]`.
    if let Some(short) = walk.text(name).strip_suffix("Attribute").filter(|short| !short.is_empty()) {
        walk.facts.export(Export { name: short.into(), symbol });
    }
    walk.inside(symbol, |walk| {
        head.visit(walk, symbol);
        if let Some(list) = child_of(node, Kind::ParameterList) {
            if is_record {
                parts(list).into_iter().for_each(|it| record_property(walk, it));
            } else {
                let types = parameter_types(walk, list);
                walk.set_parameters(symbol, types);
            }
        }
        if let Some(bases) = child_of(node, Kind::BaseList) {
            let bases = parts(bases);
            let types = bases.iter().filter_map(|base| walk.ty(*base)).map(RawHint::Typed);
            let types: Vec<RawHint<'t>> = types.take(MOST_BASES).collect();
            if symbol_kind != SymbolKind::Enum && !types.is_empty() {
                walk.set_type(symbol, RawHint::OneOf(types));
            }
            bases.into_iter().for_each(|base| inherit(walk, base, symbol_kind));
        }
        if let Some(body) = body {
            walk.list(body);
        }
    });
}

/// Returns true if a keyword is a direct child of a node.
fn child_of_text(walk: &Walk<'_>, node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| !child.is_named() && walk.text(child) == word)
}

/// Refers to a base of a type. By convention, the names of interfaces start with an `I`.
fn inherit<'t>(walk: &mut Walk<'t>, base: Node<'t>, of: SymbolKind) {
    if kind(base) == Kind::ArgumentList {
        return walk.visit(base);
    }
    let name = walk.text(last_segment(base));
    let is_interface = name.starts_with('I') && name[1..].starts_with(char::is_uppercase);
    let relation = match of {
        SymbolKind::Enum => Relation::UsesType,
        SymbolKind::Interface => Relation::Inherits,
        SymbolKind::Struct => Relation::Implements,
        _ if is_interface => Relation::Implements,
        _ => Relation::Inherits,
    };
    types::refer(walk, base, relation);
    if let Some(arguments) = child_of(base, Kind::ArgumentList) {
        walk.visit(arguments);
    }
}

/// Declares the property that a parameter of a record is.
fn record_property<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let (Some(name), Some(ty)) = (name_of(node), child(node, FIELDS.ty)) else { return };
    let symbol = walk.declare(Item::new(SymbolKind::Field, name, node));
    walk.inside(symbol, |walk| {
        for part in parts(node).into_iter().filter(|part| *part != name && *part != ty) {
            walk.visit(part);
        }
        set_type(walk, symbol, ty);
    });
}

fn enum_member<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(name) = name_of(node) else { return walk.children(node) };
    let head = head(walk, node);
    let mut item = Item::new(SymbolKind::EnumMember, name, node);
    head.describe(walk, &mut item);
    let symbol = walk.declare(item);
    walk.inside(symbol, |walk| {
        head.visit(walk, symbol);
        walk.visit_field(node, FIELDS.value);
    });
}

/// Sets the type of a declaration, and refers to it.
fn set_type<'t>(walk: &mut Walk<'t>, symbol: LocalSymbol, ty: Node<'t>) {
    types::refer(walk, ty, Relation::UsesType);
    if let Some(ty) = walk.ty(ty) {
        walk.set_type(symbol, RawHint::Typed(ty));
    }
}

// -- Functions ----------------------------------------------------------------------------------------------

/// Returns the part of the text from a token to the end of a node, which is the name of an operator.
fn operator_name<'t>(walk: &Walk<'t>, node: Node<'t>, last: Option<Node<'t>>) -> Option<&'t str> {
    let start = child_of(node, Kind::OperatorWord)?.start_byte() as u32;
    Some(Span::new(start, last?.end_byte() as u32).text(walk.source)).filter(|name| !name.is_empty())
}

fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let own = kind(node);
    let (symbol_kind, renamed) = match own {
        Kind::DelegateDeclaration => (SymbolKind::TypeAlias, None),
        Kind::LocalFunction => (SymbolKind::Function, None),
        Kind::ConstructorDeclaration => (SymbolKind::Constructor, Some("constructor")),
        Kind::DestructorDeclaration => (SymbolKind::Method, Some("finalizer")),
        Kind::OperatorDeclaration => {
            (SymbolKind::Method, operator_name(walk, node, child(node, FIELDS.operator)))
        }
        Kind::ConversionOperator => (SymbolKind::Method, operator_name(walk, node, child(node, FIELDS.ty))),
        _ => (SymbolKind::Method, None),
    };
    let named = name_of(node).or_else(|| child_of(node, Kind::OperatorWord));
    let Some(name) = named.filter(|name| !name.byte_range().is_empty()) else { return walk.children(node) };
    let body = child(node, FIELDS.body);
    let list = child(node, FIELDS.parameters);
    let head = head(walk, node);
    let mut item = Item::new(symbol_kind, name, node).with_body(body);
    item.renamed = renamed;
    head.describe(walk, &mut item);
    let is_variadic = list.is_some_and(|list| child_of(list, Kind::Params).is_some());
    item.modifiers.set(Modifiers::VARIADIC, is_variadic);
    let first = list.and_then(|list| child_of(list, Kind::Parameter));
    let receiver = first.and_then(|first| child_of(first, Kind::ModifierWord));
    item.modifiers.set(Modifiers::EXTENSION, receiver.is_some_and(|word| walk.text(word) == "this"));
    let in_interface = walk.owner.is_some_and(|owner| walk.facts.symbol(owner).kind == SymbolKind::Interface);
    if in_interface && body.is_none() {
        item.modifiers |= Modifiers::ABSTRACT;
    }
    if own == Kind::LocalFunction {
        item.exported = false;
    }
    let symbol = walk.declare(item);
    if own == Kind::LocalFunction {
        walk.bind(walk.text(name), symbol);
    }
    walk.inside(symbol, |walk| {
        head.visit(walk, symbol);
        let types = list.map_or_else(Vec::new, |list| parameter_types(walk, list));
        walk.set_parameters(symbol, types);
        if let Some(list) = list {
            name_parameters(walk, symbol, list);
        }
        if let Some(ty) = child(node, FIELDS.returns).or_else(|| child(node, FIELDS.ty)) {
            set_type(walk, symbol, ty);
        }
        if let Some(initializer) = child_of(node, Kind::ConstructorInitializer) {
            delegate(walk, initializer);
        }
        if let Some(body) = body {
            walk.visit(body);
        }
    });
}

/// Visits the call of another constructor: `: this(..)`, `: base(..)`.
fn delegate<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(arguments) = child_of(node, Kind::ArgumentList) else { return };
    let count = Some(argument_count(&CSharp, arguments));
    let (name, at) = match (child_of(node, Kind::This), child_of(node, Kind::Base)) {
        (Some(this), _) => (RawName { base: Base::SelfType, path: vec!["this", "constructor"] }, this),
        (None, Some(base)) => (RawName { base: Base::Super, path: vec!["base"] }, base),
        (None, None) => return,
    };
    walk.reference_with(Relation::Calls, name, at, count);
    walk.visit(arguments);
}

/// Declares the parameters of a list, and returns their types.
fn parameter_types<'t>(walk: &mut Walk<'t>, list: Node<'t>) -> Vec<Option<RawType<'t>>> {
    let mut types = Vec::new();
    parts(list)
        .into_iter()
        .filter(|it| kind(*it) == Kind::Parameter)
        .for_each(|it| parameters(walk, it, &mut types));
    // The last parameter of a variable number has no node of its own.
    if child_of(list, Kind::Params).is_some() {
        parameters(walk, list, &mut types);
    }
    types
}

/// Sets the names of a function's parameters, and the number of those for which a call must pass an argument.
fn name_parameters<'t>(walk: &mut Walk<'t>, symbol: LocalSymbol, list: Node<'t>) {
    let declared = parts(list).into_iter().filter(|it| kind(*it) == Kind::Parameter);
    let declared: Vec<Node<'t>> = declared.collect();
    let is_required = |it: &&Node<'t>| child_of(**it, Kind::Equals).is_none();
    let required = declared.iter().filter(is_required).count();
    let names = declared.iter().filter_map(|it| child(*it, FIELDS.name));
    let all = child_of(list, Kind::Params).and_then(|_| child(list, FIELDS.name));
    let names = names.chain(all).map(|name| walk.text(name).into()).collect();
    let symbol = walk.facts.symbol_mut(symbol);
    symbol.parameter_names = names;
    symbol.required_parameters = u8::try_from(required).unwrap_or(u8::MAX);
}

/// Declares a parameter, and adds its type.
fn parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>, types: &mut Vec<Option<RawType<'t>>>) {
    let (name, ty) = (child(node, FIELDS.name), child(node, FIELDS.ty));
    if kind(node) == Kind::Parameter {
        for part in parts(node).into_iter().filter(|part| Some(*part) != name && Some(*part) != ty) {
            walk.visit(part);
        }
    }
    if let Some(ty) = ty {
        types::refer(walk, ty, Relation::UsesType);
    }
    let own = ty.and_then(|ty| walk.ty(ty));
    if let Some(name) = name {
        walk.local(walk.text(name), own.clone().map(RawHint::Typed));
    }
    types.push(own);
}

// -- Fields and properties ----------------------------------------------------------------------------------

fn property<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let is_indexer = kind(node) == Kind::IndexerDeclaration;
    let this = is_indexer.then(|| child_of(node, Kind::This)).flatten();
    let Some(name) = name_of(node).or(this) else { return walk.children(node) };
    let (accessors, value) = (child(node, FIELDS.accessors), child(node, FIELDS.value));
    let arrow = value.filter(|value| kind(*value) == Kind::ArrowClause);
    let has_code = |list: &Node<'t>| parts(*list).into_iter().any(|it| child(it, FIELDS.body).is_some());
    let head = head(walk, node);
    let mut item = Item::new(SymbolKind::Field, name, node);
    item.renamed = is_indexer.then_some("[]");
    item.body = arrow.or(accessors.filter(has_code)).map(span);
    head.describe(walk, &mut item);
    item.modifiers |= Modifiers::ACCESSOR;
    if let (Some(accessors), None) = (accessors, item.body) {
        let signature = Span::new(head.start, accessors.end_byte() as u32);
        item.signature = Some(signature.text(walk.source).to_owned());
    }
    let symbol = walk.declare(item);
    walk.inside(symbol, |walk| {
        head.visit(walk, symbol);
        if let Some(ty) = child(node, FIELDS.ty) {
            set_type(walk, symbol, ty);
        }
        if let Some(list) = child(node, FIELDS.parameters) {
            let types = parameter_types(walk, list);
            walk.set_parameters(symbol, types);
        }
        for accessor in accessors.map_or_else(Vec::new, parts) {
            walk.scoped(|walk| {
                let ty = child(node, FIELDS.ty).and_then(|ty| walk.ty(ty));
                walk.local("value", ty.map(RawHint::Typed));
                walk.children(accessor);
            });
        }
        if let Some(value) = value {
            value_of_type(walk, value, child(node, FIELDS.ty));
        }
    });
}

fn fields<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(declaration) = child_of(node, Kind::VariableDeclaration) else { return walk.children(node) };
    let ty = child(declaration, FIELDS.ty);
    let mut head = head(walk, node);
    let declarators = parts(declaration).into_iter().filter(|it| kind(*it) == Kind::VariableDeclarator);
    let declarators: Vec<Node<'t>> = declarators.filter(|it| name_of(*it).is_some()).collect();
    let is_one = declarators.len() == 1;
    let Some(first) = declarators.first() else { return walk.children(node) };
    let before = Span::new(head.start, first.start_byte() as u32).text(walk.source);
    // Each of several names repeats the type.
    let limit = if is_one { before.len() } else { before.len().min(types::MAX_SHARED) };
    let end = (0..=limit).rfind(|at| before.is_char_boundary(*at)).unwrap_or_default();
    let (before, separator) = (&before[..end], if end < before.len() { " " } else { "" });
    for declarator in &declarators {
        let Some(name) = name_of(*declarator) else { continue };
        let is_first = declarator == first;
        let is_constant = head.modifiers.contains(Modifiers::CONST);
        let kind = if is_constant { SymbolKind::Constant } else { SymbolKind::Field };
        let mut item = Item::new(kind, name, if is_one { node } else { *declarator });
        head.describe(walk, &mut item);
        let value = value_of(*declarator);
        let is_short = node.start_position().row == node.end_position().row;
        let end = if is_short { declarator.end_byte() } else { name.end_byte() };
        let own = Span::new(name.start_byte() as u32, end as u32).text(walk.source);
        item.signature = Some(format!("{before}{separator}{own}"));
        if !is_one {
            item.signature_start = None;
            item.attributes.clear();
        }
        let symbol = walk.declare(item);
        walk.inside(symbol, |walk| {
            if is_first {
                head.visit(walk, symbol);
                if let Some(ty) = ty {
                    types::refer(walk, ty, Relation::UsesType);
                }
            }
            if let Some(ty) = ty.and_then(|ty| types::shared(walk, ty, is_first)) {
                walk.set_type(symbol, RawHint::Typed(ty));
            }
            if let Some(value) = value {
                value_of_type(walk, value, ty);
            }
        });
        // The first name has the attributes.
        head.attributes.clear();
    }
}
