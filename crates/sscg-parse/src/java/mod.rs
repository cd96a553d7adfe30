//! Java, through tree-sitter.
//!
//! Types have names everywhere but for `var` and the parameters of lambdas. Methods and variables have separate
//! namespaces. Members are found by the types around the code, so that only types, imports and variables are bound.

mod declaration;
mod expression;
mod grammar;
mod types;

use std::sync::LazyLock;

use sscg_core::{
    ChunkKind, Corpus, Import, ImportKind, Language, LanguageDef, Library, ModuleSystem, Relation, SymbolKind,
};
use tree_sitter::Node;

use self::grammar::{FIELDS, Kind, LANGUAGE, child, is_comment, kind, named};
use crate::highlight::Highlighting;
use crate::scope::{RawHint, RawName, RawType};
use crate::signature::Order;
use crate::spec::{Grammar, Spec, Walk};
use crate::syntax::Ending;
use crate::tree::span;
use crate::wiring;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::parse(include_str!("library.txt")));

static JAVA: LanguageDef = LanguageDef {
    name: "java",
    aliases: &[],
    extensions: &["java"],
    version: 2,
    corpus: Corpus::Code,
    is_data: false,
    modules: ModuleSystem::DeclaredPackages,
    family: "jvm",
    library: &LIBRARY,
    stub: " { ... }",
};

static HIGHLIGHTING: LazyLock<Highlighting> =
    LazyLock::new(|| Highlighting::new(tree_sitter_java::LANGUAGE, &[tree_sitter_java::HIGHLIGHTS_QUERY]));

static SPEC: Spec = Spec {
    languages: &[Language::new(&JAVA)],
    grammar: &LANGUAGE,
    highlighting: &HIGHLIGHTING,
    line_comment: "//",
    order: Order::TypeName,
    quotes: b"\"'",
    ending: Ending::Body("{ /* ... */ }"),
    no_value: "null /* value omitted */",
};

/// Grammar of Java.
pub(crate) struct Java;

impl Grammar for Java {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn is_comment(&self, node: Node<'_>) -> bool {
        is_comment(node)
    }

    fn visit<'t>(&self, walk: &mut Walk<'t>, node: Node<'t>) {
        match kind(node) {
            Kind::Leaf
            | Kind::LineComment
            | Kind::BlockComment
            | Kind::Character
            | Kind::False
            | Kind::Float
            | Kind::Integer
            | Kind::True => {}
            Kind::Package => package(walk, node),
            Kind::Import => import(walk, node),
            Kind::Module => module(walk, node),
            Kind::Class => declaration::class(walk, node, SymbolKind::Class),
            Kind::Interface | Kind::AnnotationType => declaration::class(walk, node, SymbolKind::Interface),
            Kind::Enum => declaration::class(walk, node, SymbolKind::Enum),
            Kind::Record => declaration::class(walk, node, SymbolKind::Class),
            Kind::EnumBodyDeclarations => walk.list(node),
            Kind::EnumConstant => declaration::enum_constant(walk, node),
            Kind::Method | Kind::AnnotationElement => declaration::function(walk, node, SymbolKind::Method),
            Kind::Constructor | Kind::CompactConstructor => {
                declaration::function(walk, node, SymbolKind::Constructor);
            }
            Kind::FieldDeclaration | Kind::ConstantDeclaration => declaration::fields(walk, node),
            Kind::TypeIdentifier
            | Kind::ScopedTypeIdentifier
            | Kind::GenericType
            | Kind::ArrayType
            | Kind::AnnotatedType => types::refer(walk, node, Relation::UsesType),
            Kind::Annotation | Kind::MarkerAnnotation => annotation(walk, node, Relation::Decorates),
            Kind::ElementPair => walk.visit_field(node, FIELDS.value),
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
        Some(wiring::read::<wiring::java::Java>)
    }
}

fn package<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    // A license is no documentation.
    let is_documented = node.prev_sibling().is_some_and(|above| walk.text(above).starts_with("/**"));
    let name =
        named(node).into_iter().find(|it| matches!(kind(*it), Kind::Identifier | Kind::ScopedIdentifier));
    let name = name.map(|name| types::path(walk, name).join(".")).unwrap_or_default();
    if is_documented {
        walk.document_file(node);
    } else {
        walk.root(ChunkKind::Expression, node, &format!("package {name}"));
    }
    for annotation in named(node) {
        if matches!(kind(annotation), Kind::Annotation | Kind::MarkerAnnotation) {
            walk.visit(annotation);
        }
    }
    walk.facts.set_package(name);
}

/// Adds an import: of a type, of all types of a package, of a static member, or of all static members of a type.
fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let parts = named(node);
    let Some(path) = parts.first().map(|path| types::path(walk, *path)) else { return };
    let is_glob = parts.len() > 1;
    let (name, module) = match path[..] {
        [ref module @ .., name] if !is_glob => (name, module.join(".")),
        _ => ("", path.join(".")),
    };
    walk.root(ChunkKind::Import, node, &path.join("."));
    let import = Import {
        kind: if is_glob { ImportKind::Glob } else { ImportKind::Named },
        module: module.into(),
        name: name.into(),
        local: name.into(),
        reexport: false,
        condition: None,
        scope: None,
        span: span(node),
        line: walk.facts.line(node.start_byte() as u32),
    };
    walk.import(import, name);
}

/// Adds the declaration of a module, whose services are types.
fn module<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let name = child(node, FIELDS.name).map_or("", |name| walk.text(name));
    walk.root(ChunkKind::Expression, node, &format!("module {name}"));
    for directive in child(node, FIELDS.body).map(named).unwrap_or_default() {
        if !matches!(kind(directive), Kind::UsesDirective | Kind::ProvidesDirective) {
            continue;
        }
        for service in named(directive) {
            types::refer(walk, service, Relation::UsesType);
        }
    }
}

/// Adds the type of an annotation, with the values of its elements.
fn annotation<'t>(walk: &mut Walk<'t>, node: Node<'t>, relation: Relation) {
    if let Some(name) = child(node, FIELDS.name) {
        types::refer(walk, name, relation);
    }
    walk.visit_field(node, FIELDS.arguments);
}
